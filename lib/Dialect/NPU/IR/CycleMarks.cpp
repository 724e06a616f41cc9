// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/CycleMarks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace npu {
namespace {

constexpr llvm::StringLiteral matrixName = "npu.matrix_cycles";
constexpr llvm::StringLiteral vectorName = "npu.vector_cycles";

} // namespace

std::optional<CycleMark> readCycles(Operation *op) {
  for (llvm::StringLiteral name : {matrixName, vectorName})
    if (auto cycles = op->getAttrOfType<DenseI64ArrayAttr>(name))
      return CycleMark{llvm::to_vector(cycles.asArrayRef()),
                       name == matrixName};
  return std::nullopt;
}

void markCycles(Operation *op, const CycleMark &mark) {
  op->setAttr(mark.onMatrixEngine ? matrixName : vectorName,
              DenseI64ArrayAttr::get(op->getContext(), mark.cycles));
}

std::optional<CycleMark> takeCycles(Operation *op) {
  std::optional<CycleMark> mark = readCycles(op);
  if (mark)
    op->removeAttr(mark->onMatrixEngine ? matrixName : vectorName);
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
    markCycles(op, {{0}, from->onMatrixEngine});
  markCycles(to.back(), *from);
}

} // namespace npu
