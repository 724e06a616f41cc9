// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/StepCosts.h"

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Choices/StepParts.h"
#include "npu/Analysis/Choices/StepProbe.h"
#include "npu/Analysis/Choices/TileIterations.h"
#include "npu/Analysis/Costs/FunctionCosts.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/StreamCycles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// Goes through the loops as npu-run-in-steps builds them.
class Walk {
public:
  Walk(const StepGroup &group, const OperationSteps &steps,
       llvm::function_ref<bool(StepUse)> isOnTiles, const Target &target)
      : group(group), steps(steps), isOnTiles(isOnTiles), target(target),
        op(group.last().op), place(StepPlace::all(op)),
        slices(group.slicesIn(steps)), firstReduction(steps.firstReduction(op)),
        output(group.outputOf(group.size() - 1)) {}

  std::optional<StepsCost> run() {
    std::optional<SmallVector<int64_t>> ofLoops =
        partsOfLoops(group, steps, isOnTiles);
    if (!ofLoops)
      return std::nullopt;
    parts = std::move(*ofLoops);
    isPutBeside = isOnTiles(output) && !group.isWhole(steps, output) &&
                  !isMadeInPlace(group, steps, parts);
    std::vector<Needs> needs = visit(0, Count{1}, /*isInLoop=*/false);
    if (isRefused)
      return std::nullopt;
    for (const Needs &each : needs) {
      found.held.emplace_back(each.always.begin(), each.always.end());
      for (const Types &time : each.times)
        if (!time.empty()) {
          found.held.emplace_back(each.always.begin(), each.always.end());
          found.held.back().insert(found.held.back().end(), time.begin(),
                                   time.end());
        }
    }
    found.cost.cycles = clock.total();
    found.cost.bytes = bytes.value;
    found.cost.ddrBytes = ddrBytes.value;
    return std::move(found);
  }

private:
  using Types = SmallVector<RankedTensorType>;

  /// What tiles hold in loops that lie in each other: buffers that are loaded
  /// or stored are there in all rounds, and others one after the other.
  struct Needs {
    Types always;
    std::vector<Types> times;
  };

  RankedTensorType sliceOf(StepUse use, LayoutAttr layout) {
    return RankedTensorType::get(
        sliceShape(group.mapOf(use),
                   group.members()[use.member].iterations(place.counts)),
        getElementTypeOrSelf(group.operandOf(use).get().getType()), layout);
  }

  RankedTensorType sliceOf(StepUse use) {
    return sliceOf(use, StepGroup::layoutOf(steps, use));
  }

  /// What tiles hold of a slice of which only the shape is read.
  RankedTensorType shapeOnTiles(StepUse use) {
    LayoutAttr result = group.layoutMade(steps, use.member);
    Distribution everywhere;
    everywhere.mode = Mode::Duplicated;
    everywhere.tileCount = tileCount(result.getDistribution());
    return sliceOf(use, makeLayout(op.getContext(), {everywhere, {}}));
  }

  void move(RankedTensorType type, Count times, bool isLoad) {
    if (!getPlacement(type)) {
      isRefused = true;
      return;
    }
    RankedTensorType plain = withLayout(type, {});
    ModelledCost cost = isLoad ? movementCost(plain, type, {}, target)
                               : movementCost(type, plain, {}, target);
    int64_t moving = cost.cycles - cost.relaying;
    if (isLoad)
      clock.load(moving, cost.relaying);
    else
      clock.store(moving, cost.relaying);
    bytes += Count{cost.bytes} * times;
    ddrBytes += Count{cost.ddrBytes} * times;
  }

  /// The inputs that no loop from `level` on changes.
  void load(size_t level, Count times, Types &held) {
    for (ArrayRef<StepUse> uses : slices) {
      StepUse use = uses.front();
      if (group.levelOf(steps, use) != level)
        continue;
      Value operand = group.operandOf(use).get();
      if (!StepGroup::layoutOf(steps, use)) {
        held.push_back(shapeOnTiles(use));
        continue;
      }
      if (isOnTiles(use))
        continue;
      AddedEntries added = addedAt(group, use, place);
      RankedTensorType slice = sliceOf(use);
      held.push_back(added.any() ? typeBeforePad(slice, added) : slice);
      if (!held.back()) {
        isRefused = true;
        return;
      }
      if (!isMadeAnywhere(operand))
        move(held.back(), times, /*isLoad=*/true);
    }
  }

  std::vector<Needs> visit(size_t level, Count times, bool isInLoop) {
    Types here;
    load(level, times, here);
    bool isStored = level == firstReduction && !isOnTiles(output);
    if (isStored) {
      here.push_back(sliceOf(output));
      if (loadsOutput(op))
        move(here.back(), times, /*isLoad=*/true);
    }
    // What is loaded and stored in a round has as many slots as its loop says.
    Types once(here);
    for (int64_t slot = 1; slot < slots; ++slot)
      here.append(once);
    bool isPut = level == firstReduction && isPutBeside;
    if (isPut)
      here.push_back(sliceOf(output));
    if (!isRefused)
      work(level, times);
    Needs own;
    Types across = holdWork(level, own.times);
    std::vector<Needs> needs;
    if (level < steps.loops.size() && !isRefused) {
      int64_t loop = steps.loops[level];
      StepPlace around = place;
      for (const StepRounds &each : roundsAt(group, steps, level, around)) {
        place.begins[loop] = each.begin;
        place.counts[loop] = each.size;
        if (each.rounds == 1) {
          llvm::append_range(needs, visit(level + 1, times, isInLoop));
          continue;
        }
        place.begins[loop].reset();
        int64_t slotsAround = slots;
        slots = steps.slots[level];
        clock.enterLoop(each.rounds, slots);
        llvm::append_range(needs, visit(level + 1, times * Count{each.rounds},
                                        /*isInLoop=*/true));
        clock.leaveLoop();
        slots = slotsAround;
      }
      place = std::move(around);
      for (Needs &each : needs)
        for (Types &time : each.times)
          time.append(across);
    }
    needs.push_back(std::move(own));
    // A buffer in a loop keeps its place in all rounds.
    if (isInLoop)
      needs = {together(needs)};
    for (Needs &each : needs)
      each.always.append(here);
    if (isStored && !isRefused)
      move(sliceOf(output), times, /*isLoad=*/false);
    if (isPut && !isRefused)
      clock.work(cyclesOfPut());
    return needs;
  }

  /// The cycles in which tiles copy a slice of the result into the whole.
  int64_t cyclesOfPut() {
    auto whole =
        cast<RankedTensorType>(group.operandOf(output).get().getType());
    RankedTensorType type = sliceOf(output);
    if (type.getShape() == whole.getShape())
      return 0;
    SmallVector<int64_t> dims = partsOfDims(group, steps, parts, output);
    Block block;
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&block);
    auto parted = [&](RankedTensorType type) -> Value {
      return block.addArgument(
          RankedTensorType::get(
              PartedShape(type.getShape(), dims).shape, type.getElementType(),
              partedLayout(StepGroup::layoutOf(steps, output), dims)),
          op.getLoc());
    };
    Value slice = parted(type), into = parted(whole);
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(
        op.getContext(), cast<RankedTensorType>(slice.getType()).getShape());
    SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0)),
        ones(sizes.size(), builder.getIndexAttr(1));
    auto put = tensor::InsertSliceOp::create(builder, op.getLoc(), slice, into,
                                             zeros, sizes, ones);
    std::optional<OpAccess> access = OpAccess::get(put);
    return operationCost(put, access ? &*access : nullptr,
                         put->getResultTypes(), target)
        .cycles;
  }

  static Needs together(ArrayRef<Needs> several) {
    Needs all;
    for (const Needs &each : several) {
      all.always.append(each.always);
      llvm::append_range(all.times, each.times);
    }
    return all;
  }

  /// Appends what tiles hold of what the operations of `level` make, while each
  /// of them runs. Returns what is read further inside.
  Types holdWork(size_t level, std::vector<Types> &times) {
    SmallVector<std::pair<RankedTensorType, size_t>> live;
    holdPadded(level, live, times);
    for (size_t number = 0; number < group.size(); ++number) {
      if (group.levelOf(steps, number) != level)
        continue;
      Types &now = times.emplace_back();
      size_t lastReader = number;
      for (StepUse use : group.inputs()) {
        std::optional<size_t> maker = group.makerOf(use);
        if (maker == number)
          lastReader = std::max(lastReader, use.member);
        if (maker && use.member == number &&
            group.layoutMade(steps, *maker) != StepGroup::layoutOf(steps, use))
          now.push_back(sliceOf(use));
      }
      if (number + 1 < group.size())
        live.emplace_back(madeBy(number), lastReader);
      for (auto [type, reader] : live)
        now.push_back(type);
      llvm::erase_if(live,
                     [&](const auto &each) { return each.second <= number; });
    }
    Types across;
    for (auto [type, reader] : live)
      across.push_back(type);
    return across;
  }

  /// The same of slices that tiles add to: each with the last operation of the
  /// level that reads it, or none of them where others read it further inside.
  void holdPadded(size_t level,
                  SmallVectorImpl<std::pair<RankedTensorType, size_t>> &live,
                  std::vector<Types> &times) {
    for (ArrayRef<StepUse> uses : slices) {
      StepUse use = uses.front();
      if (group.levelOf(steps, use) != level ||
          !StepGroup::layoutOf(steps, use) || !addedAt(group, use, place).any())
        continue;
      size_t lastReader = 0;
      for (StepUse each : uses)
        lastReader =
            std::max(lastReader, group.levelOf(steps, each.member) == level
                                     ? each.member
                                     : group.size());
      live.emplace_back(sliceOf(use), lastReader);
      Types &now = times.emplace_back();
      for (auto [type, reader] : live)
        now.push_back(type);
    }
  }

  RankedTensorType madeBy(size_t member) {
    return sliceOf(group.outputOf(member));
  }

  /// The work of a level in the order of the operations, and what is moved
  /// between tiles for it.
  struct Work {
    std::vector<int64_t> cycles;
    Count bytes, ddrBytes;

    void add(const ModelledCost &cost) {
      cycles.push_back(cost.cycles);
      bytes += Count{cost.bytes};
      ddrBytes += Count{cost.ddrBytes};
    }
  };

  void work(size_t level, Count times) {
    std::vector<int64_t> key(place.counts.begin(), place.counts.end());
    key.push_back(static_cast<int64_t>(level));
    if (!group.pads().empty())
      for (ArrayRef<StepUse> uses : slices) {
        AddedEntries added = addedAt(group, uses.front(), place);
        llvm::append_range(key, added.low);
        llvm::append_range(key, added.high);
      }
    auto [it, isNew] = costs.try_emplace(key);
    if (isNew)
      it->second = workOf(level);
    for (int64_t cycles : it->second.cycles)
      clock.work(cycles);
    bytes += it->second.bytes * times;
    ddrBytes += it->second.ddrBytes * times;
  }

  Work workOf(size_t level) {
    Work work;
    GroupProbe probe(group, steps, level, place);
    isRefused |= !probe.isValid();
    if (isRefused)
      return work;
    EmptyOrigins origins;
    HostFallbackQuery question(origins);
    for (Operation &step : probe.operations()) {
      if (auto change = dyn_cast<LayoutChangeOpInterface>(&step)) {
        if (!change.movesData())
          continue;
        auto from = cast<RankedTensorType>(step.getOperand(0).getType()),
             to = cast<RankedTensorType>(step.getResult(0).getType());
        work.add(movementCost(from, to, {}, target));
        continue;
      }
      if (!isa<RankedTensorType>(step.getResult(0).getType()) ||
          isMadeAnywhere(step.getResult(0)))
        continue;
      std::optional<OpAccess> access = OpAccess::get(&step);
      isRefused |=
          !access || hostFallbackOf(&step) ||
          findShortage(*access, &step, iterationsForMemory(*access, &step));
      if (isRefused)
        return work;
      ModelledCost cost =
          operationCost(&step, &*access, step.getResultTypes(), target,
                        doneWhereItStands(&step, target, question));
      if (cost.cycles > 0)
        found.cost.tile = cost.tile;
      work.add(cost);
    }
    return work;
  }

  const StepGroup &group;
  const OperationSteps &steps;
  llvm::function_ref<bool(StepUse)> isOnTiles;
  const Target &target;
  linalg::LinalgOp op;
  StepPlace place;
  std::vector<SmallVector<StepUse, 1>> slices;
  size_t firstReduction;
  StepUse output;
  SmallVector<int64_t> parts;
  /// Whether tiles copy each slice of the result into the whole that they hold.
  bool isPutBeside = false;
  /// The work of a level, by the iterations of the last operation and by what
  /// tiles add.
  std::map<std::vector<int64_t>, Work> costs;
  StreamClock clock;
  Count bytes, ddrBytes;
  /// The slots of the buffers that are filled where the walk is.
  int64_t slots = 1;
  bool isRefused = false;
  StepsCost found;
};

} // namespace

std::optional<StepsCost>
costInSteps(const StepGroup &group, const OperationSteps &steps,
            llvm::function_ref<bool(StepUse)> isOnTiles, const Target &target) {
  return Walk(group, steps, isOnTiles, target).run();
}

std::optional<StepsCost> costInSteps(const StepGroup &group,
                                     const OperationSteps &steps,
                                     const Target &target) {
  auto hasLayoutAt = [&](StepUse use) {
    return hasLayout(group.operandOf(use).get().getType());
  };
  return costInSteps(group, steps, hasLayoutAt, target);
}

} // namespace npu
