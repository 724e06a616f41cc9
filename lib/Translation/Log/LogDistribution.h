// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fields of a logged attribute mean in this project's words: a rule
// that boxes follow from, or the boxes themselves.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGDISTRIBUTION_H
#define NPU_LIB_TRANSLATION_LOG_LOGDISTRIBUTION_H

#include "npu/Placement/Distributions/Placement.h"
#include "npu/Translation/Log/NpuLog.h"

namespace npu {

struct LoggedDistribution {
  std::string side;
  /// Where to point when the boxes are wrong.
  std::size_t at = 0;
  /// 0 where no field lists dimensions (DUPLICATED without boxes).
  std::size_t rank = 0;
  /// Mode, tiles, split, alignment and windows; no boxes. Without tiles it
  /// means nothing by itself (`hasRule`).
  Distribution rule;
  std::vector<Box> compute;
  std::vector<Box> memory;
  /// A windowed tensor is computed where it is held.
  bool computesWhatItHolds = false;

  bool hasRule() const { return !rule.tiles.empty() || rule.tileCount != 0; }
  bool hasBoxes() const { return !compute.empty() || !memory.empty(); }
  /// The smallest tensor that holds the boxes, when there are boxes.
  std::optional<Extents> shapeOfBoxes() const;
};

/// Checks what can be checked without a shape; says what is wrong, and what is
/// passed over, in `messages`.
std::optional<LoggedDistribution> understand(const LoggedAttribute &attribute,
                                             LogMessages &messages);

/// The distribution at a shape. Boxes that are written are the truth; without
/// them the rule counts. An error says what is wrong with them.
Result<Distribution> distributionAt(const LoggedDistribution &logged,
                                    const Extents &shape);

/// The same, said as shortly as possible: boxes that follow from the rule are
/// left out, and what has no effect.
Result<Distribution> shortestAt(const LoggedDistribution &logged,
                                const Extents &shape);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGDISTRIBUTION_H
