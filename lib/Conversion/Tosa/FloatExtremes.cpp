// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FloatExtremes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace npu {
namespace {

using Builder = ImplicitLocOpBuilder;

/// The element type, where it is a float with infinities.
FloatType typeWithInfinity(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  return type && APFloat::semanticsHasInf(type.getFloatSemantics())
             ? type
             : FloatType();
}

/// The element type of `input`, the ranked operand of `op`, where the type has
/// infinities and NaN is handed on; null otherwise.
template <typename Op>
FloatType elementOfExtreme(Op op, Value input) {
  bool isHandled = isa<RankedTensorType>(input.getType()) &&
                   op.getNanMode() == tosa::NanPropagationMode::PROPAGATE;
  return isHandled ? typeWithInfinity(input) : FloatType();
}

Value infinity(Builder &builder, FloatType type, bool negative) {
  return arith::ConstantOp::create(
      builder, builder.getFloatAttr(
                   type, APFloat::getInf(type.getFloatSemantics(), negative)));
}

Value filled(Builder &builder, ArrayRef<OpFoldResult> shape, FloatType type,
             Value entry) {
  Value empty = tensor::EmptyOp::create(builder, shape, type);
  return linalg::FillOp::create(builder, entry, empty).getResult(0);
}

void replace(ConversionPatternRewriter &rewriter, Builder &builder,
             Operation *op, Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(builder, type, value);
  rewriter.replaceOp(op, value);
}

/// The groups by which a shape without `axis` becomes one with it.
SmallVector<ReassociationIndices> groupsWith(int64_t axis, int64_t rank) {
  SmallVector<ReassociationIndices> groups(rank - 1);
  for (int64_t dim = 0; dim < rank && rank > 1; ++dim)
    groups[dim < std::max<int64_t>(axis, 1) ? dim : dim - 1].push_back(dim);
  return groups;
}

template <typename Op, typename Combiner>
struct ReduceToExtreme : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = operands.getInput();
    FloatType element = elementOfExtreme(op, input);
    if (!element)
      return failure();
    auto type = cast<RankedTensorType>(input.getType());
    Builder builder(op.getLoc(), rewriter);
    int64_t axis = op.getAxis();
    SmallVector<OpFoldResult> shape =
        tensor::getMixedSizes(builder, op.getLoc(), input);
    shape.erase(shape.begin() + axis);
    bool largest = std::is_same_v<Combiner, arith::MaximumFOp>;
    Value begin = filled(builder, shape, element,
                         infinity(builder, element, /*negative=*/largest));
    auto reduced = linalg::ReduceOp::create(
        builder, ValueRange{input}, ValueRange{begin}, ArrayRef<int64_t>{axis},
        [](OpBuilder &inside, Location loc, ValueRange values) {
          Value both = Combiner::create(inside, loc, values[0], values[1]);
          linalg::YieldOp::create(inside, loc, both);
        });
    shape.insert(shape.begin() + axis, builder.getIndexAttr(1));
    SmallVector<int64_t> extents(type.getShape());
    extents[axis] = 1;
    replace(rewriter, builder, op,
            tensor::ExpandShapeOp::create(
                builder, RankedTensorType::get(extents, element),
                reduced.getResult(0), groupsWith(axis, type.getRank()), shape));
    return success();
  }
};

/// `(extent - kernel) / stride + 1`.
OpFoldResult pooledExtent(Builder &builder, Value input, int64_t dim,
                          int64_t kernel, int64_t stride) {
  int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(extent))
    return builder.getIndexAttr((extent - kernel) / stride + 1);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value given = tensor::DimOp::create(builder, input, dim);
  Value last = arith::SubIOp::create(builder, given, number(kernel));
  Value steps = arith::DivSIOp::create(builder, last, number(stride));
  return arith::AddIOp::create(builder, steps, number(1)).getResult();
}

struct MaxPoolToLinalg : OpConversionPattern<tosa::MaxPool2dOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tosa::MaxPool2dOp op, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = operands.getInput();
    FloatType element = elementOfExtreme(op, input);
    if (!element)
      return failure();
    auto type = cast<RankedTensorType>(input.getType());
    Builder builder(op.getLoc(), rewriter);
    Value least = infinity(builder, element, /*negative=*/true);
    ArrayRef<int64_t> pad = op.getPad(), kernel = op.getKernel(),
                      stride = op.getStride();
    if (llvm::any_of(pad, [](int64_t entries) { return entries != 0; })) {
      auto both = [&](int64_t rows, int64_t columns) {
        return getAsIndexOpFoldResult(rewriter.getContext(),
                                      {0, rows, columns, 0});
      };
      input = tensor::PadOp::create(builder, /*resultType=*/Type(), input,
                                    both(pad[0], pad[2]), both(pad[1], pad[3]),
                                    least);
    }
    SmallVector<OpFoldResult> shape =
        tensor::getMixedSizes(builder, op.getLoc(), input);
    for (int64_t dim : {0, 1})
      shape[dim + 1] =
          pooledExtent(builder, input, dim + 1, kernel[dim], stride[dim]);
    Value begin = filled(builder, shape, element, least);
    Value window = tensor::EmptyOp::create(builder, kernel, element);
    Value pooled =
        linalg::PoolingNhwcMaxOp::create(
            builder, TypeRange{begin.getType()}, ValueRange{input, window},
            ValueRange{begin}, builder.getI64VectorAttr(stride),
            builder.getI64VectorAttr({1, 1}))
            .getResult(0);
    replace(rewriter, builder, op, pooled);
    return success();
  }
};

} // namespace

void populateFloatExtremes(RewritePatternSet &patterns) {
  constexpr int beforeUpstream = 2;
  patterns.add<ReduceToExtreme<tosa::ReduceMaxOp, arith::MaximumFOp>,
               ReduceToExtreme<tosa::ReduceMinOp, arith::MinimumFOp>,
               MaxPoolToLinalg>(patterns.getContext(), beforeUpstream);
}

} // namespace npu
