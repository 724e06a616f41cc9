// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run's work: run a function, and a reference beside it.

#ifndef NPU_EXECUTION_COMPARE_RUNANDCOMPARE_H
#define NPU_EXECUTION_COMPARE_RUNANDCOMPARE_H

#include "npu/Conversion/ToLLVM/Pipelines.h"
#include "npu/Execution/Compare/CompareTensors.h"
#include "npu/Execution/Host/GenerateInputs.h"
#include "npu/Execution/Jit/CompiledFunction.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

struct RunOptions {
  std::string entry = "main";
  /// Files to read the inputs from; none: they are generated.
  std::vector<std::string> inputFiles;
  InputKind inputs = InputKind::Random;
  uint64_t seed = 0;
  Tolerance tolerance;
  unsigned optLevel = 2;
  /// Of the function, not of the reference.
  TileThreads threads = TileThreads::One;
  /// Where results go as .npy; with several, r.npy becomes r.0.npy, r.1.npy.
  std::string output;
  /// Runs of each side; the fastest of each is reported when there are several.
  unsigned repeat = 1;
  /// Of the dynamic dimensions of the function's arguments.
  std::vector<int64_t> lengths;
  /// For FILE's own side.
  ScratchpadOptions scratchpad;
};

/// Runs `module` and, unless it is null, `reference`, on the same inputs;
/// prints what came of it to `out`. Failure: something could not be done (a
/// diagnostic or a line on stderr says what), or results differ by more than
/// the tolerance.
llvm::LogicalResult runAndCompare(mlir::OwningOpRef<mlir::ModuleOp> module,
                                  mlir::OwningOpRef<mlir::ModuleOp> reference,
                                  const RunOptions &options,
                                  llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_RUNANDCOMPARE_H
