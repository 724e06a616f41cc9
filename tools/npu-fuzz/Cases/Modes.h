// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-fuzz does with a function, by mode: one row for each.

#ifndef NPU_FUZZ_CASES_MODES_H
#define NPU_FUZZ_CASES_MODES_H

#include "npu-fuzz/Functions/MadeFunction.h"
#include "npu-fuzz/Plans/Isolated.h"

#include <span>

namespace npu {

/// How a case is broken, to see that it can fail.
enum class Break {
  None,
  /// A transfer is taken out of every tile program or plan.
  DropTransfer,
  /// The first mask is left out of every padded function.
  DropMask,
  /// One part of a float sum that tiles share is spoiled. Functions without
  /// such a sum are fine, with a message, and not run.
  SpoilSum
};
/// The values of --break, in the order of Break.
inline constexpr const char *kBreaks[] = {"", "drop-transfer", "drop-mask",
                                          "spoil-sum"};

enum class CaseMode {
  /// Functions with layouts, which are legalized, lowered and run.
  Functions,
  /// Functions have a prompt of known or of run-time length, which is padded.
  Prompt,
  /// Functions have rows and a cache, and are run in chunks.
  Prefill,
  /// Functions are imported ONNX graphs with prompts, which are padded.
  Imported,
  /// Functions have few layouts or none, and are assigned them.
  Assign,
  /// Functions as those that are assigned layouts, for devices without some
  /// kernels: the host runs the rest.
  Hetero,
  /// Functions as those that are assigned layouts, whose smallest scratchpad is
  /// bisected.
  Scratchpads,
  /// Functions are graphs of TOSA, which npu-compile takes to layouts.
  Tosa,
  /// Tile programs of functions, each with one edit.
  TileEdits,
  /// Pairs of placements that are planned and checked; no function.
  Plans
};

struct CaseOptions {
  CaseMode mode = CaseMode::Functions;
  Break broken = Break::None;
  unsigned optLevel = 0;
  /// The seed of the inputs.
  uint64_t seed = 0;
};

/// The options that npu-opt gets, and those that npu-run gets beside the names
/// of files, to run a case again.
struct CaseCommands {
  std::string legalize, run;
};

struct ModeRow {
  CaseMode mode;
  /// The option of the command line, and its help; empty: no option is needed.
  const char *option, *help;
  MadeFunction (*make)(uint64_t seed, uint64_t number);
  /// Runs one case in this process; the caller isolates crashes (Isolated.h).
  /// Different where results are not bit for bit those of the function without
  /// its layouts, or where something that is said is not so; Refused where
  /// there is an error.
  CaseResult (*run)(const MadeFunction &function, const CaseOptions &options);
};

/// In the order of CaseMode.
std::span<const ModeRow> modeRows();
inline const ModeRow &rowOf(CaseMode mode) {
  return modeRows()[static_cast<int>(mode)];
}

/// The cases of modes; each is described where it is defined.
CaseResult runFunctionCase(const MadeFunction &, const CaseOptions &);
CaseResult runBodyCase(const MadeFunction &, const CaseOptions &);
CaseResult runAssignCase(const MadeFunction &, const CaseOptions &);
CaseResult runScratchpadCase(const MadeFunction &, const CaseOptions &);

/// The step at which a case ends whose layouts were assigned, and whose buffers
/// exceed the scratchpads all the same.
inline constexpr const char *kBuffersDoNotFit =
    "buffers do not fit the scratchpads";

/// The step at which an edited tile program ends that is refused: by the
/// verifiers of its operations, or by npu-verify-tile-program and what comes
/// after it.
inline constexpr const char *kEditIsMalformed = "the edit is malformed";
inline constexpr const char *kEditIsRefused = "the edit is refused";

} // namespace npu

#endif // NPU_FUZZ_CASES_MODES_H
