// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the data of constants out of a program on buffers, so that object code
// refers to it by symbols and it can be kept, shared and compared by itself.

#ifndef NPU_EXECUTION_JIT_SEPARATEWEIGHTS_H
#define NPU_EXECUTION_JIT_SEPARATEWEIGHTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace npu {

/// The data of one constant, in row-major order and the machine's byte order.
struct SeparateWeight {
  std::string symbol;
  llvm::ArrayRef<char> bytes;
  /// What keeps the bytes alive.
  mlir::ElementsAttr owner;
};

/// Makes every constant of at least `leastBytes` bytes a declaration, and gives
/// its data back in the order of the module. What is one value throughout, and
/// elements that are not whole bytes, stay where they are.
///
/// Example: `memref.global "private" constant @w : memref<64x64xf32> =
/// dense<...>` becomes `memref.global @w : memref<64x64xf32>`, and 16384 bytes.
std::vector<SeparateWeight> separateWeights(mlir::ModuleOp module,
                                            int64_t leastBytes = 256);

} // namespace npu

#endif // NPU_EXECUTION_JIT_SEPARATEWEIGHTS_H
