// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to be registered with a context before it reads a program.

#ifndef NPU_EXTERNALMODELS_REGISTERALL_H
#define NPU_EXTERNALMODELS_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

/// Registers the dialects that the project's tools read: npu, and those that
/// models and tile programs are written in. It registers no others, because
/// each costs start-up time and help text.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers the models of the interfaces in npu/Interfaces: those for
/// operations of upstream's dialects and of npu, and those for operations of
/// any other dialect that have upstream's own interfaces. Part of
/// registerDialects.
void registerModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_EXTERNALMODELS_REGISTERALL_H
