// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-compile: from a model without layouts to a program for every tile, in
// phases. docs/compile.md describes it.

#ifndef NPU_CONVERSION_COMPILE_PIPELINE_H
#define NPU_CONVERSION_COMPILE_PIPELINE_H

#include "npu/Conversion/Compile/CompileOptions.h"

#include "mlir/Pass/PassManager.h"

namespace npu {

using ErrorHandler =
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;

/// Adds the passes of all phases that run, or, where a device is asked for, the
/// pass that finds it when the module is there and runs them for it. `fail`
/// gets the error where an option says nothing known.
mlir::LogicalResult buildCompile(mlir::OpPassManager &passes,
                                 const CompileOptions &options,
                                 ErrorHandler fail);

/// Reads options as the pipeline npu-compile has them: "target=npu4000
/// states=100". What is not written is as `byDefault` says. `fail` gets the
/// error where an option is not known, with the known ones, or a value is no
/// such value.
mlir::FailureOr<CompileOptions>
parseCompileOptions(llvm::StringRef text, ErrorHandler fail,
                    const CompileOptions &byDefault = {});

/// Registers the pipeline npu-compile.
void registerCompilePipeline();

} // namespace npu

#endif // NPU_CONVERSION_COMPILE_PIPELINE_H
