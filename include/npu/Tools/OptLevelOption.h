// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option -O of tools that compile for this machine.

#ifndef NPU_TOOLS_OPTLEVELOPTION_H
#define NPU_TOOLS_OPTLEVELOPTION_H

#include "npu/Placement/Result.h"

#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>

namespace npu {

class OptLevelOption {
public:
  /// `byDefault` says which level is meant where none is written.
  OptLevelOption(llvm::cl::OptionCategory &category, llvm::StringRef byDefault);

  /// The level that was written, 0 to 3; nothing where none was. An error where
  /// something else was.
  Result<std::optional<unsigned>> level() const;

private:
  std::string description;
  llvm::cl::opt<std::string> text;
};

} // namespace npu

#endif // NPU_TOOLS_OPTLEVELOPTION_H
