// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interprets the fields of a logged attribute: as a rule from which boxes
// follow, or as explicit boxes.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGDISTRIBUTION_H
#define NPU_LIB_TRANSLATION_LOG_LOGDISTRIBUTION_H

#include "npu/Placement/Distributions/Placement.h"
#include "npu/Translation/Log/NpuLog.h"

namespace npu {

struct LoggedDistribution {
  std::string side;
  /// The position in the log for errors in the boxes.
  std::size_t at = 0;
  /// The rank; 0 where no field lists dimensions (DUPLICATED without boxes).
  std::size_t rank = 0;
  /// Mode, tiles, split, alignment and windows, without boxes. Without tiles it
  /// is incomplete (`hasRule`).
  Distribution rule;
  std::vector<Box> compute;
  std::vector<Box> memory;
  /// Whether compute boxes are the memory boxes, as for windowed tensors.
  bool computesWhatItHolds = false;

  bool hasRule() const { return !rule.tiles.empty() || rule.tileCount != 0; }
  bool hasBoxes() const { return !compute.empty() || !memory.empty(); }
  /// The shape of the smallest tensor that contains the boxes, when there are
  /// boxes.
  std::optional<Extents> shapeOfBoxes() const;
};

/// Interprets an attribute and checks all that does not depend on a shape.
/// Errors, and remarks about ignored fields, go to `messages`; nothing after an
/// error.
std::optional<LoggedDistribution> understand(const LoggedAttribute &attribute,
                                             LogMessages &messages);

/// The distribution at a shape: that of the boxes where the log has some, else
/// that of the rule. An error says what is wrong with the boxes.
Result<Distribution> distributionAt(const LoggedDistribution &logged,
                                    const Extents &shape);

/// The distribution at a shape in its shortest form, without boxes that follow
/// from the rule and without fields that have no effect.
Result<Distribution> shortestAt(const LoggedDistribution &logged,
                                const Extents &shape);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGDISTRIBUTION_H
