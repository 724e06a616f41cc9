// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CastTensor.h"
#include "PrecisionBody.h"
#include "npu/Interfaces/RemakeableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// The constant in the type `element`; null where it is no number.
TypedAttr constantAs(TypedAttr constant, Type element) {
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    APFloat value = number.getValue();
    bool lost;
    value.convert(cast<FloatType>(element).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &lost);
    return FloatAttr::get(element, value);
  }
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return IntegerAttr::get(element, number.getValue().sextOrTrunc(
                                         element.getIntOrFloatBitWidth()));
  return {};
}

/// The constant that all entries of `init` are; null where there is none.
TypedAttr filledWith(Value init) {
  TypedAttr constant;
  if (Value scalar = uniformValueOf(init))
    matchPattern(scalar, m_Constant(&constant));
  DenseElementsAttr elements;
  if (matchPattern(init, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<TypedAttr>();
  return constant;
}

} // namespace

RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

Value emptyLike(OpBuilder &builder, Location loc, Value like, Type element) {
  auto type = cast<RankedTensorType>(like.getType());
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, like),
                                 element, type.getEncoding());
}

Value castTensor(OpBuilder &builder, Location loc, Value tensor, Type element) {
  if (getElementTypeOrSelf(tensor.getType()) == element)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  Value init = emptyLike(builder, loc, tensor, element);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), tensor, init, maps, loops,
      [&](OpBuilder &body, Location at, ValueRange entries) {
        linalg::YieldOp::create(body, at,
                                convertScalar(body, at, entries[0], element));
      });
  return generic.getResult(0);
}

Value castInit(OpBuilder &builder, Location loc, Value init, Type element) {
  if (getElementTypeOrSelf(init.getType()) == element)
    return init;
  if (isUnwritten(init))
    return emptyLike(builder, loc, init, element);
  TypedAttr constant = filledWith(init);
  TypedAttr number = constant ? constantAs(constant, element) : TypedAttr();
  if (!number)
    return castTensor(builder, loc, init, element);
  Value scalar = arith::ConstantOp::create(builder, loc, number);
  Value empty = emptyLike(builder, loc, init, element);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

} // namespace npu
