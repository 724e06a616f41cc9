// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects that our tools read: ours, and those that models and tile
// programs are written in. No more, because each costs start-up and help text.

#ifndef NPU_EXTERNALMODELS_REGISTERALL_H
#define NPU_EXTERNALMODELS_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

void registerDialects(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_EXTERNALMODELS_REGISTERALL_H
