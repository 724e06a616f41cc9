// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move entries and compute nothing. A constant is rearranged
// here and now.

#include "TensorBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace npu {
namespace {

/// Constants of more bytes than this are not copied into another order.
constexpr int64_t kMostRearrangedBytes = int64_t(1) << 28;

/// The element type with which bytes of a constant are copied.
std::optional<OnnxElement> elementOfSize(Type type) {
  if (type.isInteger(1))
    return OnnxElement::Bool;
  switch (type.getIntOrFloatBitWidth()) {
  case 4:
    return OnnxElement::Int4;
  case 8:
    return OnnxElement::Int8;
  case 16:
    return OnnxElement::Int16;
  case 32:
    return OnnxElement::Int32;
  case 64:
    return OnnxElement::Int64;
  default:
    return std::nullopt;
  }
}

/// The same bytes as elements of `type`.
ElementsAttr withType(ElementsAttr elements, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (dense.isSplat())
      return DenseElementsAttr::get(type, dense.getSplatValue<Attribute>());
    if (type.getElementType().isInteger(1))
      return dense.reshape(type);
    return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  return resource
             ? DenseResourceElementsAttr::get(type, resource.getRawHandle())
             : ElementsAttr();
}

} // namespace

Value TensorBuilder::rearranged(
    Value tensor, ArrayRef<int64_t> shape,
    llvm::function_ref<int64_t(ArrayRef<int64_t>)> source,
    Attribute otherwise) {
  ElementsAttr elements = constantOf(tensor);
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  std::optional<OnnxElement> bits = elementOfSize(type.getElementType());
  std::optional<int64_t> count = elementCount(shape);
  if (!elements || !bits || !count ||
      bytesOf(*bits, *count) > kMostRearrangedBytes)
    return {};
  auto resultType = RankedTensorType::get(shape, type.getElementType());
  if (auto splat = dyn_cast<DenseElementsAttr>(elements);
      splat && splat.isSplat() && !otherwise)
    return arith::ConstantOp::create(builder, loc, withType(splat, resultType));
  std::optional<TensorData> data = fromElements(elements, *bits);
  if (!data)
    return {};
  // Elements of 4 bits are moved each in a byte of its own.
  bool isPacked = bitsOf(*bits) == 4;
  if (isPacked)
    data = unpacked(*data);
  int64_t size = bytesOf(*bits);
  std::vector<char> filler(size, 0);
  if (otherwise) {
    auto one = DenseElementsAttr::get(
        RankedTensorType::get({1}, type.getElementType()), otherwise);
    filler = fromElements(one, *bits)->bytes;
  }
  TensorData result{data->element, std::vector<int64_t>(shape), {}};
  result.bytes.resize(*count * size);
  char *next = result.bytes.data();
  forEachPosition(shape, [&](ArrayRef<int64_t> position) {
    int64_t from = source(position);
    std::memcpy(next, from < 0 ? filler.data() : &data->bytes[from * size],
                size);
    next += size;
  });
  if (isPacked)
    result = packed(result);
  ElementsAttr moved = toElements(result, "constant", builder.getContext());
  return arith::ConstantOp::create(builder, loc, withType(moved, resultType));
}

/// The elements in another shape, both of which are static.
Value TensorBuilder::reshapeStatic(Value tensor, ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  auto resultType = RankedTensorType::get(shape, type.getElementType());
  if (elementCount(shape) != elementCount(type.getShape()))
    return {};
  if (ElementsAttr elements = constantOf(tensor))
    if (ElementsAttr moved = withType(elements, resultType))
      return arith::ConstantOp::create(builder, loc, moved);
  if (auto groups = getReassociationIndicesForReshape(type, resultType)) {
    if (type.getRank() > resultType.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, resultType, tensor,
                                             *groups);
    if (type.getRank() < resultType.getRank())
      return tensor::ExpandShapeOp::create(builder, loc, resultType, tensor,
                                           *groups);
  }
  // Through one dimension.
  if (llvm::is_contained(shape, 0))
    return empty(sizes(shape), type.getElementType());
  auto flatten = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(rank ? 1 : 0);
    if (rank)
      groups[0] = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return groups;
  };
  Value flat = tensor;
  if (type.getRank() != 1)
    flat = type.getRank() == 0
               ? tensor::ExpandShapeOp::create(
                     builder, loc,
                     RankedTensorType::get({1}, type.getElementType()), tensor,
                     flatten(0))
                     .getResult()
               : tensor::CollapseShapeOp::create(builder, loc, tensor,
                                                 flatten(type.getRank()))
                     .getResult();
  if (shape.size() == 1)
    return flat;
  if (shape.empty())
    return tensor::CollapseShapeOp::create(builder, loc, resultType, flat,
                                           ArrayRef<ReassociationIndices>{});
  return tensor::ExpandShapeOp::create(builder, loc, resultType, flat,
                                       flatten(shape.size()));
}

namespace {

/// Dimensions of both sides of a reshape that hold the same elements.
struct ReshapeGroup {
  ReassociationIndices from, to;
  /// Whether both are known to have as many.
  bool areEqual = true;
};

/// Pairs the dimensions of two shapes: each group has as few as have equal
/// products. What cannot be told apart is one group; nothing where numbers of
/// elements differ.
std::optional<SmallVector<ReshapeGroup>>
groupsOf(Numbers numbers, ArrayRef<Number> from, ArrayRef<Number> to) {
  SmallVector<ReshapeGroup> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeGroup group;
    SmallVector<Number> left, right;
    auto takeLeft = [&] {
      left.push_back(from[i]);
      group.from.push_back(static_cast<int64_t>(i++));
    };
    auto takeRight = [&] {
      right.push_back(to[j]);
      group.to.push_back(static_cast<int64_t>(j++));
    };
    if (i < from.size())
      takeLeft();
    if (j < to.size())
      takeRight();
    while (true) {
      auto a = numbers.productOf(left), b = numbers.productOf(right);
      bool aInB = a && b && numbers.quotient(*b, *a);
      bool bInA = a && b && numbers.quotient(*a, *b);
      if (aInB && bInA && !left.empty() && !right.empty())
        break;
      bool takesLeft = i < from.size() && (aInB || j == to.size());
      bool takesRight = j < to.size() && !takesLeft;
      if (takesLeft)
        takeLeft();
      else if (takesRight)
        takeRight();
      else if (a && b && a->values.empty() && b->values.empty() && !aInB)
        return std::nullopt;
      else {
        group.areEqual = false;
        break;
      }
    }
    // Ones that are left over belong to the dimensions in front of them.
    if ((group.from.empty() || group.to.empty()) && !groups.empty()) {
      groups.back().areEqual &= group.areEqual;
      groups.back().from.append(group.from);
      groups.back().to.append(group.to);
      continue;
    }
    groups.push_back(group);
  }
  return groups;
}

} // namespace

Value TensorBuilder::reshapeTo(Value tensor, const Sizes &wanted) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape = Numbers::inType(wanted);
  bool isStatic = !llvm::is_contained(shape, ShapedType::kDynamic);
  if (isStatic && type.hasStaticShape())
    return type.getShape() == ArrayRef(shape) ? tensor
                                              : reshapeStatic(tensor, shape);
  Numbers numbers = numbersHere();
  Sizes own = sizes(tensor);
  if (own.size() == wanted.size() &&
      llvm::all_of(llvm::zip(own, wanted), [&](auto pair) {
        return numbers.areEqual(std::get<0>(pair), std::get<1>(pair));
      }))
    return tensor;
  // Prompts' extents say nothing of elements that are not there.
  if (llvm::is_contained(shape, 0) && llvm::is_contained(type.getShape(), 0))
    return empty(wanted, type.getElementType());
  if (shape.empty() || type.getRank() == 0)
    return {};
  auto groups = groupsOf(numbers, own, wanted);
  if (!groups)
    return {};
  // Each group of dimensions becomes one, and that one the wanted ones.
  SmallVector<ReassociationIndices> collapsed, expanded;
  Sizes between;
  for (const ReshapeGroup &group : *groups) {
    if (group.from.empty() || group.to.empty())
      return {};
    auto countOf = [&](ArrayRef<int64_t> dims, ArrayRef<Number> extents) {
      Number count = numbers.constant(1);
      for (int64_t dim : dims)
        count = numbers.mul(count, extents[dim]);
      return count;
    };
    if (!group.areEqual)
      numbers.assertEqual(countOf(group.from, own), countOf(group.to, wanted));
    collapsed.push_back(group.from);
    expanded.push_back(group.to);
    Number extent = own[group.from.front()];
    if (group.from.size() > 1) {
      const ReassociationIndices &dims =
          group.to.size() == 1 ? group.to : group.from;
      extent = numbers.constant(1);
      for (int64_t dim : dims)
        extent =
            numbers.mul(extent, group.to.size() == 1 ? wanted[dim] : own[dim]);
      if (!extent)
        return {};
    }
    between.push_back(extent);
  }
  SmallVector<int64_t> flat = Numbers::inType(between);
  Value value = tensor;
  if (collapsed.size() != own.size()) {
    // The type of a collapse follows from its operand's.
    for (auto [extent, group] : llvm::zip_equal(flat, collapsed)) {
      extent = 1;
      for (int64_t dim : group)
        extent = ShapedType::isDynamic(extent) || type.isDynamicDim(dim)
                     ? ShapedType::kDynamic
                     : extent * type.getDimSize(dim);
    }
    value = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get(flat, type.getElementType()), value,
        collapsed);
  }
  auto resultType = RankedTensorType::get(shape, type.getElementType());
  if (expanded.size() == wanted.size()) {
    if (value.getType() == resultType)
      return value;
    return tensor::CastOp::create(builder, loc, resultType, value);
  }
  // So does that of an expansion.
  auto middle = mlir::cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> known(middle.getShape());
  for (auto [extent, group] : llvm::zip_equal(known, expanded)) {
    extent = 1;
    for (int64_t dim : group)
      extent =
          ShapedType::isDynamic(extent) || ShapedType::isDynamic(shape[dim])
              ? ShapedType::kDynamic
              : extent * shape[dim];
  }
  if (middle.getShape() != ArrayRef(known))
    value = tensor::CastOp::create(
        builder, loc, RankedTensorType::get(known, type.getElementType()),
        value);
  return tensor::ExpandShapeOp::create(builder, loc, resultType, value,
                                       expanded, wanted);
}

Value TensorBuilder::reshape(Value tensor, ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  Numbers numbers = numbersHere();
  Sizes own = sizes(tensor), wanted = sizes(shape);
  SmallVector<Number> dynamic, known;
  for (Number size : own)
    if (isa<Value>(size))
      dynamic.push_back(size);
  for (auto [size, extent] : llvm::zip_equal(wanted, shape))
    if (!ShapedType::isDynamic(extent))
      known.push_back(size);
  std::size_t open = shape.size() - known.size();
  auto whole = numbers.productOf(own), part = numbers.productOf(known);
  std::optional<Numbers::Product> rest;
  if (open == 1 && whole && part)
    rest = numbers.quotient(*whole, *part);
  if (open != 0 && !rest && open != dynamic.size())
    return {};
  const Number *next = dynamic.begin();
  for (auto [size, extent] : llvm::zip_equal(wanted, shape))
    if (ShapedType::isDynamic(extent))
      size = rest ? numbers.numberOf(*rest) : *next++;
  return reshapeTo(tensor, wanted);
}

Value TensorBuilder::transpose(Value tensor, ArrayRef<int64_t> order) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  if (llvm::is_sorted(order))
    return tensor;
  SmallVector<int64_t> shape;
  Sizes all = sizes(tensor), permuted;
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    permuted.push_back(all[dim]);
  }
  Value moved = rearranged(tensor, shape, [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(order.size());
    for (auto [dim, at] : llvm::zip_equal(order, position))
      source[dim] = at;
    return linearIndex(source, type.getShape());
  });
  if (moved)
    return moved;
  return linalg::TransposeOp::create(builder, loc, tensor,
                                     empty(permuted, type.getElementType()),
                                     order)
      ->getResult(0);
}

Value TensorBuilder::broadcast(Value tensor, const Sizes &sizes) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  if (broadcastShape(type.getShape(), shape) != shape)
    return {};
  if (type.getShape() == ArrayRef(shape))
    return tensor;
  // A map of the tensor and of nothing: the result has the larger shape.
  int64_t rank = static_cast<int64_t>(shape.size());
  SmallVector<int64_t> kept;
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t loop = rank - type.getRank() + dim;
    if (type.getDimSize(dim) == 1 && shape[loop] != 1)
      continue;
    kept.push_back(type.getDimSize(dim));
    exprs.push_back(builder.getAffineDimExpr(loop));
  }
  SmallVector<AffineMap> maps{
      AffineMap::get(rank, 0, exprs, builder.getContext()),
      builder.getMultiDimIdentityMap(rank)};
  return structured(reshape(tensor, kept), empty(sizes, type.getElementType()),
                    maps, [](ScalarBuilder &, ValueRange v) { return v[0]; });
}

Value TensorBuilder::slice(Value tensor, ArrayRef<int64_t> offsets,
                           ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  Sizes wanted = this->sizes(sizes);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size))
      wanted[dim] = numbersHere().extentOf(tensor, static_cast<int64_t>(dim));
  return sliceAt(tensor, this->sizes(offsets), wanted, steps);
}

Value TensorBuilder::sliceAt(Value tensor, const Sizes &offsets,
                             const Sizes &sizes, ArrayRef<int64_t> steps) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> ones(offsets.size(), 1);
  if (steps.empty())
    steps = ones;
  Numbers numbers = numbersHere();
  bool isWhole = true;
  for (auto [dim, size] : llvm::enumerate(sizes))
    isWhole &= numbers.areEqual(
        size, numbers.extentOf(tensor, static_cast<int64_t>(dim)));
  if (isWhole)
    return tensor;
  SmallVector<int64_t> first = Numbers::inType(offsets),
                       shape = Numbers::inType(sizes);
  bool isKnown = !llvm::is_contained(first, ShapedType::kDynamic) &&
                 !llvm::is_contained(shape, ShapedType::kDynamic);
  if (isKnown) {
    Value moved = rearranged(tensor, shape, [&](ArrayRef<int64_t> position) {
      SmallVector<int64_t> source;
      for (auto [offset, step, at] : llvm::zip_equal(first, steps, position))
        source.push_back(offset + step * at);
      return linearIndex(source, type.getShape());
    });
    if (moved)
      return moved;
  }
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes,
                                        this->sizes(steps));
}

Value TensorBuilder::sliceDim(Value tensor, int64_t dim, int64_t offset,
                              int64_t size, int64_t step) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), steps(type.getRank(), 1),
      sizes(type.getShape());
  offsets[dim] = offset;
  sizes[dim] = size;
  steps[dim] = step;
  return slice(tensor, offsets, sizes, steps);
}

Value TensorBuilder::concat(ValueRange tensors, int64_t dim) {
  if (tensors.size() == 1)
    return tensors[0];
  auto typeOf = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType());
  };
  bool allConstant = llvm::all_of(tensors, [](Value value) {
    return dyn_cast_or_null<DenseElementsAttr>(constantOf(value)) != nullptr;
  });
  if (allConstant) {
    SmallVector<int64_t> shape(typeOf(tensors[0]).getShape());
    shape[dim] = 0;
    for (Value tensor : tensors)
      shape[dim] += typeOf(tensor).getDimSize(dim);
    std::optional<int64_t> count = elementCount(shape);
    if (count && *count <= kMostInlineElements) {
      SmallVector<Attribute> elements;
      forEachPosition(shape, [&](ArrayRef<int64_t> position) {
        SmallVector<int64_t> source(position);
        for (Value tensor : tensors) {
          int64_t extent = typeOf(tensor).getDimSize(dim);
          if (source[dim] < extent) {
            auto dense = mlir::cast<DenseElementsAttr>(constantOf(tensor));
            elements.push_back(dense.getValues<Attribute>()[linearIndex(
                source, typeOf(tensor).getShape())]);
            return;
          }
          source[dim] -= extent;
        }
      });
      auto type =
          RankedTensorType::get(shape, typeOf(tensors[0]).getElementType());
      return arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, elements));
    }
  }
  return tensor::ConcatOp::create(builder, loc, dim, tensors);
}

Value TensorBuilder::pad(Value tensor, ArrayRef<int64_t> low,
                         ArrayRef<int64_t> high, Value scalar) {
  return padAround(tensor, sizes(low), sizes(high), scalar);
}

Value TensorBuilder::padAround(Value tensor, const Sizes &low,
                               const Sizes &high, Value scalar) {
  auto isZero = [](Number number) { return isConstantIntValue(number, 0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return tensor;
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  npu::Numbers numbers = numbersHere();
  SmallVector<int64_t> shape;
  for (auto [extent, before, after] :
       llvm::zip_equal(this->sizes(tensor), low, high))
    shape.push_back(
        npu::Numbers::inType(numbers.add(numbers.add(before, extent), after)));
  return tensor::PadOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      low, high, scalar);
}

Value TensorBuilder::reverse(Value tensor, ArrayRef<int64_t> dims) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    if (Value moved = rearranged(
            tensor, type.getShape(), [&](ArrayRef<int64_t> position) {
              SmallVector<int64_t> source(position);
              for (int64_t dim : dims)
                source[dim] = type.getDimSize(dim) - 1 - source[dim];
              return linearIndex(source, type.getShape());
            }))
      return moved;
  return generate(sizes(tensor), type.getElementType(),
                  [&](ScalarBuilder &s, ValueRange at) {
                    SmallVector<Value> source(at);
                    for (int64_t dim : dims) {
                      Value last =
                          s.sub(extent(tensor, dim),
                                s.integer(s.builder.getIndexType(), 1));
                      source[dim] = s.sub(last, at[dim]);
                    }
                    return read(s, tensor, source);
                  });
}

} // namespace npu
