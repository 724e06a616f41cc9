// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often an operation runs, as far as loops and branches around it tell.

#ifndef NPU_LIB_ANALYSIS_DEVICES_EXECUTIONS_H
#define NPU_LIB_ANALYSIS_DEVICES_EXECUTIONS_H

#include "npu/Analysis/Devices/DeviceTable.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Counts how often operations of a module run. The callers of all functions
/// are read once, and what is known of a function is kept.
class ExecutionCounts {
public:
  /// Precondition: the module does not change while this exists.
  ExecutionCounts(mlir::ModuleOp module, llvm::StringRef entry);

  /// How often `op` runs while `entry`, a function of the module, runs once;
  /// while each public function does where it is empty. A loop whose trip count
  /// is constant counts as often; other loops may run any number of times, and
  /// a branch may not run at all. Nothing is said of recursion.
  Executions of(mlir::Operation *op);

private:
  Executions ofFunction(mlir::FunctionOpInterface function);
  Executions fromCallers(mlir::FunctionOpInterface function);

  std::string entry;
  /// What refers to each symbol.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> users;
  /// Whether all that may refer to a symbol is known.
  bool usersAreKnown = false;
  llvm::DenseMap<mlir::Operation *, Executions> known;
  /// How many functions are being counted, each for one that it calls.
  int depth = 0;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_DEVICES_EXECUTIONS_H
