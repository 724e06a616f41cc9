// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shrink.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// The part of a tensor at one place of some dimensions; -1: all of a
/// dimension.
struct Part {
  SmallVector<int64_t> places;

  SmallVector<int64_t> shapeOf(ArrayRef<int64_t> whole) const {
    SmallVector<int64_t> shape;
    for (auto [place, extent] : llvm::zip(places, whole))
      shape.push_back(place < 0 ? extent : 1);
    return shape;
  }
};

SharedTensor cut(const SharedTensor &tensor, const Part &part) {
  if (!tensor)
    return nullptr;
  TensorSpec spec = tensor->spec;
  SmallVector<int64_t> shape = part.shapeOf(spec.shape);
  spec.shape.assign(shape.begin(), shape.end());
  HostTensor result(spec);
  for (int64_t i = 0, end = spec.elements(); i < end; ++i) {
    int64_t from = 0;
    std::vector<int64_t> at = coordinatesOf(spec, i);
    for (size_t dim = 0; dim < at.size(); ++dim)
      from = from * tensor->spec.shape[dim] +
             (part.places[dim] < 0 ? at[dim] : part.places[dim]);
    setBitsAt(result, i, bitsAt(*tensor, from));
  }
  return std::make_shared<const HostTensor>(std::move(result));
}

/// Where each loop stands for the element; nothing where that is not known.
std::optional<SmallVector<int64_t>> loopsFor(linalg::LinalgOp op,
                                             const std::vector<int64_t> &at) {
  if (op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  for (Value operand : op->getOperands())
    if (hasLayout(operand.getType()))
      return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  SmallVector<int64_t> loops(op.getNumLoops(), -1);
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    loops[map.getDimPosition(i)] = at[i];
  return loops;
}

} // namespace

bool shrinkTo(func::FuncOp function, const std::vector<int64_t> &at,
              std::vector<Known> &operands) {
  Operation *terminator = function.front().getTerminator();
  if (terminator->getNumOperands() != 1)
    return false;
  auto op = terminator->getOperand(0).getDefiningOp<linalg::LinalgOp>();
  std::optional<SmallVector<int64_t>> loops =
      op ? loopsFor(op, at) : std::nullopt;
  if (!loops)
    return false;
  // An argument that is read in two ways would need two parts.
  for (BlockArgument argument : function.getArguments())
    if (!argument.hasOneUse() || *argument.user_begin() != op)
      return false;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Part part;
    SmallVector<OpFoldResult> offsets, sizes;
    SmallVector<int64_t> shape;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      part.places.push_back((*loops)[map.getDimPosition(i)]);
    shape = part.shapeOf(type.getShape());
    auto small = RankedTensorType::get(shape, type.getElementType());
    if (auto argument = dyn_cast<BlockArgument>(operand.get())) {
      Known &known = operands[argument.getArgNumber()];
      known = {cut(known.device, part), cut(known.reference, part),
               cut(known.error, part)};
      argument.setType(small);
      continue;
    }
    for (auto [place, extent] : llvm::zip(part.places, shape)) {
      offsets.push_back(builder.getIndexAttr(std::max<int64_t>(place, 0)));
      sizes.push_back(builder.getIndexAttr(extent));
    }
    SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
    operand.set(tensor::ExtractSliceOp::create(
        builder, op.getLoc(), small, operand.get(), offsets, sizes, strides));
  }
  op->getResult(0).setType(op.getDpsInits()[0].getType());
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return true;
}

} // namespace npu
