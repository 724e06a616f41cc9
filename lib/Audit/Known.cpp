// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Known.h"

#include "npu/Execution/Jit/Signature.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace npu {

TensorSpec withType(const TensorSpec &spec, ElementType type) {
  return {type, spec.shape};
}

HostTensor toReference(const HostTensor &tensor) {
  if (!isFloat(tensor.spec.type) || tensor.spec.type == ElementType::F64)
    return clone(tensor);
  HostTensor result(withType(tensor.spec, ElementType::F64));
  double *to = doublesOf(result);
  for (int64_t i = 0, end = tensor.spec.elements(); i < end; ++i)
    to[i] = valueAt(tensor, i);
  return result;
}

HostTensor filled64(const TensorSpec &spec, double value) {
  HostTensor result(withType(spec, ElementType::F64));
  std::fill_n(doublesOf(result), spec.elements(), value);
  return result;
}

std::optional<HostTensor> elementsOf(ElementsAttr attribute) {
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  auto element = elementTypeOf(type.getElementType());
  if (!element)
    return std::nullopt;
  HostTensor result(
      TensorSpec{*element, {type.getShape().begin(), type.getShape().end()}});
  auto bytes = static_cast<size_t>(result.buffer.size());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() < bytes)
      return std::nullopt;
    std::memcpy(result.buffer.data(), blob->getData().data(), bytes);
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return std::nullopt;
  // A dense attribute has whole bytes of elements that are packed elsewhere.
  bool isAsInMemory = *element != ElementType::Bool && bitSize(*element) >= 8;
  if (!isAsInMemory || dense.isSplat()) {
    auto bitsAt = [&](auto value) {
      if constexpr (std::is_same_v<decltype(value), APFloat>)
        return value.bitcastToAPInt().getZExtValue();
      else
        return value.getZExtValue();
    };
    auto copy = [&](auto values) {
      int64_t i = 0;
      for (auto value : values)
        setBitsAt(result, i++, bitsAt(value));
    };
    if (isFloat(*element))
      copy(dense.getValues<APFloat>());
    else
      copy(dense.getValues<APInt>());
    return result;
  }
  std::memcpy(result.buffer.data(), dense.getRawData().data(), bytes);
  return result;
}

DenseElementsAttr toAttribute(const HostTensor &tensor, RankedTensorType type) {
  unsigned bits = type.getElementTypeBitWidth();
  if (bits < 8) {
    SmallVector<APInt> values;
    for (int64_t i = 0, end = tensor.spec.elements(); i < end; ++i)
      values.push_back(APInt(bits, bitsAt(tensor, i)));
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(tensor.buffer.data()),
                     tensor.spec.bytes().value_or(0)));
}

} // namespace npu
