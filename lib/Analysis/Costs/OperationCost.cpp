// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EngineWork.h"
#include "OutputSteps.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Analysis/Choices/TileIterations.h"
#include "npu/Analysis/Costs/LoadedRows.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Interfaces/WorkOpInterface.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace npu {
namespace {

using Kind = int64_t VectorBody::*;

/// Functions of the math dialect that are a few plain steps.
bool isSimpleFunction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp,
             math::CopySignOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::TruncOp>(op);
}

/// Whether `op` adds up positions, as a step that begins somewhere in a loop
/// does, or counts them in multiples, as one of an iteration in each of several
/// parts does: that is where the kernel's loop begins, and how far it goes.
bool addsPositions(Operation *op) {
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply)
    return false;
  AffineExprKind kind = apply.getAffineMap().getResult(0).getKind();
  return (kind == AffineExprKind::Add || kind == AffineExprKind::Mul) &&
         llvm::any_of(apply.getMapOperands(), [](Value operand) {
           Operation *made = operand.getDefiningOp();
           return made && (isa<linalg::IndexOp>(made) || addsPositions(made));
         });
}

/// Whether `op` is of the body's text only: it takes no time.
bool takesNoTime(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::IndexOp>(op) ||
         addsPositions(op);
}

Kind kindOf(Operation *op) {
  bool isFloat =
      op->getNumResults() == 1 &&
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!isFloat)
    return &VectorBody::simple;
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return &VectorBody::divide;
  if (isa<math::TanhOp>(op))
    return &VectorBody::sigmoid;
  if (isa<math::MathDialect>(op->getDialect()) && !isSimpleFunction(op))
    return &VectorBody::special;
  return &VectorBody::simple;
}

bool isOne(Value value) { return matchPattern(value, m_OneFloat()); }

/// The operation of type `Op` that makes `value`, if nothing else uses it.
template <typename Op>
Op onlyFor(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<Op>() : Op();
}

/// The steps of 1 / (1 + exp(-x)) that come before the quotient `op`; none
/// where it is another quotient.
SmallVector<Operation *, 3> stepsOfSigmoid(Operation *op) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  if (!quotient || !isOne(quotient.getLhs()))
    return {};
  auto sum = onlyFor<arith::AddFOp>(quotient.getRhs());
  if (!sum || isOne(sum.getLhs()) == isOne(sum.getRhs()))
    return {};
  Value term = isOne(sum.getLhs()) ? sum.getRhs() : sum.getLhs();
  auto power = onlyFor<math::ExpOp>(term);
  auto negation =
      power ? onlyFor<arith::NegFOp>(power.getOperand()) : arith::NegFOp();
  if (!negation)
    return {};
  return {sum, power, negation};
}

/// A part of a body: operations on elements of one width that change along the
/// same loops.
struct BodyPart {
  llvm::SmallBitVector loops;
  int64_t bits = 0;
  VectorBody operations;
};

/// The bits of the elements that an operation of a body computes with: those of
/// its numbers, or of whatever it has where these are no floats; at most
/// `most`.
int64_t widthOf(Operation *inner, int64_t most) {
  int64_t ofFloats = 0, ofOthers = 1;
  auto widen = [&](Type type) {
    int64_t bits = elementBits(getElementTypeOrSelf(type)).value_or(most);
    int64_t &width =
        isa<FloatType>(getElementTypeOrSelf(type)) ? ofFloats : ofOthers;
    width = std::max(width, bits);
  };
  llvm::for_each(inner->getOperandTypes(), widen);
  llvm::for_each(inner->getResultTypes(), widen);
  return std::min(ofFloats ? ofFloats : ofOthers, most);
}

/// Counts the operations of a body.
class BodyCounter {
public:
  BodyCounter(linalg::LinalgOp op, const OutputSteps &done, int64_t bits)
      : op(op), done(done), mostBits(bits),
        reduces(op.getNumReductionLoops() > 0) {}

  SmallVector<BodyPart> count() {
    op.getBlock()->walk([&](arith::DivFOp quotient) {
      ofSigmoids.insert_range(stepsOfSigmoid(quotient));
    });
    op.getBlock()->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      llvm::SmallBitVector loops = loopsOf(inner);
      for (Value result : inner->getResults())
        changes[result] = loops;
      if (takesNoTime(inner) || ofSigmoids.contains(inner) || done.has(inner))
        return;
      Kind kind = !stepsOfSigmoid(inner).empty() ? &VectorBody::sigmoid
                  : accumulates(inner)           ? &VectorBody::reduce
                                                 : kindOf(inner);
      if (auto select = dyn_cast<arith::SelectOp>(inner))
        loops = loopsOfChoice(select, loops);
      ++(partWith(loops, widthOf(inner, mostBits)).operations.*kind);
    });
    return std::move(parts);
  }

private:
  /// What uses the accumulator of a reduction is a step of it.
  bool accumulates(Operation *inner) {
    return reduces && llvm::any_of(op.getRegionOutputArgs(), [&](Value output) {
             return llvm::is_contained(inner->getOperands(), output);
           });
  }

  /// The loops in whose iterations a selection is made. Where its condition
  /// stays the same along the innermost loop, the kernel decides before that
  /// loop which operand it reads there.
  llvm::SmallBitVector loopsOfChoice(arith::SelectOp select,
                                     const llvm::SmallBitVector &all) {
    llvm::SmallBitVector loops = loopsOf(select.getCondition());
    return loops.empty() || loops.test(loops.size() - 1) ? all : loops;
  }

  /// The loops along which the results of `inner` change. All of them where it
  /// has regions, or stands in one.
  llvm::SmallBitVector loopsOf(Operation *inner) {
    llvm::SmallBitVector loops(op.getNumLoops());
    if (inner->getNumRegions() > 0 || inner->getBlock() != op.getBlock())
      return loops.set();
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      loops.set(index.getDim());
    for (Value operand : inner->getOperands())
      loops |= loopsOf(operand);
    return loops;
  }

  llvm::SmallBitVector loopsOf(Value value) {
    if (auto known = changes.find(value); known != changes.end())
      return known->second;
    llvm::SmallBitVector loops(op.getNumLoops());
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBlock())
      return loops;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    // An accumulator changes all the time.
    if (reduces && op.isDpsInit(operand))
      return loops.set();
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.set(loop);
    return loops;
  }

  BodyPart &partWith(const llvm::SmallBitVector &loops, int64_t bits) {
    auto found = llvm::find_if(parts, [&](const BodyPart &part) {
      return part.loops == loops && part.bits == bits;
    });
    if (found != parts.end())
      return *found;
    return parts.emplace_back(BodyPart{loops, bits, {}});
  }

  linalg::LinalgOp op;
  const OutputSteps &done;
  int64_t mostBits;
  bool reduces;
  SmallPtrSet<Operation *, 4> ofSigmoids;
  llvm::DenseMap<Value, llvm::SmallBitVector> changes;
  SmallVector<BodyPart> parts;
};

/// The operations of an operation without a body of scalars, by kind: what it
/// says itself (WorkOpInterface), or the operation itself where it works on
/// each element of its operands. No operations where it only copies.
VectorBody vectorBodyOf(Operation *op) {
  if (auto work = modelOf<WorkOpInterface>(op))
    return work.getVectorBody();
  VectorBody body;
  if (OpTrait::hasElementwiseMappableTraits(op))
    ++(body.*kindOf(op));
  return body;
}

/// The operand whose entries are the elements of work; nothing where they are
/// iterations.
std::optional<unsigned> elementOperandOf(Operation *op) {
  auto work = modelOf<WorkOpInterface>(op);
  return work ? work.getElementOperand() : std::nullopt;
}

/// Whether the entries of the result are the elements of work.
bool countsResults(Operation *op) {
  auto work = modelOf<WorkOpInterface>(op);
  return work && work.countsResults();
}

/// The bits of the elements of a tensor; 1 of anything else.
int64_t elementBitsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? elementBits(tensor.getElementType()).value_or(64) : 1;
}

/// The type of the tensor whose entries are the elements of work; nothing where
/// they are iterations.
std::optional<Type> elementTypeOf(Operation *op) {
  if (std::optional<unsigned> operand = elementOperandOf(op))
    return op->getOperand(*operand).getType();
  return countsResults(op) ? std::optional<Type>(op->getResult(0).getType())
                           : std::nullopt;
}

/// The widest element that `op` reads or writes.
int64_t widestElementOf(Operation *op) {
  int64_t bits = 1;
  for (Type type : op->getOperandTypes())
    bits = std::max(bits, elementBitsOf(type));
  for (Type type : op->getResultTypes())
    bits = std::max(bits, elementBitsOf(type));
  return bits;
}

/// How many times a tile that runs `iteration` runs the body.
int64_t elementsOf(Operation *op, const OpAccess &access,
                   const IterationDomain &iteration) {
  if (iteration.empty)
    return 0;
  if (std::optional<unsigned> operand = elementOperandOf(op))
    return access.read(*operand, iteration).volume();
  if (countsResults(op))
    return access.produced(0, iteration).volume();
  Count elements{1};
  for (const Range &loop : iteration.loops)
    elements *= Count{loop.extent()};
  return elements.value;
}

/// Whether the result of `op` is made where it is used (nothing, one value) or
/// lies there already (a constant, whose loads are movements).
bool isMadeOfNothing(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return needsNoData(op) && dataNeedOf(op->getResult(0)) != DataNeed::Positions;
}

/// Whether `op` is work of its own: not a view, a movement, control flow, a
/// call, or of scalars.
bool isWork(Operation *op) {
  if (!llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  if (isa<PermuteCastOp, DistributionCastOp, RedistributeOp, TransferOp,
          CallOpInterface, RegionBranchOpInterface, FunctionOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return !isView(op) && !isMadeOfNothing(op);
}

/// Whether `op` becomes structured operations on the same layouts.
bool isStructuredOnTiles(Operation *op) {
  auto form = modelOf<StructuredFormOpInterface>(op);
  return form && form.hasStructuredForm() && form.keepsLayouts();
}

/// The iterations by which tiles do their parts of `op`; nothing where they
/// cannot, as hostFallbackOf answers it for the types that an operation has.
std::optional<TileIterations> partsOf(Operation *op, const OpAccess *access,
                                      TypeRange resultTypes) {
  if (!access || !llvm::all_of(resultTypes, isDistributed))
    return std::nullopt;
  auto model = modelOf<PartwiseOpInterface>(op);
  if (!model || (model.whyNotCut() && !isStructuredOnTiles(op)))
    return std::nullopt;
  TileIterations parts = iterationsForMemory(*access, resultTypes);
  if (findOverrun(*access, op, parts, resultTypes))
    return std::nullopt;
  return parts;
}

/// The bytes of a tensor; a dynamic extent counts as 1.
int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  Count bits{elementBits(tensor.getElementType()).value_or(64)};
  for (int64_t extent : tensor.getShape())
    bits *= Count{ShapedType::isDynamic(extent) ? 1 : extent};
  return dividedUp(bits, 8).value;
}

ModelledCost costInDdr(Operation *op, TypeRange resultTypes,
                       const CostFigures &figures) {
  Count bytes{0};
  if (std::optional<unsigned> elements = elementOperandOf(op))
    bytes = {bytesOf(op->getOperand(*elements).getType())};
  else
    for (Type type : resultTypes)
      bytes += Count{bytesOf(type)};
  // What is written is read as well, and so are the positions of a gather.
  Count inDdr = bytes * Count{2};
  if (auto gather = dyn_cast<GatherOp>(op))
    inDdr += Count{bytesOf(gather.getIndices().getType())};
  return {transferCycles(figures, Direction::DdrToDdr, bytes.value), 0,
          bytes.value, inDdr.value};
}

/// What a tile's engines do of an operation.
class TileWork {
public:
  TileWork(Operation *op, const OpAccess &access, RankedTensorType resultType,
           const CostFigures &figures, const StagedOperand *staged,
           bool hasEngine = true)
      : op(op), access(access), resultType(resultType), figures(figures) {
    OutputSteps done = stepsOf(op, staged, figures);
    if (hasEngine)
      engine = findEngineWork(op, access, done, figures);
    if (engine)
      return;
    bits = widestElementOf(op);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      parts = BodyCounter(structured, done, bits).count();
    else
      body = vectorBodyOf(op);
    isDone = !done.steps.empty() && parts.empty();
  }

  bool isOnMatrixEngine() const { return engine.has_value(); }

  /// The cycles of a tile that runs `iteration`.
  int64_t cyclesOf(const IterationDomain &iteration) const {
    if (engine)
      return engineCycles(*engine, access, iteration, resultType, figures);
    if (isDone || iteration.empty)
      return 0;
    int64_t elements = elementsOf(op, access, iteration);
    SmallVector<VectorPart> work;
    for (const BodyPart &part : parts)
      work.push_back({part.operations,
                      extentOf(part.loops, iteration, elements), part.bits});
    if (parts.empty())
      work.push_back({body, elements, bits});
    SmallVector<VectorMove> moves = movesOf(iteration, elements);
    return vectorCycles(figures, std::span(work.data(), work.size()),
                        std::span(moves.data(), moves.size()));
  }

private:
  /// Each operand is loaded once, as far as it is read, and each result is
  /// stored. Where the elements are entries of one tensor, these alone are.
  SmallVector<VectorMove> movesOf(const IterationDomain &iteration,
                                  int64_t elements) const {
    if (std::optional<Type> type = elementTypeOf(op))
      return {{elements, elementBitsOf(*type)},
              {elements, elementBitsOf(*type)}};
    SmallVector<VectorMove> moves;
    auto add = [&](Type type, const Box &box) {
      moves.push_back({box.volume(), elementBitsOf(type)});
    };
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        add(operand.get().getType(),
            access.read(operand.getOperandNumber(), iteration));
    for (OpResult result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        add(result.getType(),
            access.produced(result.getResultNumber(), iteration));
    return moves;
  }

  /// The iterations of some loops, as many as `elements` where these are all.
  static int64_t extentOf(const llvm::SmallBitVector &loops,
                          const IterationDomain &iteration, int64_t elements) {
    Count extent{1};
    for (unsigned loop : loops.set_bits())
      extent *= Count{iteration.loops[loop].extent()};
    return std::min(extent.value, elements);
  }

  Operation *op;
  const OpAccess &access;
  RankedTensorType resultType;
  const CostFigures &figures;
  std::optional<EngineWork> engine;
  /// The body of a structured operation, or that of any other.
  SmallVector<BodyPart> parts;
  VectorBody body;
  /// Whether an output stage has done all of it.
  bool isDone = false;
  int64_t bits = 0;
};

/// The bytes of DDR that a body reads itself which runs so many times.
int64_t bytesOfEntries(Operation *op, Count times) {
  Count bytes;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    structured.getBlock()->walk([&](Operation *inner) {
      std::optional<EntryRead> read = entryReadBy(inner);
      RankedTensorType type = read ? read->tensor.getType() : nullptr;
      if (type && !isDistributed(type))
        bytes += dividedUp(
            times * Count{elementBits(type.getElementType()).value_or(64)}, 8);
    });
  return bytes.value;
}

} // namespace

ModelledCost hostCost(Operation *op, TypeRange resultTypes,
                      const Target &target) {
  if (!isWork(op))
    return {};
  ModelledCost cost = costInDdr(op, resultTypes, target.costs);
  auto model = modelOf<PartwiseOpInterface>(op);
  std::optional<OpAccess> access = model ? model.getAccess() : std::nullopt;
  if (!access || passesEntriesOn(op) || !isa<RankedTensorType>(resultTypes[0]))
    return cost;
  TileWork work(op, *access, cast<RankedTensorType>(resultTypes[0]),
                target.costs, /*staged=*/nullptr, /*hasEngine=*/false);
  cost.cycles =
      (Count{cost.cycles} + Count{work.cyclesOf(access->domain())}).value;
  return cost;
}

ModelledCost operationCost(Operation *op, const OpAccess *access,
                           TypeRange resultTypes, const Target &target,
                           const DoneByEngine &done) {
  const CostFigures &figures = target.costs;
  if (!isWork(op) || storesInPlace(op) || putsBackInPlace(op))
    return {};
  std::optional<TileCycles> found =
      tileCycles(op, access, resultTypes, target, done);
  if (!found && op->hasAttr(hostAttrName))
    return hostCost(op, resultTypes, target);
  if (!found)
    return costInDdr(op, resultTypes, figures);
  ModelledCost cost;
  for (auto [tile, cycles] : llvm::enumerate(found->cycles))
    if (cycles > cost.cycles)
      cost = {cycles, static_cast<int64_t>(tile), 0};
  cost.bytes = cost.ddrBytes = found->ddrBytes;
  // Tiles share the ports and the bytes of DDR.
  if (found->engine == CycleEngine::Load)
    cost.cycles =
        std::max(busiestPort({found->cycles.begin(), found->cycles.end()},
                             target.dmaPorts),
                 cyclesOfDdr({found->ddrBytes}, Direction::DdrToTile, target));
  // So they do the link of the machine that has it.
  if (found->engine == CycleEngine::Load && target.machines().areSeveral()) {
    Count crossing;
    for (auto [tile, cycles] : llvm::enumerate(found->cycles))
      if (target.machines().of(tile) != target.machines().of(kDdr))
        crossing += Count{cycles};
    cost.cycles = std::max(cost.cycles, crossing.value);
  }
  return cost;
}

std::optional<TileCycles> tileCycles(Operation *op, const OpAccess *access,
                                     TypeRange resultTypes,
                                     const Target &target,
                                     const DoneByEngine &done) {
  if (!isWork(op) || storesInPlace(op) || putsBackInPlace(op))
    return std::nullopt;
  std::optional<TileIterations> parts = partsOf(op, access, resultTypes);
  if (!parts)
    return std::nullopt;
  TileCycles found;
  if (done.byReader) {
    found.cycles.assign(parts->size(), 0);
    return found;
  }
  if (std::optional<LoadedRows> rows = LoadedRows::of(op)) {
    found.engine = CycleEngine::Load;
    Count bytes;
    for (auto [tile, iteration] : llvm::enumerate(*parts)) {
      found.cycles.push_back(rows->cyclesOf(iteration, tile, target));
      bytes += Count{rows->bytesOf(iteration)};
    }
    found.ddrBytes = bytes.value;
    return found;
  }
  TileWork work(op, *access, cast<RankedTensorType>(resultTypes[0]),
                target.costs, done.staged ? &*done.staged : nullptr);
  if (work.isOnMatrixEngine())
    found.engine = CycleEngine::Matrix;
  Count entries;
  for (const IterationDomain &iteration : *parts) {
    found.cycles.push_back(work.cyclesOf(iteration));
    entries += Count{elementsOf(op, *access, iteration)};
  }
  found.ddrBytes = bytesOfEntries(op, entries);
  return found;
}

int64_t evenCost(Operation *op, const Target &target,
                 ArrayRef<Operation *> replaced) {
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return Count::most;
  IterationDomain part = access->domain();
  Range *longest = nullptr;
  for (auto [number, loop] : llvm::enumerate(part.loops))
    if (!llvm::is_contained(access->reductions(), number) &&
        (!longest || loop.extent() > longest->extent()))
      longest = &loop;
  if (longest)
    longest->end =
        longest->begin +
        llvm::divideCeil(longest->extent(), std::max<int64_t>(target.tiles, 1));
  std::optional<StagedOperand> staged =
      findStagedOperand(op, target.costs, replaced);
  return TileWork(op, *access,
                  cast<RankedTensorType>(op->getResult(0).getType()),
                  target.costs, staged ? &*staged : nullptr)
      .cyclesOf(part);
}

} // namespace npu
