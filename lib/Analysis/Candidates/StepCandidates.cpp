// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepCandidates.h"

#include "../Costs/EngineWork.h"
#include "KeptTensors.h"
#include "LiveRanges.h"
#include "StepCrossings.h"
#include "StepSizes.h"
#include "npu/Analysis/Candidates/MemoryOrders.h"
#include "npu/Analysis/Choices/StepProbe.h"
#include "npu/Analysis/Costs/StepCosts.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

using namespace mlir;

namespace npu {
namespace {

/// The most loops of an operation that are cut.
constexpr size_t kMostCut = 3;
/// A part of a scratchpad that steps may take: of the choices of loops, sizes
/// and orders that fit in it, so many are costed with every split over tiles,
/// and so many of the candidates that come of them are kept.
struct Part {
  int64_t divisor;
  size_t costed, kept;
};
constexpr Part kParts[] = {{1, 3, 4}, {2, 3, 3},  {4, 3, 3},
                           {8, 1, 2}, {16, 1, 2}, {64, 1, 1}};
/// The same for groups of several operations, which take longer to cost.
constexpr Part kGroupParts[] = {{1, 3, 3}, {2, 2, 2}, {4, 1, 1}, {16, 1, 1}};
/// Of the splits of the last operation over tiles, a group takes those that
/// cost at most so many times the cheapest.
constexpr double kGroupSplits = 1.5;
/// So many of the candidates are kept that leave the same tensors on tiles.
constexpr Part kPartsOfKept[] = {{1, 1, 2}, {2, 1, 1}};
/// So many times more plans than are costed have their sizes refined.
constexpr size_t kRefined = 3;

/// An operation of the group, as far as its work goes, and of all but the last
/// one the slices that it makes and the last operation that reads them.
struct Worker {
  std::optional<OpAccess> access;
  /// What the matrix engine does of it; nothing where it does not.
  std::optional<EngineWork> engine;
  std::optional<StepSlice> made;
  size_t lastReader = 0;
};

/// The slots of the buffers that rounds of loops fill: one, so that loads and
/// stores run alone and slices are the largest, or two, so that they run under
/// the work of other steps.
enum class Slots { One, Two };

/// Loops, sizes and order, and the split over tiles for which they were found.
struct Plan {
  SmallVector<int64_t> loops, sizes;
  Slots slots = Slots::One;
  StepSplit split;
  /// What stays on tiles as a whole although it is cut; null for nothing.
  const KeptTensors *kept = nullptr;
  double estimate = 0;
};

class Search {
public:
  Search(const StepGroup &group, ArrayRef<OrderedTypes> types,
         const Target &target, int64_t tiles, const KernelTable *kernels,
         const StepOptions &asked, ConsideredSteps &considered)
      : considered(considered), group(group), op(group.last().op), types(types),
        target(target), tiles(tiles), kernels(kernels), asked(asked),
        extents(op.getStaticLoopRanges()) {
    this->asked.storesResult |= op->hasAttr(paddingAttrName);
  }

  std::vector<OperationCandidate> run() {
    if (!mayRunInSteps(op) || !collectWorkers())
      return {};
    collectSlices();
    collectLoops();
    if (options.empty())
      return {};
    for (const Part &part : parts())
      for (Slots slots : {Slots::One, Slots::Two})
        for (const Plan &plan : bestPlans(
                 {slots, target.scratchpadBytes / part.divisor}, part.costed))
          cost(plan);
    if (mayKeep())
      keptSets =
          choicesOfKept(group, slices, asked, tiles, target.scratchpadBytes);
    for (const KeptTensors &kept : keptSets) {
      // Of the first choice, plans with the largest slices.
      if (&kept == &keptSets.front())
        for (const Plan &plan :
             bestPlans({Slots::Two, target.scratchpadBytes, &kept},
                       parts().front().costed))
          cost(plan);
      if (asked.bytePrice > 0)
        for (const Room &room :
             {Room{Slots::One, target.scratchpadBytes, &kept},
              Room{Slots::Two, target.scratchpadBytes, &kept, 8}})
          for (const Plan &plan : bestPlans(room, 2))
            cost(plan);
    }
    // What is small enough to be whole in any part may have to take less all
    // the same, beside what others hold.
    if (costed.empty() && !isGroup())
      for (int64_t steps : {4, 16})
        cost(longestIn(steps));
    // Single iterations take very long, and are for very small scratchpads.
    bool isSmall = llvm::any_of(costed, [&](const Costed &each) {
      return each.bytes <=
             target.scratchpadBytes / std::rbegin(kParts)->divisor;
    });
    if (!isSmall && !isGroup())
      cost(smallest());
    return chosen();
  }

private:
  struct Costed {
    OperationCandidate candidate;
    int64_t bytes = 0;
    /// The cost with the price of bytes that move, and these bytes: of equal
    /// costs the fewest.
    std::pair<int64_t, int64_t> priced;
    const KeptTensors *kept = nullptr;
  };

  bool isGroup() const { return group.size() > 1; }
  ArrayRef<Part> parts() const {
    return isGroup() ? ArrayRef(kGroupParts) : ArrayRef(kParts);
  }
  /// Whether tensors that are cut may stay on tiles (StepParts.h).
  bool mayKeep() const {
    return group.pads().empty() && !(asked.storesResult && asked.loadsOperands);
  }
  bool isMadeInSteps(StepUse use) const {
    return group.makerOf(use) || group.padOf(use);
  }
  StepUse output() const { return group.outputOf(group.size() - 1); }

  /// False where tiles cannot do an operation part by part.
  bool collectWorkers() {
    for (auto [number, member] : llvm::enumerate(group.members())) {
      Worker worker;
      linalg::LinalgOp each = member.op;
      worker.access = OpAccess::get(each);
      if (!worker.access)
        return false;
      worker.engine = findEngineWork(each, *worker.access, {}, target.costs);
      if (number + 1 < group.size())
        worker.made = StepSlice::of(group, group.outputOf(number));
      workers.push_back(std::move(worker));
    }
    for (StepUse use : group.inputs())
      if (std::optional<size_t> maker = group.makerOf(use))
        workers[*maker].lastReader =
            std::max(workers[*maker].lastReader, use.member);
    return true;
  }

  void collectSlices() {
    auto all = llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(extents.size())));
    for (StepUse use : group.inputs()) {
      linalg::LinalgOp reader = group.members()[use.member].op;
      OpOperand &operand = group.operandOf(use);
      bool isKnown = llvm::any_of(slices, [&](const StepSlice &other) {
        return group.readSame(other.use, use, all);
      });
      if (group.makerOf(use) || isKnown ||
          !reader.payloadUsesValueFromOperand(&operand))
        continue;
      slices.push_back(StepSlice::of(group, use));
      slices.back().isLoaded = !isMadeAnywhere(operand.get());
      if (std::optional<ConstantPad> pad = asConstantPad(group.padOf(use)))
        for (auto [low, high] : llvm::zip_equal(pad->low, pad->high))
          slices.back().added.push_back(low + high);
    }
    slices.push_back(StepSlice::of(group, output()));
    slices.back().isOutput = true;
    slices.back().isLoaded = loadsOutput(op);
  }

  /// The loops that may be cut, the sizes of their steps, and the splits of a
  /// step over tiles.
  void collectLoops() {
    AffineMap made = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    bool reduces = false;
    for (auto [loop, extent] : llvm::enumerate(extents)) {
      if (extent < 2)
        continue;
      bool isParallel = made.isFunctionOfDim(loop);
      // Sums keep their order where the first loop that reduces is cut, and no
      // other one.
      if (!isParallel && reduces)
        continue;
      reduces |= !isParallel;
      int64_t multiple = group.multipleOf(loop);
      if (multiple == 0 || llvm::is_contained(group.wholeLoops(), loop))
        continue;
      loops.push_back(static_cast<int64_t>(loop));
      isParallelLoop.push_back(isParallel);
      CutLoop cut{extent, multiple, isParallel ? tiles : 1};
      options.push_back(coarseStepSizes(cut));
      refinements.push_back(allStepSizes(cut));
    }
    for (auto [number, loop] : llvm::enumerate(loops))
      if (isParallelLoop[number])
        splits.push_back({{loop, tiles}});
    // Grids of two loops.
    size_t single = splits.size();
    for (int64_t rows = 2; rows * 2 <= tiles; ++rows)
      if (tiles % rows == 0)
        for (size_t first = 0; first < single; ++first)
          for (size_t second = first + 1; second < single; ++second)
            splits.push_back({{splits[first].front().first, rows},
                              {splits[second].front().first, tiles / rows}});
    // The first machine alone, whose link DDR does not need.
    if (Machines machines = target.machines();
        machines.areSeveral() && machines.tilesEach < tiles)
      for (size_t number = 0; number < single; ++number)
        splits.push_back({{splits[number].front().first, machines.tilesEach}});
    if (splits.empty())
      splits.emplace_back();
  }

  /// What the slices of a step may take of a tile.
  struct Room {
    Slots slots;
    int64_t bytes;
    /// What stays on tiles although it is cut, and of what this leaves, the
    /// part that slices may take.
    const KeptTensors *kept = nullptr;
    int64_t divisor = 1;
  };

  /// The bytes of all of a slice's tensor on a tile, where it is cut and stays
  /// there.
  std::optional<int64_t> bytesKept(const StepSlice &slice,
                                   ArrayRef<int64_t> iterations,
                                   const StepSplit &split,
                                   const KeptTensors *kept) const {
    if (!kept ||
        !kept->contains(slice.isOutput, group.operandOf(slice.use).get()))
      return std::nullopt;
    bool isCut = llvm::any_of(loops, [&](int64_t loop) {
      return iterations[loop] < extents[loop] && slice.changes[loop];
    });
    SmallVector<int64_t> whole(extents);
    for (auto [loop, count] : split)
      whole[loop] = llvm::divideCeilSigned(whole[loop], count);
    int64_t bytes = slice.bytes(group, whole);
    return isCut ? std::optional(bytes) : std::nullopt;
  }

  /// Whether all slices fit on one tile, in as many slots as they have there.
  bool fit(ArrayRef<int64_t> iterations, const StepSplit &split,
           const Room &room) const {
    SmallVector<int64_t> part(iterations);
    for (auto [loop, count] : split)
      part[loop] = llvm::divideCeilSigned(part[loop], count);
    auto isCut = [&](size_t number) {
      return iterations[loops[number]] < extents[loops[number]];
    };
    bool sums = false;
    for (size_t number = 0; number < loops.size(); ++number)
      sums |= !isParallelLoop[number] && isCut(number);
    Count sum, onTiles;
    for (const StepSlice &slice : slices) {
      if (std::optional<int64_t> kept =
              bytesKept(slice, iterations, split, room.kept)) {
        onTiles += Count{aligned(*kept)};
        if (slice.isOutput)
          sum += Count{aligned(slice.bytes(group, part))};
        continue;
      }
      // Sums stay in one place while their loop goes on.
      bool rotates = room.slots == Slots::Two && !(slice.isOutput && sums);
      bool isChanged = false;
      for (size_t number = 0; number < loops.size(); ++number)
        isChanged |= isCut(number) && slice.changes[loops[number]];
      // What is padded is on tiles with its pad and without.
      int64_t slots = rotates && isChanged ? 2 : 1;
      sum += Count{aligned(slice.bytes(group, part))} *
             Count{slots + !slice.added.empty()};
    }
    Count most;
    for (size_t now = 0; now + 1 < workers.size(); ++now) {
      Count live;
      for (size_t number = 0; number <= now; ++number)
        if (workers[number].lastReader >= now)
          live += Count{aligned(workers[number].made->bytes(group, part))};
      most = std::max(most, live);
    }
    return (onTiles + (sum + most) * Count{room.divisor}).value <= room.bytes;
  }

  /// The plans of the lowest estimate among those that fit with some split.
  std::vector<Plan> bestPlans(const Room &room, size_t count) {
    std::vector<Plan> plans;
    for (const StepSplit &split : splits)
      choose(0, extents, 0, split, room, plans);
    std::ranges::stable_sort(plans, {}, &Plan::estimate);
    plans.resize(std::min(plans.size(), kRefined * count));
    for (Plan &plan : plans)
      refine(plan, room);
    std::ranges::stable_sort(plans, {}, &Plan::estimate);
    std::vector<Plan> best;
    for (Plan &plan : plans) {
      bool isNew = llvm::none_of(best, [&](const Plan &other) {
        return other.loops == plan.loops && other.sizes == plan.sizes;
      });
      if (isNew)
        best.push_back(std::move(plan));
      if (best.size() == count)
        break;
    }
    return best;
  }

  /// Makes the steps of one loop longer or shorter, or of one longer and of
  /// another shorter, as long as that lowers the estimate.
  void refine(Plan &plan, const Room &room) const {
    while (true) {
      Plan best = plan;
      auto offer = [&](Plan other) {
        SmallVector<int64_t> iterations = iterationsOf(other);
        if (!fit(iterations, other.split, room))
          return false;
        other.estimate = estimate(other, iterations);
        if (other.estimate < best.estimate)
          best = std::move(other);
        return true;
      };
      for (size_t longer = 0; longer < plan.loops.size(); ++longer) {
        if (std::optional<Plan> other = resized(plan, longer, /*by=*/1))
          offer(std::move(*other));
        std::optional<Plan> grown = resized(plan, longer, /*by=*/-1);
        if (!grown || offer(*grown))
          continue;
        for (size_t shorter = 0; shorter < plan.loops.size(); ++shorter)
          for (std::optional<Plan> other = shorter == longer
                                               ? std::nullopt
                                               : resized(*grown, shorter, 1);
               other && !offer(*other); other = resized(*other, shorter, 1))
            ;
      }
      if (best.estimate >= plan.estimate)
        return;
      plan = std::move(best);
    }
  }

  /// The plan whose loop `place` has the next size by so many refinements;
  /// nothing where that would not be cut, or cut no further.
  std::optional<Plan> resized(Plan plan, size_t place, int by) const {
    size_t number = std::ranges::find(loops, plan.loops[place]) - loops.begin();
    const std::vector<int64_t> &sizes = refinements[number];
    auto at =
        std::ranges::lower_bound(sizes, plan.sizes[place], std::greater<>()) -
        sizes.begin() + by;
    if (at < 1 || at >= static_cast<ptrdiff_t>(sizes.size()))
      return std::nullopt;
    plan.sizes[place] = sizes[at];
    return plan;
  }

  SmallVector<int64_t> iterationsOf(const Plan &plan) const {
    SmallVector<int64_t> iterations(extents);
    for (auto [loop, size] : llvm::zip_equal(plan.loops, plan.sizes))
      iterations[loop] = size;
    return iterations;
  }

  /// Chooses the size of loop `number` and of those after it.
  void choose(size_t number, SmallVector<int64_t> iterations, size_t cut,
              const StepSplit &split, const Room &room,
              std::vector<Plan> &plans) {
    if (number == loops.size()) {
      if (cut > 0 && isLargest(iterations, split, room))
        addOrders(iterations, split, room, plans);
      return;
    }
    bool isLast = number + 1 == loops.size(), fitBefore = false;
    for (int64_t size : options[number]) {
      bool isCut = size < extents[loops[number]];
      if (isCut && cut == kMostCut)
        break;
      iterations[loops[number]] = size;
      if (!isLast) {
        choose(number + 1, iterations, cut + isCut, split, room, plans);
        continue;
      }
      // Where a step fits, none counts that is smaller in the last loop alone.
      if (!fit(iterations, split, room))
        continue;
      if (!std::exchange(fitBefore, true))
        choose(number + 1, iterations, cut + isCut, split, room, plans);
      if (isCut)
        break;
    }
  }

  /// Whether slices fit, and would not with a larger step in a single loop.
  bool isLargest(SmallVector<int64_t> iterations, const StepSplit &split,
                 const Room &room) const {
    if (!fit(iterations, split, room))
      return false;
    for (auto [number, loop] : llvm::enumerate(loops)) {
      int64_t &size = iterations[loop];
      const auto *found = std::ranges::find(options[number], size).base();
      if (found == options[number].data())
        continue;
      int64_t before = size;
      size = *(found - 1);
      if (fit(iterations, split, room))
        return false;
      size = before;
    }
    return true;
  }

  void addOrders(ArrayRef<int64_t> iterations, const StepSplit &split,
                 const Room &room, std::vector<Plan> &plans) {
    SmallVector<int64_t> parallel, reducing;
    for (auto [number, loop] : llvm::enumerate(loops))
      if (iterations[loop] < extents[loop])
        (isParallelLoop[number] ? parallel : reducing).push_back(loop);
    do {
      Plan plan;
      plan.slots = room.slots;
      plan.split = split;
      plan.kept = room.kept;
      plan.loops = parallel;
      plan.loops.append(reducing);
      for (int64_t loop : plan.loops)
        plan.sizes.push_back(iterations[loop]);
      plan.estimate = estimate(plan, iterations);
      plans.push_back(std::move(plan));
    } while (std::ranges::next_permutation(parallel).found);
  }

  /// Cycles of loads and stores, those of every step whatever it does, and the
  /// price of bytes.
  double estimate(const Plan &plan, ArrayRef<int64_t> iterations) const {
    ++considered.judged;
    const StepSplit &split = plan.split;
    double cycles = 0, moved = 0;
    SmallVector<double> rounds = {1};
    for (auto [loop, size] : llvm::zip_equal(plan.loops, plan.sizes))
      rounds.push_back(
          rounds.back() *
          static_cast<double>(llvm::divideCeilSigned(extents[loop], size)));
    for (const StepSlice &slice : slices) {
      bool isKept = bytesKept(slice, iterations, split, plan.kept).has_value();
      size_t level = isKept ? 0 : levelOf(plan, slice);
      auto bytes = static_cast<double>(
                       slice.bytes(group, isKept ? extents : iterations)) *
                   loadedPart(slice, iterations);
      moved += rounds[level] * bytes * (slice.isLoaded + slice.isOutput);
      auto add = [&](Direction direction) {
        cycles +=
            rounds[level] *
            cyclesOfParts(bytes, crossings.partsOf(slice, split, direction),
                          direction, target);
      };
      if (slice.isLoaded)
        add(Direction::DdrToTile);
      if (slice.isOutput)
        add(Direction::TileToDdr);
    }
    double work = 0;
    for (size_t number = 0; number < workers.size(); ++number) {
      const std::optional<StepSlice> &made = workers[number].made;
      size_t level = made ? levelOf(plan, *made) : plan.loops.size();
      work += rounds[level] * cyclesOfPart(number, iterations, split);
    }
    double price = moved * static_cast<double>(asked.bytePrice) / 1000;
    // Of two slots, what the first step loads is not under work.
    return price + (plan.slots == Slots::One
                        ? cycles + work
                        : std::max(cycles, work) +
                              std::min(cycles, work) / rounds.back());
  }

  /// The part of all slices that is loaded: each entry that tiles add is in one
  /// of them.
  double loadedPart(const StepSlice &slice, ArrayRef<int64_t> last) const {
    double part = 1;
    const StepMember &member = group.members()[slice.use.member];
    SmallVector<int64_t> iterations = member.iterations(last);
    for (auto [added, strides] : llvm::zip(slice.added, slice.strides)) {
      int64_t size = 1, steps = 1;
      for (auto [stride, count, extent] :
           llvm::zip_equal(strides, iterations, member.extents)) {
        size += stride * (count - 1);
        if (stride > 0)
          steps *= llvm::divideCeilSigned(extent, count);
      }
      part *= std::max(0.0, 1 - static_cast<double>(added) /
                                    static_cast<double>(steps * size));
    }
    return part;
  }

  /// In how many loops, from the outermost on, the slice is loaded or made.
  static size_t levelOf(const Plan &plan, const StepSlice &slice) {
    size_t level = plan.loops.size();
    while (level > 0 && !slice.changes[plan.loops[level - 1]])
      --level;
    return level;
  }

  /// The cycles of one tile's part of a step of an operation.
  double cyclesOfPart(size_t number, ArrayRef<int64_t> last,
                      const StepSplit &split) const {
    SmallVector<int64_t> ofTile(last);
    for (auto [loop, count] : split)
      ofTile[loop] = llvm::divideCeilSigned(ofTile[loop], count);
    const Worker &worker = workers[number];
    IterationDomain part;
    for (int64_t count : group.members()[number].iterations(ofTile))
      part.loops.push_back({0, count});
    if (worker.engine)
      return static_cast<double>(engineCycles(*worker.engine, *worker.access,
                                              part, types[number].results[0],
                                              target.costs));
    constexpr double perCycle = 8;
    return static_cast<double>(target.costs.vectorOverhead) +
           part.volume() / perCycle;
  }

  /// The plan that cuts the longest loop of the result into so many steps.
  Plan longestIn(int64_t steps) const {
    Plan plan;
    int64_t longest = 0;
    for (auto [number, loop] : llvm::enumerate(loops))
      if (isParallelLoop[number] && extents[loop] > longest) {
        longest = extents[loop];
        plan.loops = {loop};
      }
    for (int64_t loop : plan.loops)
      plan.sizes.push_back(std::min(
          extents[loop], static_cast<int64_t>(llvm::alignTo(
                             llvm::divideCeilSigned(extents[loop], steps),
                             std::max<int64_t>(group.multipleOf(loop), 1)))));
    return plan;
  }

  /// The plan of the least bytes: every loop is done one by one, or as many at
  /// once as share a byte. Sums keep their order where all loops that reduce
  /// before the last one that is cut are done one by one.
  Plan smallest() const {
    Plan plan;
    linalg::LinalgOp last = op;
    AffineMap made = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
    bool isInOrder = true;
    for (bool isParallel : {true, false})
      for (auto [loop, extent] : llvm::enumerate(extents)) {
        if (extent < 2 || made.isFunctionOfDim(loop) != isParallel ||
            !isInOrder)
          continue;
        int64_t multiple = group.multipleOf(loop);
        if (multiple != 0) {
          plan.loops.push_back(loop);
          plan.sizes.push_back(std::min(multiple, extent));
        }
        isInOrder = isParallel || multiple == 1;
      }
    return plan;
  }

  /// The types of a step's slices, in the orders and storage kinds of the whole
  /// tensors.
  OrderedTypes sliced(size_t number, ArrayRef<int64_t> iterations) {
    OrderedTypes parts = types[number];
    linalg::LinalgOp each = group.members()[number].op;
    auto cutType = [&](RankedTensorType &type, AffineMap map) {
      if (type)
        type = RankedTensorType::get(sliceShape(map, iterations),
                                     type.getElementType(), type.getEncoding());
    };
    for (OpOperand &operand : each->getOpOperands())
      cutType(parts.operands[operand.getOperandNumber()],
              each.getMatchingIndexingMap(&operand));
    cutType(parts.results[0],
            each.getMatchingIndexingMap(each.getDpsInitOperand(0)));
    return parts;
  }

  /// One step of an operation of the group, and the candidates that it has.
  struct Stepped {
    Stepped(Search &search, size_t number, ArrayRef<int64_t> iterations)
        : probe(search.group.members()[number].op, iterations),
          candidates(probe.operation(), search.sliced(number, iterations),
                     search.target, search.tiles, {}, search.kernels) {}

    StepProbe probe;
    OperationCandidates candidates;
  };

  static bool isOnTiles(const OperationCandidate &step) {
    return step.results[0] && isDistributed(step.results[0]) && !step.split &&
           !step.readsInPlace;
  }

  /// Costs the plan with every split of its steps over tiles.
  void cost(const Plan &plan) {
    if (plan.loops.empty())
      return;
    SmallVector<int64_t> iterations = iterationsOf(plan);
    SmallVector<Stepped *> stepped;
    for (auto [number, member] : llvm::enumerate(group.members())) {
      SmallVector<int64_t> own = member.iterations(iterations);
      auto &known = steppedBefore[{number, {own.begin(), own.end()}}];
      if (!known)
        known = std::make_unique<Stepped>(*this, number, own);
      stepped.push_back(known.get());
    }
    auto least = static_cast<double>(Count::most);
    const auto &ofLast = stepped.back()->candidates.candidates();
    for (const OperationCandidate &each : ofLast)
      if (isOnTiles(each))
        least = std::min(least, static_cast<double>(each.cost));
    for (const OperationCandidate &each : ofLast) {
      if (!isOnTiles(each) ||
          (isGroup() && static_cast<double>(each.cost) > kGroupSplits * least))
        continue;
      SmallVector<const OperationCandidate *> chosen(group.size());
      chosen.back() = &each;
      if (chooseBefore(stepped, chosen))
        cost(plan, chosen);
    }
  }

  /// Chooses how the operations before the last one make their slices: at the
  /// least cost with the move to where they are read. False where tiles cannot.
  bool chooseBefore(ArrayRef<Stepped *> stepped,
                    MutableArrayRef<const OperationCandidate *> chosen) const {
    for (size_t number = group.size() - 1; number-- > 0;) {
      RankedTensorType wanted;
      for (StepUse use : group.inputs())
        if (!wanted && group.makerOf(use) == number)
          wanted = chosen[use.member]->operands[use.operand];
      if (!wanted)
        return false;
      stepped[number]->candidates.addMaking(0, wanted);
      int64_t least = Count::most;
      for (const OperationCandidate &each :
           stepped[number]->candidates.candidates()) {
        if (!isOnTiles(each))
          continue;
        Count sum{each.cost};
        if (each.results[0] != wanted)
          sum +=
              Count{movementCost(each.results[0], wanted, {}, target).cycles};
        if (sum.value < least) {
          least = sum.value;
          chosen[number] = &each;
        }
      }
      if (!chosen[number])
        return false;
    }
    return true;
  }

  void cost(const Plan &plan, ArrayRef<const OperationCandidate *> chosen) {
    SmallVector<int64_t> slots(plan.loops.size(), 1);
    if (plan.slots == Slots::One)
      cost(plan, slots, chosen);
    if (plan.slots == Slots::One && !plan.kept)
      return;
    slots.back() = 2;
    cost(plan, slots, chosen);
    if (slots.size() == 1)
      return;
    std::ranges::fill(slots, 2);
    cost(plan, slots, chosen);
  }

  static SmallVector<LayoutAttr> layoutsOf(linalg::LinalgOp op,
                                           const OperationCandidate &step) {
    SmallVector<LayoutAttr> layouts;
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType type = op.isDpsInit(&operand)
                                  ? step.results[0]
                                  : step.operands[operand.getOperandNumber()];
      layouts.push_back(type ? getLayout(type) : LayoutAttr());
    }
    return layouts;
  }

  void cost(const Plan &plan, ArrayRef<int64_t> slots,
            ArrayRef<const OperationCandidate *> chosen) {
    auto steps = std::make_shared<OperationSteps>();
    steps->loops = plan.loops;
    steps->sizes = plan.sizes;
    steps->slots = llvm::to_vector(slots);
    for (auto [member, step] : llvm::zip_equal(group.members(), chosen))
      steps->before.push_back(layoutsOf(member.op, *step));
    steps->layouts = std::move(steps->before.back());
    steps->before.pop_back();
    // Of what is cut, the operation has no layout, but where it is kept.
    auto mayLie = [&](StepUse use) {
      return !(use == output() ? asked.storesResult : asked.loadsOperands) &&
             StepGroup::layoutOf(*steps, use) && !isMadeInSteps(use);
    };
    auto staysCut = [&](StepUse use) {
      return plan.kept &&
             plan.kept->contains(use == output(), group.operandOf(use).get()) &&
             mayLie(use) && !group.isWhole(*steps, use) &&
             fitsOnTiles(*steps, use);
    };
    auto liesOnTiles = [&](StepUse use) {
      return mayLie(use) && (group.isWhole(*steps, use) || staysCut(use));
    };
    bool isAsKept = !plan.kept || ((!plan.kept->result || staysCut(output())) &&
                                   (plan.kept->operands.empty() ||
                                    llvm::any_of(group.inputs(), staysCut)));
    if (!isAsKept || !readsInsideOfPads(group, *steps))
      return;
    ++considered.costed;
    std::optional<StepsCost> found =
        costInSteps(group, *steps, liesOnTiles, target);
    if (!found || found->cost.cycles == Count::most)
      return;
    Costed entry;
    entry.kept = plan.kept;
    OperationCandidate &candidate = entry.candidate;
    auto wholeType = [&](StepUse use, RankedTensorType type) {
      return withLayout(type, liesOnTiles(use)
                                  ? StepGroup::layoutOf(*steps, use)
                                  : LayoutAttr());
    };
    candidate.results = {wholeType(output(), types.back().results[0])};
    for (OpOperand &operand : op->getOpOperands()) {
      StepUse use{output().member, operand.getOperandNumber()};
      RankedTensorType type = types.back().operands[use.operand];
      bool isRead =
          op.isDpsInit(&operand)
              ? op.payloadUsesValueFromOperand(&operand) || loadsOutput(op)
              : StepGroup::layoutOf(*steps, use) && !isMadeInSteps(use);
      candidate.operands.push_back(type && isRead ? wholeType(use, type)
                                                  : RankedTensorType());
    }
    for (StepUse use : group.inputs())
      if (use.member < output().member && !isMadeInSteps(use) &&
          StepGroup::layoutOf(*steps, use) &&
          types[use.member].operands[use.operand])
        candidate.readBefore.emplace_back(
            use, wholeType(use, types[use.member].operands[use.operand]));
    candidate.cost = found->cost.cycles;
    candidate.movedBytes = found->cost.ddrBytes;
    Count price =
        dividedUp(Count{candidate.movedBytes} * Count{asked.bytePrice}, 1000);
    entry.priced = {(Count{candidate.cost} + price).value,
                    candidate.movedBytes};
    candidate.what = fmt::format("in steps of {}, {}", describe(*steps),
                                 chosen.back()->what);
    candidate.isOfGroup = isGroup() || !group.pads().empty();
    if (size_t others = group.size() - 1 + group.pads().size())
      candidate.what += fmt::format(", with {} before it", others);
    entry.bytes = mostBytes(found->held, candidate);
    candidate.steps = std::move(steps);
    candidate.heldInSteps = std::move(found->held);
    bool isKnown = llvm::any_of(costed, [&](const Costed &other) {
      return other.candidate.results == candidate.results &&
             other.candidate.operands == candidate.operands &&
             other.candidate.readBefore == candidate.readBefore &&
             other.priced <= entry.priced && other.bytes <= entry.bytes;
    });
    if (!isKnown)
      costed.push_back(std::move(entry));
  }

  /// Whether tiles may keep all of the tensor that is cut.
  bool fitsOnTiles(const OperationSteps &steps, StepUse use) const {
    Value whole = group.operandOf(use).get();
    auto type = withLayout(cast<RankedTensorType>(whole.getType()),
                           StepGroup::layoutOf(steps, use));
    const Placement *placement = getPlacement(type);
    bool isRead = use == output() || !isMadeAnywhere(whole);
    return placement && isRead &&
           llvm::all_of(llvm::seq<int64_t>(0, placement->tiles.size()),
                        [&](int64_t tile) {
                          return bytesOnTile(type, tile) <=
                                 target.scratchpadBytes;
                        });
  }

  static std::string describe(const OperationSteps &steps) {
    std::string text;
    for (auto [loop, size] : llvm::zip_equal(steps.loops, steps.sizes))
      text +=
          fmt::format("{}{} of d{}", text.empty() ? "" : " and ", size, loop);
    if (steps.slots.back() > 1)
      text +=
          llvm::all_equal(steps.slots) ? ", two slots" : ", two slots within";
    return text;
  }

  /// The bytes on the fullest tile while steps run, with operands and result
  /// that stay there. What lies last may end anywhere.
  int64_t mostBytes(const std::vector<std::vector<RankedTensorType>> &held,
                    const OperationCandidate &candidate) const {
    int64_t most = 0;
    for (const auto &slices : held)
      for (int64_t tile = 0; tile < tiles; ++tile) {
        Count sum;
        int64_t unused = 0;
        auto add = [&](RankedTensorType type) {
          if (!type || !isDistributed(type))
            return;
          int64_t bytes = bytesOnTile(type, tile);
          sum += Count{aligned(bytes)};
          unused = std::max(unused, aligned(bytes) - bytes);
        };
        llvm::for_each(slices, add);
        for (unsigned number = 0; number + 1 < candidate.operands.size();
             ++number)
          add(candidate.operands[number]);
        add(candidate.results[0]);
        // What several members read lies there once.
        llvm::SmallDenseSet<std::pair<Value, Type>> known;
        for (const auto &[use, type] : candidate.readBefore)
          if (known.insert({group.operandOf(use).get(), type}).second)
            add(type);
        most = std::max(most, sum.value - unused);
      }
    return most;
  }

  /// The cheapest within each part of a scratchpad, and the smallest of all.
  std::vector<OperationCandidate> chosen() {
    std::ranges::stable_sort(costed, {}, &Costed::priced);
    llvm::SmallSet<size_t, 16> taken;
    auto take = [&](const KeptTensors *kept, Part part) {
      size_t count = 0;
      for (size_t i = 0; i < costed.size() && count < part.kept; ++i)
        if (costed[i].kept == kept &&
            costed[i].bytes <= target.scratchpadBytes / part.divisor) {
          taken.insert(i);
          ++count;
        }
    };
    for (const Part &part : parts())
      take(nullptr, part);
    for (const KeptTensors &kept : keptSets)
      for (const Part &part : kPartsOfKept)
        take(&kept, part);
    auto least = std::ranges::min_element(costed, {}, &Costed::bytes);
    if (least != costed.end())
      taken.insert(least - costed.begin());
    std::vector<OperationCandidate> candidates;
    for (size_t i = 0; i < costed.size(); ++i)
      if (taken.contains(i))
        candidates.push_back(std::move(costed[i].candidate));
    return candidates;
  }

  ConsideredSteps &considered;
  const StepGroup &group;
  linalg::LinalgOp op;
  ArrayRef<OrderedTypes> types;
  const Target &target;
  int64_t tiles;
  const KernelTable *kernels;
  StepOptions asked;
  SmallVector<int64_t> extents;
  std::vector<Worker> workers;
  /// By operation and its iterations.
  std::map<std::pair<size_t, std::vector<int64_t>>, std::unique_ptr<Stepped>>
      steppedBefore;
  std::vector<StepSlice> slices;
  std::vector<KeptTensors> keptSets;
  /// The loops that may be cut, with the sizes that their steps may have.
  SmallVector<int64_t> loops;
  SmallVector<bool> isParallelLoop;
  std::vector<std::vector<int64_t>> options;
  /// All sizes, the largest first.
  std::vector<std::vector<int64_t>> refinements;
  /// Loops, and over how many tiles each is split.
  std::vector<StepSplit> splits;
  mutable StepCrossings crossings{target};
  std::vector<Costed> costed;
};

} // namespace

std::vector<OperationCandidate>
stepCandidates(const StepGroup &group, ArrayRef<OrderedTypes> types,
               const Target &target, int64_t tiles, const KernelTable *kernels,
               const StepOptions &options, ConsideredSteps &considered) {
  return Search(group, types, target, tiles, kernels, options, considered)
      .run();
}

} // namespace npu
