// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StorageMarks.h"

#include "npu/Analysis/Candidates/StorageKinds.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The shape of the first tensor of rank 4 that an operation makes.
std::optional<ArrayRef<int64_t>> shapeMade(Operation *op) {
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getRank() == 4)
      return tensor.getShape();
  return std::nullopt;
}

} // namespace

StorageMarks::StorageMarks(ModuleOp module) : module(module) {
  MLIRContext *context = module.getContext();
  module.walk([&](Operation *op) {
    Attribute storage = op->getDiscardableAttr(storageAttrName);
    if (!storage || isa<linalg::LinalgOp>(op))
      return;
    auto id = StringAttr::get(
        context, fmt::format("{}#{}", storageAttrName.str(), marks.size()));
    marks.push_back(
        {op->getLoc(), id, storage,
         llvm::to_vector(shapeMade(op).value_or(ArrayRef<int64_t>()))});
    op->removeDiscardableAttr(storageAttrName);
    op->setLoc(FusedLoc::get(context, {op->getLoc()}, id));
  });
}

void StorageMarks::restore() {
  if (marks.empty())
    return;
  llvm::DenseMap<Attribute, Operation *> carriers;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<ArrayRef<int64_t>> shape = shapeMade(op);
    if (!shape)
      return;
    op->getLoc()->walk([&](Location part) {
      auto fused = dyn_cast<FusedLoc>(part);
      for (const Mark &mark : marks)
        if (fused && fused.getMetadata() == mark.id &&
            ArrayRef<int64_t>(mark.shape) == *shape)
          carriers[mark.id] = op;
      return WalkResult::advance();
    });
  });
  for (const Mark &mark : marks) {
    if (Operation *op = carriers.lookup(mark.id))
      op->setDiscardableAttr(storageAttrName, mark.storage);
    else
      mlir::emitWarning(mark.loc)
          << "'" << storageAttrName
          << "' is lost, because no tensor of this operation is left";
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FusedLoc fused) -> std::optional<Attribute> {
    for (const Mark &mark : marks)
      if (fused.getMetadata() == mark.id)
        return mark.loc;
    return std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

} // namespace npu
