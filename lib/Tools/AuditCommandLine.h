// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of npu-run that are about audits.

#ifndef NPU_LIB_TOOLS_AUDITCOMMANDLINE_H
#define NPU_LIB_TOOLS_AUDITCOMMANDLINE_H

#include "npu/Audit/Audit.h"

#include "llvm/Support/CommandLine.h"

namespace npu {

struct AuditCommandLine {
  explicit AuditCommandLine(llvm::cl::OptionCategory &category);

  /// Reads the options into `options`.
  Result<> read(AuditOptions &options) const;

  /// Refuses to write over inputs that were noted.
  Result<> checkFiles() const;

  llvm::cl::opt<bool> audit;
  llvm::cl::opt<std::string> format;
  llvm::cl::opt<std::string> outputFile;
  llvm::cl::opt<std::string> fault;
  llvm::cl::opt<std::string> reproducer;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_AUDITCOMMANDLINE_H
