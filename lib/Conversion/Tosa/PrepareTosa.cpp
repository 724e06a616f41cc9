// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-prepare-tosa: writes TOSA operations in forms that upstream's passes
// lower, and lower to what the specification says.

#include "ShapeOps.h"
#include "npu/Conversion/Tosa/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

/// Pads by `padding`, pairs of before and after, with the one entry of
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
/// product of it, and pads after the conversion to the type of the result,
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

/// A tensor of one entry, which broadcasts to tensors like `value`.
Value entryFor(Rewriter &rewriter, Value value, const APFloat &entry) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType one =
      type.clone(SmallVector<int64_t>(type.getRank(), int64_t(1)));
  return tosa::ConstOp::create(rewriter, one,
                               DenseElementsAttr::get(one, entry));
}

/// Takes the maximum or the minimum of the numbers, with infinities in the
/// place of NaN, and NaN where there was no number. Upstream begins at the
/// largest finite number instead of an infinity. `numbersIn` says, like a
/// reduction of i1, where the result has numbers.
template <typename Op>
void ignoreNans(
    Rewriter &rewriter, Op op, bool largest,
    llvm::function_ref<Value(Rewriter &, Value isNumber)> numbersIn) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto element =
      type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
  if (!element || op.getNanMode() != tosa::NanPropagationMode::IGNORE ||
      !isa<RankedTensorType>(op.getType()) ||
      !APFloat::semanticsHasInf(element.getFloatSemantics()))
    return;
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  Value input = op.getInput();
  Value isNumber = tosa::EqualOp::create(
      rewriter, type.clone(rewriter.getI1Type()), input, input);
  Value numbers = tosa::SelectOp::create(
      rewriter, type, isNumber, input,
      entryFor(rewriter, input, APFloat::getInf(semantics, largest)));
  Value hasNumbers = numbersIn(rewriter, isNumber);
  op.getInputMutable().assign(numbers);
  op.setNanMode(tosa::NanPropagationMode::PROPAGATE);
  rewriter.setInsertionPointAfter(op);
  Value nan = entryFor(rewriter, op.getResult(), APFloat::getNaN(semantics));
  auto chosen = tosa::SelectOp::create(rewriter, op.getType(), hasNumbers,
                                       op.getResult(), nan);
  op.getResult().replaceAllUsesExcept(chosen, chosen);
}

template <typename Op>
void ignoreNansInReduction(Rewriter &rewriter, Op op, bool largest) {
  ignoreNans(rewriter, op, largest, [&](Rewriter &before, Value isNumber) {
    auto type = cast<RankedTensorType>(op.getType());
    return tosa::ReduceAnyOp::create(before, type.clone(before.getI1Type()),
                                     isNumber, op.getAxis())
        .getResult();
  });
}

/// Whether a window has numbers is a maximum of 0 and 1.
void ignoreNansInPool(Rewriter &rewriter, tosa::MaxPool2dOp op) {
  ignoreNans(
      rewriter, op, /*largest=*/true, [&](Rewriter &before, Value isNumber) {
        Type i8 = before.getI8Type(), i1 = before.getI1Type();
        auto from = cast<RankedTensorType>(isNumber.getType());
        auto to = cast<RankedTensorType>(op.getType());
        Value ones = tosa::CastOp::create(before, from.clone(i8), isNumber);
        Value most = tosa::MaxPool2dOp::create(before, to.clone(i8), ones,
                                               op.getKernel(), op.getStride(),
                                               op.getPad());
        return tosa::CastOp::create(before, to.clone(i1), most).getResult();
      });
}

/// Repeats the first row or column before the others.
Value repeatFirst(Rewriter &rewriter, Value image, int64_t dim) {
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      strides(type.getRank(), rewriter.getIndexAttr(1)),
      extents = tensor::getMixedSizes(rewriter, rewriter.getLoc(), image);
  extents[dim] = rewriter.getIndexAttr(1);
  Value first = tensor::ExtractSliceOp::create(rewriter, image, offsets,
                                               extents, strides);
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(dim))
    ++shape[dim];
  return tosa::ConcatOp::create(rewriter, type.clone(shape),
                                ValueRange{first, image}, dim);
}

/// Whether upstream multiplies an i48 by an i32: the image has one entry.
bool isOneShort(RankedTensorType image) {
  return image.getElementType().isInteger(16) && image.getDimSize(1) == 1 &&
         image.getDimSize(2) == 1;
}

/// Begins a bilinear resize at a row and a column that are there. Upstream
/// rounds places before the first entry towards it, and weighs entries with
/// negative numbers.
LogicalResult beginInside(Rewriter &rewriter, tosa::ResizeOp op) {
  std::optional<SmallVector<int64_t>> scale = constantShape(op.getScale()),
                                      offset = constantShape(op.getOffset());
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (op.getMode() != tosa::ResizeMode::BILINEAR || !type || !scale || !offset)
    return success();
  Value image = op.getInput();
  for (int64_t dim : {0, 1}) {
    int64_t step = (*scale)[2 * dim];
    bool isBefore = (*offset)[dim] < 0;
    if (!isBefore && (dim == 1 || !isOneShort(type)))
      continue;
    if ((*offset)[dim] < -step)
      return op.emitOpError()
             << "expected an offset of at least " << -step << " in dimension "
             << dim + 1 << ", the scale's numerator, got " << (*offset)[dim];
    image = repeatFirst(rewriter, image, dim + 1);
    (*offset)[dim] += step;
  }
  if (image == op.getInput())
    return success();
  op.getInputMutable().assign(image);
  op.getOffsetMutable().assign(tosa::getTosaConstShape(rewriter, *offset));
  return success();
}

/// Casts between f16 and bf16 through f32, which has every number of both.
void castThroughF32(Rewriter &rewriter, tosa::CastOp op) {
  Type from = elementOf(op.getInput()), to = elementOf(op.getResult());
  auto type = dyn_cast<TensorType>(op.getInput().getType());
  if (!type ||
      !((from.isF16() && to.isBF16()) || (from.isBF16() && to.isF16())))
    return;
  op.getInputMutable().assign(tosa::CastOp::create(
      rewriter, type.clone(rewriter.getF32Type()), op.getInput()));
}

bool negatesWithoutZeroPoints(tosa::NegateOp op) {
  FailureOr<int64_t> in = op.getInput1ZeroPoint(),
                     out = op.getOutputZeroPoint();
  return succeeded(in) && succeeded(out) && *in == 0 && *out == 0;
}

/// Refuses integers that are negated with zero points which are no constants:
/// upstream's lowering to linalg does not end with an error there.
LogicalResult verifyZeroPoints(tosa::NegateOp op) {
  if (!isa<IntegerType>(getElementTypeOrSelf(op.getType())) ||
      (succeeded(op.getInput1ZeroPoint()) &&
       succeeded(op.getOutputZeroPoint())))
    return success();
  return op.emitOpError("expected zero points that are constants");
}

/// Bounds what is negated twice. Upstream folds that to nothing, but the least
/// number has no opposite, and becomes the one above it.
void boundTwiceNegated(Rewriter &rewriter, tosa::NegateOp op) {
  auto inner = op.getInput1().getDefiningOp<tosa::NegateOp>();
  auto type = dyn_cast<IntegerType>(elementOf(op.getResult()));
  if (!inner || !type || type.getWidth() > 16 ||
      !negatesWithoutZeroPoints(op) || !negatesWithoutZeroPoints(inner))
    return;
  int64_t most = llvm::maxIntN(type.getWidth());
  auto bounded = tosa::ClampOp::create(
      rewriter, op.getType(), inner.getInput1(), IntegerAttr::get(type, -most),
      IntegerAttr::get(type, most));
  op.getResult().replaceAllUsesWith(bounded.getResult());
  op.erase();
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
    for (Operation *op : ops)
      if (failed(prepare(op)))
        return signalPassFailure();
  }

private:
  LogicalResult prepare(Operation *op) {
    Rewriter rewriter(op->getLoc(), op);
    if (auto resize = dyn_cast<tosa::ResizeOp>(op))
      return beginInside(rewriter, resize);
    if (auto negate = dyn_cast<tosa::NegateOp>(op);
        negate && failed(verifyZeroPoints(negate)))
      return failure();
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tosa::DepthwiseConv2DOp conv) { padBefore(rewriter, conv); })
        .Case(
            [&](tosa::TransposeConv2DOp conv) { spreadInput(rewriter, conv); })
        .Case([&](tosa::MaxPool2dOp pool) {
          poolInF16(rewriter, pool);
          rewriter.setInsertionPoint(op);
          ignoreNansInPool(rewriter, pool);
        })
        .Case(
            [&](tosa::NegateOp negate) { boundTwiceNegated(rewriter, negate); })
        .Case([&](tosa::CastOp cast) { castThroughF32(rewriter, cast); })
        .Case([&](tosa::ReduceMaxOp reduce) {
          ignoreNansInReduction(rewriter, reduce, /*largest=*/true);
        })
        .Case([&](tosa::ReduceMinOp reduce) {
          ignoreNansInReduction(rewriter, reduce, /*largest=*/false);
        })
        .Case<tosa::RescaleOp, tosa::ApplyScaleOp>(
            [](auto scale) { roundOnce(scale); });
    return success();
  }

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
