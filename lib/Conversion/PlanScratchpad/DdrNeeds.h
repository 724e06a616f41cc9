// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function takes of DDR: its arguments, results and constants, and the
// tensors that it makes there.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_DDRNEEDS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_DDRNEEDS_H

#include "npu/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// Bytes of DDR. Those of buffers with a dynamic shape are not known and do not
/// count.
struct DdrNeeds {
  /// Arguments, among which are the results, and constants.
  int64_t arguments = 0, constants = 0;
  /// The most bytes of buffers of its own that the function uses at one time.
  int64_t buffers = 0;
  /// The operation that runs at that time; null in a function without buffers.
  mlir::Operation *peak = nullptr;

  int64_t total() const;
};

/// What a function of a program on buffers takes with all that it calls.
DdrNeeds ddrNeedsOf(mlir::func::FuncOp function);

/// An error where a function takes more than its device has, as far as that is
/// known.
mlir::LogicalResult verifyDdrCapacity(mlir::func::FuncOp function,
                                      const Target &target);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_DDRNEEDS_H
