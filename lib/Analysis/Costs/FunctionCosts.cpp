// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/FunctionCosts.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Analysis/Costs/StepCosts.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/Count.h"
#include "npu/Target/StreamCycles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

bool hasTensorResult(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Whether `op` is a part of an operation that does it for each entry, and not
/// one that control flow chooses or repeats.
bool isPartOfAnother(Operation *op) {
  for (Operation *around = op->getParentOp();
       around && !isa<FunctionOpInterface>(around);
       around = around->getParentOp())
    if (!isa<RegionBranchOpInterface, LoopLikeOpInterface>(around))
      return true;
  return false;
}

class Collector {
public:
  Collector(FunctionOpInterface function, const Target &target)
      : target(target) {
    costs.function = function;
  }

  FunctionCosts run() {
    FunctionOpInterface function = costs.function;
    addRegion(function.getFunctionBody(), {1});
    costs.total = (Count{costs.ofOperations} + Count{costs.ofMovements}).value;
    boundDdrBytes();
    return std::move(costs);
  }

private:
  /// Adds the rows of a region that runs so many times.
  void addRegion(Region &region, Count rounds) {
    if (!region.empty() && !region.hasOneBlock())
      findLoopOfBlocks(region);
    for (Operation &op : region.getOps()) {
      times = rounds;
      if (!clock && handsOnInPlace(&op)) {
        addStream(&op);
        continue;
      }
      add(&op);
      if (op.getNumRegions() == 0)
        continue;
      int64_t inner = roundsOf(&op);
      bool isInStream = clock && isa<LoopLikeOpInterface>(op);
      if (isInStream)
        clock->enterLoop(inner, slotsOf(&op));
      for (Region &each : op.getRegions())
        addRegion(each, rounds * Count{inner});
      if (isInStream)
        clock->leaveLoop();
    }
  }

  static int64_t bytesInDdr(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() && !isDistributed(type)
               ? bufferBytes(type.getElementType(), type.getShape()).value_or(0)
               : 0;
  }

  /// The bytes of entries of a tensor, one for each iteration, in all steps.
  static int64_t bytesOfEntries(linalg::LinalgOp op, Type tensor) {
    Count bits{elementBits(getElementTypeOrSelf(tensor)).value_or(0)};
    for (int64_t extent : op.getStaticLoopRanges())
      bits *= Count{std::max<int64_t>(extent, 0)};
    for (auto loop = op->getParentOfType<LoopLikeOpInterface>();
         loop && loop->hasAttr(stepsAttrName);
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      if (std::optional<APInt> rounds = loop.getStaticTripCount())
        bits *= Count{static_cast<int64_t>(rounds->getZExtValue())};
    return dividedUp(bits, 8).value;
  }

  /// Whether the use reads entries of a tensor where data say.
  static bool isNamedByData(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto gather = dyn_cast<GatherOp>(op))
      return use.get() == gather.getData();
    return isa<linalg::LinalgOp>(op->getParentOp()) && entryReadBy(op);
  }

  /// The bytes that such a use reads.
  static int64_t bytesNamed(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto gather = dyn_cast<GatherOp>(op))
      return bytesInDdr(gather.getResult());
    return bytesOfEntries(cast<linalg::LinalgOp>(op->getParentOp()),
                          use.get().getType());
  }

  /// The bytes of a tensor of so many bytes that the use reads for certain: all
  /// of them where it reads every entry or moves them to tiles, as the steps of
  /// a loop together do.
  static int64_t bytesRead(OpOperand &use, int64_t size) {
    Operation *op = use.getOwner();
    if (isa<RedistributeOp>(op) || (cutsOut(op) && op->hasAttr(stepsAttrName)))
      return size;
    std::optional<OpAccess> access = OpAccess::get(op);
    unsigned number = use.getOperandNumber();
    auto type = cast<RankedTensorType>(use.get().getType());
    bool readsAll = access &&
                    type.getRank() <= static_cast<int64_t>(kMaxRank) &&
                    access->reads(number) &&
                    access->read(number, access->domain())
                        .contains(Box::whole(toExtents(type.getShape())));
    return readsAll ? size : 0;
  }

  void boundDdrBytes() {
    Count bytes;
    auto addRead = [&](Value value) {
      int64_t size = bytesInDdr(value), read = 0;
      // What data name in steps of different sizes is named in all of them.
      Count named;
      if (size > 0)
        for (OpOperand &use : value.getUses())
          if (isNamedByData(use))
            named += Count{bytesNamed(use)};
          else
            read = std::max(read, bytesRead(use, size));
      bytes += Count{std::max(read, std::min(size, named.value))};
    };
    FunctionOpInterface function = costs.function;
    llvm::for_each(function.getArguments(), addRead);
    function->walk([&](Operation *op) {
      if (op->getNumResults() == 1 && op->hasTrait<OpTrait::ConstantLike>() &&
          dataNeedOf(op->getResult(0)) == DataNeed::Stored)
        addRead(op->getResult(0));
      if (op->hasTrait<OpTrait::ReturnLike>() && op->getParentOp() == function)
        for (Value value : op->getOperands())
          if (value.getDefiningOp() && !isMadeAnywhere(value))
            bytes += Count{bytesInDdr(value)};
    });
    costs.ddrBytesBound = bytes.value;
  }

  /// Blocks that branches lead back to are a loop as well.
  void findLoopOfBlocks(Region &region) {
    for (Block &block : region)
      if (LoopLikeOpInterface::blockIsInLoop(&block))
        return costs.unknownLoops.push_back(block.getTerminator());
  }

  /// The rounds of a loop; 1 for other operations.
  int64_t roundsOf(Operation *op) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop)
      return 1;
    std::optional<APInt> rounds = loop.getStaticTripCount();
    if (!rounds) {
      costs.unknownLoops.push_back(op);
      return 1;
    }
    return rounds->getActiveBits() < 64
               ? static_cast<int64_t>(rounds->getZExtValue())
               : Count::most;
  }

  void add(Operation *op) {
    if (std::optional<HostFallback> fallback = question.of(op))
      return addHostFallback(op);
    if (isPartOfAnother(op))
      return;
    auto change = dyn_cast<LayoutChangeOpInterface>(op);
    if (change && !change.movesData())
      addRow(op, /*isMovement=*/true, {});
    else if (change || isMovingCast(op))
      addMoved(op);
    else if (isLoadedConstant(op))
      addLoad(op->getResult(0));
    else
      addOperation(op);
  }

  void addOperation(Operation *op) {
    if (!hasTensorResult(op) || isa<RegionBranchOpInterface>(op) ||
        isa<LoopLikeOpInterface>(op))
      return;
    if (hasSteps(op))
      return addSteps(op);
    std::optional<OpAccess> access = OpAccess::get(op);
    ModelledCost cost =
        operationCost(op, access ? &*access : nullptr, op->getResultTypes(),
                      target, doneWhereItStands(op, target, question));
    addRow(op, /*isMovement=*/false, cost);
    if (llvm::any_of(op->getResultTypes(), isDynamic) && cost.cycles != 0)
      costs.ofDynamicShape.push_back(op);
  }

  /// One row for all loads, work and stores of an operation in steps.
  void addSteps(Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    // What is in the steps of its reader counts there.
    if (!structured || isInStepsOfReader(op))
      return;
    Result<OperationSteps> steps = readSteps(structured);
    if (!steps)
      return;
    if (std::optional<StepsCost> found =
            costInSteps(StepGroup::marked(structured), *steps, target))
      addRow(op, /*isMovement=*/false, found->cost);
  }

  /// One row for the loops of an operation in steps, as addSteps() has it.
  void addStream(Operation *loop) {
    StreamClock ofLoop;
    clock = &ofLoop;
    stream = {loop, /*isMovement=*/false, {}};
    Count rounds = times;
    int64_t each = roundsOf(loop);
    clock->enterLoop(each, slotsOf(loop));
    addRegion(loop->getRegion(0), {each});
    clock->leaveLoop();
    clock = nullptr;
    times = rounds;
    stream.cost.cycles = ofLoop.total();
    addRow(stream.op, stream.isMovement, stream.cost);
  }

  /// Adds a part of a stream, whose row comes when all of it is known.
  void addToStream(Operation *op, bool isMovement, const ModelledCost &cost) {
    auto moved = dyn_cast<RedistributeOp>(op);
    int64_t moving = cost.cycles - cost.relaying;
    if (moved && !isDistributed(moved.getInput().getType()))
      clock->load(moving, cost.relaying);
    else if (moved && !isDistributed(moved.getType()))
      clock->store(moving, cost.relaying);
    else
      clock->work(cost.cycles);
    auto add = [&](int64_t ModelledCost::*member) {
      stream.cost.*member =
          (Count{stream.cost.*member} + Count{cost.*member} * times).value;
    };
    add(&ModelledCost::bytes);
    add(&ModelledCost::ddrBytes);
    if (!isMovement && isa<linalg::LinalgOp>(op) && cost.cycles > 0) {
      stream.op = op;
      stream.cost.tile = cost.tile;
    }
  }

  void addMoved(Operation *op) {
    // A tensor that nobody has written is made where it goes.
    ModelledCost cost;
    if (!origins.isRematerializedAsEmpty(op))
      cost = movementCost(cast<RankedTensorType>(op->getOperand(0).getType()),
                          cast<RankedTensorType>(op->getResult(0).getType()),
                          paddingOf(op->getResult(0)), target);
    addRow(op, /*isMovement=*/true, cost);
  }

  /// Operands are stored before, each once, and results loaded after.
  void addHostFallback(Operation *op) {
    HostFallbackValues values = hostFallbackValues(op, origins);
    for (Value value : values.stored) {
      auto type = cast<RankedTensorType>(value.getType());
      addRow(
          op, /*isMovement=*/true,
          movementCost(type, withLayout(type, {}), paddingOf(value), target));
    }
    addOperation(op);
    llvm::for_each(values.loaded, [&](Value value) { addLoad(value); });
  }

  /// A row of its operation: the value is brought from DDR to its layout.
  void addLoad(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    addRow(value.getDefiningOp(), /*isMovement=*/true,
           movementCost(withLayout(type, {}), type, paddingOf(value), target));
  }

  void addRow(Operation *op, bool isMovement, ModelledCost cost) {
    if (clock)
      return addToStream(op, isMovement, cost);
    cost.cycles = (Count{cost.cycles} * times).value;
    cost.bytes = (Count{cost.bytes} * times).value;
    cost.ddrBytes = (Count{cost.ddrBytes} * times).value;
    costs.ddrBytes = (Count{costs.ddrBytes} + Count{cost.ddrBytes}).value;
    costs.rows.push_back({op, isMovement, cost});
    int64_t &sum = isMovement ? costs.ofMovements : costs.ofOperations;
    sum = (Count{sum} + Count{cost.cycles}).value;
  }

  const Target &target;
  Count times{1};
  /// The clock and the row of the stream that is added up; null outside.
  StreamClock *clock = nullptr;
  CostRow stream = {};
  EmptyOrigins origins;
  HostFallbackQuery question{origins};
  FunctionCosts costs;
};

} // namespace

DoneByEngine doneWhereItStands(Operation *op, const Target &target,
                               HostFallbackQuery &question) {
  DoneByEngine done = doneByEngine(op, target.costs);
  // What falls back to the host reads a tensor after a store.
  if (done.byReader &&
      llvm::any_of(findPaddingReaders(op, target.costs),
                   [&](Operation *reader) { return question.of(reader); }))
    done.byReader = false;
  return done;
}

FunctionCosts costsOf(FunctionOpInterface function, const Target &target) {
  return Collector(function, target).run();
}

} // namespace npu
