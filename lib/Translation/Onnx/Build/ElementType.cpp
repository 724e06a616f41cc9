// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's element types, and what they are in MLIR.

#include "ElementType.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace npu {

/// By the numbers of the types; nothing for strings, complex numbers and what
/// is no type.
static constexpr std::optional<ElementType> kHostTypes[] = {
    std::nullopt,      ElementType::F32,  ElementType::U8,  ElementType::I8,
    ElementType::U16,  ElementType::I16,  ElementType::I32, ElementType::I64,
    std::nullopt,      ElementType::Bool, ElementType::F16, ElementType::F64,
    ElementType::U32,  ElementType::U64,  std::nullopt,     std::nullopt,
    ElementType::BF16, std::nullopt,      std::nullopt,     std::nullopt,
    std::nullopt,      ElementType::U4,   ElementType::I4,
};

std::optional<OnnxElement> onnxElement(int64_t dataType) {
  bool isKnown = dataType >= 0 &&
                 dataType < static_cast<int64_t>(std::size(kHostTypes)) &&
                 kHostTypes[dataType];
  return isKnown ? std::optional(static_cast<OnnxElement>(dataType))
                 : std::nullopt;
}

ElementType hostType(OnnxElement element, bool keepSign) {
  ElementType type = *kHostTypes[static_cast<int64_t>(element)];
  if (!isUnsigned(type) || keepSign)
    return type;
  if (type == ElementType::U4)
    return ElementType::I4;
  constexpr int distance = int(ElementType::U8) - int(ElementType::I8);
  return static_cast<ElementType>(int(type) - distance);
}

int64_t bitsOf(OnnxElement element) {
  return bitSize(hostType(element, /*keepSign=*/true));
}

int64_t bytesOf(OnnxElement element, int64_t count) {
  return llvm::divideCeil(count * bitsOf(element), 8);
}

std::string onnxElementName(int64_t dataType) {
  // The installed library knows no elements of 4 bits.
  if (dataType == static_cast<int64_t>(OnnxElement::UInt4))
    return "uint4";
  if (dataType == static_cast<int64_t>(OnnxElement::Int4))
    return "int4";
  if (dataType < 0 ||
      !onnx::TensorProto_DataType_IsValid(static_cast<int>(dataType)))
    return std::to_string(dataType);
  return llvm::StringRef(onnx::TensorProto_DataType_Name(
                             static_cast<onnx::TensorProto_DataType>(dataType)))
      .lower();
}

Type elementType(OnnxElement element, MLIRContext *context) {
  Builder builder(context);
  switch (element) {
  case OnnxElement::Float:
    return builder.getF32Type();
  case OnnxElement::Double:
    return builder.getF64Type();
  case OnnxElement::Float16:
    return builder.getF16Type();
  case OnnxElement::BFloat16:
    return builder.getBF16Type();
  case OnnxElement::Bool:
    return builder.getI1Type();
  default:
    return builder.getIntegerType(bitsOf(element));
  }
}

bool isFloat(OnnxElement element) {
  return isFloat(hostType(element, /*keepSign=*/true));
}

bool isUnsigned(OnnxElement element) {
  return element == OnnxElement::Bool ||
         isUnsigned(hostType(element, /*keepSign=*/true));
}

} // namespace npu
