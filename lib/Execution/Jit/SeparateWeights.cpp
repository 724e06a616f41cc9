// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Jit/SeparateWeights.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether an element lies in memory as its bits are in the attribute.
bool hasWholeBytes(Type type) {
  if (isa<IndexType>(type))
    return true;
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
         llvm::isPowerOf2_64(type.getIntOrFloatBitWidth());
}

/// The bytes of all elements; none where they are not in this form.
ArrayRef<char> bytesOf(ElementsAttr elements) {
  bool isWhole = hasWholeBytes(elements.getElementType());
  if (elements.isSplat() || (!isWhole && !isPacked(elements.getElementType())))
    return {};
  // A dense attribute has a byte for each element that is packed elsewhere.
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return isWhole ? dense.getRawData() : ArrayRef<char>();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

} // namespace

std::vector<SeparateWeight> separateWeights(ModuleOp module,
                                            int64_t leastBytes) {
  std::vector<SeparateWeight> weights;
  for (auto global : module.getOps<memref::GlobalOp>()) {
    auto elements =
        dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr());
    if (!elements)
      continue;
    ArrayRef<char> bytes = bytesOf(elements);
    if (static_cast<int64_t>(bytes.size()) < leastBytes)
      continue;
    weights.push_back({global.getSymName().str(), bytes, elements});
    global.removeInitialValueAttr();
    // A declaration has to be visible outside, where its definition is.
    global.setSymVisibilityAttr(nullptr);
  }
  return weights;
}

} // namespace npu
