// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Repairs.h"

#include "Lookups.h"
#include "npu/Analysis/Kernels/Lookup.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/Precision.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// The numbers of a tensor, or a number, in another type that holds them.
Value castPositions(OpBuilder &builder, Location loc, Value positions,
                    Type element) {
  Type type = element;
  if (isa<RankedTensorType>(positions.getType()))
    type = withElements(positions, element);
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

/// Positions in another type, each bounded from below and above: those beyond
/// stay beyond the extents. One operation, so that it is one kernel.
Value boundedAs(OpBuilder &builder, Location loc, Value positions,
                IntegerBounds bounds, Type element) {
  RankedTensorType type = withElements(positions, element);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location, ValueRange entries) {
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(
          inner, loc, inner.getIntegerAttr(entries.front().getType(), number));
    };
    Value bounded = arith::MaxSIOp::create(inner, loc, entries.front(),
                                           constant(bounds.least));
    bounded =
        arith::MinSIOp::create(inner, loc, bounded, constant(bounds.most));
    linalg::YieldOp::create(inner, loc,
                            castPositions(inner, loc, bounded, element));
  };
  return linalg::GenericOp::create(builder, loc, type, positions, empty,
                                   {identity, identity}, loops, body)
      .getResult(0);
}

/// Whether `op` moves entries of its operands, whatever their bits are.
bool onlyMoves(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
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
         structured.getNumReductionLoops() == 0;
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
  /// What stands for the results of the operation.
  SmallVector<Value> results;
  std::string what;
  int64_t bytes = 0;
};

bool lists(ArrayAttr list, Value value) {
  return llvm::is_contained(
      list, TypeAttr::get(getElementTypeOrSelf(value.getType())));
}

/// What is known of the numbers in a tensor of positions.
std::optional<IntegerBounds> boundsOf(OpOperand &positions,
                                      const PositionBounds &bounds) {
  if (auto it = bounds.find(positions.getOperandNumber()); it != bounds.end())
    return it->second;
  Type type = getElementTypeOrSelf(positions.get().getType());
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width >= 64)
    return std::nullopt;
  return IntegerBounds{llvm::minIntN(width), llvm::maxIntN(width)};
}

/// "narrowed to i32 (largest index 171)"
std::string textOf(Type from, Type element, StringRef how) {
  bool isWider = !element.isIndex() && !from.isIndex() &&
                 element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  return fmt::format("{} to {} ({})", isWider ? "widened" : "narrowed",
                     toString(element), how.str());
}

/// Gives the positions of an operation a type of the list that holds them;
/// fails where there is none.
LogicalResult narrowPositions(IRRewriter &rewriter, Change &change,
                              ArrayAttr list, const PositionBounds &bounds) {
  Operation *op = change.op;
  OpOperand &operand = op->getOpOperand(*positionsOperand(op));
  Value positions = operand.get();
  auto type = cast<RankedTensorType>(positions.getType());
  if (lists(list, positions))
    return success();
  Location loc = op->getLoc();
  Type from = type.getElementType();
  std::optional<IntegerBounds> known = boundsOf(operand, bounds);
  Type element = known ? firstThatHolds(list, *known) : Type();
  std::string how = known ? fmt::format("largest index {}", known->most) : "";
  bool isConstant = matchPattern(positions, m_Constant());
  Value narrowed;
  if (!element) {
    // A position outside of what it indexes is an error, whatever number it is.
    std::optional<SmallVector<int64_t>> extents = indexedExtents(op);
    if (!extents || !type.hasStaticShape() || hasLayout(type))
      return failure();
    int64_t most = 0;
    for (int64_t extent : *extents)
      most = std::max(most, extent);
    IntegerBounds inExtents{-most - 1, most};
    element = firstThatHolds(list, inExtents);
    if (!element || !holds(from, inExtents))
      return failure();
    how = fmt::format("largest index {}, bounded", most - 1);
    narrowed = boundedAs(rewriter, loc, positions, inExtents, element);
  } else {
    narrowed = castPositions(rewriter, loc, positions, element);
  }
  if (!isConstant)
    change.bytes += bytesInMemory(type) + bytesInMemory(narrowed.getType());
  operand.set(narrowed);
  change.what += textOf(from, element, how);
  return success();
}

/// The same of a lookup's positions. Those whose bounds are known change their
/// type in front of it, and the body computes with the old one; where some are
/// not known, its positions are computed apart.
LogicalResult narrowLookup(IRRewriter &rewriter, Change &change, ArrayAttr list,
                           const PositionBounds &bounds) {
  SmallVector<std::pair<OpOperand *, Type>> narrowed;
  bool areKnown = true;
  Type before;
  int64_t most = 0;
  for (OpOperand *operand : positionsOperands(change.op)) {
    if (lists(list, operand->get()))
      continue;
    before = getElementTypeOrSelf(operand->get().getType());
    std::optional<IntegerBounds> known = boundsOf(*operand, bounds);
    Type element = known ? firstThatHolds(list, *known) : Type();
    areKnown = areKnown && element;
    if (element)
      most = std::max(most, known->most);
    narrowed.emplace_back(operand, element);
  }
  if (narrowed.empty())
    return success();
  auto lookup = dyn_cast<linalg::GenericOp>(change.op);
  if (!lookup)
    return failure();
  Location loc = lookup.getLoc();
  if (areKnown) {
    for (auto [operand, element] : narrowed) {
      Value positions = operand->get();
      BlockArgument argument = lookup.getMatchingBlockArgument(operand);
      Value cast = castPositions(rewriter, loc, positions, element);
      if (!matchPattern(positions, m_Constant()))
        change.bytes +=
            bytesInMemory(positions.getType()) + bytesInMemory(cast.getType());
      operand->set(cast);
      OpBuilder inBody = OpBuilder::atBlockBegin(lookup.getBody());
      Type from = argument.getType();
      argument.setType(element);
      Value asBefore = castPositions(inBody, loc, argument, from);
      argument.replaceAllUsesExcept(asBefore, asBefore.getDefiningOp());
    }
    change.what += textOf(before, narrowed.front().second,
                          fmt::format("largest index {}", most));
    return success();
  }
  auto apart = computePositionsApart(rewriter, lookup, [&](int64_t extent) {
    return firstThatHolds(list, {0, extent});
  });
  if (!apart)
    return failure();
  for (linalg::GenericOp positions : apart->positions)
    for (Value tensor : positions->getOperands())
      change.bytes += bytesInMemory(tensor.getType());
  Type element =
      getElementTypeOrSelf(apart->positions.front().getResult(0).getType());
  change.what +=
      textOf(before, element,
             fmt::format("largest index {}, bounded", apart->entries - 1));
  rewriter.eraseOp(lookup);
  change.op = apart->op;
  change.results = llvm::to_vector_of<Value>(apart->op.getResults());
  return success();
}

/// Moves the bits of entries as those of a type of the list; fails where the
/// operation does more than move entries, or where there is no such type.
LogicalResult moveAsOtherType(IRRewriter &rewriter, Change &change,
                              ArrayAttr list) {
  Operation *op = change.op;
  auto isListed = [&](Value result) { return lists(list, result); };
  if (llvm::all_of(op->getResults(), isListed))
    return success();
  if (!onlyMoves(op))
    return failure();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  Type from = result.getElementType();
  auto types = list.getAsValueRange<TypeAttr>();
  auto found =
      llvm::find_if(types, [&](Type to) { return canMoveAs(from, to); });
  if (found == types.end() || hasLayout(result))
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
  change.results.front() = retyped(rewriter, loc, op->getResult(0), from);
  count(op->getResult(0).getType(), result);
  change.what += fmt::format("{}moved as {}", change.what.empty() ? "" : ", ",
                             toString(element));
  return success();
}

/// Gives tensors on tiles a storage kind of the list, and results back the kind
/// that they had; fails where a tensor with a memory order would be an image.
/// Before layouts are chosen there is nothing to convert: the assignment of
/// layouts chooses kinds.
LogicalResult convertStorage(IRRewriter &rewriter, Change &change,
                             ArrayAttr list) {
  Operation *op = change.op;
  Storage kind = *parseStorage(cast<StringAttr>(list[0]).getValue());
  if (list.size() > 1)
    return success();
  auto isOther = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 4 && isDistributed(type) &&
           getStorage(type) != kind;
  };
  auto hasOrder = [](Value value) {
    return !isIdentity(getOrder(cast<RankedTensorType>(value.getType())));
  };
  auto convert = [&](Value value, Storage to) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    if (isMadeAnywhere(value))
      return *cast<RematerializableOpInterface>(value.getDefiningOp())
                  .rematerializeAs(rewriter, withStorage(type, to));
    change.bytes += 2 * bytesInMemory(type);
    return ConvertStorageOp::create(rewriter, op->getLoc(),
                                    withStorage(type, to), value);
  };
  SmallVector<OpOperand *> positions = positionsOperands(op);
  bool isConverted = false;
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isOther(operand.get()) || llvm::is_contained(positions, &operand))
      continue;
    if (hasOrder(operand.get()))
      return failure();
    operand.set(convert(operand.get(), kind));
    isConverted = true;
  }
  rewriter.setInsertionPointAfter(op);
  for (auto [result, stands] :
       llvm::zip_equal(op->getResults(), change.results)) {
    if (!isOther(result))
      continue;
    if (hasOrder(result))
      return failure();
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(withStorage(type, kind));
    stands = convert(result, getStorage(type));
    isConverted = true;
  }
  if (isConverted)
    change.what +=
        fmt::format("{}converted to {}{}", change.what.empty() ? "" : ", ",
                    toString(kind), op->getNumResults() > 0 ? " and back" : "");
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
                                      const PositionBounds &bounds,
                                      const KernelTable &table) {
  if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return std::nullopt;
  Attempt attempt(op);
  Operation *before = op->getPrevNode();
  rewriter.setInsertionPoint(op);
  Change change{rewriter.clone(*op), {}, "", 0};
  change.results = llvm::to_vector_of<Value>(change.op->getResults());
  rewriter.setInsertionPoint(change.op);
  bool isMade = true;
  auto indices = row.getAs<ArrayAttr>(kernelIndices);
  if (indices)
    isMade = succeeded(positionsOperand(op)
                           ? narrowPositions(rewriter, change, indices, bounds)
                           : narrowLookup(rewriter, change, indices, bounds));
  Operation *afterPositions = change.op->getPrevNode();
  rewriter.setInsertionPoint(op);
  if (auto inputs = row.getAs<ArrayAttr>(kernelInputs); inputs && isMade)
    isMade = succeeded(moveAsOtherType(rewriter, change, inputs));
  if (auto kinds = row.getAs<ArrayAttr>(kernelStorage); kinds && isMade)
    isMade = succeeded(convertStorage(rewriter, change, kinds));
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
    rewriter.replaceOp(op, change.results);
    return repair;
  }
  attempt.undo(rewriter);
  return std::nullopt;
}

} // namespace npu
