// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of elementwise operations as one operation each.

#ifndef NPU_LIB_TRANSLATION_ONNX_FUSEELEMENTWISE_H
#define NPU_LIB_TRANSLATION_ONNX_FUSEELEMENTWISE_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Merges elementwise operations into their only user where that is elementwise
/// as well: exporters write a GELU as five operators and a hard-swish as four,
/// of which every one would be loaded and stored. The same arithmetic is done
/// in the same order, so that no bit changes.
llvm::LogicalResult fuseElementwise(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_FUSEELEMENTWISE_H
