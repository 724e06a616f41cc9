// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools as functions, for third parties whose tools know more dialects: a
// main that passes a function which registers them.
//
//   int main(int argc, char **argv) {
//     return npu::optMain(argc, argv, [](mlir::DialectRegistry &registry) {
//       registry.insert<mine::MyDialect>();
//       mine::registerMyModels(registry);
//     });
//   }

#ifndef NPU_TOOLS_MAINS_H
#define NPU_TOOLS_MAINS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

using RegisterMore = llvm::function_ref<void(mlir::DialectRegistry &registry)>;

/// npu-opt; library NPUOptMain.
int optMain(int argc, char **argv, RegisterMore more);

/// npu-run; library NPURunMain.
int runMain(int argc, char **argv, RegisterMore more);

/// npu-compile; library NPUCompileMain.
int compileMain(int argc, char **argv, RegisterMore more);

/// npu-reduce; library NPUReduceMain.
int reduceMain(int argc, char **argv, RegisterMore more);

/// npu-inspect; library NPUInspectMain. It knows no dialect.
int inspectMain(int argc, char **argv);

} // namespace npu

#endif // NPU_TOOLS_MAINS_H
