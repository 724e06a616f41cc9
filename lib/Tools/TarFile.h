// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tar archives (POSIX ustar, with pax headers for long names and huge files).
// LLVM's TarWriter ends the process where the disk is full, and knows no
// programs.

#ifndef NPU_LIB_TOOLS_TARFILE_H
#define NPU_LIB_TOOLS_TARFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

/// Appends a file to an archive. Its time is 0, so that the same files make the
/// same archive.
void writeTarFile(llvm::raw_ostream &archive, llvm::StringRef name,
                  llvm::StringRef contents, bool isProgram);

/// Ends an archive.
void endTar(llvm::raw_ostream &archive);

} // namespace npu

#endif // NPU_LIB_TOOLS_TARFILE_H
