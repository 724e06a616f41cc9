// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases that are graphs of TOSA: npu-compile takes them to legal IR, and the
// results are compared with those of the graph as it was.

#ifndef NPU_FUZZ_CASES_TOSACASE_H
#define NPU_FUZZ_CASES_TOSACASE_H

#include "npu-fuzz/Cases/FunctionCase.h"

namespace npu {

/// Runs a case. Where npu-compile refuses an operation with a note that says
/// what is accepted instead, the outcome is Fine, and the message is that note:
/// docs/tosa.md has all of them.
CaseResult runTosaCase(const Recipe &recipe,
                       const FunctionCaseOptions &options);

/// The option of npu-opt that compiles a graph.
std::string tosaCommand(const AssignTask &task);

} // namespace npu

#endif // NPU_FUZZ_CASES_TOSACASE_H
