// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that compiled programs call when an assertion has failed:
// npu-report-assertions writes the calls, and a process that runs such programs
// defines it.

#ifndef NPU_CONVERSION_TOLLVM_REPORTASSERTIONS_H
#define NPU_CONVERSION_TOLLVM_REPORTASSERTIONS_H

#include "llvm/ADT/StringRef.h"

namespace npu {

/// The name of that function. It takes the text of an error and does not
/// return.
inline constexpr llvm::StringLiteral assertionFailedName =
    "npu_assertion_failed";

} // namespace npu

#endif // NPU_CONVERSION_TOLLVM_REPORTASSERTIONS_H
