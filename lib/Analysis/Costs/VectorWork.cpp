// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorWork.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/WorkOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
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

} // namespace

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

std::optional<unsigned> elementOperandOf(Operation *op) {
  auto work = modelOf<WorkOpInterface>(op);
  return work ? work.getElementOperand() : std::nullopt;
}

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

} // namespace npu
