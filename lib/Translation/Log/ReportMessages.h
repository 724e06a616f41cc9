// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said about a log, as diagnostics at its lines and columns.

#ifndef NPU_LIB_TRANSLATION_LOG_REPORTMESSAGES_H
#define NPU_LIB_TRANSLATION_LOG_REPORTMESSAGES_H

#include "LoggedCast.h"

#include "llvm/Support/SourceMgr.h"

namespace npu {

/// Emits the messages. Each one costs time in its line's length, so that only
/// so many are told.
void reportMessages(const NpuLog &log, const LogMessages &messages);

/// Lines of a log are thousands of characters wide: from now on, diagnostics
/// of `sourceMgr` show what stands around their column only.
void showExcerpts(llvm::SourceMgr &sourceMgr);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_REPORTMESSAGES_H
