// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgramRows.h"

#include "MemoryRanges.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"

#include "../PlanScratchpad/ScratchpadBuffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

/// Where a buffer lies: in a scratchpad from `base` on, or in DDR.
struct Place {
  std::optional<int64_t> tile;
  Value root;
  int64_t base = 0;
  StridedPart part;
};

/// More rows than this, or operations that make them, are no schedule that
/// anybody reads.
constexpr size_t kMostRows = 4'000'000, kMostVisits = 20'000'000;

class Builder {
public:
  Builder(func::FuncOp function, const Target &target, bool keepsRanges)
      : function(function), target(target), keepsRanges(keepsRanges) {}

  FailureOr<ProgramRows> run() {
    auto includeTile = [&](int64_t tile) {
      schedule().tiles = std::max(schedule().tiles, tile + 1);
    };
    arenaBytes = arenasOf(function);
    for (auto [tile, bytes] : arenaBytes)
      includeTile(tile);
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
    placeArguments();
    scratchpads.resize(schedule().tiles);
    findSharedDdr();
    if (failed(addRegion(function.getBody())))
      return failure();
    for (auto &[root, bytes] : once) {
      int64_t size = bytesOfRoot(root);
      found.readOnce += std::min(bytes.first, size);
      found.writtenOnce += std::min(bytes.second, size);
    }
    return std::move(found);
  }

private:
  Schedule &schedule() { return found.schedule; }

  /// Arguments with a layout lie after the arena.
  void placeArguments() {
    ArenaSizes next = arenaBytes;
    for (BlockArgument argument : function.getArguments()) {
      std::optional<int64_t> tile = tileOf(argument.getType());
      if (!tile || function.getArgAttr(argument.getArgNumber(), arenaAttrName))
        continue;
      auto type = cast<MemRefType>(argument.getType());
      int64_t &at = next[*tile];
      at = llvm::alignTo(at, kBufferAlignment);
      ofArguments[argument] = at;
      at += bufferBytes(type.getElementType(), type.getShape()).value_or(0);
    }
  }

  /// What a buffer is a view of, or is handed on as; null where it is neither.
  Value sourceOf(Value buffer) const {
    if (Value known = aliases.lookup(buffer))
      return known;
    Operation *maker = buffer.getDefiningOp();
    if (auto view = dyn_cast_if_present<ViewLikeOpInterface>(maker))
      return view.getViewSource();
    // A transpose has no interface.
    auto transposed = dyn_cast_if_present<memref::TransposeOp>(maker);
    return transposed ? transposed.getIn() : Value();
  }

  /// The buffer of which nothing is known that it is a view of.
  Value rootOf(Value buffer) const {
    while (Value source = sourceOf(buffer))
      buffer = source;
    return buffer;
  }

  static bool isDdr(Value value) {
    return isa<MemRefType>(value.getType()) && !tileOf(value.getType());
  }

  /// Tensors in DDR that are both written and read: in what order matters.
  void findSharedDdr() {
    llvm::DenseSet<Value> read, written;
    function->walk([&](Operation *op) {
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        for (auto [init, argument] :
             llvm::zip(loop.getInits(), loop.getRegionIterArgs()))
          if (isa<MemRefType>(argument.getType()))
            aliases[argument] = init;
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op);
          loop && loop.getLoopResults())
        for (auto [init, result] :
             llvm::zip(loop.getInits(), *loop.getLoopResults()))
          if (isa<MemRefType>(result.getType()))
            aliases[result] = init;
    });
    function->walk([&](Operation *op) {
      forEachAccess(op, [&](Value buffer, bool writes) {
        if (isDdr(buffer))
          (writes ? written : read).insert(rootOf(buffer));
      });
    });
    for (Value root : written)
      if (read.contains(root))
        shared.insert(root);
    mergeHandedOn();
  }

  /// Control flow hands on one of several buffers of DDR: they are taken for
  /// one, of which everybody touches everything.
  void mergeHandedOn() {
    llvm::EquivalenceClasses<Value> same;
    function->walk([&](Operation *op) {
      if (!isa<LoopLikeOpInterface, RegionBranchOpInterface>(op) &&
          !isa<arith::SelectOp>(op))
        return;
      SmallVector<Value> all;
      auto add = [&](ValueRange values) {
        for (Value value : values)
          if (isa<MemRefType>(value.getType()) && !tileOf(value.getType()))
            all.push_back(rootOf(value));
      };
      add(op->getOperands());
      add(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region) {
          add(block.getArguments());
          if (block.mightHaveTerminator())
            add(block.getTerminator()->getOperands());
        }
      for (Value other : ArrayRef(all).drop_front(all.empty() ? 0 : 1))
        if (other != all.front())
          same.unionSets(all.front(), other);
    });
    for (const auto *each : same) {
      Value leader = same.getLeaderValue(each->getData());
      leaders[each->getData()] = leader;
      shared.insert(leader);
    }
  }

  /// The buffers that an operation itself touches, without its regions.
  static void forEachAccess(Operation *op,
                            llvm::function_ref<void(Value, bool)> access) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &operand : op->getOpOperands()) {
        if (!isa<MemRefType>(operand.get().getType()))
          continue;
        bool isOutput = structured.isDpsInit(&operand);
        if (structured.payloadUsesValueFromOperand(&operand))
          access(operand.get(), false);
        if (isOutput)
          access(operand.get(), true);
      }
      op->walk([&](memref::LoadOp load) { access(load.getMemRef(), false); });
      return;
    }
    if (!effects)
      return;
    SmallVector<MemoryEffects::EffectInstance> found;
    effects.getEffects(found);
    for (const MemoryEffects::EffectInstance &each : found) {
      Value buffer = each.getValue();
      if (!buffer || !isa<MemRefType>(buffer.getType()))
        continue;
      if (isa<MemoryEffects::Read>(each.getEffect()))
        access(buffer, false);
      if (isa<MemoryEffects::Write>(each.getEffect()))
        access(buffer, true);
    }
  }

  int64_t bytesOfRoot(Value root) {
    auto type = cast<MemRefType>(root.getType());
    return type.hasStaticShape()
               ? bufferBytes(type.getElementType(), type.getShape()).value_or(0)
               : Count::most;
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
      for (Region &region : op->getRegions())
        if (failed(addRegion(region)))
          return failure();
      return success();
    }
    std::optional<int64_t> begin = valueOf(loop.getLowerBound()),
                           step = valueOf(loop.getStep());
    for (int64_t round = 0, count = rounds->getSExtValue(); round < count;
         ++round) {
      if (begin && step)
        indices[loop.getInductionVar()] = *begin + round * *step;
      if (failed(addRegion(loop.getRegion())))
        return failure();
    }
    indices.erase(loop.getInductionVar());
    return success();
  }

  /// An index, as far as it follows from the rounds of loops.
  std::optional<int64_t> valueOf(OpFoldResult index) {
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      return constant;
    auto value = dyn_cast<Value>(index);
    if (!value)
      return std::nullopt;
    if (auto known = indices.find(value); known != indices.end())
      return known->second;
    auto apply = value.getDefiningOp<affine::AffineApplyOp>();
    if (!apply)
      return std::nullopt;
    SmallVector<int64_t, 4> operands;
    for (Value operand : apply.getMapOperands()) {
      std::optional<int64_t> number = valueOf(operand);
      if (!number)
        return std::nullopt;
      operands.push_back(*number);
    }
    return valueOf(apply.getAffineMap().getResult(0),
                   apply.getAffineMap().getNumDims(), operands);
  }

  /// An expression of numbers; nothing where it divides by 0 or less, or
  /// overflows. Faster than folding, which makes attributes of them.
  static std::optional<int64_t> valueOf(AffineExpr expr, unsigned dims,
                                        ArrayRef<int64_t> numbers) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return numbers[dim.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return numbers[dims + symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    std::optional<int64_t> left = valueOf(binary.getLHS(), dims, numbers),
                           right = valueOf(binary.getRHS(), dims, numbers);
    if (!left || !right)
      return std::nullopt;
    int64_t result = 0;
    if (binary.getKind() == AffineExprKind::Add)
      return llvm::AddOverflow(*left, *right, result) ? std::nullopt
                                                      : std::optional(result);
    if (binary.getKind() == AffineExprKind::Mul)
      return llvm::MulOverflow(*left, *right, result) ? std::nullopt
                                                      : std::optional(result);
    if (*right < 1)
      return std::nullopt;
    if (binary.getKind() == AffineExprKind::Mod)
      return llvm::mod(*left, *right);
    return binary.getKind() == AffineExprKind::FloorDiv
               ? llvm::divideFloorSigned(*left, *right)
               : llvm::divideCeilSigned(*left, *right);
  }

  /// The buffers that a buffer may be which control flow hands on.
  static SmallVector<Value> alternativesOf(Value value) {
    SmallVector<Value> all;
    auto add = [&](ValueRange handedOn, unsigned number) {
      if (number < handedOn.size() && handedOn[number] != value)
        all.push_back(handedOn[number]);
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
      if (loop && argument.getOwner() == loop.getAfterBody())
        add(loop.getConditionOp().getArgs(), argument.getArgNumber());
      return all;
    }
    auto result = cast<OpResult>(value);
    if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
      add(loop.getConditionOp().getArgs(), result.getResultNumber());
    else if (isa<RegionBranchOpInterface>(result.getOwner()))
      for (Region &region : result.getOwner()->getRegions())
        if (!region.empty())
          add(region.back().getTerminator()->getOperands(),
              result.getResultNumber());
    return all;
  }

  /// Where a buffer is, in the round that is added; of one that is one of
  /// several, all places.
  LogicalResult forEachPlace(Value buffer, Operation *user,
                             llvm::function_ref<void(const Place &)> found) {
    Value root = rootOf(buffer);
    if (tileOf(buffer.getType()) && !ofArguments.contains(root) &&
        !(isa<BlockArgument>(root) && arenaOf(root))) {
      SmallVector<Value> all = alternativesOf(root);
      for (Value each : all)
        if (failed(forEachPlace(each, user, found)))
          return failure();
      if (!all.empty())
        return success();
    }
    FailureOr<Place> place = placeOf(buffer, user);
    if (failed(place))
      return failure();
    found(*place);
    return success();
  }

  /// Where a buffer is. A part whose place is not known is all of the buffer
  /// that it is a part of.
  FailureOr<Place> placeOf(Value buffer, Operation *user) {
    Place place;
    place.tile = tileOf(buffer.getType());
    auto type = cast<MemRefType>(buffer.getType());
    place.part.elementBits = elementBits(type.getElementType()).value_or(64);
    SmallVector<int64_t> strides;
    int64_t ignored = 0;
    bool isKnown = type.hasStaticShape() &&
                   succeeded(type.getStridesAndOffset(strides, ignored)) &&
                   !llvm::any_of(strides, ShapedType::isDynamic);
    int64_t offset = 0;
    Value value = buffer;
    for (Value source; (source = sourceOf(value)); value = source) {
      Operation *maker = value.getDefiningOp();
      if (auto bytes = dyn_cast_if_present<memref::ViewOp>(maker)) {
        std::optional<int64_t> shift = valueOf(bytes.getByteShift());
        isKnown &= shift.has_value();
        place.base += shift.value_or(0);
      } else if (auto part = dyn_cast_if_present<memref::SubViewOp>(maker)) {
        SmallVector<int64_t> ofSource;
        isKnown &= succeeded(
            part.getSourceType().getStridesAndOffset(ofSource, ignored));
        for (auto [at, stride] : llvm::zip(part.getMixedOffsets(), ofSource)) {
          std::optional<int64_t> index = valueOf(at);
          isKnown &= index && !ShapedType::isDynamic(stride);
          if (isKnown)
            offset += *index * stride;
        }
      } else if (auto part =
                     dyn_cast_if_present<memref::ReinterpretCastOp>(maker)) {
        std::optional<int64_t> at = valueOf(part.getMixedOffsets().front());
        isKnown &= at.has_value();
        offset += at.value_or(0);
      }
    }
    place.root = value;
    if (auto merged = leaders.find(value);
        !place.tile && merged != leaders.end()) {
      place.root = merged->second;
      place.part = {8, 0, {Count::most / 64}, {1}};
      return place;
    }
    bool isArena = isa<BlockArgument>(value) && arenaOf(value);
    if (place.tile && !isArena) {
      auto argument = ofArguments.find(value);
      if (argument == ofArguments.end())
        return user->emitError()
               << "expected a buffer of tile " << *place.tile
               << " with a place in its scratchpad, got one of a program whose "
                  "scratchpads are not planned";
      place.base += argument->second;
    }
    if (isKnown) {
      place.part.offset = offset;
      place.part.extents = llvm::to_vector(type.getShape());
      place.part.strides = std::move(strides);
      return place;
    }
    // All of the root, or of the scratchpad.
    int64_t bytes = isArena ? arenaBytes[*place.tile] : bytesOfRoot(value);
    place.base = isArena ? 0 : place.base;
    place.part = {8, 0, {std::min<int64_t>(bytes, Count::most / 64)}, {1}};
    return place;
  }

  bool arenaOf(Value value) {
    return static_cast<bool>(function.getArgAttr(
               cast<BlockArgument>(value).getArgNumber(), arenaAttrName)) &&
           cast<BlockArgument>(value).getOwner() == &function.getBody().front();
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

  void read(const Place &place) {
    if (place.part.isEmpty())
      return;
    if (!place.tile) {
      if (shared.contains(place.root))
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

  void write(const Place &place) {
    if (place.part.isEmpty())
      return;
    if (!place.tile) {
      if (shared.contains(place.root))
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
  static Place partOf(Place place, const Box &box) {
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
    SmallVector<Place> from, to;
    if (failed(forEachPlace(op.getSource(), op, [&](const Place &place) {
          from.push_back(partOf(place, op.getSourcePart()));
        })))
      return failure();
    for (auto [number, dest] : llvm::enumerate(op.getDests()))
      if (failed(forEachPlace(dest, op, [&](const Place &place) {
            to.push_back(partOf(place, op.getDestPart(number)));
          })))
        return failure();
    int64_t tile = !fromDdr ? op.getFrom() : toDdr ? 0 : op.getTo().front();
    ScheduleRow &row =
        begin(op, engine, tile, transferCycles(target.costs, direction, bytes));
    // What is on tiles when the function begins or ends takes nothing.
    bool isThere = readCycles(op).has_value();
    if (isThere)
      row.cycles = 0;
    row.ddrBytes = isThere                              ? 0
                   : direction == Direction::DdrToDdr   ? 2 * bytes
                   : direction == Direction::TileToTile ? 0
                                                        : bytes;
    if (engine == Engine::Link)
      llvm::append_range(schedule().receivers, op.getTo());
    llvm::for_each(from, [&](const Place &place) { read(place); });
    llvm::for_each(to, [&](const Place &place) { write(place); });
    if (fromDdr && !isThere)
      countOnce(from.front().root, bytes, /*writes=*/false);
    if (toDdr && !isThere)
      countOnce(to.front().root, bytes, /*writes=*/true);
    finish();
    return success();
  }

  /// An operation that is done as a whole, with all that its regions touch.
  LogicalResult addWork(Operation *op) {
    SmallVector<std::pair<Value, bool>> accesses;
    auto collect = [&](Operation *each) {
      forEachAccess(each, [&](Value buffer, bool writes) {
        // What is made inside is of no use outside.
        if (Operation *maker = rootOf(buffer).getDefiningOp();
            maker && op->isProperAncestor(maker))
          return;
        while (Operation *maker = buffer.getDefiningOp()) {
          if (!op->isProperAncestor(maker))
            break;
          auto view = dyn_cast<ViewLikeOpInterface>(maker);
          if (!view)
            break;
          buffer = view.getViewSource();
        }
        accesses.emplace_back(buffer, writes);
      });
    };
    if (isa<linalg::LinalgOp>(op) || op->getNumRegions() == 0)
      collect(op);
    else
      op->walk(collect);
    if (isa<memref::AllocOp, memref::DeallocOp, memref::AllocaOp>(op))
      return success();
    if (!llvm::any_of(accesses, [](const auto &each) { return each.second; }))
      return success();
    std::optional<int64_t> tile;
    if (auto attr = op->getAttrOfType<IntegerAttr>(tileAttrName))
      tile = attr.getInt();
    for (const auto &[buffer, writes] : accesses)
      if (!tile && writes)
        tile = tileOf(buffer.getType());
    std::optional<CycleMark> mark = readCycles(op);
    // What is written is read as well, as costs count it, and operands are
    // read.
    Count written, touched;
    if (!tile)
      for (const auto &[buffer, writes] : accesses) {
        Count bytes{bytesOfType(buffer.getType())};
        touched += bytes;
        if (writes)
          written += bytes;
      }
    int64_t ddrBytes = std::max(written * Count{2}, touched).value;
    int64_t cycles = mark ? mark->cycles.front() : 0;
    if (!mark && tile)
      noteUnmarked(op);
    ScheduleRow &row = begin(op,
                             !tile                          ? Engine::Store
                             : mark && mark->onMatrixEngine ? Engine::Matrix
                                                            : Engine::Vector,
                             tile.value_or(0), cycles);
    row.ddrBytes = cycles > 0 ? ddrBytes : 0;
    // Everything is read before anything is written.
    for (bool isWriting : {false, true})
      for (const auto &[buffer, writes] : accesses) {
        if (writes != isWriting)
          continue;
        int64_t bytes = bytesOfType(buffer.getType());
        if (failed(forEachPlace(buffer, op, [&](const Place &place) {
              if (!place.tile && cycles > 0)
                countOnce(place.root, bytes, isWriting);
              isWriting ? write(place) : read(place);
            })))
          return failure();
      }
    finish();
    return success();
  }

  static int64_t bytesOfType(Type type) {
    auto memref = cast<MemRefType>(type);
    return memref.hasStaticShape()
               ? bufferBytes(memref.getElementType(), memref.getShape())
                     .value_or(0)
               : 0;
  }

  /// What has no mark takes nothing: fills, copies between buffers, and what a
  /// marked operation becomes beside the part that keeps its mark. A structured
  /// operation that reads a buffer should have one.
  void noteUnmarked(Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured ||
        llvm::none_of(structured.getDpsInputs(), [](Value input) {
          return isa<MemRefType>(input.getType());
        }))
      return;
    ++found.unmarked;
    if (!found.firstUnmarked)
      found.firstUnmarked = op;
  }

  func::FuncOp function;
  const Target &target;
  bool keepsRanges;
  ProgramRows found;
  ArenaSizes arenaBytes;
  llvm::DenseMap<Value, int64_t> ofArguments;
  /// What loops hand on is what they begin with.
  llvm::DenseMap<Value, Value> aliases;
  llvm::DenseSet<Value> shared;
  /// For buffers that control flow hands on, the one that stands for all.
  llvm::DenseMap<Value, Value> leaders;
  llvm::DenseMap<Value, int64_t> indices;
  llvm::DenseMap<Operation *, bool> withRows;
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
