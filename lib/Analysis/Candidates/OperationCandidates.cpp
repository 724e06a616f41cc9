// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "StepCandidates.h"
#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Candidates/LoopSplits.h"
#include "npu/Analysis/Candidates/MemoryOrders.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Analysis/Choices/HoldingLayout.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The type without a layout: in DDR, dimensions in their own order.
RankedTensorType withoutLayout(RankedTensorType type) {
  return type ? withLayout(type, {}) : type;
}

/// Whether tiles that hold `boxes` of `type` hold what they do under `like`:
/// what is made as its reader wants it takes no second room there.
bool holdsLike(RankedTensorType like, RankedTensorType type,
               const std::vector<Box> &boxes) {
  if (!like || like.getShape() != type.getShape() || !getPlacement(like))
    return false;
  Placement made{toExtents(type.getShape()), {}};
  for (const Box &box : boxes)
    made.tiles.push_back({box, box});
  return sameMemory(*getPlacement(like), made);
}

bool isOnTiles(RankedTensorType type) { return type && isDistributed(type); }

/// The type on tiles as an image, where the list says so. Lists that are empty
/// are of linear tensors.
RankedTensorType storedAs(RankedTensorType type, ArrayRef<Storage> kinds,
                          unsigned number) {
  if (!isOnTiles(type))
    return type;
  Storage kind = kinds.empty() ? Storage::Linear : kinds[number];
  Layout layout = getLayout(type).getLayout();
  if (layout.storage == kind)
    return type;
  layout.storage = kind;
  if (kind == Storage::Tiled2d)
    layout.order = {};
  return withLayout(type, makeLayout(type.getContext(), std::move(layout)));
}

template <typename List>
bool comesBefore(const List &a, const List &b) {
  auto keys = [](const auto &types) {
    SmallVector<const void *> pointers;
    for (RankedTensorType type : types)
      pointers.push_back(type ? type.getAsOpaquePointer() : nullptr);
    return pointers;
  };
  return std::pair(keys(a.first), keys(a.second)) <
         std::pair(keys(b.first), keys(b.second));
}

/// A copy of an operation under other types, which stands by itself so that
/// lowering's questions can be asked of it.
class Probe {
public:
  Probe(Operation *op, const OperationCandidate &candidate) {
    IRMapping mapping;
    for (auto [operand, type] :
         llvm::zip_equal(op->getOperands(), candidate.operands))
      if (isa<RankedTensorType>(operand.getType()))
        mapping.map(operand,
                    block.addArgument(type ? Type(type) : operand.getType(),
                                      operand.getLoc()));
    copy = op->clone(mapping);
    // One value may be read under two types, which a mapping does not say.
    for (OpOperand &operand : copy->getOpOperands())
      if (RankedTensorType type =
              candidate.operands[operand.getOperandNumber()];
          type && operand.get().getType() != type)
        operand.set(block.addArgument(type, op->getLoc()));
    for (auto [result, type] :
         llvm::zip_equal(copy->getResults(), candidate.results))
      if (type)
        result.setType(type);
    block.push_back(copy);
  }

  Operation *operation() { return copy; }

private:
  Block block;
  Operation *copy;
};

} // namespace

/// What an operation reads; of a permute_cast, which lowering has no need to
/// cut, what the transpose would read that it is.
static std::optional<OpAccess> accessOf(Operation *op) {
  auto cast = dyn_cast<PermuteCastOp>(op);
  if (!cast)
    return OpAccess::get(op);
  std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
  if (!builder)
    return std::nullopt;
  builder->loopOverResult();
  Permutation inputDims = getInputDimensions(cast);
  SmallVector<AffineExpr> positions(inputDims.size());
  for (auto [dim, inputDim] : llvm::enumerate(inputDims))
    positions[inputDim] = builder->loop(dim);
  builder->setOperand(0, positions);
  return builder->finish();
}

bool isViewInDdr(Operation *op) {
  return isPartOrReshape(op) || isa<PermuteCastOp>(op);
}

OperationCandidates::OperationCandidates(Operation *op, OrderedTypes types,
                                         const Target &target, int64_t tiles,
                                         DoneByEngine done,
                                         const KernelTable *kernels)
    : op(op), types(std::move(types)), target(target), kernels(kernels),
      tiles(tiles), done(std::move(done)), access(accessOf(op)),
      seen(comesBefore<std::pair<TypeList, TypeList>>) {
  if (access)
    measureSplits();
  // A view lies as what it is a view of, or as it is read: others tell.
  bool isView = isViewInDdr(op) || matchTranspose(op);
  if (!isView || !access)
    addSplits();
  // Views, and what moves data only, may range where their operands are.
  if (found.empty() || isView || passesEntriesOn(op) || !access)
    addInDdr("in DDR");
  else
    reason.clear();
  ownCandidates = found.size();
}

void OperationCandidates::addOnHost() {
  if (!access || isa<PermuteCastOp>(op))
    return;
  // What has one value everywhere is made anew for each reader, where that one
  // runs: it is not the host's.
  if (op->getNumResults() == 1 && isMadeAnywhere(op->getResult(0)))
    addInDdr("in DDR");
  else
    addInDdr("on the host", /*isOnHost=*/true);
}

void OperationCandidates::addInSteps(bool storesResult, bool loadsOperands,
                                     int64_t bytePrice) {
  if (!access || isInSteps)
    return;
  isInSteps = true;
  // Each reader makes a tensor of one value for itself. A tensor that steps
  // have stored would be loaded instead.
  bool isMadeByReaders =
      op->getNumResults() == 1 && isMadeAnywhere(op->getResult(0));
  // What only puts tensors beside each other, DDR can do with tensors there.
  if (isMadeByReaders || putsBesideOthers(op))
    addInDdr("in DDR");
  if (isMadeByReaders)
    return;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return;
  for (OperationCandidate &each :
       stepCandidates(StepGroup::of(structured), types, target, tiles, kernels,
                      {storesResult, loadsOperands, bytePrice}, considered))
    found.push_back(std::move(each));
}

void OperationCandidates::addInDdr(std::string what, bool isOnHost) {
  OperationCandidate candidate;
  candidate.what = std::move(what);
  candidate.isOnHost = isOnHost;
  if (isa<PermuteCastOp>(op)) {
    // The shape of its result follows from both orders.
    candidate.results.push_back(inDdr(rankedType(op->getResult(0))));
    candidate.operands.push_back(inDdr(rankedType(op->getOperand(0))));
  } else {
    for (RankedTensorType type : types.results)
      candidate.results.push_back(withoutLayout(type));
    for (RankedTensorType type : types.operands)
      candidate.operands.push_back(withoutLayout(type));
  }
  SmallVector<Type> made;
  for (auto [result, type] :
       llvm::zip_equal(op->getResults(), candidate.results))
    made.push_back(type ? Type(type) : result.getType());
  ModelledCost cost =
      isOnHost ? hostCost(op, made, target)
               : operationCost(op, access ? &*access : nullptr, made, target);
  candidate.cost = cost.cycles;
  candidate.movedBytes = cost.ddrBytes;
  offer(std::move(candidate));
}

void OperationCandidates::addSplits() {
  if (!access) {
    reason = "it is not known which part of its operands it reads";
    return;
  }
  for (const LoopSplit &split : splits)
    addOnTiles(split.what, split.iterations);
}

void OperationCandidates::measureSplits() {
  leastIdle = tiles;
  SplitAlignment aligned;
  if (target.channelAlignment > 1)
    aligned = {channelLoops(op, *access), target.channelAlignment};
  SmallVector<int64_t> multiples = splitMultiples(op, *access);
  for (LoopSplit &split :
       loopSplits(*access, tiles, aligned, multiples, target.machines())) {
    Load load = loadOf(split.iterations);
    if (splits.empty() || load.busiest < leastBusiest)
      leastBusiest = load.busiest;
    leastIdle = std::min(leastIdle, load.idle);
    splits.push_back(std::move(split));
  }
}

OperationCandidates::Load
OperationCandidates::loadOf(const TileIterations &iterations) const {
  Load load;
  load.idle = tiles - static_cast<int64_t>(iterations.size());
  for (const IterationDomain &iteration : iterations) {
    double volume = iteration.volume();
    load.busiest = std::max(load.busiest, volume);
    load.idle += volume == 0;
  }
  return load;
}

bool OperationCandidates::isWorthwhile(const TileIterations &iterations) const {
  double all = access->domain().volume();
  bool areEqual =
      llvm::all_of(iterations, [&](const IterationDomain &iteration) {
        return iteration.volume() == all;
      });
  if (areEqual)
    return iterations.size() == 1 ||
           static_cast<int64_t>(iterations.size()) == tiles;
  Load load = loadOf(iterations);
  return load.busiest <= mostExtraWork * leastBusiest && load.idle <= leastIdle;
}

bool OperationCandidates::addMaking(unsigned result, RankedTensorType type) {
  if (!access || !isOnTiles(type) ||
      !isNewRequest(Request::Making, result, type) || !getPlacement(type) ||
      (getOrder(type) != getOrder(types.results[result]) && !types.anyOrder))
    return false;
  std::vector<Type> made(types.results.begin(), types.results.end());
  made[result] = type;
  TileIterations iterations = iterationsForMemory(*access, made);
  return isWorthwhile(iterations) &&
         addOnTiles(fmt::format("as result #{} is wanted", result), iterations,
                    type);
}

bool OperationCandidates::addReading(unsigned operand, RankedTensorType type) {
  if (!access || !isOnTiles(type) ||
      !isNewRequest(Request::Reading, operand, type) || !access->reads(operand))
    return false;
  const Placement *placement = getPlacement(type);
  if (!placement)
    return false;
  TileIterations iterations;
  for (const TileBoxes &tile : placement->tiles) {
    auto iteration = access->iterationsWithin(operand, tile.compute);
    if (!iteration)
      return false;
    iterations.push_back(*iteration);
  }
  return isWorthwhile(iterations) &&
         addOnTiles(fmt::format("as operand #{} lies", operand), iterations);
}

OperationCandidates::TypeList
OperationCandidates::resultsOf(const TileIterations &iterations,
                               RankedTensorType like) const {
  TypeList results;
  for (auto [number, type] : llvm::enumerate(types.results)) {
    std::vector<Box> boxes;
    for (const IterationDomain &iteration : iterations)
      boxes.push_back(access->produced(number, iteration));
    RankedTensorType ordered =
        like && types.anyOrder ? withOrder(type, getOrder(like)) : type;
    RankedTensorType made =
        holdsLike(like, ordered, boxes)
            ? withDistribution(ordered, getLayout(like).getDistribution())
            : typeProducing(ordered, std::move(boxes), like);
    RankedTensorType result = storedAs(made, types.resultKinds, number);
    if (!result || !getPlacement(result))
      return {};
    results.push_back(result);
  }
  return results;
}

OperationCandidates::TypeList
OperationCandidates::operandsOf(const TileIterations &iterations,
                                const TypeList &results) const {
  TypeList read(op->getNumOperands());
  for (unsigned number = 0; number < op->getNumOperands(); ++number) {
    RankedTensorType type = types.operands[number];
    if (!type || !access->reads(number))
      continue;
    if (auto result = tiedResult(op->getOpOperand(number))) {
      read[number] = results[*result];
      continue;
    }
    if (wantsOneLayout(op)) {
      read[number] = withLayout(type, getLayout(results[0]));
      continue;
    }
    std::vector<Box> boxes;
    for (const IterationDomain &iteration : iterations)
      boxes.push_back(access->read(number, iteration));
    read[number] = storedAs(typeHolding(type, std::move(boxes), results[0],
                                        access->windowsOver(number)),
                            types.operandKinds, number);
  }
  return read;
}

bool OperationCandidates::addOnTiles(std::string what,
                                     const TileIterations &iterations,
                                     RankedTensorType like) {
  OperationCandidate candidate;
  candidate.what = std::move(what);
  candidate.results = resultsOf(iterations, like);
  if (candidate.results.empty() || iterations.empty() ||
      !isNewOnTiles(candidate.results))
    return false;
  SmallVector<Type> made(candidate.results.begin(), candidate.results.end());
  // What lowering runs follows from the types of the results.
  TileIterations runs = iterationsForMemory(*access, made);
  candidate.operands = operandsOf(runs, candidate.results);
  for (RankedTensorType type : candidate.operands)
    if (type && !getPlacement(type))
      return false;
  if (seen.contains({candidate.results, candidate.operands}))
    return false;
  candidate.readsInPlace = npu::readsInPlace(op, candidate);
  return (candidate.readsInPlace || measure(candidate)) &&
         offer(std::move(candidate));
}

bool OperationCandidates::measure(OperationCandidate &candidate) {
  if (isa<PermuteCastOp>(op))
    return false;
  Probe probe(op, candidate);
  std::optional<HostFallback> fallback = hostFallbackOf(probe.operation());
  if (fallback && reason.empty())
    reason = fallback->reason;
  if (fallback)
    return false;
  // The types that are written may be some that tiles cannot work on.
  auto costOf = [&](const DoneByEngine &without) {
    return operationCost(probe.operation(), &*access,
                         probe.operation()->getResultTypes(), target, without)
        .cycles;
  };
  candidate.cost = costOf(done);
  if (done.isAny())
    candidate.costApart = std::max<int64_t>(costOf({}) - candidate.cost, 0);
  return true;
}

bool OperationCandidates::offer(OperationCandidate candidate) {
  if (!seen.insert({candidate.results, candidate.operands}).second)
    return false;
  found.push_back(std::move(candidate));
  return true;
}

namespace {

/// An operation gets no more candidates in parts than these.
constexpr size_t manyCandidatesInParts = 12;

/// What a candidate in parts becomes, on arguments of a block of its own.
class PartsProbe {
public:
  PartsProbe(linalg::LinalgOp op, const Reduction &reduction,
             const OperationCandidate &candidate) {
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&block);
    auto argument = [&](Type type) -> Value {
      return block.addArgument(type, op.getLoc());
    };
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      RankedTensorType type = candidate.operands[operand->getOperandNumber()];
      inputs.push_back(argument(type ? Type(type) : operand->get().getType()));
    }
    SplitReductionBuilder parts(builder, op, reduction, *candidate.split);
    parts.partials(inputs);
    RankedTensorType result = candidate.results[0];
    parts.combine(argument(partialsToCombine(*candidate.split, result)),
                  argument(result), /*number=*/0);
  }

  Block &operations() { return block; }

private:
  Block block;
};

} // namespace

std::vector<std::vector<RankedTensorType>>
heldBetween(const OperationCandidate &candidate) {
  if (!candidate.split)
    return candidate.heldInSteps;
  const ReductionSplit &split = *candidate.split;
  std::vector<std::vector<RankedTensorType>> steps;
  if (split.series.size() > 1) {
    auto &joining = steps.emplace_back();
    for (const ReductionSeries &series : split.series)
      joining.push_back(series.type);
    joining.push_back(split.partials);
  }
  steps.push_back(
      {split.partials, partialsToCombine(split, candidate.results[0])});
  return steps;
}

void OperationCandidates::addReductionSplits() {
  if (!access || reduction)
    return;
  reduction = matchReduction(op);
  if (!reduction)
    return;
  for (LoopSplit &split :
       reductionLoopSplits(*access, tiles, splitMultiples(op, *access)))
    addInParts(split.what, std::move(split.iterations));
}

bool OperationCandidates::addReadingParts(unsigned operand,
                                          RankedTensorType type) {
  if (!reduction || !isDistributed(type) ||
      !isNewRequest(Request::ReadingParts, operand, type))
    return false;
  std::optional<TileIterations> iterations =
      iterationsInParts(*access, operand, type);
  return iterations &&
         loadOf(*iterations).busiest <= mostExtraWork * leastBusiest &&
         addInParts(fmt::format("in parts as operand #{} lies", operand),
                    std::move(*iterations));
}

bool OperationCandidates::addInParts(const std::string &what,
                                     TileIterations iterations) {
  std::optional<ReductionSplit> found =
      splitReduction(op, *access, std::move(iterations), types.results[0]);
  if (!found)
    return false;
  auto split = std::make_shared<const ReductionSplit>(std::move(*found));
  bool hasParallelLoop = llvm::any_of(
      splits, [](const LoopSplit &each) { return each.loops.size() == 1; });
  bool isNew = false;
  for (const LoopSplit &combined : splits) {
    // Grids cost other splits nothing, and an entry by itself may be combined
    // on one tile.
    bool isOnOneTile = combined.iterations.size() == 1;
    if (combined.loops.size() < 2 && !combined.isVariant &&
        !(isOnOneTile && hasParallelLoop))
      isNew |= addCombined(split, what, combined);
  }
  return isNew;
}

bool OperationCandidates::addCombined(
    std::shared_ptr<const ReductionSplit> split, const std::string &what,
    const LoopSplit &combined) {
  if (candidatesInParts == manyCandidatesInParts)
    return false;
  OperationCandidate candidate;
  candidate.what = fmt::format("{}, combined as {}", what, combined.what);
  candidate.results = resultsOf(combined.iterations, {});
  if (candidate.results.empty())
    return false;
  candidate.operands = operandsOf(split->iterations, candidate.results);
  for (RankedTensorType type : candidate.operands)
    if (type && !getPlacement(type))
      return false;
  candidate.split = std::move(split);
  if (seen.contains({candidate.results, candidate.operands}) ||
      !measureParts(candidate) || !offer(std::move(candidate)))
    return false;
  ++candidatesInParts;
  return true;
}

bool OperationCandidates::measureParts(OperationCandidate &candidate) {
  PartsProbe probe(cast<linalg::LinalgOp>(op), *reduction, candidate);
  ModelledCost move =
      movementCost(candidate.split->partials,
                   partialsToCombine(*candidate.split, candidate.results[0]),
                   paddingOfPartials(paddingOf(op->getResult(0))), target);
  Count cost{move.cycles};
  for (Operation &each : probe.operations()) {
    std::optional<OpAccess> reads = OpAccess::get(&each);
    bool hasKernel =
        !kernels || !needsKernel(&each) || kernels->find(&each).isTaken;
    if (hostFallbackOf(&each) || !hasKernel)
      return false;
    cost += Count{operationCost(&each, reads ? &*reads : nullptr,
                                each.getResultTypes(), target)
                      .cycles};
  }
  candidate.cost = cost.value;
  candidate.movedBytes = move.bytes;
  return move.cycles != Count::most;
}

} // namespace npu
