// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arith.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {
namespace {

/// The same elements under another type of the same shape; null for kinds of
/// attributes that cannot be retyped.
ElementsAttr retyped(ElementsAttr elements, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (dense.isSplat())
      return dense.resizeSplat(type);
    return dense.reshape(type);
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  if (auto sparse = dyn_cast<SparseElementsAttr>(elements))
    return DenseElementsAttr::get(
        type, llvm::to_vector(sparse.getValues<Attribute>()));
  return {};
}

struct ConstantRematerialization
    : RematerializableOpInterface::ExternalModel<ConstantRematerialization,
                                                 arith::ConstantOp> {
  DataNeed getDataNeed(Operation *op) const {
    Attribute value = cast<arith::ConstantOp>(op).getValue();
    if (isa<SplatElementsAttr>(value))
      return DataNeed::Uniform;
    return isa<DenseElementsAttr, DenseResourceElementsAttr,
               SparseElementsAttr>(value)
               ? DataNeed::Stored
               : DataNeed::Computed;
  }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    if (getDataNeed(op) == DataNeed::Computed)
      return failure();
    auto elements = cast<ElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    return arith::ConstantOp::create(builder, op->getLoc(), type,
                                     retyped(elements, type))
        .getResult();
  }
};

} // namespace

void registerArithRematerializableModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantRematerialization>(*context);
  });
}

} // namespace npu
