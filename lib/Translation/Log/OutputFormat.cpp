// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Translation/Log/OutputFormat.h"

#include "llvm/Support/CommandLine.h"

namespace npu {

OutputFormat chosenOutputFormat() {
  static llvm::cl::opt<OutputFormat> format{
      "format",
      llvm::cl::desc("The form of what --explain-npu-log and "
                     "--explain-npu-dump answer"),
      llvm::cl::init(OutputFormat::Text),
      llvm::cl::values(clEnumValN(OutputFormat::Text, "text", "for people"),
                       clEnumValN(OutputFormat::Json, "json", "for programs"))};
  return format;
}

} // namespace npu
