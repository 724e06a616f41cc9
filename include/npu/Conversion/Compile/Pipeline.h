// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-compile: from a model without layouts to a program for every tile, in
// phases. docs/compile.md describes it.

#ifndef NPU_CONVERSION_COMPILE_PIPELINE_H
#define NPU_CONVERSION_COMPILE_PIPELINE_H

namespace npu {

/// Registers the pipeline npu-compile.
void registerCompilePipeline();

} // namespace npu

#endif // NPU_CONVERSION_COMPILE_PIPELINE_H
