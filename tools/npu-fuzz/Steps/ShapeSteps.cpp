// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that move entries: to another shape, to a part of a tensor or out of
// one, to another layout.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

std::optional<unsigned> pickRank(OperationMaker &maker, std::size_t least,
                                 std::size_t most) {
  return maker.pick([=](const Fact &value) {
    return value.shape.size() >= least && value.shape.size() <= most;
  });
}

/// The value with the same entries in a tensor of these extents.
Made moved(OperationMaker &maker, unsigned value, Dims dims, Build build) {
  const Fact from = maker[value];
  return maker.makeLaidOut(maker.tensor(from.type, std::move(dims)), from,
                           build);
}

/// `rank` groups, in which `dim` and the next dimension are one group.
SmallVector<ReassociationIndices> groups(std::size_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> parts;
  int64_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    parts.push_back({next++});
    if (static_cast<int64_t>(i) == dim)
      parts.back().push_back(next++);
  }
  return parts;
}

} // namespace

Made transposed(OperationMaker &maker, unsigned value,
                const std::vector<int64_t> &dims) {
  return moved(
      maker, value, only(maker[value].dims, dims), [&](const Fact &made) {
        return linalg::TransposeOp::create(maker.b, maker.b.getUnknownLoc(),
                                           maker[value].value,
                                           maker.empty(made), dims)
            ->getResult(0);
      });
}

static void transposing(OperationMaker &maker) {
  auto value = pickRank(maker, 2, kMaxRank);
  if (!value)
    return;
  std::vector<int64_t> dims = others(std::ssize(maker[*value].shape), {});
  maker.shuffle(dims);
  transposed(maker, *value, dims);
}

/// The order of the result determines its shape.
static void permuteCasting(OperationMaker &maker) {
  auto value = pickRank(maker, 1, kMaxRank);
  if (!value || !maker.hasLayouts())
    return;
  const Fact from = maker[*value];
  // The memory of images is not re-read.
  if (from.layout.storage != Storage::Linear)
    return;
  std::size_t rank = from.shape.size();
  Permutation order =
      from.layout.order.empty() ? identityPermutation(rank) : from.layout.order;
  Extents memory = permute(from.shape, order);
  // Dimensions of extent 1 may go anywhere; the others keep their order.
  Permutation memPerm;
  for (std::size_t dim = 0; dim < rank; ++dim)
    if (memory[dim] != 1)
      memPerm.push_back(static_cast<int64_t>(dim));
  for (std::size_t dim = 0; dim < rank; ++dim)
    if (memory[dim] == 1) {
      memPerm.push_back(static_cast<int64_t>(dim));
      for (int64_t i = maker.below(std::ssize(memPerm)); i > 0; --i)
        std::swap(memPerm[memPerm.size() - i], memPerm[memPerm.size() - i - 1]);
    }
  Layout layout;
  if (!maker.oneIn(3))
    layout.order = maker.permutation(rank);
  Permutation inDim = castDimensions(order, memPerm, layout.order);
  Fact result =
      maker.tensor(from.type, only(from.dims, {inDim.begin(), inDim.end()}));
  if (isIdentity(layout.order))
    layout.order = {};
  layout.distribution = from.layout.distribution && maker.oneIn(3)
                            ? permute(*from.layout.distribution, inDim)
                            : maker.layout(result.shape).distribution;
  result.layout = layout;
  maker.make(result, [&](const Fact &made) {
    return maker.call(
        "npu.permute_cast", from.value, made,
        maker.numbers("mem_perm", {memPerm.begin(), memPerm.size()}));
  });
}

static Made expandedTo(OperationMaker &maker, unsigned value, int64_t dim,
                       const Extent &outer, const Extent &inner) {
  const Fact from = maker[value];
  Dims dims = from.dims;
  dims[dim] = inner;
  dims.insert(dims.begin() + dim, outer);
  return moved(maker, value, dims, [&](const Fact &made) {
    SmallVector<OpFoldResult> sizes;
    for (const Extent &extent : dims)
      sizes.push_back(maker.size(extent));
    return tensor::ExpandShapeOp::create(maker.b, maker.b.getUnknownLoc(),
                                         maker.tensorType(made), from.value,
                                         groups(from.dims.size(), dim), sizes);
  });
}

Made expanded(OperationMaker &maker, unsigned value, int64_t dim,
              int64_t outer) {
  auto inner = quotient(maker[value].dims[dim], outer);
  return inner ? expandedTo(maker, value, dim, fixed(outer), *inner)
               : std::nullopt;
}

static void expanding(OperationMaker &maker) {
  auto value = pickRank(maker, 1, 5);
  if (!value)
    return;
  const Fact from = maker[*value];
  int64_t dim = maker.below(std::ssize(from.shape));
  std::vector<std::pair<int64_t, Extent>> divisors;
  for (int64_t by = 1; by <= from.shape[dim]; ++by)
    if (auto rest = quotient(from.dims[dim], by))
      divisors.push_back({by, *rest});
  if (divisors.empty())
    return;
  auto [by, rest] = divisors[maker.below(std::ssize(divisors))];
  if (rest.grows() && maker.oneIn(2))
    expandedTo(maker, *value, dim, rest, fixed(by));
  else
    expandedTo(maker, *value, dim, fixed(by), rest);
}

Made collapsed(OperationMaker &maker, unsigned value, int64_t dim) {
  const Fact from = maker[value];
  Dims dims = from.dims;
  auto both = product(dims[dim], dims[dim + 1]);
  if (!both)
    return std::nullopt;
  dims[dim] = *both;
  dims.erase(dims.begin() + dim + 1);
  return moved(maker, value, dims, [&](const Fact &made) {
    return tensor::CollapseShapeOp::create(maker.b, maker.b.getUnknownLoc(),
                                           maker.tensorType(made), from.value,
                                           groups(dims.size(), dim));
  });
}

static void collapsing(OperationMaker &maker) {
  if (auto value = pickRank(maker, 2, kMaxRank))
    collapsed(maker, *value, maker.below(std::ssize(maker[*value].shape) - 1));
}

Made withDimension(OperationMaker &maker, unsigned value, int64_t dim,
                   int64_t extent) {
  const Fact from = maker[value];
  Dims dims = from.dims;
  dims.insert(dims.begin() + dim, fixed(extent));
  return moved(maker, value, dims, [&](const Fact &made) {
    return linalg::BroadcastOp::create(maker.b, maker.b.getUnknownLoc(),
                                       from.value, maker.empty(made), dim)
        ->getResult(0);
  });
}

static void addingDimension(OperationMaker &maker) {
  auto value = pickRank(maker, 0, 4);
  if (!value)
    return;
  int64_t dim = maker.below(std::ssize(maker[*value].shape) + 1);
  withDimension(maker, *value, dim, maker.between(1, 4));
}

namespace {

struct SliceNumbers {
  SliceNumbers(FunctionMaker &maker, const std::vector<Slice> &slices) {
    for (const Slice &each : slices) {
      offsets.push_back(maker.b.getIndexAttr(each.offset));
      sizes.push_back(maker.size(each.size));
      strides.push_back(maker.b.getIndexAttr(each.stride));
    }
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

Dims dimsOf(const std::vector<Slice> &slices) {
  Dims dims;
  for (const Slice &each : slices)
    if (!each.isDropped)
      dims.push_back(each.size);
  return dims;
}

/// Any part; of a dimension that grows with the prompt, all.
std::vector<Slice> randomSlices(OperationMaker &maker, const Fact &whole) {
  std::vector<Slice> slices;
  for (auto [extent, dim] : llvm::zip(whole.shape, whole.dims)) {
    if (dim.grows()) {
      slices.push_back({0, dim});
      continue;
    }
    int64_t stride = maker.oneIn(4) ? 2 : 1;
    int64_t offset = maker.oneIn(2) ? 0 : maker.below(extent);
    int64_t most = (extent - 1 - offset) / stride + 1;
    int64_t size = maker.oneIn(3) ? most : maker.between(1, most);
    if (size > 1 && maker.oneIn(8)) {
      // From the last entry to the first.
      offset += (size - 1) * stride;
      stride = -stride;
    }
    slices.push_back(
        {offset, fixed(size), stride, size == 1 && maker.oneIn(3)});
  }
  return slices;
}

/// What one of some tiles has of a tensor that is split along a dimension.
std::vector<Slice> partOfATile(OperationMaker &maker, const Fact &whole) {
  std::vector<Slice> slices;
  for (const Extent &extent : whole.dims)
    slices.push_back({0, extent});
  int64_t split = maker.below(std::ssize(slices));
  if (whole.dims[split].grows())
    return slices;
  int64_t extent = whole.shape[split], tiles = maker.between(2, 4);
  int64_t size = (extent + tiles - 1) / tiles;
  int64_t offset = size * maker.below((extent + size - 1) / size);
  slices[split] = {offset, fixed(std::min(size, extent - offset))};
  return slices;
}

Made insert(OperationMaker &maker, unsigned whole,
            const std::vector<Slice> &slices) {
  const Fact into = maker[whole];
  const Fact part = maker[maker.valueOf(dimsOf(slices), into.type)];
  return maker.make(into, [&](const Fact &) {
    SliceNumbers numbers(maker, slices);
    return tensor::InsertSliceOp::create(
        maker.b, maker.b.getUnknownLoc(), part.value, into.value,
        numbers.offsets, numbers.sizes, numbers.strides);
  });
}

} // namespace

Made slice(OperationMaker &maker, unsigned value,
           const std::vector<Slice> &slices) {
  return moved(maker, value, dimsOf(slices), [&](const Fact &made) {
    SliceNumbers numbers(maker, slices);
    return tensor::ExtractSliceOp::create(
        maker.b, maker.b.getUnknownLoc(), maker.tensorType(made),
        maker[value].value, numbers.offsets, numbers.sizes, numbers.strides);
  });
}

static void slicing(OperationMaker &maker) {
  if (auto value = maker.pickFilled())
    slice(maker, *value, randomSlices(maker, maker[*value]));
}

static void inserting(OperationMaker &maker) {
  auto value = maker.pickFilled();
  if (!value)
    return;
  const Fact whole = maker[*value];
  insert(maker, *value,
         maker.oneIn(3) ? partOfATile(maker, whole)
                        : randomSlices(maker, whole));
}

Made concat(OperationMaker &maker, const std::vector<unsigned> &parts,
            int64_t dim) {
  Fact result = maker[parts[0]];
  result.dims[dim] = fixed(0);
  SmallVector<Value> operands;
  for (unsigned part : parts) {
    auto longer = sum(result.dims[dim], maker[part].dims[dim]);
    if (!longer)
      return std::nullopt;
    result.dims[dim] = *longer;
    operands.push_back(maker[part].value);
  }
  return maker.makeLaidOut(maker.tensor(result.type, result.dims),
                           maker[parts[0]], [&](const Fact &made) {
                             return tensor::ConcatOp::create(
                                 maker.b, maker.b.getUnknownLoc(),
                                 maker.tensorType(made), dim, operands);
                           });
}

static void concatenating(OperationMaker &maker) {
  auto value = maker.pickFilled();
  if (!value)
    return;
  const Fact first = maker[*value];
  int64_t dim = maker.below(std::ssize(first.shape));
  std::vector<unsigned> parts = {*value};
  for (int64_t more = maker.between(1, 2); more > 0; --more) {
    Dims dims = first.dims;
    if (maker.oneIn(2))
      dims[dim] = fixed(maker.between(1, 4));
    parts.push_back(maker.valueOf(dims, first.type));
  }
  maker.shuffle(parts);
  concat(maker, parts, dim);
}

/// Padding by what `yielded` builds in the region.
static Made pad(OperationMaker &maker, unsigned value,
                const std::vector<int64_t> &numbers,
                llvm::function_ref<Value(Region &)> yielded) {
  const Fact from = maker[value];
  Dims dims = from.dims;
  SmallVector<OpFoldResult> low, high;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    int64_t before = numbers[2 * dim], after = numbers[2 * dim + 1];
    auto longer = sum(dims[dim], fixed(before + after));
    if (!longer)
      return std::nullopt;
    dims[dim] = *longer;
    low.push_back(maker.b.getIndexAttr(before));
    high.push_back(maker.b.getIndexAttr(after));
  }
  return maker.makeLaidOut(
      maker.tensor(from.type, dims), from, [&](const Fact &made) {
        auto op = tensor::PadOp::create(maker.b, maker.b.getUnknownLoc(),
                                        maker.tensorType(made), from.value, low,
                                        high);
        SmallVector<Type> indices(dims.size(), maker.b.getIndexType());
        SmallVector<Location> locs(dims.size(), maker.b.getUnknownLoc());
        OpBuilder at(maker.b.getContext());
        Block *block = at.createBlock(&op.getRegion(), {}, indices, locs);
        Region region(maker, at);
        region.in.assign(block->args_begin(), block->args_end());
        tensor::YieldOp::create(region.at, maker.b.getUnknownLoc(),
                                yielded(region));
        return op.getResult();
      });
}

Made padded(OperationMaker &maker, unsigned value,
            const std::vector<int64_t> &numbers, int64_t by) {
  ElementType type = maker[value].type;
  return pad(maker, value, numbers,
             [&](Region &region) { return region.number(type, by); });
}

static void plainPadding(OperationMaker &maker) {
  auto value = maker.pickFilled();
  if (!value)
    return;
  std::vector<int64_t> numbers;
  for (std::size_t i = 0; i < 2 * maker[*value].shape.size(); ++i)
    numbers.push_back(maker.oneIn(2) ? 0 : maker.below(3));
  padded(maker, *value, numbers);
}

/// The region yields a constant of its own, a number of the position, an entry
/// of a tensor, or a scalar.
static void paddingWith(OperationMaker &maker) {
  enum { Constant, Position, Entry, Scalar, Forms };
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact from = maker[*value];
  auto rank = std::ssize(from.shape);
  int64_t form = maker.below(Forms), along = maker.below(rank);
  Fact read;
  if (form == Entry) {
    auto table = maker.pick([&](const Fact &other) {
      return other.type == from.type && other.volume() > 0;
    });
    if (!table)
      return;
    read = maker[*table];
  } else if (form == Scalar) {
    read = maker[maker.scalar(from.type)];
  }
  bool isNothing = maker.oneIn(4);
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 2 * rank; ++i)
    numbers.push_back(isNothing || maker.oneIn(2) ? 0 : maker.between(1, 3));
  pad(maker, *value, numbers, [&](Region &region) {
    if (form == Constant)
      return region.number(from.type, 5);
    if (form == Position)
      return region.positionAs(from.type, region.in[along]);
    if (form == Scalar)
      return read.value;
    return region.extract(
        read, SmallVector<Value>(read.shape.size(), region.index(0)));
  });
}

/// A slice, an insertion, a concatenation or a padding of a tensor without
/// entries.
static void fromNothing(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact like = maker[*value];
  auto rank = std::ssize(like.shape);
  int64_t dim = maker.below(rank);
  Dims without = like.dims;
  without[dim] = fixed(0);
  // No extent may be zero, or upstream takes the slice to be out of bounds.
  std::vector<Slice> slices;
  for (const Extent &extent : like.dims)
    slices.push_back({0, extent});
  bool isEmpty = like.volume() == 0;
  switch (isEmpty ? maker.between(2, 3) : maker.below(4)) {
  case 0:
  case 1:
    slices[dim] = {maker.below(like.shape[dim]), fixed(0)};
    if (maker.oneIn(2))
      slice(maker, *value, slices);
    else
      insert(maker, *value, slices);
    return;
  case 2: {
    unsigned part = maker.valueOf(without, like.type);
    std::vector<unsigned> parts = {part, *value};
    if (maker.oneIn(3))
      parts.push_back(part);
    maker.shuffle(parts);
    concat(maker, parts, dim);
    return;
  }
  default:
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < 2 * rank; ++i)
      numbers.push_back(maker.below(3));
    padded(maker, maker.valueOf(without, like.type), numbers);
  }
}

/// The value in another layout.
static void moving(OperationMaker &maker) {
  unsigned value = *maker.pick();
  if (!maker.hasLayouts())
    return;
  const char *op = maker.oneIn(2) ? "npu.redistribute" : "tensor.cast";
  moved(maker, value, maker[value].dims, [&](const Fact &made) {
    return maker.call(op, maker[value].value, made);
  });
}

/// A cast to another label of the same boxes, or to a part of them.
static void relabeling(OperationMaker &maker) {
  auto value = maker.pick(
      [](const Fact &value) { return value.layout.distribution.has_value(); });
  if (!value)
    return;
  const Fact from = maker[*value];
  if (from.shape.size() == 4 && from.layout.order.empty() && maker.oneIn(3)) {
    Fact result = from;
    result.layout.storage = from.layout.storage == Storage::Linear
                                ? Storage::Tiled2d
                                : Storage::Linear;
    maker.make(result, [&](const Fact &made) {
      return maker.call("npu.convert_storage", from.value, made);
    });
    return;
  }
  bool isImage = from.layout.storage != Storage::Linear;
  Result<Placement> placed = place(*from.layout.distribution, from.shape);
  for (int tries = 0; tries < 10; ++tries) {
    Fact result = from;
    result.layout.distribution = maker.layout(from.shape).distribution;
    if (!result.layout.distribution)
      continue;
    Result<Placement> to = place(*result.layout.distribution, from.shape);
    if (placed && to &&
        (isImage ? sameMemory(*placed, *to) : memoryContains(*placed, *to))) {
      maker.make(result, [&](const Fact &made) {
        return maker.call("npu.distribution_cast", from.value, made);
      });
      return;
    }
  }
}

std::span<const StepRow> shapeSteps() {
  static constexpr StepRow kRows[] = {
      {transposing, {.plain = 1}},     {permuteCasting, {.plain = 2}},
      {expanding, {.plain = 1}},       {collapsing, {.plain = 1}},
      {addingDimension, {.plain = 1}}, {slicing, {.plain = 1}},
      {inserting, {.plain = 1}},       {plainPadding, {.plain = 1}},
      {concatenating, {.plain = 1}},   {moving, {.plain = 2}},
      {relabeling, {.plain = 1}},      {paddingWith, {.rare = 2}},
      {fromNothing, {.rare = 1}},
  };
  return kRows;
}

} // namespace npu
