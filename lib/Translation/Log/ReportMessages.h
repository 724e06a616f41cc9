// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits messages about a log as diagnostics at its lines and columns.

#ifndef NPU_LIB_TRANSLATION_LOG_REPORTMESSAGES_H
#define NPU_LIB_TRANSLATION_LOG_REPORTMESSAGES_H

#include "LoggedCast.h"

#include "llvm/Support/SourceMgr.h"

namespace npu {

/// Emits the messages, up to a limit, because each takes time linear in the
/// length of its line.
void reportMessages(const NpuLog &log, const LogMessages &messages);

/// Makes diagnostics of `sourceMgr` show only the text around their column,
/// because lines of a log have thousands of characters.
void showExcerpts(llvm::SourceMgr &sourceMgr);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_REPORTMESSAGES_H
