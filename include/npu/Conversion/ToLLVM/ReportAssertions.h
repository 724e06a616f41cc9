// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled programs say when one of their assertions has failed: the word
// that npu-report-assertions writes and a process that runs them defines.

#ifndef NPU_CONVERSION_TOLLVM_REPORTASSERTIONS_H
#define NPU_CONVERSION_TOLLVM_REPORTASSERTIONS_H

#include "llvm/ADT/StringRef.h"

namespace npu {

/// What programs call whose assertion has failed, with the text of an error,
/// and which does not return.
inline constexpr llvm::StringLiteral assertionFailedName =
    "npu_assertion_failed";

} // namespace npu

#endif // NPU_CONVERSION_TOLLVM_REPORTASSERTIONS_H
