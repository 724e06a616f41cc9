// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzing of what regions compute: a function is padded or cut into chunks, run
// at every length and compared with the original function.

#ifndef NPU_FUZZ_CASES_BODYCASE_H
#define NPU_FUZZ_CASES_BODYCASE_H

#include "npu-fuzz/Cases/FunctionCase.h"

namespace npu {

/// Runs one case. An error by which padding or chunking refuses what it cannot
/// do is the outcome Fine, with a message; any other error is Refused.
CaseResult runBodyCase(const Recipe &recipe,
                       const FunctionCaseOptions &options);

/// The commands that run the case again.
CaseCommands commandsOfBody(const Recipe &recipe,
                            const FunctionCaseOptions &options);

} // namespace npu

#endif // NPU_FUZZ_CASES_BODYCASE_H
