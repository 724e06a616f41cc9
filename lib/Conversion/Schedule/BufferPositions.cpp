// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPositions.h"

#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

bool isDdr(Value value) {
  return isa<MemRefType>(value.getType()) && !tileOf(value.getType());
}

/// An expression of numbers; nothing where it divides by 0 or less, or
/// overflows. Faster than folding, which makes attributes of them.
std::optional<int64_t> valueOfExpr(AffineExpr expr, unsigned dims,
                                   ArrayRef<int64_t> numbers) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return numbers[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return numbers[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> left = valueOfExpr(binary.getLHS(), dims, numbers),
                         right = valueOfExpr(binary.getRHS(), dims, numbers);
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
SmallVector<Value> alternativesOf(Value value) {
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

} // namespace

int64_t bytesOfBuffer(MemRefType type) {
  return type.hasStaticShape()
             ? bufferBytes(type.getElementType(), type.getShape()).value_or(0)
             : 0;
}

/// The bytes of the entries that are read if each iteration reads one, at most
/// those of the buffer.
static int64_t bytesOfLoads(linalg::LinalgOp op, MemRefType type) {
  int64_t most = bytesOfBuffer(type);
  Count bits{elementBits(type.getElementType()).value_or(64)};
  for (int64_t extent : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(extent))
      return most;
    bits *= Count{extent};
  }
  return std::min(dividedUp(bits, 8).value, most);
}

void forEachAccess(Operation *op,
                   llvm::function_ref<void(const AccessedBuffer &)> found) {
  auto access = [&](Value buffer, bool writes) {
    if (auto type =
            dyn_cast_if_present<MemRefType>(buffer ? buffer.getType() : Type()))
      found({buffer, writes, bytesOfBuffer(type)});
  };
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (structured.payloadUsesValueFromOperand(&operand))
        access(operand.get(), false);
      if (structured.isDpsInit(&operand))
        access(operand.get(), true);
    }
    op->walk([&](memref::LoadOp load) {
      found({load.getMemRef(), false,
             bytesOfLoads(structured, load.getMemRefType())});
    });
    return;
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    // A function without a body may do anything with its arguments.
    auto callee = dyn_cast_if_present<func::FuncOp>(
        cast<CallOpInterface>(op).resolveCallable());
    bool isKnown = callee && !callee.isExternal();
    for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
      bool isResult = isKnown && callee.getArgAttr(number, resultAttrName);
      if (!isResult)
        access(operand, false);
      if (isResult || !isKnown)
        access(operand, true);
    }
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  for (const MemoryEffects::EffectInstance &each : all) {
    if (isa<MemoryEffects::Read>(each.getEffect()))
      access(each.getValue(), false);
    if (isa<MemoryEffects::Write>(each.getEffect()))
      access(each.getValue(), true);
  }
}

BufferPositions::BufferPositions(func::FuncOp function)
    : function(function), arenaBytes(arenasOf(function)) {
  placeArguments();
  findSharedDdr();
}

/// Arguments with a layout lie after the arena.
void BufferPositions::placeArguments() {
  ArenaSizes next = arenaBytes;
  for (BlockArgument argument : function.getArguments()) {
    std::optional<int64_t> tile = tileOf(argument.getType());
    if (!tile)
      continue;
    if (function.getArgAttr(argument.getArgNumber(), arenaAttrName)) {
      arenas.insert(argument);
      continue;
    }
    auto type = cast<MemRefType>(argument.getType());
    int64_t &at = next[*tile];
    at = llvm::alignTo(at, kBufferAlignment);
    ofArguments[argument] = at;
    at += bufferBytes(type.getElementType(), type.getShape()).value_or(0);
  }
}

/// What a buffer is a view of, or is handed on as; null where it is neither.
Value BufferPositions::sourceOf(Value buffer) const {
  if (Value known = aliases.lookup(buffer))
    return known;
  Operation *maker = buffer.getDefiningOp();
  if (auto view = dyn_cast_if_present<ViewLikeOpInterface>(maker))
    return view.getViewSource();
  // A transpose has no interface.
  auto transposed = dyn_cast_if_present<memref::TransposeOp>(maker);
  return transposed ? transposed.getIn() : Value();
}

Value BufferPositions::rootOf(Value buffer) const {
  while (Value source = sourceOf(buffer))
    buffer = source;
  return buffer;
}

/// Tensors in DDR that are both written and read: in what order matters.
void BufferPositions::findSharedDdr() {
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
    forEachAccess(op, [&](const AccessedBuffer &access) {
      if (isDdr(access.buffer))
        (access.writes ? written : read).insert(rootOf(access.buffer));
    });
  });
  for (Value root : written)
    if (read.contains(root))
      shared.insert(root);
  mergeHandedOn();
}

/// Control flow hands on one of several buffers of DDR: they are taken for
/// one, of which everybody touches everything.
void BufferPositions::mergeHandedOn() {
  llvm::EquivalenceClasses<Value> same;
  function->walk([&](Operation *op) {
    if (!isa<LoopLikeOpInterface, RegionBranchOpInterface>(op) &&
        !isa<arith::SelectOp>(op))
      return;
    SmallVector<Value> all;
    auto add = [&](ValueRange values) {
      for (Value value : values)
        if (isDdr(value))
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

int64_t BufferPositions::bytesOfRoot(Value root) {
  auto type = cast<MemRefType>(root.getType());
  return type.hasStaticShape()
             ? bufferBytes(type.getElementType(), type.getShape()).value_or(0)
             : Count::most;
}

std::optional<int64_t> BufferPositions::valueOf(OpFoldResult index) const {
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
  return valueOfExpr(apply.getAffineMap().getResult(0),
                     apply.getAffineMap().getNumDims(), operands);
}

LogicalResult BufferPositions::forEachPlace(
    Value buffer, Operation *user,
    llvm::function_ref<void(const BufferPosition &)> found) const {
  Value root = rootOf(buffer);
  if (tileOf(buffer.getType()) && !ofArguments.contains(root) &&
      !arenas.contains(root)) {
    SmallVector<Value> all = alternativesOf(root);
    for (Value each : all)
      if (failed(forEachPlace(each, user, found)))
        return failure();
    if (!all.empty())
      return success();
  }
  FailureOr<BufferPosition> place = placeOf(buffer, user);
  if (failed(place))
    return failure();
  found(*place);
  return success();
}

const std::optional<SmallVector<int64_t>> &
BufferPositions::stridesOf(MemRefType type) const {
  auto [it, isNew] = strides.try_emplace(type);
  if (isNew) {
    SmallVector<int64_t> found;
    int64_t ignored = 0;
    if (succeeded(type.getStridesAndOffset(found, ignored)))
      it->second = std::move(found);
  }
  return it->second;
}

FailureOr<BufferPositions::Path>
BufferPositions::pathOf(Value buffer, Operation *user) const {
  Path path;
  BufferPosition &place = path.atZero;
  place.tile = tileOf(buffer.getType());
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<SmallVector<int64_t>> ofType = stridesOf(type);
  bool isKnown = type.hasStaticShape() && ofType &&
                 !llvm::any_of(*ofType, ShapedType::isDynamic);
  auto addIndex = [&](OpFoldResult index, int64_t bytes, int64_t elements) {
    if (std::optional<int64_t> constant = getConstantIntValue(index)) {
      place.base += *constant * bytes;
      place.part.offset += *constant * elements;
    } else {
      path.terms.push_back({cast<Value>(index), bytes, elements});
    }
  };
  Value value = buffer;
  for (Value source; (source = sourceOf(value)); value = source) {
    Operation *maker = value.getDefiningOp();
    if (auto bytes = dyn_cast_if_present<memref::ViewOp>(maker)) {
      addIndex(bytes.getByteShift(), 1, 0);
    } else if (auto part = dyn_cast_if_present<memref::SubViewOp>(maker)) {
      const auto &ofSource = stridesOf(part.getSourceType());
      isKnown &= ofSource && !llvm::any_of(*ofSource, ShapedType::isDynamic);
      if (isKnown)
        for (auto [at, stride] :
             llvm::zip_equal(part.getMixedOffsets(), *ofSource))
          addIndex(at, 0, stride);
    } else if (auto part =
                   dyn_cast_if_present<memref::ReinterpretCastOp>(maker)) {
      addIndex(part.getMixedOffsets().front(), 0, 1);
    }
  }
  place.root = value;
  if (auto merged = leaders.find(value);
      !place.tile && merged != leaders.end()) {
    place.root = merged->second;
    place.part = {8, 0, {Count::most / 64}, {1}};
    path.terms.clear();
    return path;
  }
  bool isInArena = arenas.contains(value);
  int64_t baseOfRoot = 0;
  if (place.tile && !isInArena) {
    auto argument = ofArguments.find(value);
    if (argument == ofArguments.end())
      return user->emitError()
             << "expected a buffer of tile " << *place.tile
             << " with a place in its scratchpad, got one of a program whose "
                "scratchpads are not planned";
    baseOfRoot = argument->second;
    place.base += baseOfRoot;
  }
  int64_t bytes = isInArena ? arenaBytes.at(*place.tile) : bytesOfRoot(value);
  path.whole = {place.tile,
                value,
                baseOfRoot,
                {8, 0, {std::min<int64_t>(bytes, Count::most / 64)}, {1}}};
  if (!isKnown) {
    path.atZero = path.whole;
    path.terms.clear();
    return path;
  }
  place.part.elementBits = elementBits(type.getElementType()).value_or(64);
  place.part.extents = llvm::to_vector(type.getShape());
  place.part.strides = std::move(*ofType);
  return path;
}

FailureOr<BufferPosition> BufferPositions::placeOf(Value buffer,
                                                   Operation *user) const {
  auto path = paths.find(buffer);
  if (path == paths.end()) {
    FailureOr<Path> found = pathOf(buffer, user);
    if (failed(found))
      return failure();
    path = paths.try_emplace(buffer, std::move(*found)).first;
  }
  BufferPosition place = path->second.atZero;
  for (const Path::Term &term : path->second.terms) {
    std::optional<int64_t> index = valueOf(term.index);
    if (!index)
      return path->second.whole;
    place.base += *index * term.bytes;
    place.part.offset += *index * term.elements;
  }
  return place;
}

} // namespace npu
