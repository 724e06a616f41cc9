// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every tile does step by step, for programs that keep it.

#ifndef NPU_CONVERSION_LOWERTOTILES_TILESTEPS_H
#define NPU_CONVERSION_LOWERTOTILES_TILESTEPS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace npu {

/// The JSON of `npu-print-tile-program=format=json` about a tile program, with
/// the steps of every tile; an error where it is none.
mlir::FailureOr<std::string> tileStepsAsJson(mlir::ModuleOp program);

} // namespace npu

#endif // NPU_CONVERSION_LOWERTOTILES_TILESTEPS_H
