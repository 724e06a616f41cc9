// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/StepPlace.h"

#include "npu/Analysis/Choices/HoldingLayout.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"

using namespace mlir;

namespace npu {
namespace {

/// For each loop of a member, the entries between two of its iterations, and
/// what the place says of it.
struct LoopAt {
  int64_t stride, count;
  std::optional<int64_t> begin;
};

SmallVector<LoopAt> loopsAt(const StepMember &member, ArrayRef<int64_t> strides,
                            const StepPlace &place) {
  SmallVector<LoopAt> loops;
  for (auto [loop, extent, stride] :
       llvm::zip_equal(member.loops, member.extents, strides))
    if (loop >= 0)
      loops.push_back({stride, place.counts[loop], place.begins[loop]});
    else
      loops.push_back({stride, extent, 0});
  return loops;
}

/// The inputs that are padded in steps.
SmallVector<StepUse> paddedInputs(const StepGroup &group) {
  SmallVector<StepUse> uses;
  if (!group.pads().empty())
    llvm::copy_if(group.inputs(), std::back_inserter(uses),
                  [&](StepUse use) { return group.padOf(use) != nullptr; });
  return uses;
}

/// Whether the slice of a padded operand begins before its tensor or ends after
/// it, in a dimension that the loop of the last operation changes.
bool isAtBorder(const StepGroup &group, StepUse use, int64_t lastLoop,
                const StepPlace &place) {
  AddedEntries added = addedAt(group, use, place);
  for (auto [dim, strides] : llvm::enumerate(group.stridesOf(use)))
    for (auto [loop, stride] :
         llvm::zip_equal(group.members()[use.member].loops, strides))
      if (loop == lastLoop && stride != 0 &&
          added.low[dim] + added.high[dim] > 0)
        return true;
  return false;
}

} // namespace

StepPlace StepPlace::all(linalg::LinalgOp op) {
  StepPlace place;
  place.counts = op.getStaticLoopRanges();
  place.begins.assign(place.counts.size(), 0);
  return place;
}

std::vector<StepRounds> roundsAt(const StepGroup &group,
                                 const OperationSteps &steps, size_t level,
                                 const StepPlace &place) {
  int64_t loop = steps.loops[level], size = steps.sizes[level],
          extent = place.counts[loop];
  SmallVector<StepUse> padded;
  for (StepUse use : paddedInputs(group))
    if (group.members()[use.member].changesWith(group.mapOf(use), loop))
      padded.push_back(use);
  std::vector<StepRounds> all;
  if (padded.empty()) {
    if (int64_t full = extent / size; full > 0)
      all.push_back({0, size, full});
    if (extent % size > 0)
      all.push_back({extent / size * size, extent % size});
    return all;
  }
  bool mayFollow = false;
  for (int64_t begin = 0; begin < extent; begin += size) {
    StepPlace step = place;
    step.begins[loop] = begin;
    step.counts[loop] = std::min(size, extent - begin);
    bool isRound =
        step.counts[loop] == size && llvm::none_of(padded, [&](StepUse use) {
          return isAtBorder(group, use, loop, step);
        });
    if (isRound && mayFollow)
      ++all.back().rounds;
    else
      all.push_back({begin, step.counts[loop]});
    mayFollow = isRound;
  }
  return all;
}

bool AddedEntries::any() const {
  auto isSome = [](int64_t count) { return count > 0; };
  return llvm::any_of(low, isSome) || llvm::any_of(high, isSome);
}

SmallVector<int64_t> AddedEntries::removedFrom(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> rest(shape);
  for (auto [dim, extent] : llvm::enumerate(rest))
    if (!low.empty())
      extent -= low[dim] + high[dim];
  return rest;
}

AddedEntries addedAt(const StepGroup &group, StepUse use,
                     const StepPlace &place) {
  AddedEntries added;
  std::optional<ConstantPad> pad = asConstantPad(group.padOf(use));
  if (!pad)
    return added;
  for (auto [low, extent, strides] : llvm::zip_equal(
           pad->low, pad->sourceType().getShape(), group.stridesOf(use))) {
    std::optional<int64_t> begin = 0;
    int64_t size = 1;
    for (const LoopAt &loop :
         loopsAt(group.members()[use.member], strides, place)) {
      if (loop.stride == 0)
        continue;
      size += loop.stride * (loop.count - 1);
      if (begin && loop.begin)
        *begin += loop.stride * *loop.begin;
      else
        begin.reset();
    }
    added.low.push_back(begin ? std::max<int64_t>(low - *begin, 0) : 0);
    added.high.push_back(
        begin ? std::max<int64_t>(*begin + size - low - extent, 0) : 0);
  }
  return added;
}

bool readsInsideOfPads(const StepGroup &group, const OperationSteps &steps) {
  // The first step ends first, and the last one begins last.
  linalg::LinalgOp op = group.last().op;
  StepPlace first = StepPlace::all(op), last = first;
  for (auto [loop, size] : llvm::zip_equal(steps.loops, steps.sizes)) {
    int64_t extent = first.counts[loop];
    first.counts[loop] = size;
    last.begins[loop] = (extent - 1) / size * size;
    last.counts[loop] = extent - *last.begins[loop];
  }
  return llvm::all_of(paddedInputs(group), [&](StepUse use) {
    return llvm::all_of(ArrayRef({first, last}), [&](const StepPlace &place) {
      SmallVector<int64_t> slice =
          sliceShape(group.mapOf(use),
                     group.members()[use.member].iterations(place.counts));
      return llvm::all_of(addedAt(group, use, place).removedFrom(slice),
                          [](int64_t extent) { return extent > 0; });
    });
  });
}

RankedTensorType typeBeforePad(RankedTensorType padded,
                               const AddedEntries &added) {
  SmallVector<int64_t> shape = added.removedFrom(padded.getShape());
  const Placement *placement = getPlacement(padded);
  if (!placement)
    return {};
  std::vector<Box> needs;
  for (const TileBoxes &tile : placement->tiles) {
    Box need = tile.memory;
    for (size_t dim = 0; dim < need.rank(); ++dim)
      need[dim] = intersect(
          {need[dim].begin - added.low[dim], need[dim].end - added.low[dim]},
          {0, shape[dim]});
    needs.push_back(need.isEmpty() ? nothingOf(toExtents(shape)) : need);
  }
  Distribution everywhere;
  everywhere.mode = Mode::Duplicated;
  everywhere.tileCount = static_cast<int64_t>(needs.size());
  Layout like{everywhere, getOrder(padded), getStorage(padded)};
  auto type = RankedTensorType::get(shape, padded.getElementType(),
                                    makeLayout(padded.getContext(), like));
  return typeHolding(type, std::move(needs), {});
}

Value padSlice(OpBuilder &builder, Operation *pad, Value slice,
               RankedTensorType type, const AddedEntries &added) {
  Operation *padded = padLike(builder, pad, slice, type, added.low, added.high);
  padded->setAttr(stepsAttrName, builder.getUnitAttr());
  return padded->getResult(0);
}

} // namespace npu
