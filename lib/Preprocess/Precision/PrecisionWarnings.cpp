// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Preprocess/Precision/PrecisionWarnings.h"

#include "Patterns/PrecisionPatterns.h"
#include "npu/Support/Naming.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

std::vector<std::string> precisionWarnings(ModuleOp module) {
  std::vector<std::string> warnings;
  module.walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    for (PrecisionPattern &pattern : findPrecisionPatterns(function)) {
      auto type = dyn_cast<FloatType>(pattern.storage);
      if (!type || type.getWidth() >= 32)
        continue;
      std::string name;
      llvm::raw_string_ostream(name) << type;
      Operation *root = pattern.root;
      warnings.push_back(fmt::format(
          "{}: {} in {}: {}", nameOfLocation(root->getLoc()),
          describe(pattern.hazard).str(), name, riskOf(pattern.hazard).str()));
    }
  });
  return warnings;
}

} // namespace npu
