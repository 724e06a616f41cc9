// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Repairs.h"

#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/Precision.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

RankedTensorType withElements(Value tensor, Type element) {
  return cast<RankedTensorType>(tensor.getType()).clone(element);
}

/// The extents that the coordinates of a tuple index; nothing where one is
/// dynamic.
template <typename Op>
std::optional<SmallVector<int64_t>> indexedExtents(Op op) {
  RankedTensorType data = op.getData().getType();
  if constexpr (std::is_same_v<Op, ScatterOp>)
    if (op.getWhole())
      return llvm::to_vector(*op.getWhole());
  SmallVector<int64_t> extents(
      data.getShape().slice(op.getBatchDims(), op.getDepth()));
  if (llvm::is_contained(extents, ShapedType::kDynamic))
    return std::nullopt;
  return extents;
}

std::optional<SmallVector<int64_t>> indexedExtents(Operation *op) {
  if (auto gather = dyn_cast<GatherOp>(op))
    return indexedExtents(gather);
  return indexedExtents(cast<ScatterOp>(op));
}

bool holds(Type type, IntegerBounds bounds) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return width >= 64 || (bounds.least >= llvm::minIntN(width) &&
                         bounds.most <= llvm::maxIntN(width));
}

/// The first type of a row's list that holds all numbers; null where none does.
Type firstThatHolds(ArrayAttr list, IntegerBounds bounds) {
  for (Type type : list.getAsValueRange<TypeAttr>())
    if (holds(type, bounds))
      return type;
  return {};
}

/// Bounds entries from below and above. Those beyond stay beyond the extents.
Value bounded(OpBuilder &builder, Location loc, Value positions,
              IntegerBounds bounds) {
  auto type = cast<RankedTensorType>(positions.getType());
  auto splat = [&](int64_t number) -> Value {
    Attribute value = builder.getIntegerAttr(type.getElementType(), number);
    auto plain = RankedTensorType::get(type.getShape(), type.getElementType());
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(plain, value));
  };
  Value least =
      arith::MaxSIOp::create(builder, loc, positions, splat(bounds.least));
  return arith::MinSIOp::create(builder, loc, least, splat(bounds.most));
}

/// The numbers of a tensor in another type that holds them.
Value castPositions(OpBuilder &builder, Location loc, Value positions,
                    Type element) {
  RankedTensorType type = withElements(positions, element);
  Type from = getElementTypeOrSelf(positions.getType());
  DenseIntElementsAttr constant;
  if (matchPattern(positions, m_Constant(&constant))) {
    unsigned width = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                       : element.getIntOrFloatBitWidth();
    return arith::ConstantOp::create(
        builder, loc, constant.mapValues(element, [&](const APInt &number) {
          return number.sextOrTrunc(width);
        }));
  }
  if (from.isIndex() || element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, positions);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, positions);
  return arith::TruncIOp::create(builder, loc, type, positions);
}

/// Whether `op` moves entries of its operands, whatever their bits are.
bool onlyMoves(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  std::optional<unsigned> positions = positionsOperand(op);
  auto isOfEntries = [&](OpOperand &operand) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    return operand.getOperandNumber() == positions ||
           (type && type.getElementType() == element && !hasLayout(type));
  };
  if (!llvm::all_of(op->getOpOperands(), isOfEntries))
    return false;
  if (positions)
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && llvm::hasSingleElement(*structured.getBlock()) &&
         structured.getNumReductionLoops() == 0 && op->getNumResults() == 1;
}

/// Whether entries of one type may be moved as those of another: one of as many
/// bits or more, whose first bits have them.
bool canMoveAs(Type from, Type to) {
  auto isPlain = [](Type type) {
    return type.isSignlessInteger() ||
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
  };
  return isPlain(from) && isPlain(to) && from != to &&
         to.getIntOrFloatBitWidth() >= from.getIntOrFloatBitWidth();
}

/// The bits of entries as those of another type, and back.
Value retyped(OpBuilder &builder, Location loc, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           width = element.getIntOrFloatBitWidth();
  auto bitcast = [&](Value of, Type to) -> Value {
    if (getElementTypeOrSelf(of.getType()) == to)
      return of;
    return arith::BitcastOp::create(builder, loc, withElements(of, to), of);
  };
  Value bits = bitcast(value, builder.getIntegerType(fromWidth));
  RankedTensorType integers =
      withElements(value, builder.getIntegerType(width));
  if (width > fromWidth)
    bits = arith::ExtUIOp::create(builder, loc, integers, bits);
  if (width < fromWidth)
    bits = arith::TruncIOp::create(builder, loc, integers, bits);
  return bitcast(bits, element);
}

/// What a repair does to a copy of an operation.
struct Change {
  Operation *op;
  /// What stands for the result of the operation.
  Value result;
  std::string what;
  int64_t bytes = 0;
};

bool lists(ArrayAttr list, Value value) {
  return llvm::is_contained(
      list, TypeAttr::get(getElementTypeOrSelf(value.getType())));
}

/// Gives the positions of an operation a type of the list that holds them;
/// fails where there is none.
LogicalResult narrowPositions(IRRewriter &rewriter, Change &change,
                              ArrayAttr list,
                              std::optional<IntegerBounds> known) {
  Operation *op = change.op;
  OpOperand &operand = op->getOpOperand(*positionsOperand(op));
  Value positions = operand.get();
  auto type = cast<RankedTensorType>(positions.getType());
  if (lists(list, positions))
    return success();
  Location loc = op->getLoc();
  Type from = type.getElementType();
  if (unsigned width = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
      !known && width < 64)
    known = IntegerBounds{llvm::minIntN(width), llvm::maxIntN(width)};
  Type element = known ? firstThatHolds(list, *known) : Type();
  std::string how = known ? fmt::format("largest index {}", known->most) : "";
  bool isConstant = matchPattern(positions, m_Constant());
  if (!element) {
    // A position outside of what it indexes is an error, whatever number it is.
    std::optional<SmallVector<int64_t>> extents = indexedExtents(op);
    if (!extents || !type.hasStaticShape() || hasLayout(type))
      return failure();
    int64_t most = 0;
    for (int64_t extent : *extents)
      most = std::max(most, extent);
    IntegerBounds bounds{-most - 1, most};
    element = firstThatHolds(list, bounds);
    if (!element || !holds(from, bounds))
      return failure();
    positions = bounded(rewriter, loc, positions, bounds);
    how = fmt::format("largest index {}, bounded", most - 1);
    change.bytes += 4 * bytesInMemory(type);
  }
  Value narrowed = castPositions(rewriter, loc, positions, element);
  if (!isConstant)
    change.bytes += bytesInMemory(type) + bytesInMemory(narrowed.getType());
  operand.set(narrowed);
  bool isWider = !element.isIndex() && !type.getElementType().isIndex() &&
                 element.getIntOrFloatBitWidth() >
                     type.getElementType().getIntOrFloatBitWidth();
  change.what +=
      fmt::format("{}{} to {} ({})", change.what.empty() ? "" : ", ",
                  isWider ? "widened" : "narrowed", toString(element), how);
  return success();
}

/// Moves the bits of entries as those of a type of the list; fails where the
/// operation does more than move entries, or where there is no such type.
LogicalResult moveAsOtherType(IRRewriter &rewriter, Change &change,
                              ArrayAttr list) {
  Operation *op = change.op;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  Type from = result.getElementType();
  if (llvm::is_contained(list, TypeAttr::get(from)))
    return success();
  auto types = list.getAsValueRange<TypeAttr>();
  auto found =
      llvm::find_if(types, [&](Type to) { return canMoveAs(from, to); });
  if (!onlyMoves(op) || found == types.end() || hasLayout(result))
    return failure();
  Type element = *found;
  Location loc = op->getLoc();
  bool isFree = element.getIntOrFloatBitWidth() == from.getIntOrFloatBitWidth();
  auto count = [&](Type one, Type other) {
    if (!isFree)
      change.bytes += bytesInMemory(one) + bytesInMemory(other);
  };
  std::optional<unsigned> positions = positionsOperand(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (operand.getOperandNumber() == positions)
      continue;
    operand.set(retyped(rewriter, loc, value, element));
    count(value.getType(), operand.get().getType());
  }
  op->getResult(0).setType(withElements(op->getResult(0), element));
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (BlockArgument argument : structured.getBlock()->getArguments())
      argument.setType(element);
  // What the operation reads comes before it, and what it makes after it.
  op->moveBefore(op->getBlock(), rewriter.getInsertionPoint());
  change.result = retyped(rewriter, loc, op->getResult(0), from);
  count(op->getResult(0).getType(), result);
  change.what += fmt::format("{}moved as {}", change.what.empty() ? "" : ", ",
                             toString(element));
  return success();
}

} // namespace

int64_t bytesInMemory(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bits = elementBits(tensor.getElementType()).value_or(64);
  for (int64_t extent : tensor.getShape())
    if (!ShapedType::isDynamic(extent) && llvm::MulOverflow(bits, extent, bits))
      return std::numeric_limits<int64_t>::max() / 8;
  return toBytes(bits, 1);
}

std::optional<KernelRepair> repairFor(IRRewriter &rewriter, Operation *op,
                                      DictionaryAttr row,
                                      std::optional<IntegerBounds> positions,
                                      const KernelTable &table) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  Attempt attempt(op);
  Operation *before = op->getPrevNode();
  rewriter.setInsertionPoint(op);
  Change change{rewriter.clone(*op), {}, "", 0};
  change.result = change.op->getResult(0);
  rewriter.setInsertionPoint(change.op);
  bool isMade = true;
  auto indices = row.getAs<ArrayAttr>(kernelIndices);
  if (indices && positionsOperand(op))
    isMade = succeeded(narrowPositions(rewriter, change, indices, positions));
  Operation *afterPositions = change.op->getPrevNode();
  rewriter.setInsertionPoint(op);
  if (auto inputs = row.getAs<ArrayAttr>(kernelInputs); inputs && isMade)
    isMade = succeeded(moveAsOtherType(rewriter, change, inputs));
  isMade = isMade && table.find(change.op).isTaken;
  // What is moved as another type goes through DDR for nothing where the device
  // cannot make that type of it.
  bool isPosition = afterPositions && afterPositions != before;
  KernelRepair repair{change.op, {}, std::move(change.what), change.bytes};
  for (Operation &made : attempt.made()) {
    if (&made == change.op)
      continue;
    repair.made.push_back(&made);
    isMade = isMade &&
             (isPosition || !needsKernel(&made) || table.find(&made).isTaken);
    isPosition = isPosition && &made != afterPositions;
  }
  if (isMade) {
    rewriter.replaceOp(op, change.result);
    return repair;
  }
  attempt.undo(rewriter);
  return std::nullopt;
}

} // namespace npu
