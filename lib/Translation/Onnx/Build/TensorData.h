// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of tensors: from ONNX's messages to bytes, and from bytes to attributes.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_TENSORDATA_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_TENSORDATA_H

#include "DataFiles.h"
#include "ElementType.h"

#include "npu/Host/HostTensor.h"
#include "npu/Placement/Result.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace npu {

/// Elements one after the other in row-major order, each in as many bytes as
/// it needs and least significant byte first; a boolean is a byte. Elements of
/// 4 bits are packed, two in a byte, of which the first has the low half.
struct TensorData {
  OnnxElement element = OnnxElement::Float;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
  /// The bytes where they are part of a file, instead of `bytes`.
  MappedBytes mapped = {};

  llvm::ArrayRef<char> content() const {
    return mapped.file ? mapped.bytes : llvm::ArrayRef<char>(bytes);
  }
};

/// Constants of up to so many elements are written where they are used, and can
/// be folded; larger ones are resources after the module.
inline constexpr int64_t kMostInlineElements = 1024;

/// Tensors of more elements than this are refused: no machine that runs the
/// function has the memory, and a model of few bytes can ask for any number.
inline constexpr int64_t kMostElements = int64_t(1) << 32;

/// Elements of 4 bits as the same numbers of 8 bits; and the other way around,
/// where high halves of bytes do not count.
TensorData unpacked(const TensorData &data);
TensorData packed(const TensorData &data);

/// The number of elements of a shape; nothing where one extent is negative or
/// there are more than kMostElements.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// Reads a tensor. Data in other files stays there, mapped. Errors: an
/// element type of no tensor, fewer or more bytes than the shape has elements,
/// a file that cannot be read.
Result<TensorData> readTensorData(const onnx::TensorProto &tensor,
                                  DataFiles &files);

/// A dense constant, or a resource where it is large. `name` is the resource's.
mlir::ElementsAttr toElements(const TensorData &data, llvm::StringRef name,
                              mlir::MLIRContext *context);

/// The data of a constant that `toElements` or a fold has made; nothing where
/// it is of another kind. `element` says how its bits are read.
std::optional<TensorData> fromElements(mlir::ElementsAttr elements,
                                       OnnxElement element);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_TENSORDATA_H
