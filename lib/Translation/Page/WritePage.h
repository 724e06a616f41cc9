// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page around a view: web/ is its source.

#ifndef NPU_LIB_TRANSLATION_PAGE_WRITEPAGE_H
#define NPU_LIB_TRANSLATION_PAGE_WRITEPAGE_H

#include "ProgramView.h"

namespace npu {

/// Whether this build has the page. It has none where Node.js was missing.
bool hasPage();

/// Writes one HTML file that holds all that it shows.
void writePage(const ProgramView &view, llvm::raw_ostream &output);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_PAGE_WRITEPAGE_H
