// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries written at positions that a tensor of indices has. Where constant
// indices, or indices that follow from shapes, are a box of positions, the
// updates are inserted as a slice; else a loop writes one after another, so
// that of equal positions the last one counts.

#include "../Build/Positions.h"
#include "../Graph/AffineEntries.h"
#include "../Graph/OperatorTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

enum class Joining { Replace, Add, Multiply, Maximum, Minimum };

FailureOr<Joining> joining(NodeImport &node) {
  std::string name = node.text("reduction", "none");
  if (name == "none")
    return Joining::Replace;
  if (name == "add")
    return Joining::Add;
  if (name == "mul")
    return Joining::Multiply;
  if (name == "max")
    return Joining::Maximum;
  if (name == "min")
    return Joining::Minimum;
  return node.error() << "expected reduction none, add, mul, max or min, got '"
                      << name << "'";
}

Value joined(ScalarBuilder &s, Joining how, Value old, Value update) {
  bool isBoolean = old.getType().isInteger(1);
  switch (how) {
  case Joining::Replace:
    return update;
  case Joining::Add:
    return isBoolean ? s.create<arith::OrIOp>(old, update) : s.add(old, update);
  case Joining::Multiply:
    return isBoolean ? s.create<arith::AndIOp>(old, update)
                     : s.mul(old, update);
  case Joining::Maximum:
    return s.max(old, update);
  case Joining::Minimum:
    return s.min(old, update);
  }
  llvm_unreachable("all ways to join are listed");
}

/// Runs `body` for every position of `shape`, one after the other: it gets the
/// position and the tensor so far, and gives the next one.
Value forAllPositions(
    TensorBuilder &build, Value init, ArrayRef<Number> shape,
    llvm::function_ref<Value(ValueRange at, Value current)> body) {
  ScalarBuilder s(build.builder, build.loc, build.element);
  SmallVector<Value> lows, highs, steps;
  for (Number extent : shape) {
    lows.push_back(indexConstant(s, 0));
    highs.push_back(build.numbersHere().valueOf(extent));
    steps.push_back(indexConstant(s, 1));
  }
  // Without loops, the nest has a body but no results.
  if (shape.empty())
    return body({}, init);
  scf::LoopNest nest = scf::buildLoopNest(
      build.builder, build.loc, lows, highs, steps, init,
      [&](OpBuilder &, Location, ValueRange at, ValueRange current) {
        return scf::ValueVector{body(at, current[0])};
      });
  return nest.results[0];
}

LogicalResult checkScatter(NodeImport &node) {
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1),
                   &updates = node.operand(2);
  if (isFloat(indices.element) || data.elementType() != updates.elementType())
    return node.error() << "expected integers as indices and updates of the "
                           "data's type, got "
                        << NodeImport::describe(indices) << " and "
                        << NodeImport::describe(updates);
  if (llvm::is_contained(data.shape(), 0) &&
      !llvm::is_contained(indices.shape(), 0))
    return node.error() << "there are no entries to write in "
                        << NodeImport::describe(data);
  return success();
}

LogicalResult buildScatterElements(NodeImport &node) {
  if (failed(checkScatter(node)))
    return failure();
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1),
                   &updates = node.operand(2);
  FailureOr<Joining> how = joining(node);
  auto axis = node.dimension(node.integer("axis", 0), data.rank());
  if (failed(how) || failed(axis))
    return failure();
  bool agrees =
      indices.rank() == data.rank() && indices.shape() == updates.shape();
  // Dynamic extents agree with all.
  for (int64_t dim = 0; agrees && dim < data.rank(); ++dim)
    agrees = dim == *axis || ShapedType::isDynamic(indices.shape()[dim]) ||
             ShapedType::isDynamic(data.shape()[dim]) ||
             indices.shape()[dim] <= data.shape()[dim];
  if (!agrees)
    return node.setResult(0, Value());
  node.assertEqualExtents(1, 0, 2, 0, data.rank());
  node.assertInside(1, node.operand(0).value, *axis);
  TensorBuilder &build = node.build;
  ScalarBuilder s(build.builder, node.loc, data.element);
  ScalarBuilder ofIndices(build.builder, node.loc, indices.element);
  Value result = forAllPositions(
      build, data.value, build.sizes(indices.value),
      [&](ValueRange at, Value current) {
        SmallVector<Value> target(at);
        target[*axis] =
            positionIn(ofIndices, TensorBuilder::read(s, indices.value, at),
                       build.extent(data.value, *axis));
        Value update = TensorBuilder::read(s, updates.value, at);
        if (*how != Joining::Replace)
          update =
              joined(s, *how, TensorBuilder::read(s, current, target), update);
        return s.create<tensor::InsertOp>(update, current, target);
      });
  return node.setResult(0, result);
}

/// Positions that differ by steps in each dimension, row by row.
struct Box {
  TensorBuilder::Sizes offsets, sizes;
  SmallVector<int64_t> steps;
};

/// The box that tuples of `depth` positions are; nothing where they are none.
std::optional<Box> boxOf(TensorBuilder &build, ArrayRef<int64_t> numbers,
                         int64_t depth) {
  auto count = static_cast<int64_t>(numbers.size()) / depth;
  SmallVector<int64_t> offsets, sizes, steps;
  int64_t volume = 1;
  for (int64_t dim = 0; dim < depth; ++dim) {
    SmallVector<int64_t> places;
    for (int64_t tuple = 0; tuple < count; ++tuple)
      places.push_back(numbers[tuple * depth + dim]);
    llvm::sort(places);
    places.erase(llvm::unique(places), places.end());
    offsets.push_back(places.front());
    sizes.push_back(static_cast<int64_t>(places.size()));
    steps.push_back(places.size() > 1 ? places[1] - places[0] : 1);
    volume *= sizes.back();
    if (volume > count)
      return std::nullopt;
  }
  if (volume != count)
    return std::nullopt;
  bool isBox = true;
  const int64_t *next = numbers.begin();
  forEachPosition(sizes, [&](ArrayRef<int64_t> position) {
    for (auto [offset, step, at] : llvm::zip_equal(offsets, steps, position))
      isBox &= *next++ == offset + step * at;
  });
  return isBox ? std::optional(
                     Box{build.sizes(offsets), build.sizes(sizes), steps})
               : std::nullopt;
}

/// The box that computed tuples of positions are; nothing where they are none,
/// or where they may be outside of the data at some length.
std::optional<Box> boxOfComputed(NodeImport &node) {
  TensorBuilder &build = node.build;
  // Where a position may be negative beside an empty cache, it counts from the
  // end, which a loop takes care of.
  Numbers numbers = build.numbersHere(Lengths::OfRuns);
  auto tuples = affineTuples(node, 1);
  if (!tuples)
    return std::nullopt;
  TensorBuilder::Sizes outer = build.sizes(node.operand(1).value),
                       extents = build.sizes(node.operand(0).value);
  outer.pop_back();
  // Each position follows from one dimension of the indices, in order.
  SmallVector<std::size_t> dims = dimensionsOfSeveral(outer);
  ArrayRef<std::size_t> left = dims;
  Box box;
  for (auto [dim, entries] : llvm::enumerate(*tuples)) {
    Number size = numbers.constant(1);
    int64_t step = 1;
    if (!left.empty() && entries.steps[left.front()] > 0) {
      size = outer[left.front()];
      step = entries.steps[left.front()];
      entries.steps[left.front()] = 0;
      left = left.drop_front();
    }
    if (llvm::any_of(entries.steps, [](int64_t each) { return each != 0; }))
      return std::nullopt;
    Number last = numbers.add(
        entries.base, numbers.mul(numbers.sub(size, numbers.constant(1)),
                                  numbers.constant(step)));
    Number after = numbers.sub(extents[dim], last);
    if (!numbers.ensureAtLeast(entries.base, 0) ||
        !numbers.ensureAtLeast(after, 1))
      return std::nullopt;
    box.offsets.push_back(entries.base);
    box.sizes.push_back(size);
    box.steps.push_back(step);
  }
  return left.empty() ? std::optional(box) : std::nullopt;
}

/// Indices that are a box of positions in the first dimensions: one slice is
/// replaced, or joined.
Value scatterBox(NodeImport &node, Box box, Joining how) {
  const OnnxTensor &data = node.operand(0);
  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes &offsets = box.offsets, &sizes = box.sizes,
                       all = build.sizes(data.value);
  bool isWhole = true;
  for (std::size_t dim = 0; dim < all.size(); ++dim) {
    if (dim >= sizes.size()) {
      offsets.push_back(numbers.constant(0));
      sizes.push_back(all[dim]);
      box.steps.push_back(1);
    }
    isWhole &= numbers.areEqual(sizes[dim], all[dim]);
  }
  Value update = build.reshapeTo(node.operand(2).value, sizes);
  if (!update)
    return {};
  if (how != Joining::Replace) {
    Value old = build.sliceAt(data.value, offsets, sizes, box.steps);
    update = build.map({old, update}, data.elementType(),
                       [&](ScalarBuilder &s, ValueRange v) {
                         return joined(s, how, v[0], v[1]);
                       });
  }
  if (isWhole)
    return update;
  return tensor::InsertSliceOp::create(build.builder, node.loc, update,
                                       data.value, offsets, sizes,
                                       build.sizes(box.steps));
}

/// One tuple of indices that follow from shapes, as positions; nothing where
/// they do not, or where one may be out of range at some length.
std::optional<TensorBuilder::Sizes> onePosition(NodeImport &node) {
  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes extents = build.sizes(node.operand(0).value), at;
  const OnnxTensor &indices = node.operand(1);
  int64_t depth = indices.shape().back();
  if (elementCount(indices.shape()) != depth)
    return std::nullopt;
  auto constants = constantPositions(indices);
  auto known = node.knownIntegers(1);
  for (int64_t dim = 0; dim < depth; ++dim) {
    Number index = constants ? numbers.constant((*constants)[dim])
                   : known   ? (*known)[dim]
                             : Number();
    at.push_back(numbers.entryAt(index, extents[dim]));
    if (!at.back())
      return std::nullopt;
  }
  return at;
}

/// Updates one after another, each of which replaces or joins all entries of
/// the dimensions after `depth`.
Value scatterOneByOne(NodeImport &node, int64_t depth, Joining how) {
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1),
                   &updates = node.operand(2);
  TensorBuilder &build = node.build;
  TensorBuilder::Sizes outer = build.sizes(indices.value),
                       all = build.sizes(data.value);
  outer.pop_back();
  ArrayRef<Number> inner = ArrayRef(all).drop_front(depth);
  ScalarBuilder s(build.builder, node.loc, data.element);
  ScalarBuilder ofIndices(build.builder, node.loc, indices.element);
  auto partType =
      RankedTensorType::get(Numbers::inType(inner), data.elementType());
  return forAllPositions(
      build, data.value, outer, [&](ValueRange at, Value current) {
        SmallVector<Value> row(at);
        row.push_back({});
        TensorBuilder::Sizes from(at.begin(), at.end()), to;
        for (int64_t number = 0; number < depth; ++number) {
          row.back() = indexConstant(s, number);
          to.push_back(positionIn(ofIndices,
                                  TensorBuilder::read(s, indices.value, row),
                                  build.extent(data.value, number)));
        }
        auto sizesOf = [&](std::size_t ones) {
          TensorBuilder::Sizes sizes =
              build.sizes(SmallVector<int64_t>(ones, 1));
          llvm::append_range(sizes, inner);
          return sizes;
        };
        TensorBuilder::Sizes zeros =
            build.sizes(SmallVector<int64_t>(inner.size(), 0));
        llvm::append_range(from, zeros);
        llvm::append_range(to, zeros);
        auto ones = [&](std::size_t count) {
          return build.sizes(SmallVector<int64_t>(count, 1));
        };
        auto part = [&](Value whole, const TensorBuilder::Sizes &offsets,
                        std::size_t dims) -> Value {
          return tensor::ExtractSliceOp::create(
              build.builder, node.loc, partType, whole, offsets, sizesOf(dims),
              ones(offsets.size()));
        };
        Value update = part(updates.value, from, outer.size());
        if (how != Joining::Replace)
          update =
              build.map({part(current, to, depth), update}, data.elementType(),
                        [&](ScalarBuilder &inside, ValueRange v) {
                          return joined(inside, how, v[0], v[1]);
                        });
        return tensor::InsertSliceOp::create(build.builder, node.loc, update,
                                             current, to, sizesOf(depth),
                                             ones(to.size()))
            .getResult();
      });
}

/// The last dimension of the indices has positions in as many dimensions of the
/// data; one update replaces all entries of the other dimensions.
LogicalResult buildScatterND(NodeImport &node) {
  if (failed(checkScatter(node)))
    return failure();
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1),
                   &updates = node.operand(2);
  FailureOr<Joining> how = joining(node);
  if (failed(how))
    return failure();
  int64_t depth = indices.rank() ? indices.shape().back() : 0;
  if (depth < 1 || depth > data.rank())
    return node.setResult(0, Value());
  ArrayRef<int64_t> outer = indices.shape().drop_back();
  ArrayRef<int64_t> inner = data.shape().drop_front(depth);
  SmallVector<int64_t> shape(outer);
  llvm::append_range(shape, inner);
  bool agrees = updates.shape().size() == shape.size();
  for (std::size_t dim = 0; agrees && dim < shape.size(); ++dim)
    agrees = updates.shape()[dim] == shape[dim] ||
             ShapedType::isDynamic(updates.shape()[dim]) ||
             ShapedType::isDynamic(shape[dim]);
  if (!agrees || ShapedType::isDynamic(depth))
    return node.setResult(0, Value());
  if (llvm::is_contained(shape, 0))
    return node.setResult(0, data.value);
  auto outerRank = static_cast<int64_t>(outer.size());
  node.assertEqualExtents(2, 0, 1, 0, outerRank);
  node.assertEqualExtents(2, outerRank, 0, depth,
                          static_cast<int64_t>(inner.size()));
  node.assertInside(1, node.operand(0).value, 0, depth);
  if (auto at = onePosition(node)) {
    SmallVector<int64_t> ones(depth, 1);
    return node.setResult(
        0, scatterBox(node, {*at, node.build.sizes(ones), ones}, *how));
  }
  bool isStatic =
      llvm::none_of(data.shape().take_front(depth), ShapedType::isDynamic);
  if (auto numbers = constantPositions(indices); numbers && isStatic) {
    for (auto [number, index] : llvm::enumerate(*numbers)) {
      int64_t extent = data.shape()[number % depth];
      if (index < -extent || index >= extent)
        return node.error()
               << "expected indices in " << -extent << " .. " << extent - 1
               << " for dimension " << number % depth << ", got " << index;
      index += index < 0 ? extent : 0;
    }
    if (auto box = boxOf(node.build, *numbers, depth))
      return node.setResult(0, scatterBox(node, *box, *how));
  }
  if (auto box = boxOfComputed(node))
    return node.setResult(0, scatterBox(node, *box, *how));
  return node.setResult(0, scatterOneByOne(node, depth, *how));
}

} // namespace

void addScatters(OperatorTable &table) {
  table.add("Scatter", 3, buildScatterElements);
  table.add("ScatterElements", 3, buildScatterElements);
  table.add("ScatterND", 3, buildScatterND);
}

} // namespace npu
