// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions whose layouts are assigned, and everything that an assignment says
// of itself.

#ifndef NPU_FUZZ_CASES_ASSIGNCASE_H
#define NPU_FUZZ_CASES_ASSIGNCASE_H

#include "npu-fuzz/Cases/FunctionCase.h"

namespace npu {

class Session;

/// Runs one case whose recipe says how layouts are assigned. Different where
/// the results are not bit for bit those of the original, where legalization
/// changes what was assigned, or where the report of the assignment is not true
/// (CheckAssigned.h). Fine, with a message, where nothing fits the scratchpads.
CaseResult runAssignCase(const Recipe &recipe,
                         const FunctionCaseOptions &options);

/// The option of npu-opt that assigns layouts.
/// Whether no assignment fits, or a value that is pinned to more than a
/// scratchpad holds, by what was said in the session.
bool isTooLarge(const Session &session);

std::string assignCommand(const AssignTask &task);

} // namespace npu

#endif // NPU_FUZZ_CASES_ASSIGNCASE_H
