// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, extents, and computations on elements.

#include "TensorBuilder.h"

#include "EvaluateConstants.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {

void forEachPosition(ArrayRef<int64_t> shape,
                     llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> position(shape.size(), 0);
  if (llvm::is_contained(shape, 0))
    return;
  while (true) {
    visit(position);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    for (; dim >= 0 && ++position[dim] == shape[dim]; --dim)
      position[dim] = 0;
    if (dim < 0)
      return;
  }
}

int64_t linearIndex(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [at, extent] : llvm::zip_equal(position, shape))
    index = index * extent + at;
  return index;
}

std::optional<SmallVector<int64_t>> broadcastShape(ArrayRef<int64_t> a,
                                                   ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  std::size_t after = a.size() - b.size();
  for (std::size_t dim = 0; dim < b.size(); ++dim) {
    int64_t &extent = shape[after + dim];
    if (extent == 1 || (ShapedType::isDynamic(extent) && b[dim] != 1))
      extent = b[dim];
    else if (b[dim] != 1 && b[dim] != extent && !ShapedType::isDynamic(b[dim]))
      return std::nullopt;
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value TensorBuilder::constant(const TensorData &data, StringRef name) {
  return arith::ConstantOp::create(
      builder, loc, toElements(data, name, builder.getContext()));
}

Value TensorBuilder::splat(Type type, double number, ArrayRef<int64_t> shape) {
  auto tensorType = RankedTensorType::get(shape, type);
  Attribute attribute;
  if (auto floatType = dyn_cast<FloatType>(type))
    attribute = builder.getFloatAttr(floatType, number);
  else
    attribute = builder.getIntegerAttr(
        type, APInt(type.getIntOrFloatBitWidth(),
                    static_cast<uint64_t>(static_cast<int64_t>(number)),
                    /*isSigned=*/false, /*implicitTrunc=*/true));
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(tensorType, attribute));
}

Value TensorBuilder::numbers(ArrayRef<double> numbers, ArrayRef<int64_t> shape,
                             OnnxElement element) {
  TensorData data{element, std::vector<int64_t>(shape), {}};
  auto size = static_cast<unsigned>(bytesOf(element));
  auto floatType =
      dyn_cast<FloatType>(npu::elementType(element, builder.getContext()));
  for (double number : numbers) {
    uint64_t bits = static_cast<uint64_t>(static_cast<int64_t>(number));
    if (floatType) {
      APFloat rounded(number);
      bool losesInfo = false;
      rounded.convert(floatType.getFloatSemantics(),
                      APFloat::rmNearestTiesToEven, &losesInfo);
      bits = rounded.bitcastToAPInt().getZExtValue();
    }
    for (unsigned byte = 0; byte < size; ++byte)
      data.bytes.push_back(static_cast<char>(bits >> (8 * byte)));
  }
  return constant(data, "numbers");
}

Value TensorBuilder::integers(ArrayRef<int64_t> numbers) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64TensorAttr(numbers));
}

Value TensorBuilder::integersOfRun(ArrayRef<Number> numbers) {
  SmallVector<int64_t> shape = Numbers::inType(numbers);
  if (!llvm::is_contained(shape, ShapedType::kDynamic))
    return integers(ArrayRef<int64_t>(shape));
  Type type = builder.getI64Type();
  SmallVector<Value> parts;
  for (Number number : numbers) {
    Value value = numbersHere().valueOf(number);
    parts.push_back(generate(sizes(ArrayRef<int64_t>{1}), type,
                             [&](ScalarBuilder &s, ValueRange) {
                               return s.fromIndex(value, type);
                             }));
  }
  return concat(parts, 0);
}

ElementsAttr TensorBuilder::constantOf(Value value) {
  ElementsAttr elements;
  if (value && matchPattern(value, m_Constant(&elements)))
    return elements;
  return {};
}

std::optional<SmallVector<int64_t>>
TensorBuilder::integersOf(Value value, OnnxElement element) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constantOf(value));
  if (!dense || !dense.getElementType().isInteger() ||
      dense.getType().getRank() > 1 ||
      dense.getNumElements() > kMostEvaluatedPoints)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const APInt &number : dense.getValues<APInt>())
    numbers.push_back(isUnsigned(element)
                          ? static_cast<int64_t>(number.getZExtValue())
                          : number.getSExtValue());
  return numbers;
}

std::optional<SmallVector<double>> TensorBuilder::numbersOf(Value value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constantOf(value));
  if (!dense || !isa<FloatType>(dense.getElementType()) ||
      dense.getNumElements() > kMostEvaluatedPoints)
    return std::nullopt;
  SmallVector<double> numbers;
  for (APFloat number : dense.getValues<APFloat>()) {
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    numbers.push_back(number.convertToDouble());
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

TensorBuilder::Sizes TensorBuilder::sizes(Value tensor) {
  Sizes all;
  int64_t rank = mlir::cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    all.push_back(numbersHere().extentOf(tensor, dim));
  return all;
}

TensorBuilder::Sizes TensorBuilder::sizes(ArrayRef<int64_t> numbers) {
  return getAsIndexOpFoldResult(builder.getContext(), numbers);
}

Value TensorBuilder::extent(Value tensor, int64_t dim) {
  return numbersHere().valueOf(numbersHere().extentOf(tensor, dim));
}

Value TensorBuilder::empty(const Sizes &sizes, Type type) {
  return tensor::EmptyOp::create(builder, loc, sizes, type);
}

Value TensorBuilder::filled(const Sizes &sizes, Value scalar) {
  Value out = empty(sizes, scalar.getType());
  return linalg::FillOp::create(builder, loc, scalar, out).getResult(0);
}

Value TensorBuilder::scalar(Type type, double number) {
  return ScalarBuilder(builder, loc, element).constant(type, number);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value TensorBuilder::simplified(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  DenseElementsAttr folded = op ? evaluateConstant(op) : DenseElementsAttr();
  if (!folded)
    return value;
  op->erase();
  return arith::ConstantOp::create(builder, loc, folded);
}

Value TensorBuilder::structured(ValueRange operands, Value init,
                                ArrayRef<AffineMap> maps, Body body) {
  using utils::IteratorType;
  SmallVector<IteratorType> loops(maps.back().getNumDims());
  for (auto [loop, kind] : llvm::enumerate(loops))
    kind = maps.back().isFunctionOfDim(loop) ? IteratorType::parallel
                                             : IteratorType::reduction;
  auto op = linalg::GenericOp::create(
      builder, loc, init.getType(), operands, init, maps, loops,
      [&](OpBuilder &inner, Location innerLoc, ValueRange arguments) {
        ScalarBuilder scalars(inner, innerLoc, element);
        linalg::YieldOp::create(inner, innerLoc, body(scalars, arguments));
      });
  return simplified(op.getResult(0));
}

Value TensorBuilder::map(ValueRange operands, Type result, Body body) {
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    auto joined = broadcastShape(
        shape, cast<RankedTensorType>(operand.getType()).getShape());
    if (!joined)
      return {};
    shape = *joined;
  }
  int64_t rank = static_cast<int64_t>(shape.size());
  Sizes sizes = this->sizes(shape);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t after = rank - type.getRank();
    // Repeated dimensions of extent 1 go, so that maps only permute.
    SmallVector<int64_t> kept;
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t extent = type.getDimSize(dim);
      int64_t loop = after + dim;
      if (extent == 1 && shape[loop] != 1)
        continue;
      kept.push_back(extent);
      exprs.push_back(builder.getAffineDimExpr(loop));
      if (ShapedType::isDynamic(shape[loop]) && isa<Attribute>(sizes[loop]))
        sizes[loop] = extent == shape[loop]
                          ? numbersHere().extentOf(operand, dim)
                          : sizes[loop];
    }
    inputs.push_back(static_cast<int64_t>(kept.size()) == type.getRank()
                         ? operand
                         : reshape(operand, kept));
    maps.push_back(AffineMap::get(rank, 0, exprs, builder.getContext()));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  return structured(inputs, empty(sizes, result), maps,
                    [&](ScalarBuilder &scalars, ValueRange arguments) {
                      return body(scalars, arguments.drop_back());
                    });
}

/// The number of every loop.
static SmallVector<Value> loopIndices(ScalarBuilder &scalars, int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < rank; ++dim)
    indices.push_back(scalars.create<linalg::IndexOp>(dim));
  return indices;
}

Value TensorBuilder::generate(const Sizes &sizes, Type result, AtBody body) {
  int64_t rank = static_cast<int64_t>(sizes.size());
  return structured({}, empty(sizes, result),
                    builder.getMultiDimIdentityMap(rank),
                    [&](ScalarBuilder &scalars, ValueRange) {
                      return body(scalars, loopIndices(scalars, rank));
                    });
}

Value TensorBuilder::generateWith(Value operand, int64_t first,
                                  const Sizes &sizes, Type result,
                                  AtEntryBody body) {
  int64_t rank = static_cast<int64_t>(sizes.size()),
          inner = cast<RankedTensorType>(operand.getType()).getRank();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap maps[] = {all.getSliceMap(first, inner), all};
  return structured(operand, empty(sizes, result), maps,
                    [&](ScalarBuilder &scalars, ValueRange entries) {
                      return body(scalars, loopIndices(scalars, rank),
                                  entries.front());
                    });
}

Value TensorBuilder::read(ScalarBuilder &scalars, Value tensor,
                          ValueRange indices) {
  return scalars.create<tensor::ExtractOp>(tensor, indices);
}

Value TensorBuilder::reduce(Value operand, ArrayRef<int64_t> axes, Value init,
                            Body body) {
  auto type = cast<RankedTensorType>(operand.getType());
  Sizes all = sizes(operand), kept;
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> withOnes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isReduced = llvm::is_contained(axes, dim);
    withOnes.push_back(isReduced ? 1 : type.getDimSize(dim));
    if (isReduced)
      continue;
    kept.push_back(all[dim]);
    exprs.push_back(builder.getAffineDimExpr(dim));
  }
  SmallVector<AffineMap> maps{
      builder.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, exprs, builder.getContext())};
  Value reduced = structured(operand, filled(kept, init), maps, body);
  return reshape(reduced, withOnes);
}

Value TensorBuilder::sum(Value operand, ArrayRef<int64_t> axes) {
  Type type = cast<RankedTensorType>(operand.getType()).getElementType();
  return reduce(
      operand, axes, scalar(type, 0),
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[1], v[0]); });
}

Value TensorBuilder::maximum(Value operand, ArrayRef<int64_t> axes) {
  Type type = cast<RankedTensorType>(operand.getType()).getElementType();
  Value lowest = ScalarBuilder(builder, loc, element).lowest(type);
  return reduce(operand, axes, lowest, [](ScalarBuilder &s, ValueRange v) {
    return s.max(v[1], v[0]);
  });
}

Value TensorBuilder::contract(Value a, Value b, Value init,
                              ArrayRef<AffineMap> maps) {
  Type type = cast<RankedTensorType>(init.getType()).getElementType();
  bool isUnsignedElement = isUnsigned(element);
  auto widened = [&](ScalarBuilder &s, Value v) -> Value {
    if (v.getType() == type)
      return v;
    if (isa<FloatType>(type))
      return s.create<arith::ExtFOp>(type, v);
    return isUnsignedElement ? s.create<arith::ExtUIOp>(type, v)
                             : s.create<arith::ExtSIOp>(type, v);
  };
  return structured({a, b}, init, maps, [&](ScalarBuilder &s, ValueRange v) {
    Value product = s.mul(widened(s, v[0]), widened(s, v[1]));
    return s.add(v[2], product);
  });
}

Value TensorBuilder::convert(Value tensor, OnnxElement from, OnnxElement to) {
  if (from == to)
    return tensor;
  TensorBuilder typed(builder, loc, from);
  Type type = npu::elementType(to, builder.getContext());
  if (type == mlir::cast<RankedTensorType>(tensor.getType()).getElementType() &&
      !isFloat(from) && to != OnnxElement::Bool)
    return tensor;
  return typed.map(tensor, type, [to](ScalarBuilder &s, ValueRange v) {
    return s.cast(v[0], to);
  });
}

} // namespace npu
