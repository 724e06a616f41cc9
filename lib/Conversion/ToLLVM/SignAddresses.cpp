// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-sign-addresses: lets addresses go backwards from where a view begins.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SIGNADDRESSES
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The sums and products that an index is made of and that do not wrap around
/// as numbers without a sign.
void collectUnsigned(
    Value index, SmallVectorImpl<LLVM::IntegerOverflowFlagsInterface> &found) {
  Operation *op = index.getDefiningOp();
  auto flags = dyn_cast_or_null<LLVM::IntegerOverflowFlagsInterface>(op);
  if (!isa_and_nonnull<LLVM::AddOp, LLVM::MulOp>(op) ||
      !flags.hasNoUnsignedWrap())
    return;
  found.push_back(flags);
  for (Value operand : op->getOperands())
    collectUnsigned(operand, found);
}

/// Whether the operation multiplies by a stride that may be negative.
bool mayGoBackwards(LLVM::IntegerOverflowFlagsInterface op) {
  auto product = dyn_cast<LLVM::MulOp>(op.getOperation());
  APInt stride;
  return product && (!matchPattern(product.getRhs(), m_ConstantInt(&stride)) ||
                     stride.isNegative());
}

struct SignAddressesPass : impl::SignAddressesBase<SignAddressesPass> {
  using SignAddressesBase::SignAddressesBase;

  void runOnOperation() override {
    using enum LLVM::GEPNoWrapFlags;
    getOperation()->walk([](LLVM::GEPOp address) {
      if (!bitEnumContainsAny(address.getNoWrapFlags(), nuw))
        return;
      SmallVector<LLVM::IntegerOverflowFlagsInterface> parts;
      for (Value index : address.getDynamicIndices())
        collectUnsigned(index, parts);
      if (llvm::none_of(parts, mayGoBackwards))
        return;
      address.setNoWrapFlags(address.getNoWrapFlags() & ~nuw);
      for (LLVM::IntegerOverflowFlagsInterface part : parts)
        part.setOverflowFlags(part.getOverflowFlags() &
                              ~LLVM::IntegerOverflowFlags::nuw);
    });
  }
};

} // namespace
} // namespace npu
