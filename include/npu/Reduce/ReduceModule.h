// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction of a module that shows something to a small one that shows it: what
// npu-reduce and npu-fuzz make of a failure.
//
//   ReduceOptions options;
//   reduceModule(module, [](mlir::ModuleOp candidate) {
//     return stillFails(candidate);
//   }, options);

#ifndef NPU_REDUCE_REDUCEMODULE_H
#define NPU_REDUCE_REDUCEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

struct ReduceOptions {
  /// How often it may still be asked whether a candidate is interesting.
  unsigned triesLeft = 10000;
  /// Whether functions that nobody calls may take and return something else.
  bool changesSignatures = true;
  /// Whether functions may be dropped that are not private.
  bool dropsFunctions = true;
};

/// Whether a candidate, which verifies, shows what is looked for.
using Interesting = llvm::function_ref<bool(mlir::ModuleOp candidate)>;

/// Reduces `module` greedily: drops functions, pieces of functions, results and
/// arguments, puts arguments, operands and constants in place of operations,
/// also in regions, applies the patterns that dialects have for the framework
/// of mlir-reduce, drops layouts or parts of them, and halves extents. A change
/// stays where the module verifies after it and is interesting. Stops after a
/// round without a change, or when no try is left. Returns whether something
/// changed. Nothing is said of candidates that do not verify.
bool reduceModule(mlir::OwningOpRef<mlir::ModuleOp> &module,
                  Interesting interesting, ReduceOptions &options);

/// The operations of functions that compute or move something: without
/// constants, empty and filled tensors, and terminators.
std::size_t countOperations(mlir::ModuleOp module);

/// Gives the npu dialect its patterns for mlir-reduce
/// (DialectReductionPatternInterface), which reduceModule uses as those of
/// every other dialect.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_REDUCE_REDUCEMODULE_H
