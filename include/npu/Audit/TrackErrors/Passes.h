// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that puts rounding errors beside values. Passes.td describes it.

#ifndef NPU_AUDIT_TRACKERRORS_PASSES_H
#define NPU_AUDIT_TRACKERRORS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

/// The attribute of a function that lists what no rule knows: an array of
/// names of operations. Without a dialect, because it is a note of the pass.
inline constexpr const char *notTrackedAttrName = "not_tracked";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Audit/TrackErrors/Passes.h.inc"

} // namespace npu

#endif // NPU_AUDIT_TRACKERRORS_PASSES_H
