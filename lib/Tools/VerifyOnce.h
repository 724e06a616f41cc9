// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies IR once where it would be verified several times over.

#ifndef NPU_LIB_TOOLS_VERIFYONCE_H
#define NPU_LIB_TOOLS_VERIFYONCE_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace npu {

/// Makes the tool that runs under `config` print its result in the operations'
/// custom form without verifying it a third time, after the parser and the pass
/// manager have verified it. Upstream's printer verifies its input, because the
/// custom printer of an operation may crash on invalid IR.
///
/// Where the passes are those of npu-compile, which verify the IR after each
/// phase, the pass manager does not verify it after each pass as well, unless
/// the user asks for that (--verify-each).
///
/// Printing without verification affects IR that was verified as it stands:
/// printing verifies as before while passes are running, after one that failed,
/// and where the user has switched another verification off. To be called after
/// the command line was parsed.
void verifyOnce(mlir::MlirOptMainConfig &config);

} // namespace npu

#endif // NPU_LIB_TOOLS_VERIFYONCE_H
