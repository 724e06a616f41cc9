// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RotatingBuffers.h"

#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {
namespace {

/// The number of the round that the innermost of the loops of steps around the
/// builder runs, all rounds of those further outside counted, as an expression
/// of their variables: in consecutive rounds it differs by one.
AffineExpr roundOf(OpBuilder &builder, SmallVectorImpl<Value> &variables) {
  AffineExpr round = builder.getAffineConstantExpr(0);
  int64_t inner = 1;
  for (Operation *op = builder.getInsertionBlock()->getParentOp();
       auto loop = dyn_cast_if_present<scf::ForOp>(op);
       op = op->getParentOp()) {
    std::optional<APInt> rounds = loop.getStaticTripCount();
    std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                           step = getConstantIntValue(loop.getStep());
    if (!rounds || !begin || !step)
      break;
    AffineExpr variable = builder.getAffineDimExpr(variables.size());
    variables.push_back(loop.getInductionVar());
    round = round + (variable - *begin).floorDiv(*step) * inner;
    inner *= rounds->getSExtValue();
  }
  return round;
}

std::optional<int64_t> asConstant(AffineExpr expr) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// The two sides of an expression of that kind with a constant on the right.
std::optional<std::pair<AffineExpr, int64_t>>
splitConstant(AffineExpr expr, AffineExprKind kind) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != kind)
    return std::nullopt;
  std::optional<int64_t> right = asConstant(binary.getRHS());
  if (!right)
    return std::nullopt;
  return std::pair(binary.getLHS(), *right);
}

/// Whether the expression has a value whatever its variables are: nothing is
/// divided by 0, by less or by a variable.
bool hasValue(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  bool divides = binary.getKind() != AffineExprKind::Add &&
                 binary.getKind() != AffineExprKind::Mul;
  return hasValue(binary.getLHS()) && hasValue(binary.getRHS()) &&
         (!divides || asConstant(binary.getRHS()).value_or(0) > 0);
}

} // namespace

BufferPlace placeOfBuffer(int64_t slots, int64_t offset, int64_t bytes) {
  auto stride = static_cast<int64_t>(llvm::alignTo(bytes, kBufferAlignment));
  return {offset, slots, stride};
}

Value offsetOf(OpBuilder &builder, Location loc, const BufferPlace &place) {
  if (place.slots == 1)
    return arith::ConstantIndexOp::create(builder, loc, place.offset);
  SmallVector<Value> variables;
  AffineExpr slot = roundOf(builder, variables) % place.slots;
  auto map =
      AffineMap::get(variables.size(), 0, slot * place.stride + place.offset);
  return affine::AffineApplyOp::create(builder, loc, map, variables);
}

std::optional<BufferPlace> placeOf(memref::ViewOp view) {
  if (std::optional<int64_t> offset = getConstantIntValue(view.getByteShift()))
    return BufferPlace{*offset};
  auto apply = view.getByteShift().getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  BufferPlace place;
  AffineExpr expr = apply.getAffineMap().getResult(0);
  if (auto sum = splitConstant(expr, AffineExprKind::Add))
    std::tie(expr, place.offset) = *sum;
  auto product = splitConstant(expr, AffineExprKind::Mul);
  auto slot = product ? splitConstant(product->first, AffineExprKind::Mod)
                      : std::nullopt;
  if (!slot || product->second < 1 || slot->second < 1 ||
      slot->second > kMaxSlots || !hasValue(slot->first))
    return std::nullopt;
  place.stride = product->second;
  place.slots = slot->second;
  return place;
}

} // namespace npu
