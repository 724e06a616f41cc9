// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for a function by solving its assignment problem.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H

#include "npu/Analysis/Ways/FunctionProblem.h"
#include "npu/Assignment/LeastCost.h"
#include "npu/Assignment/ProblemJson.h"

namespace npu {

/// How an assignment is searched.
struct Strategy {
  /// least, greedy, beam, duplicate or rows.
  std::string name;
  /// Of least: the most partial assignments between two operations.
  int64_t states = 0;
  /// Thousandths of a cycle that a byte costs which a tile receives from
  /// another one, besides the time that it takes.
  int64_t bytePrice = 0;
};

/// Whether there is a strategy of that name.
bool isStrategy(llvm::StringRef name);

/// "least, greedy, beam, duplicate or rows"
llvm::StringRef strategyNames();

/// A problem and what a strategy found.
struct SolvedFunction {
  FunctionProblem function;
  Assignment assignment;
  SearchRecord record;
};

/// Builds and solves the problem of `function`. An error at the operation that
/// does not fit, with bytes and what would help, where nothing fits.
mlir::FailureOr<SolvedFunction>
solveFunction(mlir::FunctionOpInterface function, const Target &target,
              const ProblemOptions &options, const Strategy &strategy);

/// Warns of the operations that no tile does a part of, and remarks what was
/// chosen and what each operation's next best way would have cost.
void tellAssignment(const SolvedFunction &solved, const Target &target);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H
