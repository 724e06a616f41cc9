// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that injects a fault, for tests. Passes.td describes it.

#ifndef NPU_AUDIT_FAULTS_PASSES_H
#define NPU_AUDIT_FAULTS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Audit/Faults/Passes.h.inc"

} // namespace npu

#endif // NPU_AUDIT_FAULTS_PASSES_H
