// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target as a file of JSON, with the unit of each figure:
//
//   {
//     "name": "mychip",
//     "like": "npu4000",
//     "tiles": {"value": 8, "unit": "tiles"},
//     "clock_hz": {"value": 2000000000, "unit": "Hz"}
//   }

#ifndef NPU_TARGET_TARGETJSON_H
#define NPU_TARGET_TARGETJSON_H

#include "npu/Target/Target.h"

namespace npu {

struct TargetFile {
  Target target;
  /// The built-in target that has what is not given, and kernels and storage
  /// kinds, which a file cannot say; empty: none.
  std::string like;
};

/// Every figure of the target, a line each, in the order of its tables. The
/// value of one that is not known is null. readTargetJson reads the same target
/// from it.
std::string writeTargetJson(const Target &target);

/// Reads a target. Without `"like"`, which names a built-in target, every
/// figure has to be there. With it, either number of tiles follows from the
/// other. Errors: what is no JSON, with its line; a figure that nobody knows,
/// with the nearest one; those that are missing; another unit; a value that no
/// device has.
Result<TargetFile> readTargetJson(std::string_view text);

} // namespace npu

#endif // NPU_TARGET_TARGETJSON_H
