// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a decoder's inputs are, and which lengths its prompts have in each run.

#ifndef NPU_LIB_EXECUTION_COMPARE_DECODEPLAN_H
#define NPU_LIB_EXECUTION_COMPARE_DECODEPLAN_H

#include "npu/Artefact/Artefact.h"
#include "npu/Execution/Prepare/PromptLengths.h"

namespace npu {

/// What a run makes of an input.
enum class InputUse {
  /// The state.
  Cache,
  /// The words of the new rows.
  Words,
  /// The positions of the new rows.
  Positions,
  /// 1 for each row of the cache and each new one.
  Mask,
  /// The number of rows that the cache has.
  Past,
  /// The number of the last row, counted with those of the cache.
  Last,
  /// The number of all rows.
  Total,
  /// The new rows, or all rows, of what was read or generated.
  Rows,
  /// What was read or generated, as it is.
  Whole,
};

/// One run: how many positions the caches have before it, and how many rows it
/// adds.
struct DecodeRun {
  int64_t position = 0;
  int64_t rows = 0;

  int64_t end() const { return position + rows; }
};

struct DecodePlan {
  std::vector<InputUse> uses;
  /// The prompts that are as long as the caches, and as the new rows; nothing
  /// where there is none.
  std::optional<size_t> past, rows;
  /// The rows that every run adds where they are no prompt.
  int64_t rowsOfRun = 0;
  /// The most rows that a run adds, and the most positions of the state.
  int64_t mostRows = 0, capacity = 0;

  /// An error where the artefact has no caches that results continue, or
  /// a prompt whose length follows from no input that is recognised.
  static Result<DecodePlan> of(const ArtefactHeader &header);

  /// The length of each prompt of the header.
  LengthsOfRun lengths(const ArtefactHeader &header, DecodeRun run) const;
  /// The shape of an input in a run. Inputs that are made of rows have, in
  /// `whole`, those of all positions.
  std::vector<int64_t> shapeOf(const ArtefactHeader &header, size_t input,
                               DecodeRun run, bool whole = false) const;
  /// Where the rows of a run begin in all rows of an input.
  std::vector<int64_t> offsetsOf(const ArtefactHeader &header, size_t input,
                                 DecodeRun run) const;
  /// Whether a dimension of an input has the new rows.
  bool hasRows(const ArtefactHeader &header, size_t input, int64_t dim) const;
  /// Whether a dimension of an input has the rows of the cache and new ones.
  bool hasAllRows(const ArtefactHeader &header, size_t input,
                  int64_t dim) const;
};

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_DECODEPLAN_H
