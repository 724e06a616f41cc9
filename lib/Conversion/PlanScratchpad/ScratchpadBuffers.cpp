// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchpadBuffers.h"

#include "BufferUses.h"
#include "RotatingBuffers.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// The bytes of a buffer; nothing where it has no static size or a layout map.
std::optional<int64_t> bytesOf(MemRefType type) {
  if (!type.getLayout().isIdentity())
    return std::nullopt;
  return bufferBytes(type.getElementType(), type.getShape());
}

class Collector {
public:
  Collector(func::FuncOp function,
            llvm::function_ref<const ArenaSizes *(func::CallOp)> callee)
      : function(function), callee(callee), uses(function),
        isPlanned(hasArena(function)) {}

  FailureOr<FunctionBuffers> collect() {
    LogicalResult collected = checkArenas();
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (failed(add(op)))
        collected = failure();
    });
    if (failed(collected))
      return failure();
    for (auto &[tile, found] : tiles)
      finish(found);
    return std::move(tiles);
  }

private:
  LogicalResult add(Operation *op) {
    if (auto cast = dyn_cast<memref::MemorySpaceCastOp>(op))
      return checkSpace(cast);
    if (auto call = dyn_cast<func::CallOp>(op))
      return addCall(call);
    if (!isa<memref::AllocOp, memref::ViewOp>(op))
      return success();
    Value buffer = op->getResult(0);
    auto type = cast<MemRefType>(buffer.getType());
    auto tile = tileOf(type);
    if (!tile)
      return success();
    std::optional<BufferPlace> place;
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      if (!isArena(view.getSource()))
        return success();
      place = placeOf(view);
      if (!place)
        return mlir::emitError(op->getLoc())
               << "expected a constant offset in tile " << *tile
               << "'s arena, or (ROUND mod SLOTS) * BYTES + OFFSET";
    }
    auto bytes = bytesOf(type);
    if (!bytes)
      return mlir::emitError(op->getLoc())
             << "expected a buffer of static size and identity "
                "layout on tile "
             << *tile << ", got " << type;
    if (place &&
        failed(checkPlace(cast<memref::ViewOp>(op), *tile, *place, *bytes)))
      return failure();
    if (*bytes == 0)
      return success();
    if (!place && isPlanned)
      return mlir::emitError(op->getLoc())
             << "expected no further buffer of tile " << *tile << " in '"
             << function.getName()
             << "', whose scratchpads are planned already";
    auto life = uses.lifetime(buffer);
    if (failed(life))
      return failure();
    TileBuffers &found = tiles[*tile];
    if (place)
      found.offsets.push_back(place->offset);
    else
      place = placeOfBuffer(slotsOfBuffer(op), 0, *bytes);
    found.buffers.push_back(
        {place->bytes(*bytes), kBufferAlignment, life->first, life->last, {}});
    found.owners.push_back(op);
    found.slots.push_back(place->slots);
    return success();
  }

  int64_t slotsOfBuffer(Operation *op) {
    auto loop = dyn_cast_if_present<scf::ForOp>(op->getParentOp());
    return loop && uses.crossesDdr(op->getResult(0)) ? slotsOf(loop) : 1;
  }

  LogicalResult addCall(func::CallOp call) {
    const ArenaSizes *arenas = callee(call);
    if (!arenas || arenas->empty())
      return success();
    if (isPlanned)
      return mlir::emitError(call->getLoc())
             << "expected calls of functions whose scratchpads are planned, as "
                "those of '"
             << function.getName() << "' are, got one of '" << call.getCallee()
             << "'";
    int64_t step = uses.stepOf(call);
    bool always = !function.getBody().hasOneBlock();
    int64_t end = uses.stepOf(&function.getBody().back().back());
    for (auto [tile, bytes] : *arenas) {
      tiles[tile].buffers.push_back({bytes,
                                     kBufferAlignment,
                                     always ? 0 : step,
                                     always ? end : step,
                                     {}});
      tiles[tile].owners.push_back(call);
      tiles[tile].slots.push_back(1);
    }
    return success();
  }

  /// Checks that arenas have a form in which a plan can be checked: one memref
  /// of bytes per tile, used by views alone.
  LogicalResult checkArenas() {
    llvm::SmallDenseSet<int64_t> seen;
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      Attribute attr = function.getArgAttr(number, arenaAttrName);
      if (!attr)
        continue;
      auto tile = dyn_cast<IntegerAttr>(attr);
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!tile || !type || !type.hasStaticShape() || type.getRank() != 1 ||
          !type.getElementType().isInteger(8) ||
          !type.getLayout().isIdentity() || tileOf(type) != tile.getInt())
        return function.emitError()
               << "expected memref<BYTESxi8, TILE + 1> with '" << arenaAttrName
               << " = TILE' as an arena, got " << argument.getType() << " with "
               << attr << " as argument #" << number;
      if (!seen.insert(tile.getInt()).second)
        return function.emitError()
               << "expected one arena of tile " << tile.getInt()
               << ", got argument #" << number << " as another one";
      for (OpOperand &use : argument.getUses())
        if (!isa<memref::ViewOp>(use.getOwner()))
          return mlir::emitError(use.getOwner()->getLoc())
                 << "expected tile " << tile.getInt()
                 << "'s arena to be used by memref.view only, got '"
                 << use.getOwner()->getName() << "'";
    }
    return success();
  }

  static LogicalResult checkPlace(memref::ViewOp view, int64_t tile,
                                  const BufferPlace &place, int64_t ofSlot) {
    int64_t size = view.getSource().getType().getNumElements();
    int64_t offset = place.offset, bytes = place.bytes(ofSlot);
    if (place.slots > 1 &&
        (place.stride < ofSlot || place.stride % kBufferAlignment ||
         place.stride > size))
      return mlir::emitError(view.getLoc())
             << "expected slots of at least " << ofSlot
             << " bytes, a multiple of " << kBufferAlignment << ", in tile "
             << tile << "'s arena, got " << place.stride;
    if (offset < 0 || offset > size || bytes > size - offset)
      return mlir::emitError(view.getLoc())
             << "expected a buffer inside the " << size << " bytes of tile "
             << tile << "'s arena, got " << bytes << " bytes at offset "
             << offset;
    if (offset % kBufferAlignment)
      return mlir::emitError(view.getLoc())
             << "expected a multiple of " << kBufferAlignment
             << " as offset in tile " << tile << "'s arena, got " << offset;
    return success();
  }

  /// Refuses a cast between memory spaces, after which a buffer would be in the
  /// plans of two tiles.
  static LogicalResult checkSpace(memref::MemorySpaceCastOp cast) {
    Type from = cast.getSource().getType(), to = cast.getType();
    if (tileOf(from) == tileOf(to))
      return success();
    return mlir::emitError(cast.getLoc())
           << "expected tiles' buffers to stay in their memory space, got a "
              "cast from "
           << from << " to " << to;
  }

  /// Finds the buffers that may be overwritten by the operation that uses them
  /// last.
  void findReplacements(TileBuffers &found) {
    llvm::DenseMap<Value, int> numbers;
    for (auto [i, owner] : llvm::enumerate(found.owners))
      if (owner->getNumResults() == 1)
        numbers[owner->getResult(0)] = static_cast<int>(i);
    for (auto [i, buffer] : llvm::enumerate(found.buffers)) {
      auto op = dyn_cast<linalg::LinalgOp>(uses.operationAt(buffer.first));
      if (!op || !isa<memref::AllocOp, memref::ViewOp>(found.owners[i]))
        continue;
      Value value = found.owners[i]->getResult(0);
      for (OpOperand &output : op.getDpsInitsMutable()) {
        if (output.get() != value)
          continue;
        for (OpOperand *input : op.getDpsInputOperands()) {
          auto other = numbers.find(input->get());
          if (other == numbers.end())
            continue;
          const Buffer &replaced = found.buffers[other->second];
          if (replaced.bytes == buffer.bytes && replaced.last == buffer.first &&
              replaced.first < buffer.first &&
              !llvm::is_contained(buffer.mayReplace, other->second) &&
              uses.mayWriteOver(op, &output, input->get()))
            buffer.mayReplace.push_back(other->second);
        }
      }
    }
  }

  /// Renumbers a tile's steps, counting only those at which a buffer of the
  /// tile begins or ends, so that tiles with equal work have equal data.
  void finish(TileBuffers &found) {
    findReplacements(found);
    std::vector<int64_t> times;
    for (const Buffer &buffer : found.buffers) {
      times.push_back(buffer.first);
      times.push_back(buffer.last);
    }
    llvm::sort(times);
    times.erase(llvm::unique(times), times.end());
    auto rank = [&](int64_t time) {
      return llvm::lower_bound(times, time) - times.begin();
    };
    for (Buffer &buffer : found.buffers) {
      buffer.first = rank(buffer.first);
      buffer.last = rank(buffer.last);
    }
    for (int64_t time : times)
      found.steps.push_back(uses.operationAt(time));
  }

  func::FuncOp function;
  llvm::function_ref<const ArenaSizes *(func::CallOp)> callee;
  BufferUses uses;
  bool isPlanned;
  FunctionBuffers tiles;
};

} // namespace

std::optional<int64_t> tileOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  auto space = memref
                   ? dyn_cast_if_present<IntegerAttr>(memref.getMemorySpace())
                   : IntegerAttr();
  if (!space || space.getInt() < 1)
    return std::nullopt;
  return space.getInt() - 1;
}

bool hasArena(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, arenaAttrName))
      return true;
  return false;
}

ArenaSizes arenasOf(func::FuncOp function) {
  ArenaSizes arenas;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto tile = function.getArgAttrOfType<IntegerAttr>(i, arenaAttrName);
    auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
    if (tile && type && type.hasStaticShape())
      arenas[tile.getInt()] = type.getNumElements();
  }
  return arenas;
}

FailureOr<FunctionBuffers>
collectBuffers(func::FuncOp function,
               llvm::function_ref<const ArenaSizes *(func::CallOp)> callee) {
  return Collector(function, callee).collect();
}

} // namespace npu
