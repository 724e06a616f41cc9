// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction that tiles add up in parts rounds otherwise than an undivided
// one. How far the two can be apart is known at the reduction's own result:
//
//   |parts - whole| <= 2 * gamma(n) * (|init| + sum of |terms|)
//   gamma(n) = n * u / (1 - n * u)
//
// with n the additions that an element takes part in at most, and u half the
// distance from 1 to the next number of the element type. (N. Higham, Accuracy
// and Stability of Numerical Algorithms, section 4.2: the bound of one sum in
// any order, taken twice. Products of n factors: gamma times their magnitude.)

#ifndef NPU_LIB_EXECUTION_BOUNDSPLITREDUCTIONS_H
#define NPU_LIB_EXECUTION_BOUNDSPLITREDUCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What `npu.split_reduction` says, once per reduction.
struct SplitReductionNote {
  std::string function;
  std::string op;
  int64_t number = 0;
  int64_t parts = 0;
  int64_t terms = 0;
  mlir::Location loc;
};

/// The reductions of a legalized function or tile program that were split, in
/// program order.
std::vector<SplitReductionNote> splitReductionsIn(mlir::ModuleOp module);

/// Makes `function`, an undistributed reference, return bounds instead of its
/// results: an f64 tensor for each result that is a split reduction's own (or
/// that with its elements only moved), in their order; terms are added up in
/// f64, and the factor 2 * gamma is in them. Returns, per result, which of them
/// it is; nothing (and `function` is spoilt) where there is none at all.
std::optional<std::vector<std::optional<unsigned>>>
returnBounds(mlir::func::FuncOp function,
             llvm::ArrayRef<SplitReductionNote> splits);

} // namespace npu

#endif // NPU_LIB_EXECUTION_BOUNDSPLITREDUCTIONS_H
