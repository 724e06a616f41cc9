// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-inspect prints.

#ifndef NPU_ARTEFACT_PRINTARTEFACT_H
#define NPU_ARTEFACT_PRINTARTEFACT_H

#include "npu/Artefact/Artefact.h"

namespace npu {

/// Prints the header and the list of sections for people, with bytes and
/// hashes.
void printText(const Artefact &artefact, llvm::raw_ostream &out);

/// Prints {"header": {...}, "sections": [{"name", "bytes", "sha256"}]}.
void printJson(const Artefact &artefact, llvm::raw_ostream &out);

/// Writes the bytes of one section; an error that lists those that there are.
Result<> printSection(const Artefact &artefact, llvm::StringRef name,
                      llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_ARTEFACT_PRINTARTEFACT_H
