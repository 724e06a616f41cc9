// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters at positions that are computed: remainders of a value of
// integers, so that they are in the tensor, some of them negative and some the
// same as others.

#include "npu-fuzz/Steps/Steps.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

/// A tensor that has entries, and so many of its dimensions that tuples are
/// positions in, after those that it shares with the list of tuples.
struct Indexed {
  Fact data;
  int64_t depth;
  int64_t batch = 0;

  auto firstWhole() const { return data.dims.begin() + batch + depth; }
};

std::optional<Indexed> pickIndexed(OperationMaker &maker) {
  auto picked = maker.pick([](const Fact &value) {
    return !value.shape.empty() && value.shape.size() <= 3 &&
           value.volume() > 0;
  });
  if (!picked)
    return std::nullopt;
  const Fact data = maker[*picked];
  return Indexed{data, maker.between(1, std::ssize(data.shape))};
}

/// The extents of a list of tuples; of at most two dimensions.
Dims tuplesOf(OperationMaker &maker) {
  Dims dims;
  for (int64_t rank = maker.below(3); rank > 0; --rank)
    dims.push_back(fixed(maker.between(1, 5)));
  return dims;
}

/// Positions for these tuples that are in the data; null where they would be
/// too many.
Value positions(OperationMaker &maker, const Indexed &indexed, Dims tuples) {
  auto first = indexed.data.shape.begin() + indexed.batch;
  int64_t least = *std::min_element(first, first + indexed.depth);
  tuples.push_back(fixed(indexed.depth));
  const Fact from = maker[maker.valueOf(tuples, ElementType::I32)];
  auto inside = maker.makeLaidOut(
      maker.tensor(ElementType::I32, tuples), from, [&](const Fact &made) {
        return entryByEntry(maker, {from.value}, made, [&](Region &region) {
          Value extent =
              region.number(ElementType::I32, static_cast<double>(least));
          return region.op("arith.remsi", {region.in[0], extent});
        });
      });
  return inside ? maker[*inside].value : Value();
}

Dims restOf(const Indexed &indexed) {
  return Dims(indexed.firstWhole(), indexed.data.dims.end());
}

/// What a gather takes at `dims` tuples.
void gathered(OperationMaker &maker, const Indexed &indexed, Dims dims) {
  Value at = positions(maker, indexed, dims);
  if (!at)
    return;
  for (const auto &dim : restOf(indexed))
    dims.push_back(dim);
  Fact result = maker.tensor(indexed.data.type, dims);
  maker.makeLaidOut(result, indexed.data, [&](const Fact &made) -> Value {
    return GatherOp::create(maker.b, maker.b.getUnknownLoc(),
                            maker.tensorType(made), indexed.data.value, at,
                            static_cast<uint64_t>(indexed.batch));
  });
}

void gathering(OperationMaker &maker) {
  if (auto indexed = pickIndexed(maker))
    gathered(maker, *indexed, tuplesOf(maker));
}

/// Rows of a table in DDR, which tiles load, in steps where they do not fit.
void gatheringRows(OperationMaker &maker) {
  Dims dims, batch;
  if (maker.oneIn(3))
    batch.push_back(fixed(maker.between(1, 3)));
  int64_t depth = maker.between(1, 2);
  dims = batch;
  for (int64_t each = 0; each < depth; ++each)
    dims.push_back(fixed(maker.between(2, 12)));
  for (int64_t rank = maker.between(1, 2); rank > 0; --rank)
    dims.push_back(fixed(maker.between(1, 9)));
  const Fact table = maker[maker.argument(dims, maker.mainType())];
  Dims tuples = batch;
  for (const auto &dim : tuplesOf(maker))
    tuples.push_back(dim);
  gathered(maker, {table, depth, std::ssize(batch)}, tuples);
}

void scattering(OperationMaker &maker) {
  auto indexed = pickIndexed(maker);
  if (!indexed)
    return;
  Dims dims = tuplesOf(maker);
  Value at = positions(maker, *indexed, dims);
  if (!at)
    return;
  for (const auto &dim : restOf(*indexed))
    dims.push_back(dim);
  const Fact updates = maker[maker.valueOf(dims, indexed->data.type)];
  Fact result = maker.tensor(indexed->data.type, indexed->data.dims);
  maker.makeLaidOut(result, indexed->data, [&](const Fact &made) -> Value {
    return ScatterOp::create(maker.b, maker.b.getUnknownLoc(),
                             maker.tensorType(made), updates.value,
                             indexed->data.value, at,
                             /*batch_dims=*/uint64_t(0), /*origin=*/nullptr,
                             /*whole=*/nullptr);
  });
}

} // namespace

std::span<const StepRow> positionSteps() {
  static constexpr StepRow kRows[] = {{gathering, {.more = 2}},
                                      {gatheringRows, {.more = 2}},
                                      {scattering, {.more = 2}}};
  return kRows;
}

} // namespace npu
