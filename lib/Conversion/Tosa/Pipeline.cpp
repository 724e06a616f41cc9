// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/Tosa/Pipeline.h"
#include "npu/Conversion/Tosa/Passes.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {

void buildTosaToLinalg(OpPassManager &functions, bool control) {
  functions.addPass(createPrepareTosa());
  functions.addPass(tosa::createTosaOptionalDecompositionsPass());
  functions.addPass(tosa::createTosaInferShapesPass());
  functions.addPass(tosa::createTosaMakeBroadcastablePass());
  if (control)
    functions.addPass(createLowerTosaControlFlow());
  functions.addPass(createLowerTosa());
}

bool lowersToLoops(Operation *op) {
  return isa<tosa::IfOp, tosa::WhileOp, tosa::ScatterOp>(op);
}

static bool hasElement(Operation *op, llvm::function_ref<bool(Type)> holds) {
  auto holdsElement = [&](Type type) {
    return holds(getElementTypeOrSelf(type));
  };
  return llvm::any_of(op->getOperandTypes(), holdsElement) ||
         llvm::any_of(op->getResultTypes(), holdsElement);
}

/// Whether a type of the operation is one of those of block-scaled formats.
static bool hasNarrowFloats(Operation *op) {
  return hasElement(
      op, llvm::IsaPred<tosa::mxint8Type, Float8E8M0FNUType, Float4E2M1FNType,
                        Float6E2M3FNType, Float6E3M2FNType>);
}

static bool hasUnsigned(Operation *op) {
  return hasElement(op, [](Type type) { return type.isUnsignedInteger(); });
}

/// Whether the operation accumulates f64 in a type of its own, of which none
/// has 64 bits.
static bool accumulatesF64(Operation *op) {
  return isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
             tosa::TransposeConv2DOp, tosa::AvgPool2dOp>(op) &&
         hasElement(op, [](Type type) { return type.isF64(); });
}

bool hasNoLowering(Operation *op) {
  return hasUnsigned(op) || accumulatesF64(op);
}

std::string whatHelpsInsteadOf(Operation *op) {
  if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
    return "";
  auto known =
      llvm::TypeSwitch<Operation *, std::string>(op)
          .Case<tosa::VariableOp, tosa::VariableReadOp, tosa::VariableWriteOp>(
              [](auto) {
                return "a function that keeps nothing between its calls is "
                       "accepted: take the variable's value as an argument and "
                       "return the new one";
              })
          .Case<tosa::CustomOp>([](auto) {
            return "a call of a function with a body is accepted in its place";
          })
          .Case<tosa::CastFromBlockScaledOp, tosa::CastToBlockScaledOp,
                tosa::MatmulTBlockScaledOp>([](auto) {
            return "values that are scaled already, as in f32, bf16 or f16, "
                   "are "
                   "accepted instead of blocks with scales";
          })
          .Default([](Operation *) { return std::string(); });
  if (!known.empty())
    return known;
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<tosa::shapeType>))
    return "a shape that is computed from constants is accepted";
  if (hasUnsigned(op))
    return "signless integers are accepted: what is unsigned is said by the "
           "attributes of tosa.rescale";
  if (accumulatesF64(op))
    return "f32, which is accumulated in f32, is accepted";
  if (hasNarrowFloats(op))
    return "f32, f16, bf16, f8E4M3FN and f8E5M2 are accepted";
  return "";
}

} // namespace npu
