// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tools that have no main of upstream's parse a model.

#ifndef NPU_LIB_TOOLS_PARSEMODEL_H
#define NPU_LIB_TOOLS_PARSEMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace npu {

/// Parses the model in `buffer`, which `sources` keeps for the diagnostics of
/// its context. Null, after an error, where it is nested too deeply or is not
/// MLIR; a note says where it has the spelling of an older release.
mlir::OwningOpRef<mlir::ModuleOp>
parseModel(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::SourceMgr &sources,
           mlir::MLIRContext &context);

} // namespace npu

#endif // NPU_LIB_TOOLS_PARSEMODEL_H
