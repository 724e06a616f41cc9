// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option --print-target: a target by its name, as the file of JSON that
// --target-file reads.

#ifndef NPU_TOOLS_PRINTTARGETOPTION_H
#define NPU_TOOLS_PRINTTARGETOPTION_H

#include "npu/Placement/Result.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace npu {

class PrintTargetOption {
public:
  explicit PrintTargetOption(llvm::cl::OptionCategory &category);

  /// Whether the tool is to print a target, and does nothing else.
  bool isGiven() const { return text.getNumOccurrences() > 0; }

  /// The file of the target that the option names, or `otherwise` (another
  /// option of the tool) where it says nothing. An error where nobody names a
  /// built-in target.
  Result<std::string> file(const std::string &otherwise) const;

private:
  llvm::cl::opt<std::string> text;
};

} // namespace npu

#endif // NPU_TOOLS_PRINTTARGETOPTION_H
