// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EngineWork.h"
#include "npu/Analysis/Choices/TileIterations.h"
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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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

/// Whether `op` is of the body's text only: it takes no time.
bool takesNoTime(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::IndexOp>(op);
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

/// Counts the operations of a region. What uses the accumulator of a reduction
/// is a step of it.
VectorBody bodyOf(linalg::LinalgOp op) {
  VectorBody body;
  bool reduces = op.getNumReductionLoops() > 0;
  auto accumulates = [&](Operation *inner) {
    return reduces && llvm::any_of(op.getRegionOutputArgs(), [&](Value output) {
             return llvm::is_contained(inner->getOperands(), output);
           });
  };
  SmallPtrSet<Operation *, 4> ofSigmoids;
  op.getBlock()->walk([&](arith::DivFOp quotient) {
    ofSigmoids.insert_range(stepsOfSigmoid(quotient));
  });
  op.getBlock()->walk([&](Operation *inner) {
    if (takesNoTime(inner) || ofSigmoids.contains(inner))
      return;
    Kind kind = !stepsOfSigmoid(inner).empty() ? &VectorBody::sigmoid
                : accumulates(inner)           ? &VectorBody::reduce
                                               : kindOf(inner);
    ++(body.*kind);
  });
  return body;
}

/// The operations of the body of `op`, by kind: what it says itself
/// (WorkOpInterface), those of its region, or the operation itself where it
/// works on each element of its operands. No operations where it only copies.
VectorBody vectorBodyOf(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return bodyOf(structured);
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

/// The widest element that `op` reads or writes.
int64_t widestElementOf(Operation *op) {
  int64_t bits = 1;
  auto widen = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bits = std::max(bits, elementBits(tensor.getElementType()).value_or(64));
  };
  llvm::for_each(op->getOperandTypes(), widen);
  llvm::for_each(op->getResultTypes(), widen);
  return bits;
}

/// How many times a tile that runs `iteration` runs the body.
int64_t elementsOf(Operation *op, const OpAccess &access,
                   const IterationDomain &iteration) {
  if (iteration.empty)
    return 0;
  if (std::optional<unsigned> operand = elementOperandOf(op))
    return access.read(*operand, iteration).volume();
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
  return {transferCycles(figures, Direction::DdrToDdr, bytes.value), 0,
          bytes.value};
}

} // namespace

ModelledCost operationCost(Operation *op, const OpAccess *access,
                           TypeRange resultTypes, const Target &target) {
  const CostFigures &figures = target.costs;
  if (!isWork(op))
    return {};
  std::optional<TileIterations> parts = partsOf(op, access, resultTypes);
  if (!parts)
    return costInDdr(op, resultTypes, figures);
  std::optional<EngineWork> engine = findEngineWork(op, *access);
  VectorBody body = engine ? VectorBody() : vectorBodyOf(op);
  int64_t bits = widestElementOf(op);
  auto resultType = cast<RankedTensorType>(resultTypes[0]);
  ModelledCost cost;
  for (auto [tile, iteration] : llvm::enumerate(*parts)) {
    int64_t cycles =
        engine ? engineCycles(*engine, *access, iteration, resultType, figures)
               : vectorCycles(figures, body, elementsOf(op, *access, iteration),
                              bits);
    if (cycles > cost.cycles)
      cost = {cycles, static_cast<int64_t>(tile), 0};
  }
  return cost;
}

} // namespace npu
