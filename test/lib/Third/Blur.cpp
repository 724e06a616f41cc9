// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over a window of rows. What it reads follows from upstream's interfaces,
// which it implements; it says only what it is in structured operations.

#include "Third.h"

#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace third {
namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

struct Structured
    : npu::StructuredFormOpInterface::ExternalModel<Structured, BlurOp> {
  bool hasStructuredForm(Operation *op) const {
    return tensorType(op->getOperand(0)).hasStaticShape() &&
           tensorType(op->getOperand(1)).hasStaticShape();
  }

  bool keepsLayouts(Operation *) const { return true; }

  /// A sum over a window, whose length is the shape of a tensor that nobody
  /// reads.
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    if (!hasStructuredForm(op))
      return failure();
    auto blur = cast<BlurOp>(op);
    int64_t taps = tensorType(blur.getInput()).getDimSize(0) -
                   tensorType(blur.getOutput()).getDimSize(0) + 1;
    Value window = tensor::EmptyOp::create(rewriter, op->getLoc(), {taps},
                                           rewriter.getF32Type());
    SmallVector<AffineMap> maps(blur.getIndexingMapsArray());
    maps.insert(maps.begin() + 1,
                AffineMap::get(3, 0, rewriter.getAffineDimExpr(2)));
    SmallVector<utils::IteratorType> loops{utils::IteratorType::parallel,
                                           utils::IteratorType::parallel,
                                           utils::IteratorType::reduction};
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange(blur.getType()), ValueRange{blur.getInput(), window},
        blur.getOutput(), maps, loops,
        [](OpBuilder &inner, Location loc, ValueRange elements) {
          Value sum =
              arith::AddFOp::create(inner, loc, elements[2], elements[0]);
          linalg::YieldOp::create(inner, loc, sum);
        });
    return success();
  }
};

/// The window is as long as it was if both tensors get the same padding, and
/// stands where it stood if they get it at the same end.
struct Padding : npu::PaddingOpInterface::ExternalModel<Padding, BlurOp> {
  npu::MaybeRefused transferPadding(Operation *op,
                                    npu::PaddingTransfer &transfer) const {
    auto blur = cast<BlurOp>(op);
    const npu::PaddingState &input = transfer.of(blur.getInput());
    npu::PaddingState output = transfer.of(blur.getOutput());
    auto at = [](const npu::PaddingState &state, unsigned dim) {
      return dim < state.size() && state[dim] ? &*state[dim] : nullptr;
    };
    const npu::PaddedDim *from = at(input, 0), *to = at(output, 0);
    bool fits = from && to &&
                npu::isNumber(npu::simplified(from->real - to->real),
                              from->extent - to->extent) &&
                ((from->endsInPadding() && to->endsInPadding()) ||
                 (from->beginsWithPadding() && to->beginsWithPadding()));
    if (!fits || at(input, 1) || at(output, 1))
      return npu::Refusal("its window would slide over padding of {}",
                          blur.getInput());
    output[0]->content = {};
    transfer.setResult(blur->getResult(0), output);
    return std::nullopt;
  }
};

} // namespace

/// (row, column, tap) to (row + tap, column) of the input and (row, column) of
/// the output.
ArrayAttr BlurOp::getIndexingMaps() {
  Builder builder(getContext());
  AffineExpr row = builder.getAffineDimExpr(0),
             column = builder.getAffineDimExpr(1),
             tap = builder.getAffineDimExpr(2);
  return builder.getAffineMapArrayAttr(
      {AffineMap::get(3, 0, {row + tap, column}, getContext()),
       AffineMap::get(3, 0, {row, column}, getContext())});
}

/// Extents of both tensors, one after the other, to those of the loops.
AffineMap BlurOp::getShapesToLoopsMap() {
  Builder builder(getContext());
  AffineExpr inputRows = builder.getAffineDimExpr(0),
             outputRows = builder.getAffineDimExpr(2),
             columns = builder.getAffineDimExpr(3);
  return AffineMap::get(4, 0, {outputRows, columns, inputRows - outputRows + 1},
                        getContext());
}

LogicalResult BlurOp::verify() {
  RankedTensorType input = tensorType(getInput()),
                   output = tensorType(getOutput());
  if (output != getType())
    return emitOpError() << "expected a result of the output's type, got "
                         << getType();
  if (input.hasStaticShape() && output.hasStaticShape() &&
      (input.getDimSize(1) != output.getDimSize(1) ||
       input.getDimSize(0) < output.getDimSize(0)))
    return emitOpError()
           << "expected an input of as many columns and at least as many rows";
  return success();
}

void attachBlur(MLIRContext &context) {
  BlurOp::attachInterface<Structured, Padding>(context);
}

} // namespace third
