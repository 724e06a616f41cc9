// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_GATHEROPTION_TD
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_GATHEROPTION_TD

include "mlir/Pass/PassBase.td"

/// What a pass says of operations on gathered data. Passes that have it include
/// ReportGathers.h in their Passes.h.
def GatherOption
    : Option<"gather", "gather", "::npu::GatherPolicy",
             /*default=*/"::npu::GatherPolicy::Warn",
             "what to say where an operation is done on gathered data",
             [{::llvm::cl::values(
               clEnumValN(::npu::GatherPolicy::Error, "error", "an error"),
               clEnumValN(::npu::GatherPolicy::Warn, "warn",
                          "a warning, once for each operation name and reason"),
               clEnumValN(::npu::GatherPolicy::Allow, "allow", "nothing"))}]>;

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_GATHEROPTION_TD
