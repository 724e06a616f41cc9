// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries written at positions that a tensor of indices has. Where constant
// indices are a box of positions, the updates are inserted as a slice; else a
// loop writes one after another, so that of equal positions the last one
// counts.

#include "../Build/Positions.h"
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
    TensorBuilder &build, Value init, ArrayRef<int64_t> shape,
    llvm::function_ref<Value(ValueRange at, Value current)> body) {
  ScalarBuilder s(build.builder, build.loc, build.element);
  SmallVector<Value> lows, highs, steps;
  for (int64_t extent : shape) {
    lows.push_back(indexConstant(s, 0));
    highs.push_back(indexConstant(s, extent));
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
  for (const OnnxTensor *tensor : {&data, &indices, &updates})
    if (!tensor->type().hasStaticShape())
      return node.error() << "expected a static shape, got "
                          << NodeImport::describe(*tensor);
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
  for (int64_t dim = 0; agrees && dim < data.rank(); ++dim)
    agrees = dim == *axis || indices.shape()[dim] <= data.shape()[dim];
  if (!agrees)
    return node.setResult(0, Value());
  TensorBuilder &build = node.build;
  ScalarBuilder s(build.builder, node.loc, data.element);
  ScalarBuilder ofIndices(build.builder, node.loc, indices.element);
  Value result = forAllPositions(
      build, data.value, indices.shape(), [&](ValueRange at, Value current) {
        SmallVector<Value> target(at);
        target[*axis] =
            positionIn(ofIndices, TensorBuilder::read(s, indices.value, at),
                       indexConstant(s, data.shape()[*axis]));
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
  SmallVector<int64_t> offsets, sizes, steps;
};

/// The box that tuples of `depth` positions are; nothing where they are none.
std::optional<Box> boxOf(ArrayRef<int64_t> numbers, int64_t depth) {
  auto count = static_cast<int64_t>(numbers.size()) / depth;
  Box box;
  int64_t volume = 1;
  for (int64_t dim = 0; dim < depth; ++dim) {
    SmallVector<int64_t> places;
    for (int64_t tuple = 0; tuple < count; ++tuple)
      places.push_back(numbers[tuple * depth + dim]);
    llvm::sort(places);
    places.erase(llvm::unique(places), places.end());
    box.offsets.push_back(places.front());
    box.sizes.push_back(static_cast<int64_t>(places.size()));
    box.steps.push_back(places.size() > 1 ? places[1] - places[0] : 1);
    volume *= box.sizes.back();
    if (volume > count)
      return std::nullopt;
  }
  if (volume != count)
    return std::nullopt;
  bool isBox = true;
  const int64_t *next = numbers.begin();
  forEachPosition(box.sizes, [&](ArrayRef<int64_t> position) {
    for (auto [offset, step, at] :
         llvm::zip_equal(box.offsets, box.steps, position))
      isBox &= *next++ == offset + step * at;
  });
  return isBox ? std::optional(box) : std::nullopt;
}

/// Constant indices that are a box: one slice is replaced, or joined.
Value scatterBox(NodeImport &node, Box box, Joining how) {
  const OnnxTensor &data = node.operand(0);
  TensorBuilder &build = node.build;
  for (std::size_t dim = box.sizes.size(); dim < data.shape().size(); ++dim) {
    box.offsets.push_back(0);
    box.sizes.push_back(data.shape()[dim]);
    box.steps.push_back(1);
  }
  Value update = build.reshape(node.operand(2).value, box.sizes);
  if (how != Joining::Replace) {
    Value old = build.slice(data.value, box.offsets, box.sizes, box.steps);
    update = build.map({old, update}, data.elementType(),
                       [&](ScalarBuilder &s, ValueRange v) {
                         return joined(s, how, v[0], v[1]);
                       });
  }
  if (ArrayRef<int64_t>(box.sizes) == data.shape())
    return update;
  return tensor::InsertSliceOp::create(
      build.builder, node.loc, update, data.value, build.sizes(box.offsets),
      build.sizes(box.sizes), build.sizes(box.steps));
}

/// Updates one after another, each of which replaces or joins all entries of
/// the dimensions after `depth`.
Value scatterOneByOne(NodeImport &node, int64_t depth, Joining how) {
  const OnnxTensor &data = node.operand(0), &indices = node.operand(1),
                   &updates = node.operand(2);
  ArrayRef<int64_t> outer = indices.shape().drop_back();
  ArrayRef<int64_t> inner = data.shape().drop_front(depth);
  TensorBuilder &build = node.build;
  ScalarBuilder s(build.builder, node.loc, data.element);
  ScalarBuilder ofIndices(build.builder, node.loc, indices.element);
  auto partType = RankedTensorType::get(inner, data.elementType());
  return forAllPositions(
      build, data.value, outer, [&](ValueRange at, Value current) {
        SmallVector<Value> row(at);
        row.push_back({});
        TensorBuilder::Sizes from(at.begin(), at.end()), to;
        for (int64_t number = 0; number < depth; ++number) {
          row.back() = indexConstant(s, number);
          to.push_back(positionIn(ofIndices,
                                  TensorBuilder::read(s, indices.value, row),
                                  indexConstant(s, data.shape()[number])));
        }
        auto sizesOf = [&](std::size_t ones) {
          SmallVector<int64_t> sizes(ones, 1);
          llvm::append_range(sizes, inner);
          return build.sizes(sizes);
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
  if (updates.shape() != ArrayRef<int64_t>(shape))
    return node.setResult(0, Value());
  if (llvm::is_contained(shape, 0))
    return node.setResult(0, data.value);
  if (auto numbers = constantPositions(indices)) {
    for (auto [number, index] : llvm::enumerate(*numbers)) {
      int64_t extent = data.shape()[number % depth];
      if (index < -extent || index >= extent)
        return node.error()
               << "expected indices in " << -extent << " .. " << extent - 1
               << " for dimension " << number % depth << ", got " << index;
      index += index < 0 ? extent : 0;
    }
    if (auto box = boxOf(*numbers, depth))
      return node.setResult(0, scatterBox(node, *box, *how));
  }
  return node.setResult(0, scatterOneByOne(node, depth, *how));
}

} // namespace

void addScatters(OperatorTable &table) {
  table.add("Scatter", 3, buildScatterElements);
  table.add("ScatterElements", 3, buildScatterElements);
  table.add("ScatterND", 3, buildScatterND);
}

} // namespace npu
