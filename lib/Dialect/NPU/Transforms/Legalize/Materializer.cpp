// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Materializer.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The most cheap producers in a row that the search goes through.
constexpr int maxDepth = 16;
/// The most other copies of a value that are considered as a source.
constexpr size_t maxCopies = 8;
/// The assumed iterations of a loop whose number of iterations is not known.
constexpr double manyRounds = 100;

bool usedByOneOperation(Value value) {
  if (value.use_empty())
    return false;
  Operation *user = *value.user_begin();
  return llvm::all_of(value.getUsers(),
                      [&](Operation *other) { return other == user; });
}

/// "operand #0", for a remark about `user`.
std::string operandName(Operation *user, Value value) {
  for (OpOperand &operand : user->getOpOperands())
    if (operand.get() == value)
      return fmt::format("operand #{}", operand.getOperandNumber());
  return "a value it is made from";
}

/// The type of the input that `op` would re-read as `type`.
RankedTensorType inputTypeFor(PermuteCastOp op, RankedTensorType type) {
  RankedTensorType inputType = op.getInput().getType();
  Permutation outDims = inverse(getInputDimensions(op));
  Layout layout{permute(getLayout(type).getDistribution(), outDims),
                getOrder(inputType)};
  return withLayout(inputType, makeLayout(op.getContext(), std::move(layout)));
}

} // namespace

double roundsOf(Block *block) {
  double rounds = 1;
  for (Operation *op = block->getParentOp();
       op && !op->hasTrait<OpTrait::IsIsolatedFromAbove>();
       op = op->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      std::optional<APInt> count = loop.getStaticTripCount();
      rounds *= count ? count->roundToDouble() : manyRounds;
    }
  return rounds;
}

Materializer::Way Materializer::cheapestWay(Value value, RankedTensorType type,
                                            int depth) {
  if (Operation *op = value.getDefiningOp(); op && needsNoData(op))
    return {Kind::Rematerialize, value, 0, 0};
  // An operation on a value stands after the value's definition, and runs as
  // often.
  double rounds = roundsOf(value.getParentBlock());
  auto moved = [&](Value source) -> Way {
    int64_t bytes = movement.bytes(source, rankedType(source), type);
    int64_t price = movement.price(source, rankedType(source), type);
    return {Kind::Redistribute, source, bytes, rounds * double(price)};
  };
  Way best = moved(value);
  auto consider = [&](Value source) {
    if (isDistributed(source.getType()) &&
        movement.relation(rankedType(source), type) != Relation::DataMoves) {
      best = {Kind::Cast, source, 0, 0};
      return;
    }
    // Prefer a source on tiles to one in DDR, whatever a load would cost.
    bool onTiles = isDistributed(source.getType());
    bool bestOnTiles = isDistributed(best.source.getType());
    Way way = moved(source);
    if (onTiles > bestOnTiles ||
        (onTiles == bestOnTiles && way.cost < best.cost))
      best = way;
  };
  consider(value);
  if (auto it = copies.find(value); it != copies.end())
    for (Value copy : ArrayRef<Value>(it->second).take_back(maxCopies))
      if (best.kind != Kind::Cast)
        consider(copy);
  if (best.cost == 0)
    return best;
  if (auto cost = costOfProducer(value, type, depth);
      cost && *cost < best.cost) {
    bool cast = isa<PermuteCastOp>(value.getDefiningOp());
    return {cast ? Kind::Recast : Kind::RecomputeProducer, value, 0, *cost};
  }
  return best;
}

std::optional<double>
Materializer::costOfProducer(Value value, RankedTensorType type, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth || !isDistributed(type) ||
      !usedByOneOperation(value))
    return std::nullopt;
  auto costOf = [&](Value operand, RankedTensorType wanted) -> double {
    if (operand.getType() == wanted || made.contains({operand, wanted}))
      return 0;
    return cheapestWay(operand, wanted, depth + 1).cost;
  };
  if (auto cast = dyn_cast<PermuteCastOp>(op)) {
    if (getOrder(rankedType(value)) != getOrder(type))
      return std::nullopt;
    return costOf(cast.getInput(), inputTypeFor(cast, type));
  }
  const std::optional<ComputeChoice> &choice = choices.recomputedAs(op, type);
  if (!choice)
    return std::nullopt;
  double cost = 0;
  for (auto [operand, wanted] : valuesNeeded(op, *choice))
    cost += costOf(operand, wanted);
  return cost;
}

double Materializer::cost(Value value, RankedTensorType type) {
  if (value.getType() == type || made.contains({value, type}))
    return 0;
  return cheapestWay(value, type).cost;
}

Value Materializer::castOrMove(Location loc, Value source,
                               RankedTensorType type) {
  Value result;
  if (isDistributed(source.getType()) &&
      movement.relation(rankedType(source), type) != Relation::DataMoves)
    result = DistributionCastOp::create(builder, loc, type, source);
  else
    result = RedistributeOp::create(builder, loc, type, source);
  insertedOps.push_back(result.getDefiningOp());
  return result;
}

Value Materializer::rematerialize(Operation *op, RankedTensorType type) {
  builder.setInsertionPointAfter(op);
  maybeDead.insert(op);
  // Operands such as its output may be dead now.
  for (Value operand : op->getOperands())
    if (Operation *made = operand.getDefiningOp(); made && needsNoData(made))
      maybeDead.insert(made);
  return *cast<RematerializableOpInterface>(op).rematerializeAs(builder, type);
}

Value Materializer::recomputeProducer(Operation *op, RankedTensorType type,
                                      Operation *user) {
  const ComputeChoice &choice = *choices.recomputedAs(op, type);
  SmallVector<Value> operands(op->getOperands());
  for (const OperandNeed &need : choice.needs) {
    Value &operand = operands[need.operand];
    operand = need.unread ? materializeUnread(operand, need.type, op)
                          : materialize(operand, need.type, op);
  }
  builder.setInsertionPointAfter(op);
  maybeDead.insert(op);
  Operation *copy = clone(builder, op, TypeRange{type}, operands);
  log.make("recompute", user, copy, [&] {
    return fmt::format(
        "'{}' is computed where its result is wanted: what it is "
        "made from is less to move",
        op->getName().getStringRef().str());
  });
  return copy->getResult(0);
}

Value Materializer::recast(PermuteCastOp op, RankedTensorType type,
                           Operation *user) {
  Value input = materialize(op.getInput(), inputTypeFor(op, type), user);
  builder.setInsertionPointAfter(op);
  maybeDead.insert(op);
  return PermuteCastOp::create(builder, op.getLoc(), type, input,
                               op.getMemPerm());
}

Value Materializer::materialize(Value value, RankedTensorType type,
                                Operation *user) {
  if (value.getType() == type)
    return value;
  if (auto it = made.find({value, type}); it != made.end()) {
    log.note("share", user, it->second.getDefiningOp(), [&] {
      return fmt::format("{} is there already as it is read, for another use",
                         operandName(user, value));
    });
    return it->second;
  }
  Way way = cheapestWay(value, type);
  Value result;
  switch (way.kind) {
  case Kind::Rematerialize:
    result = rematerialize(value.getDefiningOp(), type);
    log.make("rematerialize", user, result.getDefiningOp(), [&] {
      return fmt::format("{} needs no data and is made again",
                         operandName(user, value));
    });
    break;
  case Kind::RecomputeProducer:
    result = recomputeProducer(value.getDefiningOp(), type, user);
    break;
  case Kind::Recast:
    result = recast(cast<PermuteCastOp>(value.getDefiningOp()), type, user);
    break;
  case Kind::Cast:
    builder.setInsertionPointAfterValue(way.source);
    result = castOrMove(user->getLoc(), way.source, type);
    log.make(nameOf(movement.relation(rankedType(way.source), type)), user,
             result.getDefiningOp(), [&] {
               return fmt::format("every tile holds what it needs of {}",
                                  operandName(user, value));
             });
    break;
  case Kind::Redistribute:
    builder.setInsertionPointAfterValue(way.source);
    result = castOrMove(user->getLoc(), way.source, type);
    log.make("redistribute", user, result.getDefiningOp(), [&] {
      std::string operand = operandName(user, value);
      if (!isDistributed(type))
        return fmt::format("{} is wanted in DDR", operand);
      if (way.bytes == 0)
        return fmt::format("the order of {} changes inside tiles", operand);
      return fmt::format("tiles read parts of {} that they do not hold",
                         operand);
    });
    break;
  }
  made[{value, type}] = result;
  copies[value].push_back(result);
  return result;
}

Value Materializer::materializeUnread(Value value, RankedTensorType type,
                                      Operation *user) {
  if (value.getType() == type)
    return value;
  if (Operation *op = value.getDefiningOp(); op && needsNoData(op))
    return materialize(value, type, user);
  builder.setInsertionPoint(user);
  return tensor::EmptyOp::create(builder, user->getLoc(), type.getShape(),
                                 type.getElementType(), type.getEncoding());
}

Operation *Materializer::restoreType(OpResult result,
                                     RankedTensorType computed) {
  RankedTensorType declared = rankedType(result);
  result.setType(computed);
  if (result.use_empty())
    return nullptr;
  builder.setInsertionPointAfterValue(result);
  Value restored = castOrMove(result.getLoc(), result, declared);
  result.replaceAllUsesExcept(restored, restored.getDefiningOp());
  copies[restored].push_back(result);
  return restored.getDefiningOp();
}

void Materializer::eraseDead() {
  while (!maybeDead.empty()) {
    Operation *op = maybeDead.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    // The operations inside of `op` are erased with it, and may be the last
    // users of values from outside.
    llvm::SetVector<Value> used;
    used.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (Operation *producer = value.getDefiningOp())
        maybeDead.insert(producer);
    op->walk([&](Operation *inner) {
      maybeDead.remove(inner);
      erased.insert(inner);
      log.notifyOperationErased(inner);
    });
    op->erase();
  }
}

SmallVector<Operation *> Materializer::inserted() const {
  SmallVector<Operation *> ops;
  for (Operation *op : insertedOps)
    if (!erased.contains(op))
      ops.push_back(op);
  return ops;
}

} // namespace npu
