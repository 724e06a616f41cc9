// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of npu-compile, pipeline and tool alike: one struct, handed on by
// value, and one list that says by what name and with what words users write
// each member. What belongs to one pass is that pass's own options.
//
//   CompileOptions options;
//   options.to = "legal";
//   options.assignment.states = 1000;
//   buildCompile(passes, options, fail);

#ifndef NPU_CONVERSION_COMPILE_COMPILEOPTIONS_H
#define NPU_CONVERSION_COMPILE_COMPILEOPTIONS_H

#include "npu/Conversion/Compile/Passes.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Preprocess/Precision/Passes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace npu {

struct CompileOptions {
  /// The phases: the one that has written the file, and the last one to run.
  std::string from = "start";
  std::string to = "scratchpad";
  /// The device instead of the module's own.
  std::optional<std::string> target;
  /// The file of JSON that has the figures of the device; empty: none.
  std::string targetFile;
  /// The file whose table of kernels counts; empty: the device's own.
  std::string kernels;
  /// The function to compile, instead of all.
  std::optional<std::string> function;
  SetPrecisionOptions precision;
  PadPromptsOptions padding;
  AssignDistributionsOptions assignment;
  /// Whether sums may be added up in parts; the assignment does so only where
  /// it is told to, legalization unless it is told not to.
  std::optional<bool> splitReductions;
  std::optional<std::string> gather;
  bool parallel = false;
  std::optional<std::string> device;
  bool strictDevice = false;
  bool printDevice = false;
  /// The file for the placement report; empty: none.
  std::string placementReport;

  /// Whether a device is asked for.
  bool asksForDevice() const { return device || strictDevice || printDevice; }
};

/// A member of CompileOptions, as users write it.
struct BoundOption {
  using Value = std::variant<std::string *, std::optional<std::string> *,
                             bool *, std::optional<bool> *, int64_t *,
                             llvm::SmallVector<int64_t> *>;
  /// The name in the pipeline.
  llvm::StringLiteral name;
  /// The name on the tool's command line; empty where the tool has a way of its
  /// own to say it, or none.
  llvm::StringLiteral toolName;
  Value value;
  /// What stands for the value in the tool's help: "N".
  llvm::StringLiteral placeholder;
  llvm::StringLiteral help;
  /// The option that has to be there for this one to be read, by its name or
  /// as name=value; empty: it is always read.
  llvm::StringLiteral reader = "";
};

/// Every option, bound to the members of `options`.
std::vector<BoundOption> boundOptions(CompileOptions &options);

/// The names in the pipeline and values, as text, of options that are not as
/// they are by default, to be told and compared: {"max-prompt-len", "128,512"}.
std::vector<std::pair<std::string, std::string>>
changedOptions(CompileOptions options);

/// What is wrong with an option that is not as it is by default and that
/// nothing reads: "states: expected strategy=least beside it, which reads it",
/// with the names and dashes of the tool where it is for its command line.
/// Nothing where all are read.
std::optional<std::string> findUnread(CompileOptions options,
                                      bool isCommandLine);

} // namespace npu

#endif // NPU_CONVERSION_COMPILE_COMPILEOPTIONS_H
