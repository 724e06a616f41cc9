// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

llvm::StringRef npu::version() { return NPU_VERSION; }

std::string npu::compilerVersion() {
  return ("Tilewright " + version() + ", LLVM " + LLVM_VERSION_STRING).str();
}

void npu::setVersionPrinter(llvm::StringRef tool) {
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &os) {
    os << tool << " (Tilewright) " << version() << "\n"
       << "LLVM version " << LLVM_VERSION_STRING << "\n";
  });
}
