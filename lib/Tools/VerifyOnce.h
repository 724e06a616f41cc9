// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints verified IR without verifying it once more.

#ifndef NPU_LIB_TOOLS_VERIFYONCE_H
#define NPU_LIB_TOOLS_VERIFYONCE_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace npu {

/// Makes the tool that runs under `config` print its result in the operations'
/// custom form without verifying it a third time, after the parser and the pass
/// manager have verified it. Upstream's printer verifies its input, because the
/// custom printer of an operation may crash on invalid IR.
///
/// This affects IR that was verified as it stands: printing verifies as before
/// while passes are running, after one that failed, and where the user has
/// switched another verification off. To be called after the command line was
/// parsed.
void verifyOnce(mlir::MlirOptMainConfig &config);

} // namespace npu

#endif // NPU_LIB_TOOLS_VERIFYONCE_H
