// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-drop-tiles: removes everything about tiles, which the machine that runs
// the program does not have.

#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/ToLLVM/Passes.h"

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
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (NamedAttribute attribute : llvm::to_vector(function.getArgAttrs(i)))
      if (isOurs(attribute))
        function.removeArgAttr(i, attribute.getName());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (NamedAttribute attribute : llvm::to_vector(function.getResultAttrs(i)))
      if (isOurs(attribute))
        function.removeResultAttr(i, attribute.getName());
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
