// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --emit-bundle=FILE.tar of every tool: one file from which others see what a
// command did, and run it again.

#ifndef NPU_TOOLS_EMITBUNDLE_H
#define NPU_TOOLS_EMITBUNDLE_H

#include "llvm/Support/CommandLine.h"

#include <optional>

namespace npu {

/// Adds --emit-bundle and --bundle-weights to a tool's options, for its --help.
/// To be called before the command line is parsed.
void addBundleOptions(llvm::cl::OptionCategory &category);

/// Where the command line has --emit-bundle, runs the tool without it as
/// another process, as the user would, and once more on copies of its inputs in
/// a folder of its own; writes the bundle of the second run; and returns the
/// exit code of the first. A crash is no reason to have no bundle. Nothing
/// where no bundle is asked for. To be called at the very beginning of a tool's
/// main.
std::optional<int> runWithBundle(llvm::StringRef tool, int argc, char **argv);

} // namespace npu

#endif // NPU_TOOLS_EMITBUNDLE_H
