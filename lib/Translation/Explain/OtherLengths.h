// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a logged cast at other prompt lengths: what the field compiler would
// stop at, and what would have to move.

#ifndef NPU_LIB_TRANSLATION_EXPLAIN_OTHERLENGTHS_H
#define NPU_LIB_TRANSLATION_EXPLAIN_OTHERLENGTHS_H

#include "../Log/LoggedCast.h"

#include "npu/Analysis/Choices/Movement.h"

namespace npu {

/// The cast at one length.
struct LengthAnswer {
  int64_t length = 0;
  /// The fields in which both sides differ, at which the field compiler stops;
  /// where there are none, it accepts the cast.
  std::vector<std::string_view> fields;
  Relation relation = Relation::Identical;
  /// What moves between tiles at least, and what goes through DDR instead.
  int64_t bytes = 0;
  int64_t bytesThroughDdr = 0;
  /// Why there is no such cast at this length; empty where there is one.
  std::string problem;

  bool fails() const { return !fields.empty() || !problem.empty(); }
};

struct OtherLengths {
  /// The prompt's dimension of the input; nothing where the cast has none, so
  /// that it is the same at every length.
  std::optional<std::size_t> dim;
  /// One for each of the options' lengths.
  std::vector<LengthAnswer> answers;

  std::vector<int64_t> failing() const;
};

/// Asks at the lengths of the options. Boxes at another length are those of the
/// same rule; boxes of no rule have to span the prompt's dimension. An error
/// where it is not known which dimension is the prompt's, or how it is cut.
Result<OtherLengths> askOtherLengths(const LoggedError &error,
                                     const LoggedCast &cast,
                                     const NpuLogOptions &options);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_EXPLAIN_OTHERLENGTHS_H
