// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Analysis/Choices/OperationSteps.h"

#include "npu/Analysis/Choices/HoldingLayout.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The types of the results; null for results that are no ranked tensors.
std::vector<RankedTensorType> declaredTypes(Operation *op) {
  std::vector<RankedTensorType> types;
  for (Value result : op->getResults())
    types.push_back(rankedType(result));
  return types;
}

/// Whether a result is written over this operand.
bool isTied(Operation *op, unsigned operand) {
  return tiedResult(op->getOpOperand(operand)).has_value();
}

/// The need of `operand` under `type`. For an unread operand, any tensor of
/// that type will do.
OperandNeed needOf(const OpAccess &access, unsigned operand,
                   RankedTensorType type) {
  return {operand, type, !access.reads(operand)};
}

bool holds(RankedTensorType type, const std::vector<Box> &reads) {
  const Placement *placement = getPlacement(type);
  for (auto [tile, box] : llvm::enumerate(reads))
    if (!box.isEmpty() &&
        !(placement && placement->memoryOf(tile).contains(box)))
      return false;
  return true;
}

std::vector<OperandNeed> needsOfOneEncoding(Operation *op,
                                            const ComputeChoice &choice,
                                            bool somethingLacks) {
  std::vector<OperandNeed> needs;
  if (!somethingLacks && choice.resultTypes == declaredTypes(op))
    return needs;
  for (OpOperand &operand : op->getOpOperands())
    if (RankedTensorType type = rankedType(operand.get())) {
      auto required = withLayout(type, getLayout(choice.resultTypes[0]));
      if (required != type)
        needs.push_back({operand.getOperandNumber(), required});
    }
  return needs;
}

/// The choice in which every tile runs its iterations and results come out
/// under `resultTypes`. Operands get layouts like that of `like`, where it has
/// the boxes.
ComputeChoice choiceFor(Operation *op, const OpAccess &access,
                        MovementCache &movement,
                        const TileIterations &iterations,
                        std::vector<RankedTensorType> resultTypes,
                        RankedTensorType like) {
  ComputeChoice choice;
  choice.resultTypes = std::move(resultTypes);
  for (OpResult result : op->getResults()) {
    RankedTensorType made = choice.resultTypes[result.getResultNumber()];
    choice.resultBytes += movement.bytes(result, made, rankedType(result));
    choice.resultPrice +=
        static_cast<double>(movement.price(result, made, rankedType(result)));
    OpOperand *output = tiedOutput(op, result.getResultNumber());
    if (output && output->get().getType() != made)
      choice.needs.push_back(needOf(access, output->getOperandNumber(), made));
  }
  std::vector<OperandNeed> needs = untiedNeeds(op, access, iterations, like);
  // Most operations of arith and math need equal encodings: where some types
  // change, all become that of the result.
  if (wantsOneLayout(op))
    needs = needsOfOneEncoding(op, choice, !needs.empty());
  llvm::append_range(choice.needs, needs);
  return choice;
}

double totalVolume(const TileIterations &iterations) {
  double sum = 0;
  for (const IterationDomain &iteration : iterations)
    sum += iteration.volume();
  return sum;
}

SmallVector<Type> asTypes(const std::vector<RankedTensorType> &types) {
  return SmallVector<Type>(types.begin(), types.end());
}

/// Enumerates the choices of one operation.
class Enumerator {
public:
  Enumerator(Operation *op, const OpAccess &access, MovementCache &movement)
      : op(op), access(access), movement(movement) {}

  std::vector<ComputeChoice> enumerate() {
    bool onTiles = llvm::any_of(op->getResultTypes(), isDistributed);
    if (onTiles) {
      addDeclared();
      // No layouts of the operands would help, because those of the results
      // would have to change.
      if (choices.empty())
        return {};
    }
    if (!onTiles || !choices.front().needs.empty() ||
        choices.front().resultBytes != 0) {
      addFromOperands(onTiles);
      if (onTiles)
        addInDdr();
      else
        addWithOperandsInDdr();
    }
    return std::move(choices);
  }

private:
  /// The result types under which tiles produce what they run; no types where
  /// the iterations do not cover a result. Distributed results get the types
  /// `kept`, if there are any.
  std::vector<RankedTensorType>
  typesProduced(const TileIterations &iterations, RankedTensorType like,
                const std::vector<RankedTensorType> *kept = nullptr) const {
    std::vector<RankedTensorType> types;
    for (OpResult result : op->getResults()) {
      unsigned number = result.getResultNumber();
      if (kept && isDistributed((*kept)[number])) {
        types.push_back((*kept)[number]);
        continue;
      }
      std::vector<Box> boxes;
      for (const IterationDomain &iteration : iterations)
        boxes.push_back(access.produced(number, iteration));
      RankedTensorType type = typeProducing(rankedType(result), boxes, like);
      if (!type)
        return {};
      types.push_back(type);
    }
    return types;
  }

  /// The iterations that tiles run under these result types: where results
  /// depend on different loops, the iterations that give each result its boxes
  /// can be more than those from which the types were made.
  TileIterations runsUnder(const std::vector<RankedTensorType> &types,
                           TileIterations iterations) const {
    if (types.size() == 1)
      return iterations;
    return iterationsForMemory(access, asTypes(types));
  }

  RankedTensorType firstDistributed() const {
    for (Value result : op->getResults())
      if (isDistributed(result.getType()))
        return rankedType(result);
    return {};
  }

  /// Adds the choice by the types of the results: every tile computes all that
  /// it holds of them, or, where it cannot, its compute boxes, and the rest is
  /// moved.
  void addDeclared() {
    std::vector<RankedTensorType> declared = declaredTypes(op);
    TileIterations forMemory = iterationsForMemory(access, op);
    std::vector<RankedTensorType> types =
        typesProduced(forMemory, firstDistributed(), &declared);
    if (types.empty())
      types = declared;
    forMemory = runsUnder(types, std::move(forMemory));
    ComputeChoice all =
        choiceFor(op, access, movement, forMemory, types, firstDistributed());
    bool fits = !findOverrun(access, op, forMemory, asTypes(types));
    if (fits && all.needs.empty() && all.resultBytes == 0) {
      choices.push_back(std::move(all));
      return;
    }
    std::vector<RankedTensorType> owned = declared;
    bool promises = false;
    for (RankedTensorType &type : owned) {
      const Placement *placement = getPlacement(type);
      if (!placement || llvm::all_of(placement->tiles, [](const auto &tile) {
            return tile.memory == tile.compute;
          }))
        continue;
      type = computeOnlyType(type);
      promises = true;
    }
    if (promises) {
      TileIterations forCompute = iterationsForCompute(access, op);
      types = typesProduced(forCompute, firstDistributed(), &owned);
      if (!types.empty())
        forCompute = runsUnder(types, std::move(forCompute));
      if (!types.empty() &&
          !findOverrun(access, op, forCompute, asTypes(types)))
        choices.push_back(
            choiceFor(op, access, movement, forCompute, types, types.front()));
    }
    // Do not run a reduction twice to save bytes.
    if (fits && (!promises || access.isParallel() || choices.empty()))
      choices.push_back(std::move(all));
  }

  /// Adds choices by the layouts of operands: the result moves instead of an
  /// operand. They never take more work than the declared split.
  void addFromOperands(bool onTiles) {
    // Tiles must write distinct boxes of the results.
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      if (!access.writesPlainly(result))
        return;
    double allowed = onTiles ? totalVolume(iterationsForCompute(access, op))
                             : access.domain().volume();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      RankedTensorType type = rankedType(operand.get());
      const Placement *placement = type ? getPlacement(type) : nullptr;
      if (!placement || !access.reads(number) || isTied(op, number))
        continue;
      TileIterations iterations;
      for (const TileBoxes &tile : placement->tiles) {
        auto iteration = access.iterationsWithin(number, tile.compute);
        if (!iteration)
          break;
        iterations.push_back(*iteration);
      }
      if (iterations.size() != placement->tiles.size() ||
          totalVolume(iterations) > allowed + 0.5)
        continue;
      std::vector<RankedTensorType> types = typesProduced(iterations, type);
      if (!types.empty())
        iterations = runsUnder(types, std::move(iterations));
      if (!types.empty() && totalVolume(iterations) <= allowed + 0.5 &&
          !findOverrun(access, op, iterations, asTypes(types)))
        choices.push_back(choiceFor(op, access, movement, iterations,
                                    std::move(types), type));
    }
  }

  /// Adds the choice for a view of a tensor in DDR: the view is made in DDR and
  /// loaded.
  void addInDdr() {
    Value viewed = viewedTensor(op);
    if (!viewed || isDistributed(viewed.getType()))
      return;
    ComputeChoice choice;
    choice.resultTypes = {inDdr(rankedType(op->getResult(0)))};
    choice.resultBytes = movement.bytes(op->getResult(0), choice.resultTypes[0],
                                        rankedType(op->getResult(0)));
    choice.resultPrice = static_cast<double>(movement.price(
        op->getResult(0), choice.resultTypes[0], rankedType(op->getResult(0))));
    choices.push_back(std::move(choice));
  }

  /// Adds the choice with operands in DDR, for operations whose results are not
  /// distributed.
  void addWithOperandsInDdr() {
    ComputeChoice choice;
    choice.resultTypes = declaredTypes(op);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      // An unread input may be anywhere.
      if (isDistributed(operand.get().getType()) &&
          (access.reads(number) || isTied(op, number)))
        choice.needs.push_back(
            needOf(access, number, inDdr(rankedType(operand.get()))));
    }
    choices.push_back(std::move(choice));
  }

  Operation *op;
  const OpAccess &access;
  MovementCache &movement;
  std::vector<ComputeChoice> choices;
};

/// The choices in order of preference at equal prices; empty where tiles cannot
/// do the operation part by part.
std::vector<ComputeChoice> enumerateChoices(Operation *op,
                                            const OpAccess &access,
                                            MovementCache &movement) {
  return Enumerator(op, access, movement).enumerate();
}

} // namespace

bool wantsOneLayout(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         !isa<linalg::LinalgOp>(op);
}

std::vector<OperandNeed> untiedNeeds(Operation *op, const OpAccess &access,
                                     const TileIterations &iterations,
                                     RankedTensorType like) {
  std::vector<OperandNeed> needs;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    RankedTensorType type = rankedType(operand.get());
    if (!type || !access.reads(number) || isTied(op, number))
      continue;
    std::vector<Box> reads;
    for (const IterationDomain &iteration : iterations)
      reads.push_back(access.read(number, iteration));
    if (!holds(type, reads))
      needs.push_back({number, typeHolding(type, std::move(reads), like,
                                           access.windowsOver(number))});
  }
  return needs;
}

llvm::SmallSetVector<std::pair<Value, RankedTensorType>, 4>
valuesNeeded(Operation *op, const ComputeChoice &choice) {
  llvm::SmallSetVector<std::pair<Value, RankedTensorType>, 4> values;
  for (const OperandNeed &need : choice.needs)
    if (!need.unread)
      values.insert({op->getOperand(need.operand), need.type});
  return values;
}

bool touchesTiles(Operation *op) {
  return llvm::any_of(op->getResultTypes(), isDistributed) ||
         llvm::any_of(op->getOperandTypes(), isDistributed);
}

bool agreesByItself(Operation *op) {
  return isa<DistributionCastOp, RedistributeOp, CallOpInterface,
             RegionBranchOpInterface, FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Appends what stands for all attributes and properties of `op`.
static void appendAttributes(ComputeChoices::Key &key, Operation *op) {
  // Operations of the linalg dialect have no properties but attributes and the
  // number of their inputs and outputs, which follows from the numbers of
  // operands and results. A dictionary of them would be made anew for every
  // question.
  if (!isa_and_nonnull<linalg::LinalgDialect>(op->getDialect())) {
    key.push_back(op->getAttrDictionary().getAsOpaquePointer());
    return;
  }
  key.push_back(op->getDiscardableAttrDictionary().getAsOpaquePointer());
  for (StringAttr name : op->getName().getAttributeNames())
    if (name != "operandSegmentSizes")
      key.push_back(
          op->getInherentAttr(name).value_or(Attribute()).getAsOpaquePointer());
}

ComputeChoices::Key ComputeChoices::keyOf(Operation *op) {
  Key key{op->getName().getAsOpaquePointer()};
  appendAttributes(key, op);
  for (Type type : op->getOperandTypes())
    key.push_back(type.getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    key.push_back(type.getAsOpaquePointer());
  // The region of a generic determines which operands are read. The key has the
  // other facts that determine this (the map, the extents of loops) already;
  // upstream makes maps anew whenever they are asked for.
  static constexpr char isRead[2] = {};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      key.push_back(&isRead[structured.payloadUsesValueFromOperand(&operand)]);
  return key;
}

const std::vector<ComputeChoice> &ComputeChoices::of(Operation *op) {
  static const std::vector<ComputeChoice> none;
  // Steps decide what tiles do, and on which slices.
  if (hasSteps(op))
    return none;
  auto [it, isNew] = choices.try_emplace(keyOf(op));
  if (isNew && touchesTiles(op))
    if (std::optional<OpAccess> access = OpAccess::get(op))
      it->second = enumerateChoices(op, *access, movement);
  return it->second;
}

const std::optional<ComputeChoice> &
ComputeChoices::recomputedAs(Operation *op, RankedTensorType type) {
  Key key = keyOf(op);
  key.push_back(type.getAsOpaquePointer());
  auto [it, isNew] = recomputed.try_emplace(std::move(key));
  if (!isNew || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
      !isDistributed(type) ||
      getOrder(type) != getOrder(rankedType(op->getResult(0))))
    return it->second;
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access || !access->isParallel() || !getPlacement(type))
    return it->second;
  TileIterations iterations = iterationsForMemory(*access, TypeRange(type));
  if (findOverrun(*access, op, iterations, type))
    return it->second;
  ComputeChoice choice =
      choiceFor(op, *access, movement, iterations, {type}, type);
  choice.resultBytes = 0;
  choice.resultPrice = 0;
  return it->second = std::move(choice);
}

} // namespace npu
