// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Movements.h"
#include "npu/Assignment/Problem.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/Count.h"

using namespace mlir;

namespace npu {

ModelledCost Movements::of(Value value, RankedTensorType from,
                           RankedTensorType to) {
  if (isMadeAnywhere(value))
    return {};
  Padding padding = paddingOf(value);
  if (!padding.empty())
    return movementCost(from, to, padding, target);
  auto [it, isNew] = known.try_emplace(std::pair<Type, Type>(from, to));
  if (isNew)
    it->second = movementCost(from, to, {}, target);
  return it->second;
}

MoveTable Movements::compute(Value value, ArrayRef<RankedTensorType> layouts,
                             const std::vector<bool> &isMade, int64_t rounds) {
  size_t count = layouts.size();
  MoveTable table{{count, std::vector<int64_t>(count, kImpossible)},
                  {count, std::vector<int64_t>(count, 0)}};
  for (size_t from = 0; from < count; ++from)
    for (size_t to = 0; to < count; ++to)
      if (from == to) {
        table.cycles[from][to] = 0;
      } else if (isMade[from]) {
        ModelledCost move = of(value, layouts[from], layouts[to]);
        if (move.cycles != Count::most)
          table.cycles[from][to] = (Count{move.cycles} * Count{rounds}).value;
        if (isDistributed(layouts[from]) && isDistributed(layouts[to]))
          table.received[from][to] = (Count{move.bytes} * Count{rounds}).value;
      }
  return table;
}

const MoveTable &Movements::between(Value value,
                                    ArrayRef<RankedTensorType> layouts,
                                    const std::vector<bool> &isMade,
                                    int64_t rounds) {
  if (!paddingOf(value).empty())
    return padded = compute(value, layouts, isMade, rounds);
  std::vector<uintptr_t> key{static_cast<uintptr_t>(rounds),
                             isMadeAnywhere(value)};
  for (auto [layout, made] : llvm::zip_equal(layouts, isMade)) {
    key.push_back(reinterpret_cast<uintptr_t>(layout.getAsOpaquePointer()));
    key.push_back(made);
  }
  auto [it, isNew] = tables.try_emplace(std::move(key));
  if (isNew)
    it->second = compute(value, layouts, isMade, rounds);
  return it->second;
}

} // namespace npu
