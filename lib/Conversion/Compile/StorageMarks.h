// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries `npu.storage` from operations to those that they are lowered to:
// upstream's lowerings drop attributes that they do not know, and keep
// locations.

#ifndef NPU_LIB_CONVERSION_COMPILE_STORAGEMARKS_H
#define NPU_LIB_CONVERSION_COMPILE_STORAGEMARKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace npu {

class StorageMarks {
public:
  /// Takes every `npu.storage` off operations that are not linalg's, and marks
  /// their locations.
  explicit StorageMarks(mlir::ModuleOp module);

  /// Puts each on the last operation that has its location and gives a tensor
  /// of its shape, and takes the marks off. A warning tells of what is lost.
  void restore();

private:
  struct Mark {
    mlir::Location loc;
    mlir::Attribute id, storage;
    llvm::SmallVector<int64_t> shape;
  };

  mlir::ModuleOp module;
  std::vector<Mark> marks;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_COMPILE_STORAGEMARKS_H
