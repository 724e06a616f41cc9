// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgramRows.h"

#include "BufferPositions.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include "../PlanScratchpad/ScratchpadBuffers.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace npu {
namespace {

/// More rows than this, or operations that make them, are no schedule that
/// anybody reads.
constexpr size_t kMostRows = 4'000'000, kMostVisits = 20'000'000;

/// What calls take: all that the called function does, one operation after the
/// other, as the host does it.
class CallCycles {
public:
  int64_t of(CallOpInterface call) {
    auto callee =
        dyn_cast_if_present<FunctionOpInterface>(call.resolveCallable());
    if (!callee)
      return 0;
    // A function that calls itself counts once.
    auto [known, isNew] = ofFunctions.try_emplace(callee, 0);
    if (!isNew)
      return known->second;
    Count all = in(callee);
    return ofFunctions[callee] = all.value;
  }

private:
  /// What stands in the regions of an operation. Loops whose rounds nobody
  /// knows have one.
  Count in(Operation *around) {
    Count all;
    for (Region &region : around->getRegions())
      for (Operation &op : region.getOps()) {
        if (std::optional<CycleMark> mark = readCycles(&op))
          all += Count{mark->cycles.front()};
        if (auto call = dyn_cast<CallOpInterface>(op))
          all += Count{of(call)};
        auto loop = dyn_cast<scf::ForOp>(op);
        std::optional<APInt> rounds =
            loop ? loop.getStaticTripCount() : std::nullopt;
        int64_t times =
            rounds ? static_cast<int64_t>(rounds->getLimitedValue(Count::most))
                   : 1;
        all += in(&op) * Count{times};
      }
    return all;
  }

  llvm::DenseMap<Operation *, int64_t> ofFunctions;
};

class Builder {
public:
  Builder(func::FuncOp function, const Target &target, bool keepsRanges)
      : function(function), target(target), keepsRanges(keepsRanges),
        places(function) {}

  FailureOr<ProgramRows> run() {
    auto includeTile = [&](int64_t tile) {
      schedule().tiles = std::max(schedule().tiles, tile + 1);
    };
    for (Type type : function.getArgumentTypes())
      if (std::optional<int64_t> tile = tileOf(type))
        includeTile(*tile);
    if (auto tiles = function->getAttrOfType<IntegerAttr>(tilesAttrName))
      includeTile(tiles.getInt() - 1);
    // A program without tiles has DDR's row of queues.
    includeTile(0);
    function->walk([&](Operation *op) {
      if (auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName))
        includeTile(tile.getInt());
      if (auto transfer = dyn_cast<TransferOp>(op)) {
        includeTile(transfer.getFrom());
        llvm::for_each(transfer.getTo(), includeTile);
      }
    });
    scratchpads.resize(schedule().tiles);
    if (failed(addRegion(function.getBody())))
      return failure();
    for (auto &[root, bytes] : once) {
      int64_t size = BufferPositions::bytesOfRoot(root);
      found.readOnce += std::min(bytes.first, size);
      found.writtenOnce += std::min(bytes.second, size);
    }
    boundByWhatMoves();
    return std::move(found);
  }

private:
  Schedule &schedule() { return found.schedule; }

  /// Copies between buffers in DDR take no cycles, and what they read and write
  /// once counts only as far as anything moves.
  void boundByWhatMoves() {
    Count in, out;
    for (const ScheduleRow &row : schedule().rows) {
      auto transfer = dyn_cast<TransferOp>(row.op);
      bool stores = row.engine == Engine::Store && transfer &&
                    transfer.getFrom() != TransferOp::ddr;
      // What is written from DDR to DDR is read there, in parts that vary.
      bool copies = row.engine == Engine::Store && !stores;
      if (!stores)
        in += Count{row.ddrBytes};
      if (stores || copies)
        out += Count{row.ddrBytes};
    }
    found.readOnce = std::min(found.readOnce, in.value);
    found.writtenOnce = std::min(found.writtenOnce, out.value);
  }

  LogicalResult addRegion(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        if (failed(add(&op)))
          return failure();
    return success();
  }

  /// Whether the regions have rows of their own: others are done as a whole.
  bool hasRows(Operation *op) {
    auto [known, isNew] = withRows.try_emplace(op, false);
    if (isNew)
      known->second =
          op->hasAttr(stepsAttrName) ||
          op->walk([](Operation *inner) {
              return isa<TransferOp, linalg::LinalgOp, memref::CopyOp>(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
    return known->second;
  }

  LogicalResult add(Operation *op) {
    if (schedule().rows.size() > kMostRows || ++visits > kMostVisits)
      return refuseRows(op);
    if (auto transfer = dyn_cast<TransferOp>(op))
      return addTransfer(transfer);
    if (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op) && hasRows(op))
      return addControlFlow(op);
    return addWork(op);
  }

  static LogicalResult refuseRows(Operation *op) {
    return op->emitError()
           << "expected at most " << kMostRows
           << " rows of a schedule, got more in the rounds of its loops";
  }

  LogicalResult addControlFlow(Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> rounds =
        loop ? loop.getStaticTripCount() : std::nullopt;
    if (rounds && rounds->ugt(kMostVisits))
      return refuseRows(op);
    if (!rounds) {
      if (isa<LoopLikeOpInterface>(op))
        found.unknownLoops.insert(op);
      for (Region &region : op->getRegions())
        if (failed(addRegion(region)))
          return failure();
      return success();
    }
    std::optional<int64_t> begin = places.valueOf(loop.getLowerBound()),
                           step = places.valueOf(loop.getStep());
    for (int64_t round = 0, count = rounds->getSExtValue(); round < count;
         ++round) {
      if (begin && step)
        places.setIndex(loop.getInductionVar(), *begin + round * *step);
      if (failed(addRegion(loop.getRegion())))
        return failure();
    }
    places.forgetIndex(loop.getInductionVar());
    return success();
  }

  /// Begins a row. What it touches is added until the next one begins.
  ScheduleRow &begin(Operation *op, Engine engine, int64_t tile,
                     int64_t cycles) {
    ScheduleRow row;
    row.op = op;
    row.engine = engine;
    row.tile = tile;
    row.cycles = cycles;
    row.waits = row.endOfWaits = schedule().waits.size();
    row.receivers = row.endOfReceivers = schedule().receivers.size();
    row.reads = row.endOfReads = schedule().reads.size();
    row.writes = row.endOfWrites = schedule().writes.size();
    schedule().rows.push_back(row);
    return schedule().rows.back();
  }

  RowId current() const { return found.schedule.rows.size() - 1; }

  /// Ends the row: what it waits for is known.
  void finish() {
    ScheduleRow &row = schedule().rows.back();
    llvm::sort(waits);
    for (auto [number, other] : llvm::enumerate(waits))
      if (other != current() && (number == 0 || waits[number - 1] != other))
        schedule().waits.push_back(other);
    waits.clear();
    row.endOfWaits = schedule().waits.size();
    row.endOfReceivers = schedule().receivers.size();
    row.endOfReads = schedule().reads.size();
    row.endOfWrites = schedule().writes.size();
  }

  /// The number of an engine whose rows end in their order; negative for ports.
  static int64_t queueOf(const ScheduleRow &row) {
    switch (row.engine) {
    case Engine::Matrix:
      return 2 * row.tile;
    case Engine::Vector:
      return 2 * row.tile + 1;
    default:
      return -1;
    }
  }

  void read(const BufferPosition &place) {
    if (place.part.isEmpty())
      return;
    if (!place.tile) {
      if (places.isShared(place.root))
        ddr[place.root].read(place.part, current(), waits);
      return;
    }
    place.part.forEachRun(place.base, [&](int64_t begin, int64_t end) {
      scratchpads[*place.tile].read(
          begin, end, current(), queueOf(schedule().rows.back()), waits,
          [&](const ByteRange &range) {
            if (keepsRanges)
              schedule().reads.push_back(
                  {*place.tile, range.begin, range.end, range.writer});
          });
    });
  }

  void write(const BufferPosition &place) {
    if (place.part.isEmpty())
      return;
    if (!place.tile) {
      if (places.isShared(place.root))
        ddr[place.root].write(place.part, current(), waits);
      return;
    }
    place.part.forEachRun(place.base, [&](int64_t begin, int64_t end) {
      scratchpads[*place.tile].write(begin, end, current(), waits);
      if (keepsRanges)
        schedule().writes.push_back({*place.tile, begin, end, kNoRow});
    });
  }

  /// The box of a buffer.
  static BufferPosition partOf(BufferPosition place, const Box &box) {
    if (place.part.extents.size() != box.rank())
      return place;
    for (size_t dim = 0; dim < box.rank(); ++dim) {
      place.part.offset += box[dim].begin * place.part.strides[dim];
      place.part.extents[dim] = box[dim].extent();
    }
    return place;
  }

  void countOnce(Value root, int64_t bytes, bool writes) {
    Operation *maker = root.getDefiningOp();
    if (maker && !isa<memref::GetGlobalOp>(maker))
      return;
    // Constants are one for all that name them.
    if (auto global = dyn_cast_if_present<memref::GetGlobalOp>(maker))
      root = globals.try_emplace(global.getNameAttr().getAttr(), root)
                 .first->second;
    auto &counts = once[root];
    int64_t &count = writes ? counts.second : counts.first;
    count = (Count{count} + Count{bytes}).value;
  }

  LogicalResult addTransfer(TransferOp op) {
    bool fromDdr = op.getFrom() == TransferOp::ddr;
    bool toDdr = op.getTo().front() == TransferOp::ddr;
    auto bytes = static_cast<int64_t>(op.getBytes());
    Direction direction =
        fromDdr ? (toDdr ? Direction::DdrToDdr : Direction::DdrToTile)
                : (toDdr ? Direction::TileToDdr : Direction::TileToTile);
    Engine engine = toDdr     ? Engine::Store
                    : fromDdr ? Engine::Load
                              : Engine::Link;
    SmallVector<BufferPosition> from, to;
    if (failed(places.forEachPlace(
            op.getSource(), op, [&](const BufferPosition &place) {
              from.push_back(partOf(place, op.getSourcePart()));
            })))
      return failure();
    for (auto [number, dest] : llvm::enumerate(op.getDests()))
      if (failed(
              places.forEachPlace(dest, op, [&](const BufferPosition &place) {
                to.push_back(partOf(place, op.getDestPart(number)));
              })))
        return failure();
    int64_t tile = !fromDdr ? op.getFrom() : toDdr ? 0 : op.getTo().front();
    int64_t crossings = countCrossings(
        target.machines(), static_cast<int64_t>(op.getFrom()), op.getTo());
    ScheduleRow &row =
        begin(op, engine, tile,
              crossingTransferCycles(target, direction, bytes, crossings));
    // What is on tiles when the function begins or ends takes nothing.
    bool isThere = readCycles(op).has_value();
    if (isThere)
      row.cycles = 0;
    row.ddrBytes = isThere                              ? 0
                   : direction == Direction::DdrToDdr   ? 2 * bytes
                   : direction == Direction::TileToTile ? 0
                                                        : bytes;
    if (crossings > 0 && !isThere) {
      row.crossingBytes = bytes;
      row.linkCycles = linkCycles(target, bytes);
    }
    if (!toDdr)
      llvm::append_range(schedule().receivers, op.getTo());
    llvm::for_each(from, [&](const BufferPosition &place) { read(place); });
    llvm::for_each(to, [&](const BufferPosition &place) { write(place); });
    if (fromDdr && !isThere)
      countOnce(from.front().root, bytes, /*writes=*/false);
    if (toDdr && !isThere)
      countOnce(to.front().root, bytes, /*writes=*/true);
    finish();
    return success();
  }

  /// An operation that is done as a whole, with all that its regions touch:
  /// what is the same in every round.
  struct Work {
    /// Reads before writes: everything is read before anything is written.
    /// Empty where nothing is written.
    SmallVector<AccessedBuffer, 4> accesses;
    std::optional<int64_t> tile;
    Engine engine = Engine::Vector;
    int64_t cycles = 0, ddrBytes = 0;
    bool isUnmarked = false;
  };

  SmallVector<AccessedBuffer> accessesOf(Operation *op) const {
    SmallVector<AccessedBuffer> accesses;
    auto collect = [&](Operation *each) {
      forEachAccess(each, [&](AccessedBuffer access) {
        // What is made inside is of no use outside.
        Value &buffer = access.buffer;
        if (Operation *maker = places.rootOf(buffer).getDefiningOp();
            maker && op->isProperAncestor(maker))
          return;
        while (Operation *maker = buffer.getDefiningOp()) {
          if (!op->isProperAncestor(maker))
            break;
          auto view = dyn_cast<ViewLikeOpInterface>(maker);
          if (!view)
            break;
          buffer = view.getViewSource();
          access.bytes = bytesOfBuffer(cast<MemRefType>(buffer.getType()));
        }
        accesses.push_back(access);
      });
    };
    if (isa<linalg::LinalgOp>(op) || op->getNumRegions() == 0)
      collect(op);
    else
      op->walk(collect);
    return accesses;
  }

  Work workOf(Operation *op) {
    Work work;
    if (isa<memref::AllocOp, memref::DeallocOp, memref::AllocaOp>(op))
      return work;
    SmallVector<AccessedBuffer> all = accessesOf(op);
    auto isWrite = [](const AccessedBuffer &access) { return access.writes; };
    if (llvm::none_of(all, isWrite))
      return work;
    llvm::copy_if(all, std::back_inserter(work.accesses), std::not_fn(isWrite));
    llvm::copy_if(all, std::back_inserter(work.accesses), isWrite);
    if (auto attr = op->getAttrOfType<IntegerAttr>(tileAttrName))
      work.tile = attr.getInt();
    for (const AccessedBuffer &access : work.accesses)
      if (!work.tile && access.writes)
        work.tile = tileOf(access.buffer.getType());
    std::optional<CycleMark> mark = readCycles(op);
    auto call = dyn_cast<CallOpInterface>(op);
    work.cycles = mark ? mark->cycles.front() : call ? calls.of(call) : 0;
    work.isUnmarked = !mark && work.tile && shouldBeMarked(op);
    CycleEngine engine = mark ? mark->engine : CycleEngine::Vector;
    work.engine = !work.tile                      ? Engine::Store
                  : engine == CycleEngine::Load   ? Engine::Load
                  : engine == CycleEngine::Matrix ? Engine::Matrix
                                                  : Engine::Vector;
    // What is written to DDR is read as well, as costs count it, and operands
    // are read.
    Count written, touched;
    if (work.cycles > 0)
      for (const AccessedBuffer &access : work.accesses) {
        if (tileOf(access.buffer.getType()))
          continue;
        touched += Count{access.bytes};
        if (access.writes)
          written += Count{access.bytes};
      }
    work.ddrBytes = std::max(written * Count{2}, touched).value;
    return work;
  }

  LogicalResult addWork(Operation *op) {
    auto [known, isNew] = works.try_emplace(op);
    if (isNew)
      known->second = workOf(op);
    const Work &work = known->second;
    if (work.accesses.empty())
      return success();
    if (work.isUnmarked && found.unmarked++ == 0)
      found.firstUnmarked = op;
    ScheduleRow &row =
        begin(op, work.engine, work.tile.value_or(0), work.cycles);
    row.ddrBytes = work.ddrBytes;
    // What a tile loads by itself crosses to its machine meanwhile.
    if (work.engine == Engine::Load && target.machines().of(row.tile) != 0) {
      row.crossingBytes = work.ddrBytes;
      row.linkCycles = work.cycles;
    }
    for (const AccessedBuffer &access : work.accesses)
      if (failed(places.forEachPlace(
              access.buffer, op, [&](const BufferPosition &place) {
                if (!place.tile && (work.cycles > 0 || isa<memref::CopyOp>(op)))
                  countOnce(place.root, access.bytes, access.writes);
                access.writes ? write(place) : read(place);
              })))
        return failure();
    finish();
    return success();
  }

  /// What has no mark takes nothing: fills, copies between buffers, and what a
  /// marked operation becomes beside the part that keeps its mark. A structured
  /// operation that reads a buffer should have one.
  static bool shouldBeMarked(Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    return structured &&
           llvm::any_of(structured.getDpsInputs(), [](Value input) {
             return isa<MemRefType>(input.getType());
           });
  }

  func::FuncOp function;
  const Target &target;
  bool keepsRanges;
  BufferPositions places;
  ProgramRows found;
  CallCycles calls;
  llvm::DenseMap<Operation *, bool> withRows;
  llvm::DenseMap<Operation *, Work> works;
  std::vector<ScratchpadRows> scratchpads;
  llvm::DenseMap<Value, DdrRows> ddr;
  llvm::MapVector<Value, std::pair<int64_t, int64_t>> once;
  llvm::DenseMap<Attribute, Value> globals;
  SmallVector<RowId> waits;
  size_t visits = 0;
};

} // namespace

FailureOr<ProgramRows> rowsOf(func::FuncOp function, const Target &target,
                              bool keepsRanges) {
  return Builder(function, target, keepsRanges).run();
}

} // namespace npu
