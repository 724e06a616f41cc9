// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpText.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

using namespace mlir;

namespace npu {

bool isDumpDevice(StringRef text) {
  return deviceIn(text, DumpDevice::Source::Option).has_value();
}

int64_t explainNpuDump(StringRef text, StringRef fileName,
                       const DumpOptions &options, llvm::raw_ostream &output,
                       MLIRContext *context) {
  context->loadDialect<NPUDialect>();
  std::optional<DumpDevice> device;
  if (!options.device.empty())
    device = deviceIn(options.device, DumpDevice::Source::Option);
  if (options.format == OutputFormat::Json)
    return writeDumpJson(text, device, output, context);
  return writeDumpText(text, fileName, options.all, device, output, context);
}

} // namespace npu
