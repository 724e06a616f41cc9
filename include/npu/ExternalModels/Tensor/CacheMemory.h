// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What puts rows into caches (npu.cache, npu.cache_dim), and which tensors are
// the memory of a cache:
//
//   %0 = tensor.insert_slice %cache into %empty[0, 0] [%length, 4]
//   %1 = tensor.insert_slice %row into %0[%length, 0] [1, 4]
//   %2 = tensor.extract_slice %1[0, 0] [%more, 4]

#ifndef NPU_EXTERNALMODELS_TENSOR_CACHEMEMORY_H
#define NPU_EXTERNALMODELS_TENSOR_CACHEMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// Whether `op` puts rows into a cache, or a cache into a tensor with room for
/// its padding: %0 and %1. The device writes the rows to their place in DDR,
/// and nobody computes anything.
bool addsToCache(mlir::Operation *op);

/// The operation that puts an argument into a larger tensor with nothing else
/// in it (%0 of %cache), where nothing else uses the argument but for its
/// sizes; null elsewhere.
mlir::Operation *enlargementOf(mlir::BlockArgument argument);

/// The tensor of this shape of which `part` is the beginning (%1 of %2); null
/// where there is none.
mlir::Value wholeOf(mlir::Value part, llvm::ArrayRef<int64_t> shape);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_CACHEMEMORY_H
