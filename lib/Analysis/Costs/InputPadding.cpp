// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/InputPadding.h"
#include "EngineWork.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/WorkOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// The only use of a value, after casts that move nothing; null where there are
/// several.
OpOperand *onlyUseOf(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    auto cast = dyn_cast<DistributionCastOp>(use.getOwner());
    if (!cast)
      return &use;
    value = cast->getResult(0);
  }
  return nullptr;
}

/// The zeros that the engine adds at each end of a dimension with that window.
int64_t mostPadding(const Window &window, const CostFigures &figures) {
  return (Count{window.kernel - 1} * Count{figures.inputPadding}).value / 1000;
}

/// Whether the engine can add the zeros where `windows` slide over them.
bool fitsWindows(const AddedZeros &zeros, ArrayRef<Window> windows,
                 const CostFigures &figures) {
  for (auto [dim, added] : llvm::enumerate(zeros)) {
    auto [low, high] = added;
    if (low == 0 && high == 0)
      continue;
    const auto *window = llvm::find_if(windows, [&](const Window &each) {
      return each.dim == static_cast<int64_t>(dim);
    });
    if (window == windows.end() ||
        std::max(low, high) > mostPadding(*window, figures))
      return false;
  }
  return true;
}

} // namespace

Operation *findPaddingReader(Operation *op, const CostFigures &figures) {
  auto model = modelOf<WorkOpInterface>(op);
  AddedZeros zeros = model ? model.getAddedZeros() : AddedZeros();
  OpOperand *use = zeros.empty() ? nullptr : onlyUseOf(op->getResult(0));
  auto reader =
      use ? dyn_cast<linalg::LinalgOp>(use->getOwner()) : linalg::LinalgOp();
  if (!reader || reader->getBlock() != op->getBlock() || hasSteps(reader))
    return nullptr;
  std::optional<OpAccess> access = OpAccess::get(reader);
  std::optional<EngineWork> work =
      access ? findWindowsOrProducts(reader, *access) : std::nullopt;
  if (!work || !work->parts.empty() || work->image != use->getOperandNumber() ||
      !fitsWindows(zeros, access->windowsOver(work->image), figures))
    return nullptr;
  return reader;
}

bool padsWhileReading(Operation *op, const CostFigures &figures) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    while (auto cast = dyn_cast_or_null<DistributionCastOp>(maker))
      maker = cast->getOperand(0).getDefiningOp();
    return maker && findPaddingReader(maker, figures) == op;
  });
}

} // namespace npu
