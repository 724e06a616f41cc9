// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arguments of a function are caches that one of its results continues
// (npu.cache).

#ifndef NPU_DIALECT_NPU_IR_CACHEARGUMENTS_H
#define NPU_DIALECT_NPU_IR_CACHEARGUMENTS_H

#include "npu/Placement/Result.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// A cache of keys or values, or other rows of earlier tokens.
struct CacheArgument {
  unsigned argument = 0;
  /// The result that has the cache with the rows of this run.
  unsigned result = 0;
  /// The dimension with one entry for each position.
  int64_t dimension = 0;
};

/// The cache that an argument with `npu.cache` is, or why it can be none: the
/// attribute names no result, the types do not belong together, or it is not
/// known which dimension has the positions. Precondition: the argument has the
/// attribute.
Result<CacheArgument> cacheArgument(mlir::FunctionOpInterface function,
                                    unsigned argument);

/// All caches of a verified function on tensors, in the order of its arguments.
llvm::SmallVector<CacheArgument>
cacheArguments(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_CACHEARGUMENTS_H
