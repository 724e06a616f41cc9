// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text at the beginning of a .npy file: a Python dictionary of three
// entries, such as
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), }
//
// This file does not depend on MLIR.

#ifndef NPU_LIB_HOST_NPYHEADER_H
#define NPU_LIB_HOST_NPYHEADER_H

#include "npu/Placement/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npu {

struct NpyHeader {
  /// Printable characters only.
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// The most dimensions that NumPy has.
constexpr size_t maxNpyDimensions = 64;

/// Parses `text`, which must be a header and nothing else but spaces. The error
/// says what is wrong with it.
Result<NpyHeader> parseNpyHeader(std::string_view text);

} // namespace npu

#endif // NPU_LIB_HOST_NPYHEADER_H
