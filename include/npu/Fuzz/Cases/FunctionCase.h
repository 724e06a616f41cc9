// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of the compiler: a function is legalized, lowered, run and compared
// with what it was.

#ifndef NPU_FUZZ_CASES_FUNCTIONCASE_H
#define NPU_FUZZ_CASES_FUNCTIONCASE_H

#include "npu/Fuzz/Plans/Isolated.h"
#include "npu/Fuzz/Recipes/Recipe.h"

namespace npu {

struct FunctionCaseOptions {
  unsigned optLevel = 0;
  /// Of the inputs.
  uint64_t seed = 0;
  /// Some dimensions of the arguments are a prompt of known or of run-time
  /// length, and are padded with poison.
  bool prompt = false;
  /// Takes one transfer out of the tile program, so that whoever believes the
  /// comparison can see it fail.
  bool dropTransfer = false;
  /// Leaves the first mask of a padded function out, for the same reason.
  bool dropMask = false;
  /// Spoils one part of a float sum that legalization has split over tiles,
  /// again for that reason. Functions without such a sum are fine, with a
  /// message, and not run.
  bool spoilSum = false;
};

/// Different: the tile program's results are not bit for bit those of the
/// function without its layouts, or legalizing the legal function changes it.
/// Refused: an error anywhere, strict verification and the tile program's own
/// verification included. Everything happens in this process, so a crash is
/// the caller's (Isolated.h).
CaseResult runFunctionCase(const Recipe &recipe,
                           const FunctionCaseOptions &options);

/// The function as text; needs no context.
std::string toText(const Recipe &recipe);

/// What to give npu-opt, and npu-run beside the names of files, to run a case
/// again.
struct CaseCommands {
  std::string legalize, run;
};

/// The same with its prompt, if there is one.
std::string toText(const Recipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands);

} // namespace npu

#endif // NPU_FUZZ_CASES_FUNCTIONCASE_H
