// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a context needs to know before it reads a program.

#ifndef NPU_EXTERNALMODELS_REGISTERALL_H
#define NPU_EXTERNALMODELS_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

/// The dialects that our tools read: ours, and those that models and tile
/// programs are written in. No more, because each costs start-up and help text.
void registerDialects(mlir::DialectRegistry &registry);

/// What operations of upstream's dialects and of ours say through the
/// interfaces of npu/Interfaces, and what operations of any other dialect say
/// that have upstream's own. Part of registerDialects.
void registerModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_EXTERNALMODELS_REGISTERALL_H
