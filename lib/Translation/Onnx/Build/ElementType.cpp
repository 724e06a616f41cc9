// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's element types, and what they are in MLIR.

#include "ElementType.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace npu {

std::optional<OnnxElement> onnxElement(int64_t dataType) {
  switch (dataType) {
  case 1:
  case 2:
  case 3:
  case 4:
  case 5:
  case 6:
  case 7:
  case 9:
  case 10:
  case 11:
  case 12:
  case 13:
  case 16:
    return static_cast<OnnxElement>(dataType);
  default:
    return std::nullopt;
  }
}

std::string onnxElementName(int64_t dataType) {
  if (dataType < 0 ||
      !onnx::TensorProto_DataType_IsValid(static_cast<int>(dataType)))
    return "type " + std::to_string(dataType);
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
  case OnnxElement::UInt8:
  case OnnxElement::Int8:
    return builder.getI8Type();
  case OnnxElement::UInt16:
  case OnnxElement::Int16:
    return builder.getI16Type();
  case OnnxElement::UInt32:
  case OnnxElement::Int32:
    return builder.getI32Type();
  case OnnxElement::UInt64:
  case OnnxElement::Int64:
    return builder.getI64Type();
  }
  llvm_unreachable("all element types are listed");
}

bool isFloat(OnnxElement element) {
  return element == OnnxElement::Float || element == OnnxElement::Double ||
         element == OnnxElement::Float16 || element == OnnxElement::BFloat16;
}

bool isUnsigned(OnnxElement element) {
  return element == OnnxElement::UInt8 || element == OnnxElement::UInt16 ||
         element == OnnxElement::UInt32 || element == OnnxElement::UInt64 ||
         element == OnnxElement::Bool;
}

} // namespace npu
