// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of keys and values of a function, as an artefact describes them.

#ifndef NPU_LIB_COMPILATION_CACHESOF_H
#define NPU_LIB_COMPILATION_CACHESOF_H

#include "npu/Artefact/Artefact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// The arguments with `npu.cache` or `npu.cache_dim`, without the number of
/// their positions. What a cache with `npu.cache` is continued by is its
/// result. The offset of a cache is the argument with `npu.cache_offset` that
/// rows are written at, or the only one; where it is not known, nothing is
/// checked.
std::vector<ArtefactCache> cachesOf(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_LIB_COMPILATION_CACHESOF_H
