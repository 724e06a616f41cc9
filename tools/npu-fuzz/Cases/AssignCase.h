// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_FUZZ_CASES_ASSIGNCASE_H
#define NPU_FUZZ_CASES_ASSIGNCASE_H

#include "npu-fuzz/Cases/Session.h"

namespace npu {

/// Whether no assignment fits, or a value that is pinned to more than a
/// scratchpad holds, by what was said in the session.
bool isTooLarge(const Session &session);

} // namespace npu

#endif // NPU_FUZZ_CASES_ASSIGNCASE_H
