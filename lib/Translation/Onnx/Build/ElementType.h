// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's element types. MLIR's integers on tensors have no sign, so that a
// value's ONNX type says how its bits are read.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_ELEMENTTYPE_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_ELEMENTTYPE_H

#include "npu/Host/HostTensor.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace npu {

/// An element type of ONNX that tensors of a compiler can have. The numbers are
/// those of onnx::TensorProto::DataType.
enum class OnnxElement {
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
  UInt4 = 21,
  Int4 = 22,
};

/// The element type of that number; nothing for strings, complex numbers and
/// what is no type.
std::optional<OnnxElement> onnxElement(int64_t dataType);

/// What ONNX calls an element type of that number: "float", "string".
std::string onnxElementName(int64_t dataType);

/// f32, i8 ...; integers have no sign, and a boolean is i1.
mlir::Type elementType(OnnxElement element, mlir::MLIRContext *context);

/// Bits of one element in TensorData: a boolean has a byte.
int64_t bitsOf(OnnxElement element);
/// Bytes of as many elements in TensorData; those of 4 bits share bytes.
int64_t bytesOf(OnnxElement element, int64_t count = 1);
/// The type of such elements in a .npy file, with their sign, or in a program,
/// whose integers have none and are called i4 ... i64.
ElementType hostType(OnnxElement element, bool keepSign);

bool isFloat(OnnxElement element);
/// Unsigned integers and booleans.
bool isUnsigned(OnnxElement element);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_ELEMENTTYPE_H
