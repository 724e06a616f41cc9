// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpText.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

using namespace mlir;

namespace npu {

int64_t explainNpuDump(StringRef text, StringRef fileName,
                       const DumpOptions &options, llvm::raw_ostream &output,
                       MLIRContext *context) {
  context->loadDialect<NPUDialect>();
  if (options.format == DumpOptions::Format::Json)
    return writeDumpJson(text, output, context);
  return writeDumpText(text, fileName, options.all, output, context);
}

} // namespace npu
