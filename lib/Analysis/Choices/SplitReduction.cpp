// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Analysis/Choices/HoldingLayout.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {
namespace {

/// The reductions that a map reads as plain dimensions (d2, not 2 * d0 + d2),
/// or nothing where one of `cut` is read in another way.
bool readsPlainly(AffineMap map, const llvm::SmallBitVector &cut) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    if (isa<AffineDimExpr>(expr))
      return true;
    for (unsigned loop : cut.set_bits())
      if (expr.isFunctionOfDim(loop))
        return false;
    return true;
  });
}

/// Divides tiles into parts with the same ranges of the cut loops. False where
/// two parts have iterations in common, or there are too many.
bool divideIntoParts(ReductionSplit &split, const Iteration &domain) {
  split.partOfTile.assign(split.iterations.size(), -1);
  for (auto [tile, iteration] : llvm::enumerate(split.iterations)) {
    if (iteration.empty)
      continue;
    Iteration ranges = domain;
    for (unsigned loop : split.cutLoops.set_bits())
      ranges.loops[loop] = iteration.loops[loop];
    auto it = llvm::find_if(split.parts, [&](const auto &part) {
      return part.iterations.loops == ranges.loops;
    });
    split.partOfTile[tile] = it - split.parts.begin();
    if (it != split.parts.end())
      continue;
    bool disjoint = llvm::all_of(split.parts, [&](const auto &part) {
      return llvm::any_of(split.cutLoops.set_bits(), [&](unsigned loop) {
        return intersect(part.iterations.loops[loop], ranges.loops[loop])
            .isEmpty();
      });
    });
    if (!disjoint || split.parts.size() == maxReductionParts)
      return false;
    split.parts.push_back({std::move(ranges), {}});
  }
  return split.parts.size() > 1;
}

/// In the order of the iterations, which is the order of an undivided
/// reduction's terms; tiles of one part stay together.
void orderParts(ReductionSplit &split) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(split.parts.size()));
  auto begins = [&](unsigned part) {
    SmallVector<int64_t> begins;
    for (unsigned loop : split.cutLoops.set_bits())
      begins.push_back(split.parts[part].iterations.loops[loop].begin);
    return begins;
  };
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return begins(a) < begins(b); });
  std::vector<ReductionSplit::Part> parts;
  SmallVector<int> place(order.size());
  for (unsigned part : order) {
    place[part] = parts.size();
    parts.push_back(split.parts[part]);
  }
  split.parts = std::move(parts);
  for (int &part : split.partOfTile)
    if (part >= 0)
      part = place[part];
}

/// The types of partial results; false where a part's tiles do not make all of
/// its partial result, or make something twice.
bool typePartials(ReductionSplit &split, const OpAccess &access,
                  RankedTensorType result) {
  bool scalar = result.getRank() == 0;
  auto type = scalar ? RankedTensorType::get({1}, result.getElementType())
                     : withLayout(result, makeLayout(result.getContext(),
                                                     {{}, getOrder(result)}));
  for (auto [number, part] : llvm::enumerate(split.parts)) {
    double volume = 0;
    std::vector<Box> boxes;
    for (auto [tile, iteration] : llvm::enumerate(split.iterations)) {
      if (split.partOfTile[tile] != int(number)) {
        boxes.push_back(nothingOf(toExtents(type.getShape())));
        continue;
      }
      volume += iteration.volume();
      boxes.push_back(scalar ? Box::whole({1}) : access.produced(0, iteration));
    }
    if (volume != part.iterations.volume())
      return false;
    part.type = typeProducing(type, boxes, {});
    if (!part.type)
      return false;
  }
  return true;
}

} // namespace

/// Of index, upstream asks for a width that it does not have.
static std::optional<TypedAttr> neutralElement(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  if (!type.isIndex())
    return arith::getNeutralElement(combiner);
  using Limits = std::numeric_limits<int64_t>;
  auto number = [&](int64_t value) -> std::optional<TypedAttr> {
    return IntegerAttr::get(type, value);
  };
  return TypeSwitch<Operation *, std::optional<TypedAttr>>(combiner)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return number(0); })
      .Case<arith::MulIOp>([&](auto) { return number(1); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return number(-1); })
      .Case<arith::MaxSIOp>([&](auto) { return number(Limits::min()); })
      .Case<arith::MinSIOp>([&](auto) { return number(Limits::max()); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Reduction> matchReduction(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics() ||
      op->getNumResults() != 1 || structured.getNumReductionLoops() == 0)
    return std::nullopt;
  SmallVector<Operation *, 2> combiners;
  Value term =
      mlir::matchReduction(structured.getRegionOutputArgs(), 0, combiners);
  if (!term || combiners.size() != 1 || combiners[0]->getNumOperands() != 2 ||
      !llvm::is_contained(combiners[0]->getOperands(),
                          structured.getRegionOutputArgs()[0]))
    return std::nullopt;
  std::optional<TypedAttr> neutral = neutralElement(combiners[0]);
  if (!neutral)
    return std::nullopt;
  // Upstream's 0.0 turns a sum of -0.0 into +0.0.
  if (isa<arith::AddFOp>(combiners[0]))
    neutral = FloatAttr::get(neutral->getType(), -0.0);
  return Reduction{combiners[0], *neutral,
                   isa<arith::AddFOp, arith::MulFOp>(combiners[0])};
}

bool isReduction(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() > 0;
}

int64_t termsOf(Operation *op) {
  auto structured = cast<linalg::LinalgOp>(op);
  int64_t terms = 1;
  for (auto [extent, kind] : llvm::zip(structured.getStaticLoopRanges(),
                                       structured.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      terms *= extent;
  return terms;
}

std::vector<ReductionSplit> reductionSplits(Operation *op,
                                            const OpAccess &access) {
  std::vector<ReductionSplit> splits;
  auto structured = cast<linalg::LinalgOp>(op);
  SmallVector<AffineMap> maps = structured.getIndexingMapsArray();
  Iteration domain = access.domain();
  for (OpOperand *operand : structured.getDpsInputOperands()) {
    unsigned number = operand->getOperandNumber();
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    const Placement *placement = type ? getPlacement(type) : nullptr;
    if (!placement || !access.reads(number))
      continue;
    ReductionSplit split;
    split.cutLoops.resize(domain.loops.size());
    double volume = 0;
    for (const TileBoxes &tile : placement->tiles) {
      auto iteration = access.iterationsWithin(number, tile.compute,
                                               /*mayCutReductions=*/true);
      if (!iteration)
        break;
      if (!iteration->empty)
        for (unsigned loop : access.reductions())
          if (iteration->loops[loop] != domain.loops[loop])
            split.cutLoops.set(loop);
      volume += iteration->volume();
      split.iterations.push_back(*iteration);
    }
    bool usable = split.iterations.size() == placement->tiles.size() &&
                  split.cutLoops.any() && volume == domain.volume() &&
                  llvm::all_of(maps, [&](AffineMap map) {
                    return readsPlainly(map, split.cutLoops);
                  });
    if (!usable || !divideIntoParts(split, domain))
      continue;
    orderParts(split);
    if (!typePartials(split, access,
                      cast<RankedTensorType>(op->getResult(0).getType())))
      continue;
    split.needs = untiedNeeds(op, access, split.iterations, type);
    splits.push_back(std::move(split));
  }
  return splits;
}

RankedTensorType slicedOperand(const ReductionSplit &split, unsigned part,
                               RankedTensorType source, AffineMap map) {
  Extents shape = toExtents(source.getShape());
  Box cut = Box::whole(shape);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      if (split.cutLoops.test(loop.getPosition()))
        cut[dim] = split.parts[part].iterations.loops[loop.getPosition()];
  const Placement *placement = getPlacement(source);
  std::vector<Box> boxes;
  for (auto [tile, owner] : llvm::enumerate(split.partOfTile)) {
    Box box = nothingOf(shape);
    if (owner == int(part) && placement)
      box = intersect(placement->memoryOf(tile), cut);
    if (!box.isEmpty())
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        box[dim].begin -= cut[dim].begin;
        box[dim].end -= cut[dim].begin;
      }
    boxes.push_back(box);
  }
  SmallVector<int64_t> sizes;
  for (int64_t size : cut.sizes())
    sizes.push_back(size);
  auto type = RankedTensorType::get(sizes, source.getElementType());
  LayoutAttr order = makeLayout(source.getContext(), {{}, getOrder(source)});
  return typeHolding(withLayout(type, order), std::move(boxes), {});
}

std::vector<RankedTensorType> combiningTypes(RankedTensorType declared,
                                             int64_t tiles) {
  std::vector<RankedTensorType> types;
  auto offer = [&](RankedTensorType type) {
    if (!llvm::is_contained(types, type))
      types.push_back(type);
  };
  if (isDistributed(declared)) {
    offer(declared);
    offer(computeOnlyType(declared));
  }
  auto under = [&](Distribution distribution) {
    offer(withLayout(
        declared, makeLayout(declared.getContext(),
                             {std::move(distribution), getOrder(declared)})));
  };
  Distribution split;
  split.mode = Mode::Segmented;
  for (int64_t dim = 0; dim < declared.getRank(); ++dim)
    if (declared.getDimSize(dim) > 1) {
      split.tiles = Extents(declared.getRank(), 1);
      split.tiles[dim] = tiles;
      under(split);
    }
  if (types.empty() || declared.getRank() == 0) {
    Distribution onOne;
    onOne.mode = Mode::Duplicated;
    onOne.tileCount = 1;
    under(onOne);
  }
  return types;
}

} // namespace npu
