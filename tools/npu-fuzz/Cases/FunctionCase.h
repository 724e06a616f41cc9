// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzing of the compiler: a function is legalized, lowered, run and compared
// with the original function.

#ifndef NPU_FUZZ_CASES_FUNCTIONCASE_H
#define NPU_FUZZ_CASES_FUNCTIONCASE_H

#include "npu-fuzz/Plans/Isolated.h"
#include "npu-fuzz/Recipes/Recipe.h"

namespace npu {

struct FunctionCaseOptions {
  unsigned optLevel = 0;
  /// The seed of the inputs.
  uint64_t seed = 0;
  /// Some dimensions of the arguments are a prompt of known or of run-time
  /// length, and are padded with poison.
  bool prompt = false;
  /// Takes one transfer out of the tile program, to see that the comparison can
  /// fail.
  bool dropTransfer = false;
  /// Leaves the first mask of a padded function out, to see that the comparison
  /// can fail.
  bool dropMask = false;
  /// Spoils one part of a float sum that legalization has split over tiles, to
  /// see that the comparison can fail. Functions without such a sum are fine,
  /// with a message, and not run.
  bool spoilSum = false;
  /// Makes one edit in the tile program: either its verification refuses it, or
  /// the results are the same.
  bool tileEdits = false;
  /// Bisects the smallest scratchpad instead of running the function.
  bool scratchpads = false;
};

/// The step at which a case ends whose layouts were assigned, and whose buffers
/// exceed the scratchpads all the same.
inline constexpr const char *kBuffersDoNotFit =
    "buffers do not fit the scratchpads";

/// The step at which an edited tile program ends that is refused: by the
/// verifiers of its operations, or by npu-verify-tile-program and what comes
/// after it.
inline constexpr const char *kEditIsMalformed = "the edit is malformed";
inline constexpr const char *kEditIsRefused = "the edit is refused";

/// Runs one case in this process; the caller isolates crashes (Isolated.h). The
/// outcome is Different where the tile program's results are not bit for bit
/// those of the function without its layouts, or where legalizing the legal
/// function changes it. It is Refused where there is any error, those of strict
/// verification and of the tile program's verification included.
CaseResult runFunctionCase(const Recipe &recipe,
                           const FunctionCaseOptions &options);

/// The function as text; needs no context.
std::string toText(const Recipe &recipe);

/// The options that npu-opt gets, and those that npu-run gets beside the names
/// of files, to run a case again.
struct CaseCommands {
  std::string legalize, run;
};

/// The function as text with its prompt, if it has one, and the commands that
/// run the case again.
std::string toText(const Recipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands);

} // namespace npu

#endif // NPU_FUZZ_CASES_FUNCTIONCASE_H
