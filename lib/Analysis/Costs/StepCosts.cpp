// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/StepCosts.h"

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Choices/TileIterations.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/StreamCycles.h"

using namespace mlir;

namespace npu {
namespace {

/// Goes through the loops as npu-run-in-steps builds them.
class Walk {
public:
  Walk(linalg::LinalgOp op, const OperationSteps &steps, const Target &target)
      : op(op), steps(steps), target(target),
        iterations(op.getStaticLoopRanges()),
        loaded(op->getNumOperands(), false),
        firstReduction(steps.firstReduction(op)) {}

  std::optional<StepsCost> run() {
    found.held = visit(0, Count{1}, /*isInLoop=*/false);
    if (isRefused)
      return std::nullopt;
    found.cost.cycles = clock.total();
    found.cost.bytes = bytes.value;
    found.cost.ddrBytes = ddrBytes.value;
    return std::move(found);
  }

private:
  using Held = std::vector<std::vector<RankedTensorType>>;

  OpOperand &init() { return *op.getDpsInitOperand(0); }

  RankedTensorType sliceOf(OpOperand &operand) {
    return RankedTensorType::get(
        sliceShape(op.getMatchingIndexingMap(&operand), iterations),
        getElementTypeOrSelf(operand.get().getType()),
        steps.layouts[operand.getOperandNumber()]);
  }

  /// What tiles hold of a slice of which only the shape is read.
  RankedTensorType shapeOnTiles(OpOperand &operand) {
    LayoutAttr result = steps.layouts[init().getOperandNumber()];
    Distribution everywhere;
    everywhere.mode = Mode::Duplicated;
    everywhere.tileCount = tileCount(result.getDistribution());
    return withLayout(sliceOf(operand),
                      makeLayout(op.getContext(), {everywhere, {}}));
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
  void load(size_t level, Count times,
            SmallVectorImpl<RankedTensorType> &held) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      unsigned number = operand->getOperandNumber();
      if (loaded[number] || steps.cutFrom(level, map))
        continue;
      loaded[number] = true;
      if (isa<RankedTensorType>(operand->get().getType()) &&
          !steps.layouts[number])
        held.push_back(shapeOnTiles(*operand));
      if (!steps.layouts[number] || hasLayout(operand->get().getType()))
        continue;
      held.push_back(sliceOf(*operand));
      if (!isMadeAnywhere(operand->get()))
        move(held.back(), times, /*isLoad=*/true);
    }
  }

  Held visit(size_t level, Count times, bool isInLoop) {
    SmallVector<bool> outside(loaded);
    SmallVector<RankedTensorType> here;
    load(level, times, here);
    bool isStored =
        level == firstReduction && !hasLayout(init().get().getType());
    if (isStored) {
      here.push_back(sliceOf(init()));
      if (loadsOutput(op))
        move(here.back(), times, /*isLoad=*/true);
    }
    // The buffers of a round have as many slots as its loop says.
    SmallVector<RankedTensorType> once(here);
    for (int64_t slot = 1; slot < slots; ++slot)
      here.append(once);
    Held held(1);
    if (level == steps.loops.size()) {
      work();
    } else if (!isRefused) {
      int64_t &length = iterations[steps.loops[level]];
      int64_t extent = length, size = steps.sizes[level], full = extent / size;
      length = size;
      if (full == 1) {
        held = visit(level + 1, times, isInLoop);
      } else {
        int64_t around = slots;
        slots = steps.slots[level];
        clock.enterLoop(full, slots);
        held = visit(level + 1, times * Count{full}, /*isInLoop=*/true);
        clock.leaveLoop();
        slots = around;
      }
      length = extent % size;
      if (length > 0) {
        Held last = visit(level + 1, times, isInLoop);
        // A buffer in a loop keeps its place in all rounds.
        if (isInLoop)
          held[0].insert(held[0].end(), last[0].begin(), last[0].end());
        else
          held.insert(held.end(), last.begin(), last.end());
      }
      length = extent;
    }
    if (isStored && !isRefused)
      move(sliceOf(init()), times, /*isLoad=*/false);
    for (auto &each : held)
      each.insert(each.begin(), here.begin(), here.end());
    loaded = outside;
    return held;
  }

  void work() {
    std::vector<int64_t> key(iterations.begin(), iterations.end());
    auto [it, isNew] = costs.try_emplace(key);
    if (isNew)
      it->second = costOfStep();
    clock.work(it->second);
  }

  int64_t costOfStep() {
    StepProbe probe(op, iterations, steps.layouts);
    Operation *step = probe.operation();
    std::optional<OpAccess> access;
    if (step)
      access = OpAccess::get(step);
    isRefused |=
        !access || hostFallbackOf(step) ||
        findShortage(*access, step, iterationsForMemory(*access, step));
    if (isRefused)
      return 0;
    ModelledCost cost =
        operationCost(step, &*access, step->getResultTypes(), target);
    found.cost.tile = cost.tile;
    return cost.cycles;
  }

  linalg::LinalgOp op;
  const OperationSteps &steps;
  const Target &target;
  SmallVector<int64_t> iterations;
  SmallVector<bool> loaded;
  size_t firstReduction;
  /// The cycles of a step, by its iterations.
  std::map<std::vector<int64_t>, int64_t> costs;
  StreamClock clock;
  Count bytes, ddrBytes;
  /// The slots of the buffers that are filled where the walk is.
  int64_t slots = 1;
  bool isRefused = false;
  StepsCost found;
};

} // namespace

bool loadsOutput(linalg::LinalgOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  bool isOverwritten = !op.payloadUsesValueFromOperand(init) &&
                       op.getMatchingIndexingMap(init).isProjectedPermutation();
  return !isOverwritten && !isMadeAnywhere(init->get());
}

std::optional<StepsCost> costInSteps(linalg::LinalgOp op,
                                     const OperationSteps &steps,
                                     const Target &target) {
  return Walk(op, steps, target).run();
}

} // namespace npu
