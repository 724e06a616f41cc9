// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Analysis/Choices/HoldingLayout.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/ReadsOperand.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The type in DDR, its order kept.
RankedTensorType inDdr(RankedTensorType type) {
  return withLayout(type, makeLayout(type.getContext(), {{}, getOrder(type)}));
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

/// One per tile: what it runs where results have these types.
template <typename BoxOf>
TileIterations iterationsOf(const OpAccess &access, TypeRange types,
                            BoxOf boxOf) {
  TileIterations iterations;
  for (auto [number, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    const Placement *placement = tensor ? getPlacement(tensor) : nullptr;
    if (!placement)
      continue;
    IterationDomain none = access.domain();
    none.empty = true;
    if (iterations.size() < placement->tiles.size())
      iterations.resize(placement->tiles.size(), none);
    for (auto [iteration, tile] : llvm::zip(iterations, placement->tiles))
      iteration = hull(iteration, access.iterationsFor(number, boxOf(tile)));
  }
  return iterations;
}

bool holds(RankedTensorType type, const std::vector<Box> &reads) {
  const Placement *placement = getPlacement(type);
  for (auto [tile, box] : llvm::enumerate(reads))
    if (!box.isEmpty() &&
        !(placement && placement->memoryOf(tile).contains(box)))
      return false;
  return true;
}

bool isTied(Operation *op, unsigned operand) {
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (OpOperand *output = tiedOutput(op, i))
      if (output->getOperandNumber() == operand)
        return true;
  return false;
}

/// Writes down the choices of one operation.
class Enumerator {
public:
  Enumerator(Operation *op, const OpAccess &access, MovementCache &movement)
      : op(op), access(access), movement(movement) {}

  std::vector<ComputeChoice> enumerate() {
    bool onTiles = llvm::any_of(op->getResultTypes(), isDistributed);
    if (onTiles) {
      addDeclared();
      // Whatever the operands' layouts, the results' would have to change.
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

  /// The choice in which every tile runs its iterations and results come out
  /// under `resultTypes`.
  ComputeChoice choiceFor(const TileIterations &iterations,
                          std::vector<RankedTensorType> resultTypes,
                          RankedTensorType like) {
    ComputeChoice choice;
    choice.resultTypes = std::move(resultTypes);
    for (OpResult result : op->getResults()) {
      RankedTensorType made = choice.resultTypes[result.getResultNumber()];
      choice.resultBytes += movement.bytes(result, made, rankedType(result));
      OpOperand *output = tiedOutput(op, result.getResultNumber());
      if (output && output->get().getType() != made)
        need(choice, output->getOperandNumber(), made);
    }
    std::vector<OperandNeed> needs = untiedNeeds(op, access, iterations, like);
    // Most of arith and math take one encoding throughout: where types change,
    // all become the result's.
    if (OpTrait::hasElementwiseMappableTraits(op) && !isa<linalg::LinalgOp>(op))
      needs = needsOfOneEncoding(choice, !needs.empty());
    llvm::append_range(choice.needs, needs);
    return choice;
  }

private:
  std::vector<OperandNeed> needsOfOneEncoding(const ComputeChoice &choice,
                                              bool somethingLacks) const {
    std::vector<OperandNeed> needs;
    if (!somethingLacks && choice.resultTypes == declaredTypes())
      return needs;
    for (OpOperand &operand : op->getOpOperands())
      if (RankedTensorType type = rankedType(operand.get())) {
        auto required = withLayout(type, getLayout(choice.resultTypes[0]));
        if (required != type)
          needs.push_back({operand.getOperandNumber(), required});
      }
    return needs;
  }

  void need(ComputeChoice &choice, unsigned operand, RankedTensorType type) {
    choice.needs.push_back({operand, type, !access.reads(operand)});
  }

  std::vector<RankedTensorType> declaredTypes() const {
    std::vector<RankedTensorType> types;
    for (Value result : op->getResults())
      types.push_back(rankedType(result));
    return types;
  }

  /// Result types under which tiles produce what they run; empty where that
  /// does not cover a result. Distributed results keep `kept` types, if given.
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

  /// What tiles run in the end: where results follow different loops, the
  /// iterations that give one what its type says can be more than those that
  /// the types were made from.
  TileIterations runsUnder(const std::vector<RankedTensorType> &types,
                           TileIterations iterations) const {
    if (types.size() == 1)
      return iterations;
    return iterationsOf(access, asTypes(types),
                        [](const TileBoxes &tile) { return tile.memory; });
  }

  RankedTensorType firstDistributed() const {
    for (Value result : op->getResults())
      if (isDistributed(result.getType()))
        return rankedType(result);
    return {};
  }

  /// As the results' types say: every tile computes all it holds of them, or,
  /// where it cannot, what it owns, and the rest is moved.
  void addDeclared() {
    std::vector<RankedTensorType> declared = declaredTypes();
    TileIterations forMemory = iterationsForMemory(access, op);
    std::vector<RankedTensorType> types =
        typesProduced(forMemory, firstDistributed(), &declared);
    if (types.empty())
      types = declared;
    forMemory = runsUnder(types, std::move(forMemory));
    ComputeChoice all = choiceFor(forMemory, types, firstDistributed());
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
        choices.push_back(choiceFor(forCompute, types, types.front()));
    }
    // Reductions are not run twice to save bytes.
    if (fits && (!promises || access.isParallel() || choices.empty()))
      choices.push_back(std::move(all));
  }

  /// As an operand lies: the result moves instead of the operand. Never more
  /// work than the declared split asks for.
  void addFromOperands(bool onTiles) {
    // What the tiles write of the results must be boxes that are theirs.
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
        choices.push_back(choiceFor(iterations, std::move(types), type));
    }
  }

  /// A view of something in DDR stays there, and only the view is loaded.
  void addInDdr() {
    Value viewed = viewedTensor(op);
    if (!viewed || isDistributed(viewed.getType()))
      return;
    ComputeChoice choice;
    choice.resultTypes = {inDdr(rankedType(op->getResult(0)))};
    choice.resultBytes = movement.bytes(op->getResult(0), choice.resultTypes[0],
                                        rankedType(op->getResult(0)));
    choices.push_back(std::move(choice));
  }

  /// The last resort of an operation whose results are not distributed.
  void addWithOperandsInDdr() {
    ComputeChoice choice;
    choice.resultTypes = declaredTypes();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      // An input that nobody reads may lie anywhere.
      if (isDistributed(operand.get().getType()) &&
          (access.reads(number) || isTied(op, number)))
        need(choice, number, inDdr(rankedType(operand.get())));
    }
    choices.push_back(std::move(choice));
  }

  Operation *op;
  const OpAccess &access;
  MovementCache &movement;
  std::vector<ComputeChoice> choices;
};

} // namespace

llvm::SmallSetVector<std::pair<Value, RankedTensorType>, 4>
valuesNeeded(Operation *op, const ComputeChoice &choice) {
  llvm::SmallSetVector<std::pair<Value, RankedTensorType>, 4> values;
  for (const OperandNeed &need : choice.needs)
    if (!need.unread)
      values.insert({op->getOperand(need.operand), need.type});
  return values;
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

TileIterations iterationsForMemory(const OpAccess &access, Operation *op) {
  return iterationsOf(access, op->getResultTypes(),
                      [](const TileBoxes &tile) { return tile.memory; });
}

TileIterations iterationsForCompute(const OpAccess &access, Operation *op) {
  return iterationsOf(access, op->getResultTypes(),
                      [](const TileBoxes &tile) { return tile.compute; });
}

std::optional<Shortage> findShortage(const OpAccess &access, Operation *op,
                                     const TileIterations &iterations) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    RankedTensorType type = rankedType(operand.get());
    if (!type || !access.reads(number))
      continue;
    const Placement *placement = getPlacement(type);
    for (auto [tile, iteration] : llvm::enumerate(iterations)) {
      Box reads = access.read(number, iteration);
      if (reads.isEmpty())
        continue;
      Box holds = placement ? placement->memoryOf(tile)
                            : nothingOf(toExtents(type.getShape()));
      if (!placement || !holds.contains(reads))
        return Shortage{number, tile, reads, holds,
                        access.produced(0, iteration)};
    }
  }
  return std::nullopt;
}

std::optional<Overrun> findOverrun(const OpAccess &access, Operation *op,
                                   const TileIterations &iterations,
                                   TypeRange types) {
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    OpOperand *output = tiedOutput(op, number);
    const Placement *placement =
        getPlacement(cast<RankedTensorType>(types[number]));
    if (!output || !placement || !access.reads(output->getOperandNumber()))
      continue;
    for (auto [tile, iteration] : llvm::enumerate(iterations)) {
      Box writes = access.produced(number, iteration);
      Box holds = placement->memoryOf(tile);
      if (!writes.isEmpty() && !holds.contains(writes))
        return Overrun{number, tile, writes, holds};
    }
  }
  return std::nullopt;
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

ComputeChoices::Key ComputeChoices::keyOf(Operation *op) {
  Key key{op->getName().getAsOpaquePointer(),
          op->getAttrDictionary().getAsOpaquePointer()};
  for (Type type : op->getOperandTypes())
    key.push_back(type.getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    key.push_back(type.getAsOpaquePointer());
  // What generic's attributes leave to its region. The rest of what decides
  // whether an operand is read, its map and the extents of loops, is in the key
  // by then; upstream makes the maps anew whenever they are asked for.
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      key.push_back(reinterpret_cast<const void *>(static_cast<uintptr_t>(
          structured.payloadUsesValueFromOperand(&operand))));
  return key;
}

const std::vector<ComputeChoice> &ComputeChoices::of(Operation *op) {
  auto [it, isNew] = choices.try_emplace(keyOf(op));
  if (isNew && touchesTiles(op))
    if (std::optional<OpAccess> access = OpAccess::get(op))
      it->second = Enumerator(op, *access, movement).enumerate();
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
  const Placement *placement = getPlacement(type);
  if (!access || !access->isParallel() || !placement)
    return it->second;
  TileIterations iterations;
  for (const TileBoxes &tile : placement->tiles)
    iterations.push_back(access->iterationsFor(0, tile.memory));
  if (findOverrun(*access, op, iterations, type))
    return it->second;
  ComputeChoice choice =
      Enumerator(op, *access, movement).choiceFor(iterations, {type}, type);
  choice.resultBytes = 0;
  return it->second = std::move(choice);
}

} // namespace npu
