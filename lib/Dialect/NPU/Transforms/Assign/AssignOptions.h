// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options of npu-assign-distributions and npu-explain-assignment say.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNOPTIONS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNOPTIONS_H

#include "AssignFunction.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// The options as they are written.
struct WrittenOptions {
  std::string strategy;
  int64_t tiles = 0;
  std::string target;
  int64_t states = 0;
  int64_t bytePrice = 0;
  bool splitReductions = false;
  bool host = false;
  std::string storage = "auto";
  bool inSteps = true;
};

struct AssignSettings {
  Target target;
  ProblemOptions options;
  Strategy strategy;
  /// Whether the host may run what tiles can run: where it has to run something
  /// in any case, and where nothing fits otherwise.
  bool host = false;
  /// Whether operations may run in steps where nothing fits otherwise.
  bool inSteps = true;
};

/// The settings. Without a target, tiles cost what those of npu4000 do, and
/// scratchpads hold everything. Errors at `module`: an unknown strategy or
/// target, too many tiles, no states,
/// a price below 0.
mlir::FailureOr<AssignSettings> readSettings(mlir::ModuleOp module,
                                             const WrittenOptions &written);

/// Refuses the option `states` of the pass `argument`, whose options are
/// `text`, beside a strategy that does not read it.
mlir::LogicalResult verifyStatesRead(
    llvm::StringRef argument, llvm::StringRef text,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> fail);

/// The functions that have a body.
llvm::SmallVector<mlir::FunctionOpInterface> functionsOf(mlir::ModuleOp module);

/// Makes the module one whose problems can be built: layouts that were chosen
/// before are pinned. Errors: a value of dynamic shape, a layout that does not
/// fit its tensor or the target, two layouts for one value.
mlir::LogicalResult prepare(mlir::ModuleOp module,
                            const AssignSettings &settings);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNOPTIONS_H
