// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that give a tensor another shape or order, or tell its shape.

#include "../Build/NumberBounds.h"
#include "../Graph/OperatorTable.h"
#include "../Graph/ShapeValues.h"
#include "BlockMoves.h"

using namespace mlir;

namespace npu {
namespace {

constexpr int64_t kDynamic = ShapedType::kDynamic;

/// The shape that operand 1 says, as far as it follows from shapes; where it
/// depends on data, the one that the model declares for the result.
FailureOr<SmallVector<Number>> shapeOperand(NodeImport &node,
                                            bool &isDeclared) {
  auto known = node.knownIntegers(1);
  for (Number each : known.value_or(KnownIntegers()))
    if (each && getConstantIntValue(each).value_or(0) < -1)
      return node.error() << "an extent of the shape is less than -1";
  if (known && !llvm::is_contained(*known, Number()))
    return *known;
  if (auto declared = node.declaredShape(0)) {
    node.remark() << "the shape, a value of run time, is taken to be the "
                     "declared one";
    isDeclared = true;
    return node.build.sizes(*declared);
  }
  // One extent that depends on data is what is left, as -1 is.
  if (known && llvm::count(*known, Number()) == 1 &&
      llvm::none_of(*known, [](Number each) {
        return each && isConstantIntValue(each, -1);
      }))
    return *known;
  return node.integersOfShapes(1, "the shape");
}

LogicalResult buildReshape(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  Numbers numbers = node.build.numbersHere();
  bool isDeclared = false;
  FailureOr<SmallVector<Number>> shape = SmallVector<Number>();
  if (node.has(1))
    shape = shapeOperand(node, isDeclared);
  else if (auto attribute = node.integers("shape"))
    shape = node.build.sizes(*attribute);
  if (failed(shape))
    return failure();
  // 0 keeps an extent, -1 is what is left.
  bool keepsZero = isDeclared || node.integer("allowzero", 0) != 0;
  TensorBuilder::Sizes own = node.build.sizes(operand.value);
  std::optional<std::size_t> rest;
  SmallVector<Number> given;
  for (auto [dim, extent] : llvm::enumerate(*shape)) {
    std::optional<int64_t> constant =
        extent ? getConstantIntValue(extent) : std::nullopt;
    if (constant == 0 && !keepsZero) {
      if (static_cast<int64_t>(dim) >= operand.rank())
        return node.error()
               << "extent #" << dim << " is to stay, but the operand has rank "
               << operand.rank();
      extent = own[dim];
    }
    bool isRest = !extent || constant == -1;
    if (isRest && rest)
      return node.error() << "expected at most one extent -1, got two";
    if (isRest)
      rest = dim;
    else if (!numbers.ensureAtLeast(extent, 0))
      return node.error() << "extent #" << dim << " is "
                          << describeBelow(extent, 0);
    else
      given.push_back(extent);
  }
  if (rest) {
    auto whole = numbers.productOf(own), part = numbers.productOf(given);
    auto left = whole && part ? numbers.quotient(*whole, *part) : std::nullopt;
    // Of no elements, none are left.
    if (part && part->factor == 0 && whole && whole->factor == 0)
      left = Numbers::Product{0, {}};
    if (!left)
      return node.error() << "cannot share the elements of "
                          << NodeImport::describe(operand) << " among "
                          << given.size() << " extents at every length";
    (*shape)[*rest] = numbers.numberOf(*left);
    if (!(*shape)[*rest])
      return node.error() << "its result has too many elements";
  }
  return node.setResult(0, node.build.reshapeTo(operand.value, *shape));
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
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes sides(2, numbers.constant(1));
  for (auto [dim, extent] : llvm::enumerate(node.build.sizes(operand.value))) {
    Number &side = sides[static_cast<int64_t>(dim) < *axis ? 0 : 1];
    side = numbers.mul(side, extent);
    if (!side)
      return node.error() << "its result has too many elements";
  }
  return node.setResult(0, node.build.reshapeTo(operand.value, sides));
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
  FailureOr<SmallVector<Number>> shape = shapeOperand(node, isDeclared);
  if (failed(shape))
    return failure();
  if (llvm::is_contained(*shape, Number()))
    return LogicalResult(node.integersOfShapes(1, "the shape"));
  for (auto [dim, extent] : llvm::enumerate(*shape))
    if (!node.build.numbersHere().ensureAtLeast(extent, 0))
      return node.error() << "extent #" << dim << " is "
                          << describeBelow(extent, 0);
  if (!broadcastShape(operand.shape(), Numbers::inType(*shape)))
    return node.setResult(0, Value());
  // Both are repeated where they have extent 1.
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes sizes(*shape), own = node.build.sizes(operand.value);
  if (own.size() > sizes.size())
    sizes.insert(sizes.begin(), own.begin(), own.end() - sizes.size());
  std::size_t after = sizes.size() - own.size();
  for (auto [dim, extent] : llvm::enumerate(own)) {
    Number &size = sizes[after + dim];
    if (isConstantIntValue(size, 1)) {
      size = extent;
    } else if (!getConstantIntValue(extent)) {
      // An extent that is 1 at some length is not repeated there.
      numbers.assertEqual(extent, size);
    } else if (!isConstantIntValue(extent, 1)) {
      numbers.assertEqualOrOne(size, extent);
      size = extent;
    }
  }
  return node.setResult(0, node.build.broadcast(operand.value, sizes));
}

LogicalResult buildTile(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes own = node.build.sizes(operand.value), repeats;
  auto given = node.knownIntegers(1);
  auto declared = node.declaredShape(0);
  if (given && !llvm::is_contained(*given, Number())) {
    repeats = *given;
  } else if (declared && declared->size() == operand.shape().size() &&
             operand.type().hasStaticShape()) {
    node.remark() << "the repeats, a value of run time, are taken to be those "
                     "of the declared shape";
    for (auto [all, one] : llvm::zip_equal(*declared, operand.shape()))
      repeats.push_back(numbers.constant(one ? all / one : 1));
  } else {
    return LogicalResult(node.integersOfShapes(1, "the repeats"));
  }
  if (static_cast<int64_t>(repeats.size()) != operand.rank())
    return node.error() << "expected " << operand.rank() << " repeats, got "
                        << repeats.size();
  // Each dimension becomes two, the first of which is repeated.
  TensorBuilder::Sizes apart, repeated, together;
  for (auto [extent, times] : llvm::zip_equal(own, repeats)) {
    if (!numbers.ensureAtLeast(times, 0) ||
        getConstantIntValue(times).value_or(0) > kMostElements)
      return node.error() << "repeats of dimension " << together.size()
                          << " are " << describeBelow(times, 0);
    // A dimension of one entry is repeated itself, and one that stays, stays.
    bool isOne = isConstantIntValue(extent, 1);
    if (!isOne && !isConstantIntValue(times, 1)) {
      apart.push_back(numbers.constant(1));
      repeated.push_back(times);
    }
    apart.push_back(extent);
    repeated.push_back(isOne ? times : extent);
    together.push_back(numbers.mul(extent, times));
    if (!together.back())
      return node.error() << "its result has too many elements";
  }
  SmallVector<int64_t> shape = Numbers::inType(repeated);
  if (!llvm::is_contained(shape, kDynamic) && !elementCount(shape))
    return node.error() << "its result has more than " << kMostElements
                        << " elements";
  Value result = node.build.reshapeTo(operand.value, apart);
  result = result ? node.build.broadcast(result, repeated) : result;
  return node.setResult(0, result ? node.build.reshapeTo(result, together)
                                  : result);
}

LogicalResult buildShape(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  int64_t rank = operand.rank();
  auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamped(node.integer("start", 0));
  int64_t end = clamped(node.integer("end", rank));
  SmallVector<Number> extents;
  if (start < end)
    extents = SmallVector<Number>(
        ArrayRef(node.build.sizes(operand.value)).slice(start, end - start));
  return node.setResult(0, node.build.integersOfRun(extents),
                        OnnxElement::Int64);
}

LogicalResult buildSize(NodeImport &node) {
  Numbers numbers = node.build.numbersHere();
  Number count = numbers.constant(1);
  for (Number extent : node.build.sizes(node.operand(0).value))
    count = numbers.mul(count, extent);
  if (!count)
    return node.error() << NodeImport::describe(node.operand(0))
                        << " has too many elements to count";
  Value number = node.build.integersOfRun(count);
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

/// Rank, blocksize, and that it divides dimensions at every length of a prompt.
LogicalResult checkBlocks(NodeImport &node, ArrayRef<int64_t> dims,
                          int64_t divisor) {
  const OnnxTensor &x = node.operand(0);
  if (x.rank() != 4)
    return node.error() << "expected an operand of rank 4, got "
                        << NodeImport::describe(x);
  Numbers numbers = node.build.numbersHere();
  for (int64_t dim : dims) {
    Number extent = numbers.extentOf(x.value, dim),
           rest = numbers.mod(extent, numbers.constant(divisor));
    if (getConstantIntValue(rest) != 0)
      return node.error() << "expected an extent of dimension " << dim
                          << " that is a multiple of " << divisor
                          << (x.type().isDynamicDim(dim) ? " at every length"
                                                         : "")
                          << ", got " << NodeImport::describe(x);
  }
  return success();
}

FailureOr<int64_t> blocksize(NodeImport &node) {
  constexpr int64_t kMostBlock = int64_t(1) << 15;
  int64_t block = node.integer("blocksize", 0);
  if (block < 1 || block > kMostBlock)
    return node.error() << "expected a blocksize of 1 .. " << kMostBlock
                        << ", got " << block;
  return block;
}

/// Blocks of channels to pixels: N x (b*b*C) x H x W to N x C x H*b x W*b.
LogicalResult buildDepthToSpace(NodeImport &node) {
  FailureOr<int64_t> block = blocksize(node);
  if (failed(block) || failed(checkBlocks(node, 1, *block * *block)))
    return failure();
  std::string mode = node.text("mode", "DCR");
  return node.setResult(0, withBlocksMoved(node.build, node.operand(0).value,
                                           {1, {*block, *block}, mode == "CRD"},
                                           /*isBack=*/true));
}

LogicalResult buildSpaceToDepth(NodeImport &node) {
  FailureOr<int64_t> block = blocksize(node);
  if (failed(block) || failed(checkBlocks(node, {2, 3}, *block)))
    return failure();
  return node.setResult(0, withBlocksMoved(node.build, node.operand(0).value,
                                           {1, {*block, *block}, false},
                                           /*isBack=*/false));
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
