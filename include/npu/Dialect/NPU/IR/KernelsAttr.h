// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The items of a row of #npu.kernels, and the structures that a row may name
// instead of an operation. NPUAttributes.td says what they mean.

#ifndef NPU_DIALECT_NPU_IR_KERNELSATTR_H
#define NPU_DIALECT_NPU_IR_KERNELSATTR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

inline constexpr llvm::StringLiteral kernelOp = "op", kernelInputs = "inputs",
                                     kernelIndices = "indices",
                                     kernelAccumulators = "accumulators",
                                     kernelResults = "results",
                                     kernelOrders = "orders",
                                     kernelStorage = "storage",
                                     kernelRanks = "ranks",
                                     kernelExtents = "extents",
                                     kernelAttributes = "attributes";

/// The structure of operations that read entries of whole tensors.
inline constexpr llvm::StringLiteral kernelLookup = "lookup";

/// contraction, convolution, pooling, reduction, elementwise, movement, lookup.
llvm::ArrayRef<llvm::StringLiteral> kernelStructures();

bool isKernelStructure(llvm::StringRef name);

/// A row as #npu.kernels prints it: {op = "npu.scatter", indices = [i32, i16]}.
std::string textOfKernel(mlir::DictionaryAttr row);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_KERNELSATTR_H
