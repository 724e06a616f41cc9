// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/StepParts.h"

#include "npu/Interfaces/RematerializableOpInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// In how many equal parts, one after the other, tiles hold a dimension of the
/// tensor; 1 where all of them hold all of it, and nothing otherwise.
std::optional<int64_t> partsOnTiles(RankedTensorType type, size_t dim) {
  const Placement *placement = getPlacement(type);
  if (!placement)
    return std::nullopt;
  int64_t extent = type.getDimSize(dim);
  if (llvm::all_of(placement->tiles, [&](const TileBoxes &tile) {
        return tile.memory[dim] == Range{0, extent} &&
               tile.compute[dim] == Range{0, extent};
      }))
    return 1;
  const Distribution &how = getLayout(type).getDistribution();
  if (how.mode != Mode::Segmented || dim >= how.tiles.size())
    return std::nullopt;
  int64_t parts = how.tiles[dim];
  if (extent % parts != 0)
    return std::nullopt;
  int64_t each = extent / parts;
  bool areEqual = llvm::all_of(placement->tiles, [&](const TileBoxes &tile) {
    return tile.compute == tile.memory && tile.memory[dim].extent() == each &&
           tile.memory[dim].begin % each == 0;
  });
  return areEqual ? std::optional(parts) : std::nullopt;
}

RankedTensorType typeOf(const StepGroup &group, const OperationSteps &steps,
                        StepUse use, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(
      shape, getElementTypeOrSelf(group.operandOf(use).get().getType()),
      StepGroup::layoutOf(steps, use));
}

/// Finds the parts of loops, and whether steps have equal pieces of them.
class Finder {
public:
  Finder(const StepGroup &group, const OperationSteps &steps)
      : group(group), steps(steps), parts(steps.loops.size(), 1),
        uses(group.inputs()) {
    uses.push_back(group.outputOf(group.size() - 1));
  }

  std::optional<SmallVector<int64_t>>
  find(llvm::function_ref<bool(StepUse)> isOnTiles) {
    for (StepUse use : uses)
      if (isOnTiles(use) && !group.isWhole(steps, use) && !addKept(use))
        return std::nullopt;
    for (size_t level = 0; level < parts.size(); ++level)
      if (parts[level] > 1 && (!group.pads().empty() || !isEven(level)))
        return std::nullopt;
    return parts;
  }

private:
  /// Calls `visit` with each dimension of an operand that is cut with a loop,
  /// and with the loop's number in the steps. False where one is no loop by
  /// itself, or `visit` says so.
  bool forEachCut(StepUse use,
                  llvm::function_ref<bool(size_t dim, size_t level)> visit) {
    const StepMember &member = group.members()[use.member];
    for (auto [dim, at] : llvm::enumerate(group.mapOf(use).getResults()))
      for (auto [level, loop] : llvm::enumerate(steps.loops))
        if (member.changesWith(at, loop) &&
            (!isa<AffineDimExpr>(at) || !visit(dim, level)))
          return false;
    return true;
  }

  bool addKept(StepUse use) {
    auto whole = cast<RankedTensorType>(group.operandOf(use).get().getType());
    RankedTensorType type = typeOf(group, steps, use, whole.getShape());
    return forEachCut(use, [&](size_t dim, size_t level) {
      std::optional<int64_t> own = partsOnTiles(type, dim);
      if (!own || (*own > 1 && parts[level] > 1 && parts[level] != *own))
        return false;
      // Pieces of several parts would be added up in another order.
      if (*own > 1 && level >= steps.firstReduction(group.last().op))
        return false;
      parts[level] = std::max(parts[level], *own);
      return true;
    });
  }

  /// Whether steps have equal pieces of all parts, of every tensor.
  bool isEven(size_t level) {
    int64_t loop = steps.loops[level], size = steps.sizes[level],
            extent = group.last().extents[loop], count = parts[level],
            multiple = group.multipleOf(loop);
    for (int64_t each : {extent, size, extent % size})
      if (each % count != 0 || multiple == 0 || each / count % multiple != 0)
        return false;
    return llvm::all_of(uses, [&](StepUse use) {
      return forEachCut(use, [&](size_t dim, size_t at) {
        return at != level || isEven(use, dim, level);
      });
    });
  }

  /// Whether tiles hold equal pieces of the slice, or all of it, in the order
  /// of its dimensions.
  bool isEven(StepUse use, size_t dim, size_t level) {
    LayoutAttr layout = StepGroup::layoutOf(steps, use);
    if (!layout)
      return true;
    SmallVector<int64_t> iterations(group.last().extents);
    for (auto [loop, size] : llvm::zip_equal(steps.loops, steps.sizes))
      iterations[loop] = size;
    RankedTensorType slice =
        typeOf(group, steps, use,
               sliceShape(group.mapOf(use),
                          group.members()[use.member].iterations(iterations)));
    std::optional<int64_t> own = partsOnTiles(slice, dim);
    SmallVector<int64_t> ofDims = partsOfDims(group, steps, parts, use);
    return own && (*own == 1 || *own == parts[level]) &&
           partedLayout(layout, ofDims);
  }

  const StepGroup &group;
  const OperationSteps &steps;
  SmallVector<int64_t> parts;
  SmallVector<StepUse> uses;
};

} // namespace

std::optional<SmallVector<int64_t>>
partsOfLoops(const StepGroup &group, const OperationSteps &steps,
             llvm::function_ref<bool(StepUse)> isOnTiles) {
  return Finder(group, steps).find(isOnTiles);
}

SmallVector<int64_t> partsOfDims(const StepGroup &group,
                                 const OperationSteps &steps,
                                 ArrayRef<int64_t> parts, StepUse use) {
  SmallVector<int64_t> ofDims;
  for (AffineExpr at : group.mapOf(use).getResults()) {
    ofDims.push_back(1);
    for (auto [loop, count] : llvm::zip_equal(steps.loops, parts))
      if (count > 1 && group.members()[use.member].changesWith(at, loop))
        ofDims.back() = count;
  }
  return ofDims;
}

bool isMadeInPlace(const StepGroup &group, const OperationSteps &steps,
                   ArrayRef<int64_t> parts) {
  StepUse output = group.outputOf(group.size() - 1);
  Value begin = group.operandOf(output).get();
  // What is no operation on an output of its own writes nowhere else.
  if (isMadeAnywhere(begin) && !isUnwritten(begin) &&
      !isa_and_nonnull<linalg::LinalgOp>(begin.getDefiningOp()))
    return false;
  const Distribution &how =
      StepGroup::layoutOf(steps, output).getDistribution();
  return llvm::all_of(llvm::enumerate(partsOfDims(group, steps, parts, output)),
                      [&](const auto &each) {
                        return each.value() == 1 ||
                               (how.mode == Mode::Segmented &&
                                how.tiles[each.index()] == each.value());
                      });
}

PartedShape::PartedShape(ArrayRef<int64_t> whole, ArrayRef<int64_t> parts) {
  for (auto [extent, count] : llvm::zip_equal(whole, parts)) {
    auto &dims = groups.emplace_back();
    if (count > 1) {
      dims.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(count);
    }
    dims.push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(extent / count);
  }
}

LayoutAttr partedLayout(LayoutAttr layout, ArrayRef<int64_t> parts) {
  if (!layout || llvm::all_of(parts, [](int64_t count) { return count == 1; }))
    return layout;
  const Distribution &how = layout.getDistribution();
  bool isPlain = layout.getLayout().order.empty() &&
                 layout.getLayout().storage == Storage::Linear &&
                 how.windows.empty() && how.compute.empty();
  if (!isPlain)
    return {};
  if (how.tiles.empty())
    return layout;
  if (how.mode != Mode::Segmented || !how.major.empty() ||
      how.split != Split::Balanced)
    return {};
  Distribution parted;
  parted.copies = how.copies;
  for (auto [dim, count] : llvm::enumerate(parts)) {
    int64_t tiles = how.tiles[dim];
    if (count > 1 && tiles != 1 && tiles != count)
      return {};
    // Equal parts need no alignment.
    int64_t align = how.align.empty() || count > 1 ? 1 : how.align[dim];
    parted.tiles.push_back(tiles);
    parted.align.push_back(align);
    if (count > 1) {
      parted.tiles.push_back(1);
      parted.align.push_back(1);
    }
  }
  if (parted.tiles.size() > kMaxRank)
    return {};
  normalize(parted);
  return makeLayout(layout.getContext(), {parted, {}});
}

} // namespace npu
