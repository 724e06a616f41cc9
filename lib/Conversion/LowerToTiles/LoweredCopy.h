// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile program of a module, for passes that print something of it.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_LOWEREDCOPY_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_LOWEREDCOPY_H

#include "npu/Conversion/LowerToTiles/Passes.h"

#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// A copy of the module that npu-lower-to-tiles has lowered, where a tensor of
/// the module has a layout; null where none has, so that the module is as low
/// itself. Fails with the errors of the pass.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
loweredCopyOf(mlir::ModuleOp module,
              HostFallbackPolicy gather = HostFallbackPolicy::Warn);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_LOWEREDCOPY_H
