// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far modelled cycles are from known ones, as docs/devices.md has it.

#ifndef NPU_TARGET_MODELERRORS_H
#define NPU_TARGET_MODELERRORS_H

#include "npu/Target/Target.h"

#include <span>
#include <string_view>

namespace npu {

/// The relative errors of one kind of work, judged on rows that the figures
/// were not fitted to: half of them are below `median`, nine of ten below
/// `worstTenth`. In thousandths.
struct ModelError {
  std::string_view device, work;
  int median, worstTenth;
};

/// Those of a target with the figures of a built-in one; none for others, whose
/// cycles nobody has compared with anything.
std::span<const ModelError> modelErrorsOf(const Target &target);

} // namespace npu

#endif // NPU_TARGET_MODELERRORS_H
