// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was verified is printed without being verified once more.

#ifndef NPU_LIB_TOOLS_VERIFYONCE_H
#define NPU_LIB_TOOLS_VERIFYONCE_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace npu {

/// Makes the tool that runs under `config` print its result in the operations'
/// own form without verifying it a third time, after the parser and the pass
/// manager did. Upstream's printer verifies whatever it is given, because an
/// operation's own form may crash on what is not valid.
///
/// Holds wherever the IR was verified as it stands: while passes are at work,
/// after one that failed, and where the user has switched one of the other two
/// verifications off, printing verifies as before. To be called after the
/// command line was parsed.
void verifyOnce(mlir::MlirOptMainConfig &config);

} // namespace npu

#endif // NPU_LIB_TOOLS_VERIFYONCE_H
