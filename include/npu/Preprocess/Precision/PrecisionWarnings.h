// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a module loses its result in short floats.

#ifndef NPU_PREPROCESS_PRECISION_PRECISIONWARNINGS_H
#define NPU_PREPROCESS_PRECISION_PRECISIONWARNINGS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace npu {

/// A line for each computation of a kind that npu-set-precision knows
/// (policy=accuracy) whose operands are shorter than 32 bits: "p2o.Div.3: a
/// softmax ... in f16: ...".
std::vector<std::string> precisionWarnings(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_PREPROCESS_PRECISION_PRECISIONWARNINGS_H
