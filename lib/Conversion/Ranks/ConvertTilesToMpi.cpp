// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-convert-tiles-to-mpi: keeps what one rank does of a tile program.

#include "../Buffers/TransferParts.h"
#include "BufferHomes.h"
#include "Exchange.h"
#include "ExchangeSchedule.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Ranks/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Mpi/Mpi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_CONVERTTILESTOMPI
#include "npu/Conversion/Ranks/Passes.h.inc"

namespace {

/// Whether an operation is made on every rank: views, constants, allocations
/// and computations of scalars.
bool isOnEveryRank(Operation *op) {
  return isa<memref::AllocOp, memref::AllocaOp>(op) || touchesNoBuffer(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

/// Whether the operation is control flow that every rank goes through.
bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp>(op);
}

bool givesBuffers(Operation *op) {
  return llvm::any_of(op->getResultTypes(),
                      [](Type type) { return isa<BaseMemRefType>(type); });
}

/// Whether all ranks know how many bytes a value or a buffer of the type has.
bool isSent(Type type) {
  if (auto buffer = dyn_cast<MemRefType>(type))
    return buffer.hasStaticShape() &&
           bufferBytes(buffer.getElementType(), buffer.getShape());
  return type.isIntOrIndexOrFloat() && bufferBytes(type);
}

/// An error at the operation, for a type that is not sent.
LogicalResult refuseToSend(Operation *op, Type type) {
  return op->emitError() << "expected numbers, or a buffer of them of static "
                            "shape, from rank to rank, got "
                         << type;
}

/// Refuses a function that is not on buffers.
LogicalResult verifyOnBuffers(func::FuncOp function) {
  auto verify = [](Location loc, TypeRange types) -> LogicalResult {
    for (Type type : types)
      if (isa<TensorType>(type))
        return mlir::emitError(loc)
               << "expected a program on buffers, which npu-to-buffers makes, "
                  "got "
               << type;
    return success();
  };
  if (failed(verify(function.getLoc(), function.getArgumentTypes())))
    return failure();
  return failure(function
                     .walk([&](Operation *op) -> WalkResult {
                       return verify(op->getLoc(), op->getResultTypes());
                     })
                     .wasInterrupted());
}

/// Tiles that are divided among ranks although a program has fewer: those of
/// several machines, so that ranks are those of one machine each.
FailureOr<int64_t> tilesOfMachines(ModuleOp module) {
  FailureOr<Machines> machines = machinesOf(module);
  if (failed(machines))
    return failure();
  if (!machines->areSeveral())
    return 1;
  return (*describedTarget(module))->maxTiles;
}

class RankWriter {
public:
  RankWriter(func::FuncOp function, int64_t ranks, int64_t rank,
             int64_t leastTiles)
      : function(function), homes(function, ranks, leastTiles), ranks(ranks) {
    context.rank = static_cast<int>(rank);
  }

  LogicalResult write() {
    for (Block &block : function.getBody())
      if (failed(write(block)))
        return failure();
    dropUnused();
    return success();
  }

private:
  LogicalResult write(Block &block) {
    for (auto transfer : llvm::to_vector(block.getOps<TransferOp>()))
      splitByHome(transfer);
    std::vector<ExchangePhase> phases =
        orderByExchanges(block, [&](Operation *op) { return isMessage(op); });
    if (block.isEntryBlock() && block.getParentOp() == function) {
      // Not before, because an order drops what nothing uses yet.
      OpBuilder builder = OpBuilder::atBlockBegin(&block);
      context.comm =
          mpi::CommWorldOp::create(builder, function.getLoc(),
                                   mpi::CommType::get(function.getContext()));
    }
    for (const ExchangePhase &phase : phases) {
      if (failed(writeExchange(phase.before)))
        return failure();
      for (Operation *op : phase.beside)
        if (failed(write(op)))
          return failure();
    }
    OpBuilder builder(block.getTerminator());
    finishAll(builder);
    return success();
  }

  LogicalResult write(Operation *op) {
    if (isOnEveryRank(op))
      return success();
    std::optional<BufferAccesses> accesses = accessesOf(op);
    OpBuilder builder(op);
    if (isControlFlow(op)) {
      if (accesses && !givesBuffers(op))
        if (std::optional<int64_t> only = onlyHome(*accesses)) {
          finishConflicting(builder, *accesses);
          return keepOn(op, *only);
        }
      finishAll(builder);
      // What is in an exchange around the operation is in none inside of it.
      std::vector<ExchangedPart> around = std::exchange(exchanged, {});
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (failed(write(block)))
            return failure();
      exchanged = std::move(around);
      return success();
    }
    if (!accesses)
      return op->emitError() << "expected operations that say which memory "
                                "they read and write, "
                                "so that one rank can run them, got '"
                             << op->getName() << "'";
    if (auto transfer = dyn_cast<TransferOp>(op))
      return writeTransfer(transfer);
    if (isa<memref::DeallocOp>(op)) {
      finishConflicting(builder, *accesses);
      return success();
    }
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      if (!onlyHome(*accesses))
        return writeCopy(copy);
    if (std::optional<int64_t> only = onlyHome(*accesses)) {
      finishConflicting(builder, *accesses);
      return keepOn(op, *only);
    }
    return bringTogether(op, *accesses);
  }

  /// Whether data has to go from a rank that has it to one that has not.
  bool isSentTo(Value dest, Value source) const {
    int64_t from = homes.homeOf(accessOf(source, /*writes=*/false));
    return from != everyRank &&
           from != homes.homeOf(accessOf(dest, /*writes=*/true));
  }

  bool isMessage(Operation *op) const {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return isSentTo(copy.getTarget(), copy.getSource());
    auto transfer = dyn_cast<TransferOp>(op);
    return transfer && !transfer.getBox().isEmpty() &&
           llvm::any_of(transfer.getDests(), [&](Value dest) {
             return isSentTo(dest, transfer.getSource());
           });
  }

  /// Splits a transfer to this rank's tiles and to others, so that those do not
  /// wait for its messages.
  void splitByHome(TransferOp transfer) {
    SmallVector<unsigned> near, far;
    for (auto [i, dest] : llvm::enumerate(transfer.getDests()))
      (isSentTo(dest, transfer.getSource()) ? far : near)
          .push_back(static_cast<unsigned>(i));
    if (near.empty() || far.empty())
      return;
    createOnlyTo(transfer, near);
    createOnlyTo(transfer, far);
    transfer.erase();
  }

  /// Lets the rank whose memory an operation writes copy what it reads of other
  /// ranks, as a lookup by computed indices in a tensor in DDR: all of it,
  /// because nobody knows before which part is read.
  LogicalResult bringTogether(Operation *op, ArrayRef<BufferAccess> accesses) {
    BufferAccesses written;
    llvm::copy_if(accesses, std::back_inserter(written),
                  [](const BufferAccess &access) { return access.writes; });
    std::optional<int64_t> home = onlyHome(written);
    if (!home || written.empty())
      return op->emitError() << "expected an operation that writes memory of "
                                "one rank, or a transfer, got '"
                             << op->getName() << "' between ranks";
    OpBuilder builder(op);
    std::vector<ExchangedPart> parts;
    SmallVector<Value> copies;
    int64_t bytes = 0;
    for (Value buffer : buffersFromOutside(op)) {
      int64_t from = homes.homeOf(accessOf(buffer, /*writes=*/false));
      if (from == everyRank || from == *home)
        continue;
      if (!isSent(buffer.getType()))
        return refuseToSend(op, buffer.getType());
      // A copy has another layout than a view.
      for (Operation *user : buffer.getUsers())
        if (op->isProperAncestor(user) && !isa<memref::LoadOp>(user))
          return user->emitError()
                 << "expected a memref.load of what another rank has, got '"
                 << user->getName() << "'";
      auto type = cast<MemRefType>(buffer.getType());
      Value copy = memref::AllocOp::create(
          builder, op->getLoc(),
          MemRefType::get(type.getShape(), type.getElementType(),
                          MemRefLayoutAttrInterface(), type.getMemorySpace()));
      parts.push_back({op->getLoc(),
                       static_cast<int>(from),
                       buffer,
                       {{static_cast<int>(*home), copy}},
                       std::nullopt,
                       nullptr});
      op->walk(
          [&](Operation *inside) { inside->replaceUsesOfWith(buffer, copy); });
      copies.push_back(copy);
      bytes += bufferBytes(type.getElementType(), type.getShape()).value_or(0);
    }
    if (context.rank == 0)
      op->emitRemark() << "reads memory of other ranks, so that " << bytes
                       << " bytes go to rank " << *home
                       << " each time that it runs";
    finishConflicting(builder, accessesOf(parts, context.rank));
    finishOld(builder, static_cast<int64_t>(parts.size()));
    begin(builder, parts);
    finishConflicting(builder, *accessesOf(op));
    builder.setInsertionPointAfter(op);
    for (Value copy : copies)
      memref::DeallocOp::create(builder, op->getLoc(), copy);
    return keepOn(op, *home);
  }

  /// The buffers that an operation, or one inside of it, uses, each once.
  static llvm::SetVector<Value> buffersFromOutside(Operation *root) {
    llvm::SetVector<Value> buffers;
    root->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<BaseMemRefType>(operand.getType()) &&
            !root->isProperAncestor(operand.getParentBlock()->getParentOp()) &&
            operand.getParentBlock()->getParentOp() != root)
          buffers.insert(operand);
    });
    return buffers;
  }

  /// The rank that has all memory of the accesses that not every rank has;
  /// everyRank where there is none; nothing where several ranks have it.
  std::optional<int64_t> onlyHome(ArrayRef<BufferAccess> accesses) const {
    int64_t only = everyRank;
    for (const BufferAccess &access : accesses) {
      int64_t home = homes.homeOf(access);
      if (home == everyRank)
        continue;
      if (only != everyRank && only != home)
        return std::nullopt;
      only = home;
    }
    return only;
  }

  /// Keeps an operation on one rank, which sends its scalars to the others.
  LogicalResult keepOn(Operation *op, int64_t home) {
    if (home == everyRank)
      return success();
    if (givesBuffers(op))
      return op->emitError() << "expected no buffers as results, so that they "
                                "are known on every rank, got '"
                             << op->getName() << "'";
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      if (!isSent(result.getType()))
        return refuseToSend(op, result.getType());
      sendScalar(builder, result, static_cast<int>(home));
    }
    if (home != context.rank)
      op->erase();
    return success();
  }

  void sendScalar(OpBuilder &builder, Value scalar, int home) {
    Location loc = scalar.getLoc();
    Value buffer = memref::AllocOp::create(
        builder, loc, MemRefType::get({1}, scalar.getType()));
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    if (home == context.rank)
      memref::StoreOp::create(builder, loc, scalar, buffer, zero);
    ExchangedPart part{loc, home, buffer, {}, std::nullopt, nullptr};
    for (int rank = 0; rank < ranks; ++rank)
      if (rank != home)
        part.dests.push_back({rank, buffer});
    if (!part.dests.empty()) {
      finishOld(builder, ranks);
      for (const BegunMessages &each : beginExchange(builder, context, part))
        finishMessages(builder, each);
    }
    if (home != context.rank) {
      Value received = memref::LoadOp::create(builder, loc, buffer, zero);
      scalar.replaceAllUsesWith(received);
    }
    memref::DeallocOp::create(builder, loc, buffer);
  }

  LogicalResult writeTransfer(TransferOp transfer) {
    if (!transfer.getBox().isEmpty()) {
      OpBuilder builder(transfer);
      Location loc = transfer.getLoc();
      Value source =
          partOf(builder, loc, transfer.getSource(), transfer.getSourcePart());
      SmallVector<Value> dests;
      for (auto [i, dest] : llvm::enumerate(transfer.getDests()))
        dests.push_back(partOf(builder, loc, dest, transfer.getDestPart(i)));
      move(builder, transfer,
           {loc, 0, source, {}, transpositionOf(transfer), nullptr}, dests);
    } else {
      transfer.erase();
    }
    return success();
  }

  LogicalResult writeCopy(memref::CopyOp copy) {
    for (Value side : {copy.getSource(), copy.getTarget()})
      if (!isSent(side.getType()))
        return refuseToSend(copy, side.getType());
    OpBuilder builder(copy);
    move(builder, copy,
         {copy.getLoc(), 0, copy.getSource(), {}, std::nullopt, nullptr},
         copy.getTarget());
    return success();
  }

  /// Copies on ranks that have both sides, and leaves to the exchange what goes
  /// to those that have the destination only, with the operation as its place.
  void move(OpBuilder &builder, Operation *op, ExchangedPart part,
            ValueRange dests) {
    int64_t from = homes.homeOf(accessOf(part.source, /*writes=*/false));
    part.from = static_cast<int>(from);
    for (Value dest : dests) {
      BufferAccess written = accessOf(dest, /*writes=*/true);
      int64_t home = homes.homeOf(written);
      if (isSentTo(dest, part.source)) {
        part.dests.push_back({static_cast<int>(home), dest});
      } else if (home == context.rank) {
        finishConflicting(builder,
                          {accessOf(part.source, /*writes=*/false), written});
        copyPart(builder, part.loc, part.source, dest, part.permutation);
      }
    }
    if (part.dests.empty()) {
      op->erase();
      return;
    }
    finishConflicting(builder, accessesOf(part, context.rank));
    part.place = op;
    exchanged.push_back(std::move(part));
  }

  /// Writes operations that an exchange needs, and begins its messages, each of
  /// which is where it can begin.
  LogicalResult writeExchange(ArrayRef<Operation *> ops) {
    int64_t most = 0;
    for (Operation *op : ops)
      if (isMessage(op))
        most += isa<TransferOp>(op) ? op->getNumOperands() - 1 : 1;
    if (most == 0)
      return success();
    OpBuilder builder(ops.front());
    finishOld(builder, most);
    for (Operation *op : ops) {
      int64_t exchanges = context.exchangeCount;
      builder.setInsertionPoint(op->getNextNode());
      if (failed(write(op)))
        return failure();
      if (exchanges == context.exchangeCount)
        continue;
      // The operation had exchanges of its own, one after the other with this
      // one.
      for (ExchangedPart &part : exchanged)
        part.place->moveBefore(&*builder.getInsertionPoint());
      finishOld(builder, most);
    }
    std::vector<ExchangedPart> parts = std::exchange(exchanged, {});
    begin(builder, parts);
    for (const ExchangedPart &part : parts)
      part.place->erase();
    return success();
  }

  /// Begins an exchange, before which what may not be under way beside it has
  /// been ended.
  void begin(OpBuilder &builder, ArrayRef<ExchangedPart> parts) {
    std::vector<BegunMessages> begun = beginExchange(builder, context, parts);
    // Who sends is one exchange ahead at most: what is packed takes memory.
    finishIf(builder,
             [](const BegunMessages &each) { return !each.isReceived; });
    llvm::move(begun, std::back_inserter(underWay));
  }

  /// Ends messages that are so old that one of the next `most` ones would have
  /// the tag of one of them.
  void finishOld(OpBuilder &builder, int64_t most) {
    finishIf(builder, [&](const BegunMessages &each) {
      return context.messageCount + most - each.firstMessage > NPU_MPI_WHOLE;
    });
  }

  /// Ends messages under way for which the condition holds.
  template <typename Condition>
  void finishIf(OpBuilder &builder, Condition condition) {
    llvm::erase_if(underWay, [&](const BegunMessages &each) {
      if (!condition(each))
        return false;
      finishMessages(builder, each);
      return true;
    });
  }

  void finishAll(OpBuilder &builder) {
    finishIf(builder, [](const BegunMessages &) { return true; });
  }

  /// Ends messages under way that touch memory which the accesses touch.
  void finishConflicting(OpBuilder &builder, ArrayRef<BufferAccess> accesses) {
    finishIf(builder, [&](const BegunMessages &each) {
      return llvm::any_of(each.accesses, [&](const BufferAccess &mine) {
        return llvm::any_of(accesses, [&](const BufferAccess &other) {
          return conflictWithinViews(mine, other);
        });
      });
    });
  }

  /// Drops views and buffers that nothing on this rank uses.
  void dropUnused() {
    auto isDropped = [](Operation *op) {
      if (isa<memref::AllocOp, memref::AllocaOp>(op))
        return llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<memref::DeallocOp>(user);
        });
      return isOpTriviallyDead(op);
    };
    function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (!isDropped(op))
        return;
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        user->erase();
      op->erase();
    });
  }

  func::FuncOp function;
  BufferHomes homes;
  int64_t ranks;
  ExchangeContext context;
  /// What is in the next exchange.
  std::vector<ExchangedPart> exchanged;
  /// The messages of this rank that have begun and have not been waited for, by
  /// exchanges.
  std::vector<BegunMessages> underWay;
};

struct ConvertTilesToMpiPass
    : impl::ConvertTilesToMpiBase<ConvertTilesToMpiPass> {
  using ConvertTilesToMpiBase::ConvertTilesToMpiBase;

  void runOnOperation() override {
    constexpr int64_t mostRanks = 1 << 20;
    if (ranks < 1 || ranks > mostRanks || rank < 0 || rank >= ranks) {
      emitError(getOperation().getLoc())
          << "npu-convert-tiles-to-mpi: expected 1 to " << mostRanks
          << " ranks and a rank among them, got ranks=" << ranks.getValue()
          << " rank=" << rank.getValue();
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && !isa<func::FuncOp>(function)) {
        function.emitOpError("expected a program on buffers, whose functions "
                             "are func.func (npu-to-buffers)");
        return signalPassFailure();
      }
    OpPassManager inliner(ModuleOp::getOperationName());
    inliner.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(inliner, getOperation())))
      return signalPassFailure();
    FailureOr<int64_t> leastTiles = tilesOfMachines(getOperation());
    if (failed(leastTiles))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          (failed(verifyOnBuffers(function)) ||
           failed(RankWriter(function, ranks, rank, *leastTiles).write())))
        return signalPassFailure();
  }
};

} // namespace
} // namespace npu
