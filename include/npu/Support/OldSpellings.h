// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names what an older MLIR wrote where a file cannot be parsed: the textual
// form of IR is that of one release, and exporters lag.

#ifndef NPU_SUPPORT_OLDSPELLINGS_H
#define NPU_SUPPORT_OLDSPELLINGS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

/// To be called where the file could not be parsed. If it has a spelling of
/// older releases, writes a note at the first one that says how that is spelled
/// now, and which MLIR the tool reads; else nothing. Time is linear in the
/// text, and bytecode is left alone. `isUnparsed` is asked first where there is
/// something to say and the caller does not know whether the parser failed.
/// Example:
///
///   model.mlir:1:1: note: 'func' has been 'func.func' since LLVM 15; this tool
///   reads the textual IR of MLIR 22.1
void noteOldSpelling(
    llvm::MemoryBufferRef file, llvm::raw_ostream &os,
    llvm::function_ref<bool()> isUnparsed = [] { return true; });

} // namespace npu

#endif // NPU_SUPPORT_OLDSPELLINGS_H
