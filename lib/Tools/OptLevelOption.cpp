// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/OptLevelOption.h"

namespace cl = llvm::cl;

namespace npu {

OptLevelOption::OptLevelOption(cl::OptionCategory &category,
                               llvm::StringRef byDefault)
    : description(
          ("-O0 to -O3; no level changes a bit (default: " + byDefault + ")")
              .str()),
      text("O", cl::desc(description), cl::value_desc("N"), cl::Prefix,
           cl::cat(category)) {}

Result<std::optional<unsigned>> OptLevelOption::level() const {
  if (text.getNumOccurrences() == 0)
    return std::optional<unsigned>();
  if (text.size() != 1 || text[0] < '0' || text[0] > '3')
    return Error{"expected -O0, -O1, -O2 or -O3, got -O" + text};
  return std::optional<unsigned>(text[0] - '0');
}

} // namespace npu
