// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/CycleMarks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace npu {
namespace {

/// The attribute of each engine.
constexpr std::pair<CycleEngine, llvm::StringLiteral> names[] = {
    {CycleEngine::Matrix, "npu.matrix_cycles"},
    {CycleEngine::Vector, "npu.vector_cycles"},
    {CycleEngine::Load, "npu.load_cycles"}};

llvm::StringLiteral nameOf(CycleEngine engine) {
  return llvm::find_if(names,
                       [&](const auto &each) { return each.first == engine; })
      ->second;
}

} // namespace

std::optional<CycleMark> readCycles(Operation *op) {
  for (auto [engine, name] : names)
    if (auto cycles = op->getAttrOfType<DenseI64ArrayAttr>(name))
      return CycleMark{llvm::to_vector(cycles.asArrayRef()), engine};
  return std::nullopt;
}

void markCycles(Operation *op, const CycleMark &mark) {
  op->setAttr(nameOf(mark.engine),
              DenseI64ArrayAttr::get(op->getContext(), mark.cycles));
}

std::optional<CycleMark> takeCycles(Operation *op) {
  std::optional<CycleMark> mark = readCycles(op);
  if (mark)
    op->removeAttr(nameOf(mark->engine));
  return mark;
}

void keepCyclesOf(Operation *op, unsigned tile) {
  std::optional<CycleMark> mark = readCycles(op);
  if (!mark || tile >= mark->cycles.size())
    return;
  mark->cycles = {mark->cycles[tile]};
  markCycles(op, *mark);
}

void passCyclesOn(const std::optional<CycleMark> &from,
                  ArrayRef<Operation *> to) {
  if (!from || to.empty())
    return;
  for (Operation *op : to.drop_back())
    markCycles(op, {{0}, from->engine});
  markCycles(to.back(), *from);
}

} // namespace npu
