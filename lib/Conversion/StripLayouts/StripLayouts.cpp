// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-strip-layouts: rewrites functions to ordinary tensors.

#include "npu/Analysis/Candidates/StorageKinds.h"
#include "npu/Conversion/StripLayouts/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_STRIPLAYOUTS
#include "npu/Conversion/StripLayouts/Passes.h.inc"

namespace {

Type stripped(Type type) {
  return getLayout(type) ? withLayout(cast<RankedTensorType>(type), nullptr)
                         : type;
}

void stripPermuteCast(PermuteCastOp cast, const Permutation &inputDims) {
  Value replacement = cast.getInput();
  if (inputDims != identityPermutation(inputDims.size())) {
    OpBuilder builder(cast);
    auto type = llvm::cast<RankedTensorType>(stripped(cast.getType()));
    Value empty = tensor::EmptyOp::create(
        builder, cast.getLoc(), type.getShape(), type.getElementType());
    SmallVector<int64_t> permutation(inputDims.begin(), inputDims.end());
    replacement =
        linalg::TransposeOp::create(builder, cast.getLoc(), cast.getInput(),
                                    empty, permutation)
            ->getResult(0);
  }
  cast.getResult().replaceAllUsesWith(replacement);
  cast.erase();
}

/// Whether `op` only says where data is.
bool onlyPlaces(Operation *op) {
  if (keepsIndices(op))
    return true;
  return isTensorCast(op) &&
         op->getOperand(0).getType() != op->getResult(0).getType() &&
         stripped(op->getOperand(0).getType()) ==
             stripped(op->getResult(0).getType());
}

/// A replacer that takes layouts off types and off attributes that contain
/// types.
AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType type) -> std::optional<Type> {
    return stripped(type);
  });
  replacer.addReplacement([](DenseElementsAttr values)
                              -> AttrTypeReplacer::ReplaceFnResult<Attribute> {
    return std::pair<Attribute, WalkResult>(
        values.reshape(cast<ShapedType>(stripped(values.getType()))),
        WalkResult::skip());
  });
  replacer.addReplacement(
      [](DenseResourceElementsAttr values) -> std::optional<Attribute> {
        return DenseResourceElementsAttr::get(
            cast<ShapedType>(stripped(values.getType())),
            values.getRawHandle());
      });
  return replacer;
}

struct StripLayoutsPass : impl::StripLayoutsBase<StripLayoutsPass> {
  using StripLayoutsBase::StripLayoutsBase;

  void runOnOperation() override {
    // Find the dimensions of all casts first: they follow from the casts'
    // types, which change as soon as operations before them are replaced.
    SmallVector<std::pair<Operation *, Permutation>> ours;
    WalkResult walk = getOperation()->walk([&](Operation *op) -> WalkResult {
      if (isa<TransferOp>(op))
        return op->emitError("expected a function with or without layouts, got "
                             "a tile program, from which the original function "
                             "does not follow");
      if (auto cast = dyn_cast<PermuteCastOp>(op))
        ours.emplace_back(op, getInputDimensions(cast));
      else if (onlyPlaces(op))
        ours.emplace_back(op, Permutation());
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (auto &[op, inputDims] : ours) {
      if (auto cast = dyn_cast<PermuteCastOp>(op)) {
        stripPermuteCast(cast, inputDims);
        continue;
      }
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
    dropStorageAsked(getOperation());
    makeReplacer().recursivelyReplaceElementsIn(
        getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
        /*replaceTypes=*/true);
  }
};

} // namespace
} // namespace npu
