// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/InputPadding.h"
#include "EngineWork.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/WorkOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// The uses of a value, after casts that move nothing.
SmallVector<OpOperand *, 1> usesOf(Value value) {
  SmallVector<OpOperand *, 1> uses;
  for (OpOperand &use : value.getUses())
    if (auto cast = dyn_cast<DistributionCastOp>(use.getOwner()))
      uses.append(usesOf(cast->getResult(0)));
    else
      uses.push_back(&use);
  return uses;
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

/// Whether the engine that does the use's operation adds the zeros.
bool addsZeros(OpOperand &use, const AddedZeros &zeros,
               const CostFigures &figures) {
  auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!reader || hasSteps(reader))
    return false;
  std::optional<OpAccess> access = OpAccess::get(reader);
  std::optional<EngineWork> work =
      access ? findWindowsOrProducts(reader, *access) : std::nullopt;
  return work && work->parts.empty() && work->image == use.getOperandNumber() &&
         fitsWindows(zeros, access->windowsOver(work->image), figures);
}

} // namespace

SmallVector<Operation *, 1> findPaddingReaders(Operation *op,
                                               const CostFigures &figures) {
  auto model = modelOf<WorkOpInterface>(op);
  AddedZeros zeros = model ? model.getAddedZeros() : AddedZeros();
  if (zeros.empty())
    return {};
  SmallVector<OpOperand *, 1> uses = usesOf(op->getResult(0));
  bool isOfSteps = op->hasAttr(stepsAttrName);
  SmallVector<Operation *, 1> readers;
  for (OpOperand *use : uses) {
    Operation *reader = use->getOwner();
    bool isNear =
        isOfSteps || (uses.size() == 1 && reader->getBlock() == op->getBlock());
    if (!isNear || !addsZeros(*use, zeros, figures))
      return {};
    readers.push_back(reader);
  }
  return readers;
}

bool padsWhileReading(Operation *op, const CostFigures &figures) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    while (auto cast = dyn_cast_or_null<DistributionCastOp>(maker))
      maker = cast->getOperand(0).getDefiningOp();
    return maker && llvm::is_contained(findPaddingReaders(maker, figures), op);
  });
}

} // namespace npu
