// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that give a tensor another shape or order, or tell its shape.

#include "../Graph/OperatorTable.h"
#include "../Graph/ShapeValues.h"

using namespace mlir;

namespace npu {
namespace {

constexpr int64_t kDynamic = ShapedType::kDynamic;

/// The shape that operand 1 says: a constant, or where it is a value of run
/// time the shape that the model declares for the result.
FailureOr<SmallVector<int64_t>> shapeOperand(NodeImport &node,
                                             bool &isDeclared) {
  const OnnxTensor &shape = node.operand(1);
  if (auto numbers = TensorBuilder::integersOf(shape.value, shape.element)) {
    if (llvm::any_of(*numbers, [](int64_t extent) { return extent < -1; }))
      return node.error() << "an extent of the shape is less than -1";
    return *numbers;
  }
  // One extent of run time is what is left, as -1 is.
  if (auto known = partlyKnownOperand(node, 1);
      known && llvm::count(*known, kDynamic) == 1 &&
      !llvm::is_contained(*known, -1))
    return *known;
  if (auto declared = node.declaredShape(0)) {
    node.remark() << "the shape, a value of run time, is taken to be the "
                     "declared one";
    isDeclared = true;
    return *declared;
  }
  return node.constantIntegers(1, "the shape");
}

LogicalResult buildReshape(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  bool isDeclared = false;
  FailureOr<SmallVector<int64_t>> shape = SmallVector<int64_t>();
  if (node.has(1))
    shape = shapeOperand(node, isDeclared);
  else if (auto attribute = node.integers("shape"))
    shape = *attribute;
  if (failed(shape))
    return failure();
  // 0 keeps an extent, -1 is what is left.
  bool keepsZero = isDeclared || node.integer("allowzero", 0) != 0;
  std::optional<std::size_t> rest;
  int64_t known = 1, inside = 1, dynamicInside = 0, dynamicKept = 0;
  for (auto [dim, extent] : llvm::enumerate(*shape)) {
    if (extent == 0 && !keepsZero) {
      if (static_cast<int64_t>(dim) >= operand.rank())
        return node.error()
               << "extent #" << dim << " is to stay, but the operand has rank "
               << operand.rank();
      extent = operand.shape()[dim];
    }
    if (extent == -1 && rest)
      return node.error() << "expected at most one extent -1, got two";
    if (extent == -1)
      rest = dim;
    else if (ShapedType::isDynamic(extent))
      ++dynamicKept;
    else if (extent < 0 || llvm::MulOverflow(known, extent, known))
      return node.error() << "extent #" << dim << " is " << extent;
  }
  for (int64_t extent : operand.shape())
    if (ShapedType::isDynamic(extent))
      ++dynamicInside;
    else
      inside *= extent;
  if (rest && dynamicInside > dynamicKept)
    (*shape)[*rest] = kDynamic;
  else if (rest && known != 0 && inside % known == 0)
    (*shape)[*rest] = inside / known;
  else if (rest)
    return node.error() << "cannot share " << inside << " elements among "
                        << known;
  return node.setResult(0, node.build.reshape(operand.value, *shape));
}

LogicalResult buildFlatten(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  FailureOr<int64_t> axis =
      node.dimension(node.integer("axis", 1), operand.rank() + 1);
  // The axis may be the rank, but negative ones count as usual.
  int64_t given = node.integer("axis", 1);
  if (given < 0)
    axis = node.dimension(given, operand.rank());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(2, 1);
  for (auto [dim, extent] : llvm::enumerate(operand.shape())) {
    int64_t &side = shape[static_cast<int64_t>(dim) < *axis ? 0 : 1];
    side = ShapedType::isDynamic(extent) || ShapedType::isDynamic(side)
               ? kDynamic
               : side * extent;
  }
  return node.setResult(0, node.build.reshape(operand.value, shape));
}

/// Where the axes, operand 1, are a value of run time, the shape that the model
/// declares for the result; nothing where the axes are known.
std::optional<SmallVector<int64_t>> shapeOfUnknownAxes(NodeImport &node) {
  if (!node.has(1) ||
      TensorBuilder::integersOf(node.operand(1).value, node.operand(1).element))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> declared = node.declaredShape(0);
  if (declared)
    node.remark() << "the axes, a value of run time, are taken to be those of "
                     "the declared shape";
  return declared;
}

LogicalResult buildSqueeze(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  SmallVector<int64_t> shape;
  if (std::optional<SmallVector<int64_t>> declared = shapeOfUnknownAxes(node))
    return node.setResult(0, node.build.reshape(operand.value, *declared));
  FailureOr<std::optional<SmallVector<int64_t>>> axes =
      node.integersOf("axes", 1);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> dims;
  if (*axes) {
    FailureOr<SmallVector<int64_t>> found =
        node.dimensions(**axes, operand.rank());
    if (failed(found))
      return failure();
    dims = *found;
  }
  for (auto [dim, extent] : llvm::enumerate(operand.shape())) {
    bool isListed = *axes ? llvm::is_contained(dims, static_cast<int64_t>(dim))
                          : extent == 1;
    if (isListed && extent != 1 && !ShapedType::isDynamic(extent))
      return node.error() << "cannot remove dimension " << dim << " of extent "
                          << extent;
    if (!isListed)
      shape.push_back(extent);
  }
  return node.setResult(0, node.build.reshape(operand.value, shape));
}

LogicalResult buildUnsqueeze(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  if (std::optional<SmallVector<int64_t>> declared = shapeOfUnknownAxes(node))
    return node.setResult(0, node.build.reshape(operand.value, *declared));
  FailureOr<std::optional<SmallVector<int64_t>>> axes =
      node.integersOf("axes", 1);
  if (failed(axes))
    return failure();
  if (!*axes)
    return node.error() << "expected axes";
  int64_t rank = operand.rank() + static_cast<int64_t>((*axes)->size());
  FailureOr<SmallVector<int64_t>> dims = node.dimensions(**axes, rank);
  if (failed(dims))
    return failure();
  SmallVector<int64_t> shape;
  const int64_t *next = operand.shape().begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(llvm::is_contained(*dims, dim) ? 1 : *next++);
  return node.setResult(0, node.build.reshape(operand.value, shape));
}

LogicalResult buildTranspose(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  SmallVector<int64_t> order(
      llvm::reverse(llvm::seq<int64_t>(0, operand.rank())));
  if (auto given = node.integers("perm")) {
    FailureOr<SmallVector<int64_t>> dims =
        node.dimensions(*given, operand.rank());
    if (failed(dims))
      return failure();
    if (dims->size() != order.size())
      return node.error() << "expected an order of " << operand.rank()
                          << " dimensions, got " << dims->size();
    order = *dims;
  }
  return node.setResult(0, node.build.transpose(operand.value, order));
}

LogicalResult buildExpand(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  bool isDeclared = false;
  FailureOr<SmallVector<int64_t>> shape = shapeOperand(node, isDeclared);
  if (failed(shape))
    return failure();
  if (llvm::is_contained(*shape, kDynamic))
    return LogicalResult(node.constantIntegers(1, "the shape"));
  if (llvm::any_of(*shape, [](int64_t extent) { return extent < 0; }))
    return node.error() << "an extent is negative";
  auto joined = broadcastShape(operand.shape(), *shape);
  if (!joined)
    return node.setResult(0, Value());
  TensorBuilder::Sizes sizes = node.build.sizes(*joined);
  TensorBuilder::Sizes own = node.build.sizes(operand.value);
  std::size_t after = joined->size() - own.size();
  for (std::size_t dim = 0; dim < own.size(); ++dim)
    if (ShapedType::isDynamic((*joined)[after + dim]))
      sizes[after + dim] = own[dim];
  return node.setResult(0, node.build.broadcast(operand.value, sizes));
}

LogicalResult buildTile(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  if (!operand.type().hasStaticShape())
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(operand);
  SmallVector<int64_t> repeats;
  auto given =
      TensorBuilder::integersOf(node.operand(1).value, node.operand(1).element);
  auto declared = node.declaredShape(0);
  if (given) {
    repeats = *given;
  } else if (declared && declared->size() == operand.shape().size()) {
    node.remark() << "the repeats, a value of run time, are taken to be those "
                     "of the declared shape";
    for (auto [all, one] : llvm::zip_equal(*declared, operand.shape()))
      repeats.push_back(one ? all / one : 1);
  } else {
    return LogicalResult(node.constantIntegers(1, "the repeats"));
  }
  if (static_cast<int64_t>(repeats.size()) != operand.rank())
    return node.error() << "expected " << operand.rank() << " repeats, got "
                        << repeats.size();
  // Each dimension becomes two, the first of which is repeated.
  SmallVector<int64_t> apart, repeated, together;
  for (auto [extent, times] : llvm::zip_equal(operand.shape(), repeats)) {
    if (times < 0 || times > kMostElements)
      return node.error() << "repeats of " << times << " times";
    apart.append({1, extent});
    repeated.append({times, extent});
    together.push_back(extent * times);
  }
  if (!elementCount(repeated))
    return node.error() << "its result has more than " << kMostElements
                        << " elements";
  Value result = node.build.reshape(operand.value, apart);
  result = node.build.broadcast(result, node.build.sizes(repeated));
  return node.setResult(0, node.build.reshape(result, together));
}

LogicalResult buildShape(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  int64_t rank = operand.rank();
  auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamped(node.integer("start", 0));
  int64_t end = clamped(node.integer("end", rank));
  SmallVector<int64_t> extents;
  if (start < end)
    extents.assign(operand.shape().begin() + start,
                   operand.shape().begin() + end);
  Value result;
  if (!llvm::is_contained(extents, kDynamic)) {
    result = node.build.integers(extents);
  } else {
    Type type = node.build.builder.getI64Type();
    SmallVector<Value> parts;
    for (int64_t dim = start; dim < end; ++dim)
      parts.push_back(node.build.generate(
          node.build.sizes(ArrayRef<int64_t>{1}), type,
          [&](ScalarBuilder &s, ValueRange) {
            return s.fromIndex(node.build.extent(operand.value, dim), type);
          }));
    result = node.build.concat(parts, 0);
  }
  return node.setResult(0, result, OnnxElement::Int64);
}

LogicalResult buildSize(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  std::optional<int64_t> count = elementCount(operand.shape());
  if (!count)
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(operand);
  Value number = node.build.integers({*count});
  return node.setResult(0, node.build.reshape(number, {}), OnnxElement::Int64);
}

LogicalResult buildConcat(NodeImport &node) {
  const OnnxTensor &first = node.operand(0);
  FailureOr<int64_t> axis =
      node.dimension(node.integer("axis", 1), first.rank());
  if (failed(axis))
    return failure();
  SmallVector<Value> parts;
  for (unsigned operand = 0; operand < node.operandCount(); ++operand) {
    const OnnxTensor &part = node.operand(operand);
    bool agrees = part.rank() == first.rank() &&
                  part.elementType() == first.elementType();
    for (int64_t dim = 0; agrees && dim < first.rank(); ++dim)
      agrees = dim == *axis || part.shape()[dim] == first.shape()[dim] ||
               ShapedType::isDynamic(part.shape()[dim]) ||
               ShapedType::isDynamic(first.shape()[dim]);
    if (!agrees)
      return node.setResult(0, Value());
    parts.push_back(part.value);
  }
  return node.setResult(0, node.build.concat(parts, *axis));
}

/// Blocks of channels to pixels: N x (b*b*C) x H x W to N x C x H*b x W*b.
LogicalResult buildDepthToSpace(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  int64_t block = node.integer("blocksize", 0);
  if (x.rank() != 4 || !x.type().hasStaticShape() || block < 1 ||
      block > x.shape()[1] || x.shape()[1] % (block * block) != 0)
    return node.error() << "expected channels that are a multiple of "
                        << "blocksize * blocksize, got "
                        << NodeImport::describe(x);
  int64_t n = x.shape()[0], c = x.shape()[1] / (block * block),
          h = x.shape()[2], w = x.shape()[3];
  bool isCrd = node.text("mode", "DCR") == "CRD";
  SmallVector<int64_t> apart, order;
  if (isCrd) {
    apart = {n, c, block, block, h, w};
    order = {0, 1, 4, 2, 5, 3};
  } else {
    apart = {n, block, block, c, h, w};
    order = {0, 3, 4, 1, 5, 2};
  }
  Value moved = node.build.transpose(node.build.reshape(x.value, apart), order);
  return node.setResult(
      0, node.build.reshape(moved, {n, c, h * block, w * block}));
}

LogicalResult buildSpaceToDepth(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  int64_t block = node.integer("blocksize", 0);
  if (x.rank() != 4 || !x.type().hasStaticShape() || block < 1 ||
      x.shape()[2] % block != 0 || x.shape()[3] % block != 0)
    return node.error() << "expected extents that are multiples of blocksize, "
                        << "got " << NodeImport::describe(x);
  int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2] / block,
          w = x.shape()[3] / block;
  Value apart = node.build.reshape(x.value, {n, c, h, block, w, block});
  Value moved = node.build.transpose(apart, {0, 3, 5, 1, 2, 4});
  return node.setResult(
      0, node.build.reshape(moved, {n, c * block * block, h, w}));
}

} // namespace

void addShapes(OperatorTable &table) {
  table.add("Reshape", 1, buildReshape);
  table.add("Flatten", 1, buildFlatten);
  table.add("Squeeze", 1, buildSqueeze);
  table.add("Unsqueeze", 1, buildUnsqueeze);
  table.add("Transpose", 1, buildTranspose);
  table.add("Expand", 2, buildExpand);
  table.add("Tile", 2, buildTile);
  table.add("Shape", 1, buildShape);
  table.add("Size", 1, buildSize);
  table.add("Concat", 1, buildConcat);
  table.add("DepthToSpace", 1, buildDepthToSpace);
  table.add("SpaceToDepth", 1, buildSpaceToDepth);
}

} // namespace npu
