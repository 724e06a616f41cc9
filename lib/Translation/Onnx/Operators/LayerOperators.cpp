// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of `kLayerDomain`, which layers of other formats become where the
// standard has none.

#include "../Graph/OperatorTable.h"
#include "BlockMoves.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// MatMul, of operands whose last two dimensions are there in the other order
/// where `transpose_a` and `transpose_b` say so: weights stay as they lie.
LogicalResult buildMatMul(NodeImport &node) {
  return node.setResult(
      0, node.build.matmul(node.operand(0).value, node.operand(1).value,
                           node.integer("transpose_a", 0) != 0,
                           node.integer("transpose_b", 0) != 0));
}

/// Transpose, with the order as operand 1; reversed where that has no entries.
LogicalResult buildTranspose(NodeImport &node) {
  FailureOr<SmallVector<int64_t>> order = node.constantIntegers(1, "the order");
  if (failed(order))
    return failure();
  const OnnxTensor &operand = node.operand(0);
  if (order->empty())
    order = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(operand.rank())));
  FailureOr<SmallVector<int64_t>> dims =
      node.dimensions(*order, operand.rank());
  if (failed(dims))
    return failure();
  if (static_cast<int64_t>(dims->size()) != operand.rank())
    return node.error() << "expected an order of " << operand.rank()
                        << " dimensions, got " << dims->size();
  return node.setResult(0, node.build.transpose(operand.value, *dims));
}

/// Div of integers with a sign, rounded down.
LogicalResult buildFloorDiv(NodeImport &node) {
  const OnnxTensor &a = node.operand(0), &b = node.operand(1);
  return node.setResult(
      0, node.build.map({a.value, b.value}, a.elementType(),
                        [](ScalarBuilder &s, ValueRange v) {
                          return s.create<arith::FloorDivSIOp>(v[0], v[1]);
                        }));
}

/// The error of a tensor that has no parts of that size.
LogicalResult cannotCut(NodeImport &node) {
  return node.error() << "cannot cut " << NodeImport::describe(node.operand(0))
                      << " into equal parts";
}

/// Entries of blocks of the dimensions after `dim` become entries of that one,
/// before those that there are or, with `after`, after them; and with
/// `back` the other way round.
LogicalResult buildMoveBlocks(NodeImport &node) {
  SmallVector<int64_t> blocks =
      node.integers("blocks").value_or(SmallVector<int64_t>());
  auto count = static_cast<int64_t>(blocks.size());
  int64_t dim = node.integer("dim", 0), rank = node.operand(0).rank();
  if (dim < 0 || dim >= rank || count != rank - dim - 1 ||
      llvm::any_of(blocks, [](int64_t block) { return block < 1; }))
    return node.error() << "expected blocks of at least 1 entry for each "
                        << "dimension after #" << dim << " of "
                        << NodeImport::describe(node.operand(0));
  Value moved = withBlocksMoved(node.build, node.operand(0).value,
                                {dim, blocks, node.integer("after", 0) != 0},
                                node.integer("back", 0) != 0);
  return moved ? node.setResult(0, moved) : cannotCut(node);
}

/// Entry i of group g of a dimension becomes entry g of group i.
LogicalResult buildShuffle(NodeImport &node) {
  int64_t group = node.integer("group", 1), rank = node.operand(0).rank();
  FailureOr<int64_t> axis = node.dimension(node.integer("axis", 1), rank);
  if (failed(axis))
    return failure();
  if (group < 1)
    return node.error() << "expected at least one group, got " << group;
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes sizes = node.build.sizes(node.operand(0).value);
  Number groups = numbers.constant(group),
         part = numbers.floorDiv(sizes[*axis], groups);
  if (!part || !numbers.areEqual(numbers.mul(part, groups), sizes[*axis]))
    return cannotCut(node);
  TensorBuilder::Sizes split = sizes;
  split[*axis] = groups;
  split.insert(split.begin() + *axis + 1, part);
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank + 1));
  std::swap(order[*axis], order[*axis + 1]);
  Value apart = node.build.reshapeTo(node.operand(0).value, split);
  Value together =
      apart ? node.build.reshapeTo(node.build.transpose(apart, order), sizes)
            : Value();
  return together ? node.setResult(0, together) : cannotCut(node);
}

/// Pads that mirror a dimension, its first and last entries with it. Operands
/// #1 and #2 are how many entries are added in front and after.
LogicalResult buildSymmetricPad(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  auto low = node.constantIntegers(1, "the pads"),
       high = node.constantIntegers(2, "the pads");
  if (failed(low) || failed(high))
    return failure();
  auto rank = static_cast<std::size_t>(operand.rank());
  if (low->size() != rank || high->size() != rank)
    return node.error() << "expected pads for " << rank << " dimensions";
  Value value = operand.value;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    int64_t extent = operand.shape()[dim], before = (*low)[dim],
            after = (*high)[dim];
    if (before == 0 && after == 0)
      continue;
    if (ShapedType::isDynamic(extent) || -before > extent || -after > extent ||
        before > extent || after > extent || -before - after > extent)
      return node.error() << "expected at most as many mirrored entries as "
                             "dimension #"
                          << dim << " has, a number that is known";
    SmallVector<int64_t> positions;
    for (int64_t at = -before; at < extent + after; ++at)
      positions.push_back(at < 0         ? -at - 1
                          : at >= extent ? 2 * extent - 1 - at
                                         : at);
    value = node.build.take(value, static_cast<int64_t>(dim), positions);
  }
  return node.setResult(0, value);
}

/// Entries moved along dimensions, those that leave at one end to the other.
/// Operand #1 is by how many, operand #2 along which.
LogicalResult buildRoll(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  auto shifts = node.constantIntegers(1, "the shifts"),
       axes = node.constantIntegers(2, "the axes");
  if (failed(shifts) || failed(axes))
    return failure();
  if (shifts->size() == 1)
    shifts->resize(axes->size(), shifts->front());
  if (shifts->size() != axes->size())
    return node.error() << "expected as many shifts as axes, got "
                        << shifts->size() << " and " << axes->size();
  Value value = operand.value;
  for (auto [each, shift] : llvm::zip_equal(*axes, *shifts)) {
    FailureOr<int64_t> axis = node.dimension(each, operand.rank());
    if (failed(axis))
      return failure();
    int64_t extent = operand.shape()[*axis];
    if (ShapedType::isDynamic(extent))
      return node.error() << "expected dimension #" << *axis
                          << " to have a known number of entries, got "
                          << NodeImport::describe(operand);
    if (extent < 2)
      continue;
    int64_t first = ((-(shift % extent)) % extent + extent) % extent;
    SmallVector<int64_t> positions;
    for (int64_t at = 0; at < extent; ++at)
      positions.push_back((at + first) % extent);
    value = node.build.take(value, *axis, positions);
  }
  return node.setResult(0, value);
}

/// The entry nearest to a coordinate. "simple" rounds up where entries get
/// fewer, and down elsewhere.
std::optional<double> nearest(StringRef mode, double at, double scale) {
  if (mode == "round_prefer_floor")
    return std::ceil(at - 0.5);
  if (mode == "round_prefer_ceil")
    return std::floor(at + 0.5);
  if (mode == "floor" || (mode == "simple" && scale >= 1))
    return std::floor(at);
  if (mode == "ceil" || mode == "simple")
    return std::ceil(at);
  return std::nullopt;
}

std::optional<double> coordinate(StringRef mode, double at, double scale,
                                 double extent, double length) {
  if (mode == "half_pixel")
    return (at + 0.5) / scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return length > 1 ? (at + 0.5) / scale - 0.5 : 0;
  if (mode == "asymmetric")
    return at / scale;
  if (mode == "tf_half_pixel_for_nn")
    return (at + 0.5) / scale;
  if (mode == "align_corners")
    return length > 1 ? at * (extent - 1) / (length - 1) : 0;
  return std::nullopt;
}

/// Resize to the nearest entries, in modes that the standard has not. Operand
/// #1 has the scales, or operand #2 the sizes, of dimensions `axes`.
LogicalResult buildNearest(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  auto axes = node.dimensions(
      node.integers("axes").value_or(SmallVector<int64_t>()), operand.rank());
  if (failed(axes))
    return failure();
  SmallVector<double> scales;
  SmallVector<int64_t> lengths;
  if (node.has(2)) {
    auto sizes = node.constantIntegers(2, "the sizes");
    if (failed(sizes))
      return failure();
    lengths = *sizes;
  } else if (node.has(1)) {
    auto given = node.constantNumbers(1, "the scales");
    if (failed(given))
      return failure();
    scales = *given;
  }
  if (std::max(scales.size(), lengths.size()) != axes->size())
    return node.error() << "expected a size or a scale for each of "
                        << axes->size() << " axes";
  Value value = operand.value;
  for (auto [number, axis] : llvm::enumerate(*axes)) {
    int64_t extent = operand.shape()[axis];
    if (ShapedType::isDynamic(extent) || extent < 1)
      return node.error() << "expected dimension #" << axis
                          << " to have entries whose number is known, got "
                          << NodeImport::describe(operand);
    auto real = static_cast<double>(extent);
    double scale = scales.empty() ? static_cast<double>(lengths[number]) / real
                                  : scales[number];
    double length = scales.empty() ? static_cast<double>(lengths[number])
                                   : std::floor(real * scale);
    if (!(length >= 1 && length <= static_cast<double>(kMostElements) &&
          scale > 0))
      return node.error() << "expected sizes of at least 1, got " << length;
    SmallVector<int64_t> positions;
    for (double at = 0; at < length; ++at) {
      auto exact =
          coordinate(node.text("coordinates", ""), at, scale, real, length);
      auto place = exact ? nearest(node.text("nearest", ""), *exact, scale)
                         : std::nullopt;
      if (!place)
        return node.error() << "its modes are not known";
      positions.push_back(
          static_cast<int64_t>(std::clamp(*place, 0.0, real - 1)));
    }
    value = node.build.take(value, axis, positions);
  }
  return node.setResult(0, value);
}

} // namespace

void addLayerOperators(OperatorTable &table) {
  table.addOfLayers("FloorDiv", 2, buildFloorDiv);
  table.addOfLayers("MatMul", 2, buildMatMul);
  table.addOfLayers("MoveBlocks", 1, buildMoveBlocks);
  table.addOfLayers("Nearest", 1, buildNearest);
  table.addOfLayers("Roll", 3, buildRoll);
  table.addOfLayers("Shuffle", 1, buildShuffle);
  table.addOfLayers("SymmetricPad", 3, buildSymmetricPad);
  table.addOfLayers("Transpose", 2, buildTranspose);
}

} // namespace npu
