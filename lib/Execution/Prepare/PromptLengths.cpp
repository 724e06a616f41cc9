// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Prepare/PromptLengths.h"

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Support/DimensionNames.h"

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

void PromptLengths::addSums(llvm::ArrayRef<std::string> all) {
  if (empty())
    return;
  for (const std::string &name : all) {
    llvm::SmallVector<StringRef> terms = namesInSum(name);
    auto isName = [&](StringRef term) { return llvm::is_contained(all, term); };
    if (llvm::is_contained(names, name) || terms.size() < 2 ||
        !llvm::all_of(terms, isName))
      continue;
    for (LengthsOfRun &run : runs) {
      int64_t sum = 0;
      for (StringRef term : terms) {
        auto found = llvm::find(names, term);
        sum += run[found == names.end() ? 0 : found - names.begin() + 1];
      }
      run.push_back(sum);
    }
    names.push_back(name);
  }
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
