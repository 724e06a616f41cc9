// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-prepare-tosa: writes TOSA operations in forms that upstream's passes
// lower, and lower to what the specification says.

#include "ShapeOps.h"
#include "npu/Conversion/Tosa/Passes.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PREPARETOSA
#include "npu/Conversion/Tosa/Passes.h.inc"

namespace {

using Rewriter = ImplicitLocOpBuilder;

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

RankedTensorType staticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

Value withShape(Rewriter &rewriter, Value value, ArrayRef<int64_t> shape) {
  return tosa::ReshapeOp::create(
      rewriter, RankedTensorType::get(shape, elementOf(value)), value,
      tosa::getTosaConstShape(rewriter, shape));
}

/// Pads by `padding`, pairs of before and behind, with the one entry of
/// `entry`.
Value padded(Rewriter &rewriter, Value value, ArrayRef<int64_t> padding,
             Value entry) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!ShapedType::isDynamic(shape[dim]))
      shape[dim] += padding[2 * dim] + padding[2 * dim + 1];
  return tosa::PadOp::create(rewriter, type.clone(shape), value,
                             tosa::getTosaConstShape(rewriter, padding), entry);
}

/// Pads in front of a depthwise convolution with a 1x1 kernel. Upstream makes a
/// product of it, and pads behind the conversion to the type of the result,
/// with a zero point of the input's type.
void padBefore(Rewriter &rewriter, tosa::DepthwiseConv2DOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto weight = dyn_cast<RankedTensorType>(op.getWeight().getType());
  ArrayRef<int64_t> pad = op.getPad();
  bool pads = llvm::any_of(pad, [](int64_t n) { return n != 0; });
  if (!input || !weight || weight.getDimSize(0) != 1 ||
      weight.getDimSize(1) != 1 || !pads)
    return;
  Value wide =
      padded(rewriter, op.getInput(),
             {0, 0, pad[0], pad[1], pad[2], pad[3], 0, 0}, op.getInputZp());
  op.getInputMutable().assign(wide);
  op.setPad({0, 0, 0, 0});
}

/// Puts zero points between the entries of a transposed convolution's input, so
/// that its stride is 1. Upstream cuts the weights into parts instead, and pads
/// them with a zero point of the input's type.
void spreadInput(Rewriter &rewriter, tosa::TransposeConv2DOp op) {
  RankedTensorType type = staticType(op.getInput());
  ArrayRef<int64_t> stride = op.getStride();
  if (!type || elementOf(op.getInput()) == elementOf(op.getWeight()) ||
      (stride[0] == 1 && stride[1] == 1))
    return;
  ArrayRef<int64_t> in = type.getShape();
  int64_t rows = in[1] * stride[0], columns = in[2] * stride[1];
  Value apart =
      withShape(rewriter, op.getInput(), {in[0], in[1], 1, in[2], 1, in[3]});
  Value spread =
      padded(rewriter, apart,
             {0, 0, 0, 0, 0, stride[0] - 1, 0, 0, 0, stride[1] - 1, 0, 0},
             op.getInputZp());
  Value wide = withShape(rewriter, spread, {in[0], rows, columns, in[3]});
  SmallVector<int64_t> extents = {in[0], rows - stride[0] + 1,
                                  columns - stride[1] + 1, in[3]};
  Value cut =
      tosa::SliceOp::create(rewriter, type.clone(extents), wide,
                            tosa::getTosaConstShape(rewriter, {0, 0, 0, 0}),
                            tosa::getTosaConstShape(rewriter, extents));
  op.getInputMutable().assign(cut);
  op.setStride({1, 1});
}

/// Computes a pool of f8 in f16, which has every f8 and which upstream lowers.
void poolInF16(Rewriter &rewriter, tosa::MaxPool2dOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto output = dyn_cast<RankedTensorType>(op.getType());
  if (!input || !output ||
      !isa<Float8E4M3FNType, Float8E5M2Type>(input.getElementType()))
    return;
  Type f16 = rewriter.getF16Type();
  Value wide = tosa::CastOp::create(rewriter, input.clone(f16), op.getInput());
  op.getInputMutable().assign(wide);
  op.getResult().setType(output.clone(f16));
  rewriter.setInsertionPointAfter(op);
  auto narrow = tosa::CastOp::create(rewriter, output, op.getResult());
  op.getResult().replaceAllUsesExcept(narrow, narrow);
}

/// Rounds as SINGLE_ROUND does where the rounding is left to us.
template <typename Op>
void roundOnce(Op op) {
  if (op.getRoundingMode() == tosa::RoundingMode::INEXACT_ROUND)
    op.setRoundingMode(tosa::RoundingMode::SINGLE_ROUND);
}

struct PrepareTosaPass : impl::PrepareTosaBase<PrepareTosaPass> {
  using PrepareTosaBase::PrepareTosaBase;

  void runOnOperation() override {
    foldShapes();
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Rewriter rewriter(op->getLoc(), op);
      llvm::TypeSwitch<Operation *>(op)
          .Case(
              [&](tosa::DepthwiseConv2DOp conv) { padBefore(rewriter, conv); })
          .Case([&](tosa::TransposeConv2DOp conv) {
            spreadInput(rewriter, conv);
          })
          .Case([&](tosa::MaxPool2dOp pool) { poolInF16(rewriter, pool); })
          .Case<tosa::RescaleOp, tosa::ApplyScaleOp>(
              [](auto scale) { roundOnce(scale); });
    }
  }

private:
  /// Replaces shapes that are computed from known ones by their extents.
  void foldShapes() {
    SmallVector<Operation *> shapes;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() == 1 && !isa<tosa::ConstShapeOp>(op) &&
          isa<tosa::shapeType>(op->getResult(0).getType()))
        shapes.push_back(op);
    });
    for (Operation *op : shapes)
      if (std::optional<SmallVector<int64_t>> extents =
              constantShape(op->getResult(0))) {
        Rewriter rewriter(op->getLoc(), op);
        op->getResult(0).replaceAllUsesWith(
            tosa::getTosaConstShape(rewriter, *extents));
        op->erase();
      }
  }
};

} // namespace
} // namespace npu
