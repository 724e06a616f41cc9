// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of npu-compile.

#ifndef NPU_LIB_TOOLS_COMPILEOPTIONS_H
#define NPU_LIB_TOOLS_COMPILEOPTIONS_H

#include "npu/Conversion/ToLLVM/Pipelines.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace npu {

struct CompileToolOptions {
  std::string file;
  std::string output;
  std::string entry;
  std::string target;
  /// The device string of the command line, if there is one.
  std::optional<std::string> device;
  /// Whether only the first device of the string counts.
  bool strictDevice = false;
  /// Whether to say on standard error how the device was chosen.
  bool printDevice = false;
  /// The file for the placement report, - for standard output; empty for none.
  std::string placementReport;
  /// Options of the pipeline npu-compile, in its spelling.
  std::vector<std::pair<std::string, std::string>> pipeline;
  /// The lengths to compile for: the one that --prompt-len falls into, or all.
  std::vector<int64_t> promptLengths;
  /// Files that options name, by the option: what they contain decides what is
  /// compiled.
  std::map<std::string, std::string> files;
  TileThreads threads = TileThreads::One;
  std::optional<unsigned> optLevel;
  /// The file for the weights; empty: they are inside of the artefact.
  std::string weightsFile;
  /// The cache's directory; empty: there is none.
  std::string cacheDirectory;
  /// The most bytes of the cache; 0: no limit.
  uint64_t cacheLimit = 0;
  bool cacheVerify = false;
  /// Whether entries count that others may have written.
  bool trustsCache = false;
};

/// The environment variable that gives the cache's directory where
/// --cache-dir is not written.
inline constexpr const char *cacheVariable = "NPU_CACHE_DIR";

/// Parses the command line. Returns an error message, or "".
std::string parseCompileOptions(int argc, char **argv,
                                CompileToolOptions &options);

/// Reads "4096", "512K", "100M", "10G": bytes, by powers of 1024. Nothing where
/// the text is something else or 0.
std::optional<uint64_t> parseBytes(const std::string &text);

} // namespace npu

#endif // NPU_LIB_TOOLS_COMPILEOPTIONS_H
