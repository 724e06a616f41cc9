// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Analysis/Choices/HoldingLayout.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {
namespace {

/// Divides tiles into parts with the same ranges of the cut loops. Fails where
/// two parts have iterations in common, or there are too many.
LogicalResult divideIntoParts(ReductionSplit &split,
                              const IterationDomain &domain) {
  split.partOfTile.assign(split.iterations.size(), -1);
  for (auto [tile, iteration] : llvm::enumerate(split.iterations)) {
    if (iteration.empty)
      continue;
    IterationDomain ranges = domain;
    for (unsigned loop : split.cutLoops.set_bits())
      ranges.loops[loop] = iteration.loops[loop];
    auto it = llvm::find_if(split.parts, [&](const IterationDomain &part) {
      return part.loops == ranges.loops;
    });
    split.partOfTile[tile] = static_cast<int>(it - split.parts.begin());
    if (it != split.parts.end())
      continue;
    bool disjoint = llvm::all_of(split.parts, [&](const IterationDomain &part) {
      return llvm::any_of(split.cutLoops.set_bits(), [&](unsigned loop) {
        return intersect(part.loops[loop], ranges.loops[loop]).isEmpty();
      });
    });
    if (!disjoint || split.parts.size() == maxReductionParts)
      return failure();
    split.parts.push_back(std::move(ranges));
  }
  return success(split.parts.size() > 1);
}

/// Sorts the parts by their iterations, which is the order of an undivided
/// reduction's terms; tiles of one part stay together.
void orderParts(ReductionSplit &split) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(split.parts.size()));
  auto begins = [&](unsigned part) {
    SmallVector<int64_t> begins;
    for (unsigned loop : split.cutLoops.set_bits())
      begins.push_back(split.parts[part].loops[loop].begin);
    return begins;
  };
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return begins(a) < begins(b); });
  std::vector<IterationDomain> parts;
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

/// The ranges of the cut loops in each part.
SmallVector<SmallVector<Range, 2>> cutRanges(const ReductionSplit &split) {
  SmallVector<SmallVector<Range, 2>> all;
  for (const IterationDomain &part : split.parts) {
    auto &ranges = all.emplace_back();
    for (unsigned loop : split.cutLoops.set_bits())
      ranges.push_back(part.loops[loop]);
  }
  return all;
}

/// False where a part's tiles make something of it twice, or not all of it.
bool partsAreMadeOnce(const ReductionSplit &split) {
  SmallVector<double> volumes(split.parts.size(), 0);
  for (auto [part, iteration] : llvm::zip(split.partOfTile, split.iterations))
    if (part >= 0)
      volumes[part] += iteration.volume();
  return llvm::all_of(llvm::zip(volumes, split.parts), [](auto each) {
    return std::get<0>(each) == std::get<1>(each).volume();
  });
}

/// A box with the dimension `parts` in front of the dimensions of `box`.
Box after(Range parts, const Box &box) {
  Box result{parts};
  for (Range range : box)
    result.push_back(range);
  return result;
}

/// The type of the partial results of parts [first, first + count), as rows of
/// one tensor; null where the tiles of a part do not compute all of its result.
RankedTensorType typeOfPartials(const ReductionSplit &split,
                                const OpAccess &access, RankedTensorType result,
                                unsigned first, unsigned count) {
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, result.getShape());
  Permutation order{0};
  for (int64_t dim : getOrder(result))
    order.push_back(dim + 1);
  auto type =
      RankedTensorType::get(shape, result.getElementType(),
                            makeLayout(result.getContext(), {{}, order}));
  std::vector<Box> boxes;
  for (auto [part, iteration] : llvm::zip(split.partOfTile, split.iterations)) {
    bool isIn = part >= int(first) && part < int(first + count);
    boxes.push_back(
        isIn ? after({part - int64_t(first), part - int64_t(first) + 1},
                     access.produced(0, iteration))
             : nothingOf(toExtents(shape)));
  }
  return typeProducing(type, boxes, {});
}

/// Finds the series and the types of partial results. Fails where there are too
/// many, or where there is none of such a type.
LogicalResult divideIntoSeries(ReductionSplit &split, const OpAccess &access,
                               RankedTensorType result) {
  if (result.getRank() == kMaxRank || !partsAreMadeOnce(split))
    return failure();
  auto type = [&](unsigned first, unsigned count) {
    return typeOfPartials(split, access, result, first, count);
  };
  for (PartSeries &series : findPartSeries(cutRanges(split))) {
    RankedTensorType made = type(series.first, series.count);
    if (!made || split.series.size() == maxReductionSeries)
      return failure();
    split.series.push_back({std::move(series), made});
  }
  split.partials = split.series.size() == 1 ? split.series.front().type
                                            : type(0, split.parts.size());
  return success(static_cast<bool>(split.partials));
}

} // namespace

/// The neutral element of `combiner`; nothing for the type index, of which
/// upstream would ask the width.
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
  // The sums of two tiles would share a byte.
  if (isPacked(getElementTypeOrSelf(op->getResult(0).getType())))
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
  // Upstream's neutral element 0.0 would turn a sum of -0.0 into +0.0.
  if (isa<arith::AddFOp>(combiners[0]))
    neutral = FloatAttr::get(neutral->getType(), -0.0);
  return Reduction{combiners[0], *neutral,
                   isa<arith::AddFOp, arith::MulFOp>(combiners[0])};
}

std::string roundingInParts(Operation *op, const Reduction &reduction) {
  if (!reduction.rounds)
    return "";
  std::string text = "; ";
  llvm::raw_string_ostream(text)
      << getElementTypeOrSelf(op->getResult(0).getType())
      << " rounds otherwise in parts, and a part may overflow where the whole "
         "does not";
  return text;
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

bool readsPlainly(AffineMap map, const llvm::SmallBitVector &cut) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return isa<AffineDimExpr>(expr) ||
           llvm::none_of(cut.set_bits(), [&](unsigned loop) {
             return expr.isFunctionOfDim(loop);
           });
  });
}

std::optional<TileIterations> iterationsInParts(const OpAccess &access,
                                                unsigned operand,
                                                RankedTensorType type) {
  const Placement *placement = getPlacement(type);
  if (!placement || !access.reads(operand))
    return std::nullopt;
  TileIterations iterations;
  for (const TileBoxes &tile : placement->tiles) {
    auto iteration = access.iterationsWithin(operand, tile.compute,
                                             /*mayCutReductions=*/true);
    if (!iteration)
      return std::nullopt;
    iterations.push_back(*iteration);
  }
  return iterations;
}

std::optional<ReductionSplit> splitReduction(Operation *op,
                                             const OpAccess &access,
                                             TileIterations iterations,
                                             RankedTensorType result) {
  IterationDomain domain = access.domain();
  ReductionSplit split;
  split.cutLoops.resize(domain.loops.size());
  double volume = 0;
  for (const IterationDomain &iteration : iterations) {
    if (!iteration.empty)
      for (unsigned loop : access.reductions())
        if (iteration.loops[loop] != domain.loops[loop])
          split.cutLoops.set(loop);
    volume += iteration.volume();
  }
  split.iterations = std::move(iterations);
  if (split.cutLoops.none() || volume != domain.volume())
    return std::nullopt;
  for (AffineMap map : cast<linalg::LinalgOp>(op).getIndexingMapsArray())
    if (!readsPlainly(map, split.cutLoops))
      return std::nullopt;
  if (failed(divideIntoParts(split, domain)))
    return std::nullopt;
  orderParts(split);
  if (failed(divideIntoSeries(split, access, result)))
    return std::nullopt;
  return split;
}

std::vector<ReductionSplit> reductionSplits(Operation *op,
                                            const OpAccess &access) {
  std::vector<ReductionSplit> splits;
  for (OpOperand *operand : cast<linalg::LinalgOp>(op).getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    std::optional<TileIterations> iterations;
    if (type)
      iterations = iterationsInParts(access, operand->getOperandNumber(), type);
    if (!iterations)
      continue;
    std::optional<ReductionSplit> split =
        splitReduction(op, access, std::move(*iterations),
                       cast<RankedTensorType>(op->getResult(0).getType()));
    if (!split)
      continue;
    split->needs = untiedNeeds(op, access, split->iterations, type);
    splits.push_back(std::move(*split));
  }
  return splits;
}

RankedTensorType partialsToCombine(const ReductionSplit &split,
                                   RankedTensorType combined) {
  Range all{0, static_cast<int64_t>(split.parts.size())};
  std::vector<Box> boxes;
  for (const TileBoxes &tile : getPlacement(combined)->tiles)
    boxes.push_back(tile.memory.isEmpty()
                        ? nothingOf(toExtents(split.partials.getShape()))
                        : after(all, tile.memory));
  return typeHolding(split.partials, std::move(boxes), {});
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
    offer(withDistribution(declared, std::move(distribution)));
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
