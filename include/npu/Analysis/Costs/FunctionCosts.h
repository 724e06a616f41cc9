// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a legal function costs, row by row: every operation, and every movement,
// those around operations that fall back to the host included.

#ifndef NPU_ANALYSIS_COSTS_FUNCTIONCOSTS_H
#define NPU_ANALYSIS_COSTS_FUNCTIONCOSTS_H

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Costs/ModelledCost.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <vector>

namespace npu {

/// An operation, or a movement that an operation is or makes necessary. Cycles
/// and bytes are those of all rounds of the loops around it.
struct CostRow {
  mlir::Operation *op;
  bool isMovement = false;
  ModelledCost cost;
};

struct FunctionCosts {
  mlir::FunctionOpInterface function;
  /// In program order.
  std::vector<CostRow> rows;
  /// The sums of the rows' cycles.
  int64_t ofOperations = 0;
  int64_t ofMovements = 0;
  int64_t total = 0;
  /// The bytes that DDR reads and writes, and what no program goes below: each
  /// argument and constant in DDR that an operation reads as a whole, and each
  /// result there that an operation makes, once.
  int64_t ddrBytes = 0;
  int64_t ddrBytesBound = 0;
  /// Loops that nobody knows the rounds of: one round of each counts.
  llvm::SmallVector<mlir::Operation *> unknownLoops;
  /// Operations with results of dynamic shape: a dynamic extent counts as 1.
  llvm::SmallVector<mlir::Operation *> ofDynamicShape;
};

/// What engines do of `op` where it stands, without what they do of it beside
/// an operation that falls back to the host.
DoneByEngine doneWhereItStands(mlir::Operation *op, const Target &target,
                               HostFallbackQuery &question);

/// The costs of a function. All branches count, and called functions do not.
/// Arguments and results with a layout lie where they are. Precondition:
/// npu-verify-distributions accepts the function.
FunctionCosts costsOf(mlir::FunctionOpInterface function, const Target &target);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_FUNCTIONCOSTS_H
