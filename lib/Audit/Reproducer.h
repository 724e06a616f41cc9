// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest function that shows what one operation does.

#ifndef NPU_LIB_AUDIT_REPRODUCER_H
#define NPU_LIB_AUDIT_REPRODUCER_H

#include "Engine.h"

namespace npu {

/// Writes the operation as a function of its own, with the operands that it had
/// on the device as constants or, where they are large, in .npy files beside
/// `path`. Returns the command that runs it.
mlir::FailureOr<std::string> writeReproducer(const Engine::Kept &kept,
                                             const std::string &path);

} // namespace npu

#endif // NPU_LIB_AUDIT_REPRODUCER_H
