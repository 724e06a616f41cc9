// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the library of messages (npu/Mpi/Mpi.h).

#ifndef NPU_LIB_CONVERSION_RANKS_LIBRARYCALLS_H
#define NPU_LIB_CONVERSION_RANKS_LIBRARYCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// Calls a function of the library where `builder` is. The function is declared
/// in the module where it is called for the first time.
mlir::func::CallOp callLibrary(mlir::OpBuilder &builder, mlir::Location loc,
                               llvm::StringRef name, mlir::TypeRange results,
                               mlir::ValueRange arguments);

} // namespace npu

#endif // NPU_LIB_CONVERSION_RANKS_LIBRARYCALLS_H
