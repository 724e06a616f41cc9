// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/TensorSizes.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Boxes/Box.h"
#include "npu/Support/NoteNode.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

bool isTooLarge(ShapedType type) {
  if (!type.hasRank() || !type.hasStaticShape() ||
      llvm::is_contained(type.getShape(), 0))
    return false;
  std::optional<int64_t> size =
      bufferBytes(type.getElementType())
          ? bufferBytes(type.getElementType(), type.getShape())
          : checkedProduct(type.getShape());
  return !size || *size > mostTensorBytes;
}

/// Checks types, each once.
class SizeCheck {
public:
  LogicalResult check(Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op);
        function && failed(check(op, function.getArgumentTypes(), "argument")))
      return failure();
    if (failed(check(op, op->getResultTypes(), "result")))
      return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(check(op, block.getArgumentTypes(), "argument")))
          return failure();
    return success();
  }

private:
  LogicalResult check(Operation *op, TypeRange types, StringRef what) {
    for (auto [number, type] : llvm::enumerate(types)) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (!shaped || !seen.insert(type).second || !isTooLarge(shaped))
        continue;
      InFlightDiagnostic error = op->emitError();
      error << "expected tensors of at most 2^60 bytes, got " << type << " as "
            << what << " #" << number;
      noteNode(error, op);
      return error;
    }
    return success();
  }

  llvm::DenseSet<Type> seen;
};

} // namespace

LogicalResult checkTensorSizes(Operation *root) {
  SizeCheck sizes;
  return failure(root->walk<WalkOrder::PreOrder>([&](Operation *op) {
                       return WalkResult(sizes.check(op));
                     })
                     .wasInterrupted());
}

} // namespace npu
