// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_HOSTFALLBACKOPTION_TD
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_HOSTFALLBACKOPTION_TD

include "mlir/Pass/PassBase.td"

/// What a pass says of operations that fall back to the host. Passes that have it include
/// ReportHostFallbacks.h in their Passes.h.
def HostFallbackOption
    : Option<"gather", "gather", "::npu::HostFallbackPolicy",
             /*default=*/"::npu::HostFallbackPolicy::Warn",
             "what to say where an operation falls back to the host",
             [{::llvm::cl::values(
               clEnumValN(::npu::HostFallbackPolicy::Error, "error", "an error"),
               clEnumValN(::npu::HostFallbackPolicy::Warn, "warn",
                          "a warning, once for each operation name and reason"),
               clEnumValN(::npu::HostFallbackPolicy::Allow, "allow", "nothing"))}]>;

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_HOSTFALLBACKOPTION_TD
