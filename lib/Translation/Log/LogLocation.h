// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the location that a log writes in front of an error.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGLOCATION_H
#define NPU_LIB_TRANSLATION_LOG_LOGLOCATION_H

#include "npu/Translation/Log/NpuLog.h"

namespace npu {

/// Parses the last `loc(...)` between `begin` and `end`; the result is empty
/// where there is none that can be parsed.
LoggedLocation findLogLocation(std::string_view text, std::size_t begin,
                               std::size_t end);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGLOCATION_H
