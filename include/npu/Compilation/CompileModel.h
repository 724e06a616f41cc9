// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model to an artefact.

#ifndef NPU_COMPILATION_COMPILEMODEL_H
#define NPU_COMPILATION_COMPILEMODEL_H

#include "npu/Artefact/Artefact.h"
#include "npu/Compilation/Progress.h"
#include "npu/Conversion/Compile/CompileOptions.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Execution/Jit/RunnableFunction.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// What is asked of a compilation. All of it can change the artefact.
struct CompileRequest {
  /// The function that runs.
  std::string entry;
  /// Those of the phases, with the device that counts.
  CompileOptions options;
  Target target;
  TileThreads threads = TileThreads::One;
  /// How hard LLVM optimizes, 0 to 3.
  unsigned optLevel = defaultOptLevel;
};

/// Compiles a model. The header lacks what is not known here: compiler, key,
/// model hash, and the options as users wrote them. Errors are diagnostics. The
/// same model and request give the same artefact, byte for byte.
mlir::FailureOr<Artefact> compileModel(mlir::OwningOpRef<mlir::ModuleOp> module,
                                       const CompileRequest &request,
                                       Progress &progress);

} // namespace npu

#endif // NPU_COMPILATION_COMPILEMODEL_H
