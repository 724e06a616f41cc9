// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of npu-compile.

#ifndef NPU_LIB_TOOLS_COMPILECOMMANDLINE_H
#define NPU_LIB_TOOLS_COMPILECOMMANDLINE_H

#include "npu/Conversion/Compile/CompileOptions.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Execution/Jit/RunnableFunction.h"
#include "npu/Placement/Result.h"

#include "llvm/Support/CommandLine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace npu {

struct CompileCommandLine {
  /// What is printed instead of compiling anything (--print-target).
  std::optional<std::string> onlyPrints;
  std::string file;
  std::string output;
  /// The options that the pipeline has, too. The lengths of prompts are those
  /// to compile for: the one that --prompt-len falls into, or all.
  CompileOptions compile;
  /// The file for the placement report, - for standard output; empty for none.
  std::string placementReport;
  /// The directory for the report; empty: there is none.
  std::string reportDirectory;
  TileThreads threads = TileThreads::One;
  unsigned optLevel = defaultOptLevel;
  /// The file for the weights; empty: they are inside of the artefact.
  std::string weightsFile;
  /// The cache's directory; empty: there is none.
  std::string cacheDirectory;
  /// The most bytes of the cache; 0: no limit.
  uint64_t cacheLimit = 0;
  bool cacheVerify = false;
  /// Whether entries count that others may have written.
  bool trustsCache = false;

  /// Files that options name, by the option: what they contain decides what is
  /// compiled.
  std::map<std::string, std::string> files() const;
};

/// The environment variable that gives the cache's directory where
/// --cache-dir is not written.
inline constexpr const char *cacheVariable = "NPU_CACHE_DIR";

/// What the options of npu-compile stand under in its help.
llvm::cl::OptionCategory &compileCategory();

/// Parses the command line. Whoever has options of his own makes them before.
Result<CompileCommandLine> parseCompileCommandLine(int argc, char **argv);

/// Reads "4096", "512K", "100M", "10G": bytes, by powers of 1024. Nothing where
/// the text is something else or 0.
std::optional<uint64_t> parseBytes(const std::string &text);

} // namespace npu

#endif // NPU_LIB_TOOLS_COMPILECOMMANDLINE_H
