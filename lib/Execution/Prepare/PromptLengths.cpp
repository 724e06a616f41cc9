// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Prepare/PromptLengths.h"

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

unsigned PromptLengths::numberOf(func::FuncOp function, unsigned argument,
                                 int64_t dim) const {
  StringRef name = nameOfDimension(function, argument, dim);
  auto found = llvm::find(names, name);
  return found == names.end() ? 0 : found - names.begin() + 1;
}

void PromptLengths::chooseNext(const std::vector<int64_t> &lengths) {
  std::vector<LengthsOfRun> longer;
  for (const LengthsOfRun &run : runs)
    for (int64_t length : lengths) {
      longer.push_back(run);
      longer.back().push_back(length);
    }
  runs = std::move(longer);
}

int64_t PromptLengths::largest(unsigned number) const {
  int64_t most = room;
  for (const LengthsOfRun &run : runs)
    most = std::max(most, run[number]);
  return most;
}

std::string PromptLengths::spell(const LengthsOfRun &run) const {
  if (names.empty())
    return fmt::format("length {}", run.front());
  std::string text = "lengths ";
  for (auto [number, name] : llvm::enumerate(names))
    text +=
        fmt::format("{}'{}' = {}", number ? ", " : "", name, run[number + 1]);
  if (hasOthers)
    text += fmt::format(", others = {}", run.front());
  return text;
}

} // namespace npu
