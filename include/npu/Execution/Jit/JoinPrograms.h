// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many small programs as one, which LLVM compiles in less time than each by
// itself, and on all processors.

#ifndef NPU_EXECUTION_JIT_JOINPROGRAMS_H
#define NPU_EXECUTION_JIT_JOINPROGRAMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace npu {

/// The name that a symbol of program `number` has among all.
std::string joinedName(size_t number, llvm::StringRef symbol);

/// One module with copies of all programs, which are in the LLVM dialect. Their
/// symbols are renamed (`joinedName`), but for functions that are only
/// declared, which are those of the runtime. Null where two programs declare
/// one function with different types.
///
/// Example: two programs that define @main and call @malloc become one that
/// defines @"0.main" and @"1.main", and declares @malloc.
mlir::OwningOpRef<mlir::ModuleOp>
joinPrograms(llvm::ArrayRef<mlir::ModuleOp> programs);

} // namespace npu

#endif // NPU_EXECUTION_JIT_JOINPROGRAMS_H
