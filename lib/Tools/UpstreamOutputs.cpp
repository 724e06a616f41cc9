// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UpstreamOutputs.h"

#include "npu/Support/InputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace npu {
namespace {

/// Options of upstream, and of its passes, that name a file to write to.
constexpr llvm::StringLiteral kOutputs[] = {
    "filename",
    "info-output-file",
    "log-actions-to",
    "mlir-generate-reproducer",
    "mlir-pass-pipeline-crash-reproducer",
    "profile-actions-to",
    "remarks-output-file",
};

/// Options that name a file to read, of upstream, of passes, and of the
/// pipeline npu-compile.
constexpr llvm::StringLiteral kInputs[] = {
    "irdl-file",
    "overrides",
    "precision-overrides",
    "transform-library-paths",
};

/// Calls `see` with each NAME=VALUE of the arguments, also of those within the
/// options of a pass, and with each `--NAME VALUE`.
void forEachOption(
    llvm::ArrayRef<char *> arguments,
    llvm::function_ref<void(llvm::StringRef, llvm::StringRef)> see) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (argument.starts_with("-") && i + 1 < arguments.size())
      see(argument.ltrim('-'), arguments[i + 1]);
    // Passes have their options in braces or quotes, one after the other.
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(argument, words, " \t\n{}(),'\"");
    for (llvm::StringRef word : words)
      // --PASS=NAME=VALUE: every '=' may be the one between the two.
      while (word.contains('=')) {
        auto [name, value] = word.split('=');
        see(name.ltrim('-'), value);
        word = value;
      }
  }
}

} // namespace

Result<> checkUpstreamOutputs(llvm::ArrayRef<char *> arguments) {
  forEachOption(arguments, [](llvm::StringRef name, llvm::StringRef value) {
    if (llvm::is_contained(kInputs, name))
      noteInput("that of " + name.str(), value.str());
  });
  Result<> checked = Success();
  forEachOption(arguments, [&](llvm::StringRef name, llvm::StringRef value) {
    if (checked && llvm::is_contained(kOutputs, name))
      checked = checkOutput(name.str(), value.str());
  });
  return checked;
}

} // namespace npu
