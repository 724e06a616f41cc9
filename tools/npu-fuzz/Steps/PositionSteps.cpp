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

/// A tensor that has entries, and so many of its first dimensions that tuples
/// are positions in.
struct Indexed {
  Fact data;
  int64_t depth;
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
  int64_t least = *std::min_element(indexed.data.shape.begin(),
                                    indexed.data.shape.begin() + indexed.depth);
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
  return Dims(indexed.data.dims.begin() + indexed.depth,
              indexed.data.dims.end());
}

void gathering(OperationMaker &maker) {
  auto indexed = pickIndexed(maker);
  if (!indexed)
    return;
  Dims dims = tuplesOf(maker);
  Value at = positions(maker, *indexed, dims);
  if (!at)
    return;
  for (const auto &dim : restOf(*indexed))
    dims.push_back(dim);
  Fact result = maker.tensor(indexed->data.type, dims);
  maker.makeLaidOut(result, indexed->data, [&](const Fact &made) -> Value {
    return GatherOp::create(maker.b, maker.b.getUnknownLoc(),
                            maker.tensorType(made), indexed->data.value, at);
  });
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
                                      {scattering, {.more = 2}}};
  return kRows;
}

} // namespace npu
