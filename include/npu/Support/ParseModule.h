// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a file of IR that nobody vouches for.

#ifndef NPU_SUPPORT_PARSEMODULE_H
#define NPU_SUPPORT_PARSEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace npu {

/// The module that `buffer` has as text or bytecode; `sources` keeps the buffer
/// for the diagnostics of `context`. Null, after an error, where it is nested
/// too deeply, is not MLIR, or the parser crashes on it; a note says where it
/// has the spelling of an older release.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
            llvm::SourceMgr &sources, mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_SUPPORT_PARSEMODULE_H
