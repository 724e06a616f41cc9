// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-drop-tiles: removes everything about tiles, which the machine that runs
// the program does not have.

#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/ToLLVM/Passes.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_DROPTILES
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

bool isOurs(NamedAttribute attribute) {
  return attribute.getName().getValue().starts_with("npu.") ||
         attribute.getName() == resultAttrName ||
         attribute.getName() == DLTIDialect::kTargetSystemDescAttrName;
}

void dropAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (isOurs(attribute))
      op->removeDiscardableAttr(attribute.getName());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  auto drop = [](unsigned, NamedAttrList &attributes) {
    for (NamedAttribute attribute : llvm::to_vector(attributes))
      if (isOurs(attribute))
        attributes.erase(attribute.getName());
  };
  rewriteArgAttrs(function, drop);
  rewriteResultAttrs(function, drop);
}

struct DropTilesPass : impl::DropTilesBase<DropTilesPass> {
  using DropTilesBase::DropTilesBase;

  void runOnOperation() override {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
      return MemRefType::get(type.getShape(), type.getElementType(),
                             type.getLayout());
    });
    getOperation()->walk(dropAttributes);
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation()->walk([](memref::MemorySpaceCastOp cast) {
      cast.getResult().replaceAllUsesWith(cast.getSource());
      cast.erase();
    });
  }
};

} // namespace
} // namespace npu
