// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches by the names that exporters give them: past_key_values.0.key and
// present.0.key, past_key_0 and present_key_0, past_0 and present_0.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_CACHENAMES_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_CACHENAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Marks each argument that a result continues by its name with `npu.cache`,
/// where their types allow that. Precondition: arguments and results have
/// their names.
void markCachesByName(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_CACHENAMES_H
