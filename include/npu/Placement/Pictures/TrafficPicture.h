// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes from tile to tile as a table for terminals.

#ifndef NPU_PLACEMENT_PICTURES_TRAFFICPICTURE_H
#define NPU_PLACEMENT_PICTURES_TRAFFICPICTURE_H

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <string>

namespace npu {

/// A transfer's sender, its receivers, and the bytes that each of them gets.
struct Traffic {
  int from = 0;
  std::vector<int> to;
  int64_t bytes = 0;
};

/// A row for each sender and a column for each receiver, in lines of at most 80
/// columns: a table that is wider goes on below. At most `most` senders and
/// receivers are shown, or all of them for 0.
///
/// Example:
///   from   to 0   to 1   to DDR
///   0         .     16       32
///   1        16      .       32
std::string trafficPicture(const std::vector<Traffic> &transfers,
                           std::size_t most, std::size_t indent);

} // namespace npu

#endif // NPU_PLACEMENT_PICTURES_TRAFFICPICTURE_H
