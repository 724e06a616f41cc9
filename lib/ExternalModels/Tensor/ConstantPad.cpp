// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/ExternalModels/Tensor/AddedValue.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

RankedTensorType ConstantPad::sourceType() const {
  return cast<RankedTensorType>(source->get().getType());
}

bool isPad(Operation *op) { return isa_and_nonnull<tensor::PadOp>(op); }

std::optional<ConstantPad> asConstantPad(Operation *op) {
  auto pad = dyn_cast_if_present<tensor::PadOp>(op);
  Value added = pad ? pad.getConstantPaddingValue() : Value();
  auto adds = [](int64_t count) { return count >= 0; };
  if (!added || !pad.getSourceType().hasStaticShape() ||
      !pad.getResultType().hasStaticShape() ||
      !llvm::all_of(pad.getStaticLow(), adds) ||
      !llvm::all_of(pad.getStaticHigh(), adds))
    return std::nullopt;
  return ConstantPad{&pad.getSourceMutable(), added, pad.getStaticLow(),
                     pad.getStaticHigh()};
}

Operation *padLike(OpBuilder &builder, Operation *pad, Value source,
                   RankedTensorType type, ArrayRef<int64_t> low,
                   ArrayRef<int64_t> high) {
  MLIRContext *context = pad->getContext();
  return tensor::PadOp::create(builder, pad->getLoc(), type, source,
                               getAsIndexOpFoldResult(context, low),
                               getAsIndexOpFoldResult(context, high),
                               addedValue(builder, cast<tensor::PadOp>(pad)));
}

} // namespace npu
