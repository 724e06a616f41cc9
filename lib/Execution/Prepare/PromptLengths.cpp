// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Prepare/PromptLengths.h"

#include "npu/Dialect/NPU/IR/DimensionNames.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

std::optional<int64_t>
lengthOfSum(StringRef name, llvm::ArrayRef<std::string> all,
            llvm::function_ref<int64_t(StringRef)> lengthOf) {
  llvm::SmallVector<StringRef> terms = namesInSum(name);
  if (terms.size() < 2)
    return std::nullopt;
  int64_t sum = 0;
  for (StringRef term : terms) {
    int64_t number = 0;
    if (!term.getAsInteger(10, number)) {
      sum += number;
      continue;
    }
    if (!llvm::is_contained(all, term))
      return std::nullopt;
    sum += lengthOf(term);
  }
  return sum;
}

unsigned PromptLengths::numberOf(StringRef name) const {
  auto found = llvm::find(names, name);
  return found == names.end() ? 0 : found - names.begin() + 1;
}

unsigned PromptLengths::numberOf(func::FuncOp function, unsigned argument,
                                 int64_t dim) const {
  return numberOf(nameOfDimension(function, argument, dim));
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
  for (const std::string &name : all) {
    if (llvm::is_contained(names, name))
      continue;
    bool isSum = false;
    for (LengthsOfRun &run : runs)
      if (auto sum = lengthOfSum(
              name, all, [&](StringRef term) { return run[numberOf(term)]; })) {
        run.push_back(*sum);
        isSum = true;
      }
    if (isSum)
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
