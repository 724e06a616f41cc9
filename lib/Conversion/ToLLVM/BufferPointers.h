// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to the first elements of buffers. Where a view begins in the buffer
// that it is made of is mostly a constant, and one operation is enough for what
// upstream writes as a descriptor of every view between the two.

#ifndef NPU_LIB_CONVERSION_TOLLVM_BUFFERPOINTERS_H
#define NPU_LIB_CONVERSION_TOLLVM_BUFFERPOINTERS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// The bits of an element of a buffer in memory; nothing for types of which
/// only LLVM knows that.
std::optional<int64_t> bitsOfElement(mlir::Type element);

/// Whether an index is known to be a multiple of a number: by constants, loops
/// and sums and products of these, in affine or in arith.
bool isMultiple(mlir::OpFoldResult number, int64_t of);

class BufferPointers {
public:
  explicit BufferPointers(mlir::MLIRContext *context) : converter(context) {}

  /// The address of the first element of a buffer with known strides. To be
  /// called in the order of the program.
  mlir::Value pointerTo(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value buffer);
  /// Whether the first element of a buffer is known to begin a byte, as it does
  /// where elements are not packed.
  static bool beginsByte(mlir::Value buffer);

private:
  mlir::Value pointerToRoot(mlir::Value root, mlir::Operation *user);

  mlir::LLVMTypeConverter converter;
  /// The pointers of buffers that are no views, or views that begin somewhere.
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
};

/// Erases views in an operation that nothing uses any more.
void eraseUnusedViews(mlir::Operation *root);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOLLVM_BUFFERPOINTERS_H
