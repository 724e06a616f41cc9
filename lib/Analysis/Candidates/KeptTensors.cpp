// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KeptTensors.h"

using namespace mlir;

namespace npu {
namespace {

/// Tensors that are cut stay on tiles together where each of them takes at most
/// such a part of a scratchpad, and each of the largest for itself.
constexpr int64_t kSmallPart = 4;
constexpr size_t kMostLarge = 2;

} // namespace

std::vector<KeptTensors> choicesOfKept(const StepGroup &group,
                                       ArrayRef<StepSlice> slices,
                                       const StepOptions &asked, int64_t tiles,
                                       int64_t scratchpadBytes) {
  auto bytesOnTile = [&](const StepSlice &slice) {
    return slice.bytes(group, group.last().extents) / tiles;
  };
  int64_t mostSmall = scratchpadBytes / kSmallPart;
  SmallVector<Value, 2> small;
  SmallVector<std::pair<int64_t, Value>> large;
  for (const StepSlice &slice : slices) {
    Value value = group.operandOf(slice.use).get();
    if (slice.isOutput || !slice.isLoaded || asked.loadsOperands)
      continue;
    if (bytesOnTile(slice) <= mostSmall)
      small.push_back(value);
    else if (bytesOnTile(slice) <= scratchpadBytes)
      large.emplace_back(-bytesOnTile(slice), value);
  }
  std::ranges::stable_sort(large, llvm::less_first());
  large.resize(std::min(large.size(), kMostLarge));
  bool isResultSmall =
      !asked.storesResult && bytesOnTile(slices.back()) <= mostSmall;
  std::vector<KeptTensors> choices;
  auto add = [&](SmallVector<Value, 2> operands, bool result) {
    if (result || !operands.empty())
      choices.push_back({std::move(operands), result});
  };
  add(small, isResultSmall);
  if (asked.bytePrice == 0)
    return choices;
  for (bool result : {false, true}) {
    if (result && asked.storesResult)
      break;
    if (result != isResultSmall)
      add(small, result);
    if (result && !small.empty())
      add({}, result);
    for (const auto &[bytes, value] : large) {
      SmallVector<Value, 2> operands(small);
      operands.push_back(value);
      add(std::move(operands), result);
    }
  }
  return choices;
}

} // namespace npu
