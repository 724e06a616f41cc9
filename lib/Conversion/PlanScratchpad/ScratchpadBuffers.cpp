// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchpadBuffers.h"

#include "BufferUses.h"
#include "npu/Conversion/PlanScratchpad.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

/// What bufferization asks for, and what a cache line is.
constexpr int64_t kAlignment = 64;

/// Bytes of a buffer as the lowering to LLVM counts them; nothing where it has
/// no static size or a layout of its own.
std::optional<int64_t> bytesOf(MemRefType type, const DataLayout &layout) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  Type element = type.getElementType();
  if (!isa<IntegerType, IndexType, FloatType, ComplexType, VectorType>(element))
    return std::nullopt;
  llvm::TypeSize size = layout.getTypeSize(element);
  if (size.isScalable())
    return std::nullopt;
  auto bytes = static_cast<int64_t>(
      llvm::alignTo(size.getFixedValue(), layout.getTypeABIAlignment(element)));
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

class Collector {
public:
  Collector(func::FuncOp function,
            llvm::function_ref<const ArenaSizes *(func::CallOp)> callee)
      : function(function), callee(callee), uses(function),
        layout(DataLayout::closest(function)),
        isPlanned(!arenasOf(function).empty()) {}

  FailureOr<FunctionBuffers> collect() {
    LogicalResult collected = success();
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
    if (auto call = dyn_cast<func::CallOp>(op))
      return isPlanned ? success() : addCall(call);
    if (!isa<memref::AllocOp, memref::ViewOp>(op))
      return success();
    Value buffer = op->getResult(0);
    auto type = cast<MemRefType>(buffer.getType());
    auto tile = tileOf(type);
    if (!tile)
      return success();
    std::optional<int64_t> offset;
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      if (!isArena(view.getSource()))
        return success();
      APInt shift;
      if (!matchPattern(view.getByteShift(), m_ConstantInt(&shift)))
        return mlir::emitError(op->getLoc())
               << "expected a constant offset in tile " << *tile << "'s arena";
      offset = shift.getSExtValue();
    }
    auto bytes = bytesOf(type, layout);
    if (!bytes)
      return mlir::emitError(op->getLoc())
             << "expected a buffer of static size and identity "
                "layout on tile "
             << *tile << ", got " << type;
    if (*bytes == 0)
      return success();
    if (!offset && isPlanned)
      return mlir::emitError(op->getLoc())
             << "expected no further buffer of tile " << *tile << " in '"
             << function.getName()
             << "', whose scratchpads are planned already";
    auto life = uses.lifetime(buffer);
    if (failed(life))
      return failure();
    TileBuffers &found = tiles[*tile];
    if (offset)
      found.offsets.push_back(*offset);
    found.buffers.push_back({*bytes, kAlignment, life->first, life->last, {}});
    found.owners.push_back(op);
    return success();
  }

  LogicalResult addCall(func::CallOp call) {
    const ArenaSizes *arenas = callee(call);
    if (!arenas)
      return success();
    int64_t step = uses.stepOf(call);
    bool always = !function.getBody().hasOneBlock();
    int64_t end = uses.stepOf(&function.getBody().back().back());
    for (auto [tile, bytes] : *arenas) {
      tiles[tile].buffers.push_back(
          {bytes, kAlignment, always ? 0 : step, always ? end : step, {}});
      tiles[tile].owners.push_back(call);
    }
    return success();
  }

  static bool isArena(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return false;
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function && argument.getOwner() == &function.front() &&
           function.getArgAttr(argument.getArgNumber(), arenaAttrName);
  }

  /// What an operation at the end of `input`'s life writes over it.
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

  /// Counts a tile's steps by those that begin or end something there, so that
  /// tiles that do the same are the same data.
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
  DataLayout layout;
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
