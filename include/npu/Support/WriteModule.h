// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing the module that an importer has made, as text or as bytecode.

#ifndef NPU_SUPPORT_WRITEMODULE_H
#define NPU_SUPPORT_WRITEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

/// The ending of the names of files in MLIR's bytecode.
inline constexpr llvm::StringLiteral bytecodeEnding = ".mlirbc";
/// The option that asks for bytecode, as mlir-opt has it.
inline constexpr llvm::StringLiteral emitBytecodeName = "emit-bytecode";

/// Registers --emit-bytecode with the command line. To be called before that is
/// parsed, any number of times.
void registerWriteModule();

/// Writes a module with its locations: as text, or, where --emit-bytecode was
/// written, as bytecode, in which data of resources take as many bytes as they
/// have (twice as many in text).
mlir::LogicalResult writeModule(mlir::ModuleOp module,
                                llvm::raw_ostream &output);

} // namespace npu

#endif // NPU_SUPPORT_WRITEMODULE_H
