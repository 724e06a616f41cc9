// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's main of translations empties its output before the translation
// reads further files, which may be the same.

#ifndef NPU_TOOLS_TRANSLATEOUTPUT_H
#define NPU_TOOLS_TRANSLATEOUTPUT_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace npu {

/// Calls a main that takes its arguments and returns whether it has succeeded,
/// with another file after -o where the file that the user has named is there
/// already. That file is replaced at the end, and stays what it was where the
/// main has failed, or where it was an input (npu/Support/InputFiles.h): then
/// there is an error on standard error, and false is returned.
bool runWithPendingOutput(int argc, char **argv,
                          llvm::function_ref<bool(int argc, char **argv)> main);

} // namespace npu

#endif // NPU_TOOLS_TRANSLATEOUTPUT_H
