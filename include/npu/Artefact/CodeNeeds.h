// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What object code relies on of the parts beside it. A caller gives the code
// memory of the sizes that the header has, so that a header that says less
// would let the code write beyond it. The code itself therefore has a constant
// that says what it was compiled for, and a header is held against that
// constant before anything runs.

#ifndef NPU_ARTEFACT_CODENEEDS_H
#define NPU_ARTEFACT_CODENEEDS_H

#include "npu/Artefact/Artefact.h"

namespace npu {

/// The symbol of the constant in object code, a text that ends with a zero.
inline constexpr llvm::StringLiteral needsSymbol = "npu_needs";

/// What the code of an artefact needs, as JSON on one line: every field of the
/// header but `compiler`, `key`, `model_sha256`, `options` and the weights'
/// `file`, by which nothing runs, and the hash of every section but the code
/// and the weights. What is long stands there as its SHA-256. Two artefacts
/// with the same needs give the same text. Example:
///
///   {"arenas":"[{\"bytes\":96,\"tile\":0}]",...,"section tiles":"SHA-256 ..."}
std::string codeNeeds(const Artefact &artefact);

/// Nothing wrong where an artefact is what its code needs. An error names the
/// first part that is not: "expected a header with arenas = [...], for which
/// its object code was compiled, got [...]".
Result<> checkCodeNeeds(const Artefact &artefact, llvm::StringRef needs);

} // namespace npu

#endif // NPU_ARTEFACT_CODENEEDS_H
