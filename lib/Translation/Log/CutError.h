// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of an error that the end of the log cuts.

#ifndef NPU_LIB_TRANSLATION_LOG_CUTERROR_H
#define NPU_LIB_TRANSLATION_LOG_CUTERROR_H

#include "npu/Translation/Log/NpuLogTranslation.h"

#include "npu/Translation/Log/NpuLog.h"

namespace npu {

/// "Add_1106, _mem_permute_1 (Add)"; empty for a location without names.
std::string spellNames(const LoggedLocation &location);

/// Says what is missing of an error of the log `text`, and what can be said all
/// the same, one sentence each: whose error it is, what tiles hold of 'in',
/// what that is through the cast, and where the field compiler stops in any
/// case.
std::vector<std::string> knownOfCut(const LoggedError &error,
                                    std::string_view text,
                                    const NpuLogOptions &options);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_CUTERROR_H
