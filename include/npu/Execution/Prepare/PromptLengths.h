// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At which lengths of its prompts a function runs.

#ifndef NPU_EXECUTION_PREPARE_PROMPTLENGTHS_H
#define NPU_EXECUTION_PREPARE_PROMPTLENGTHS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// The lengths of one run: that of all dynamic dimensions without a length of
/// their own, and then that of each name.
using LengthsOfRun = std::vector<int64_t>;

/// The length of a dimension whose name is a sum of others of `all` and of
/// numbers, by the lengths of those; nothing where it is none: "past + new" of
/// "past" and "new", "past + 1" of "past".
std::optional<int64_t>
lengthOfSum(llvm::StringRef name, llvm::ArrayRef<std::string> all,
            llvm::function_ref<int64_t(llvm::StringRef)> lengthOf);

struct PromptLengths {
  /// The names of dimensions whose lengths are their own.
  std::vector<std::string> names;
  /// Whether dimensions of other names, or of none, have a length. Where they
  /// have none, the first number of every run means nothing.
  bool hasOthers = true;
  std::vector<LengthsOfRun> runs;
  /// Where the runs are examples of all lengths from 0 to this.
  std::optional<int64_t> upTo;
  /// The longest prompt that arguments have room for at least.
  int64_t room = 0;
  /// More room than that where a compiled program adds rows to caches in place,
  /// by the argument and the dimension.
  std::map<std::pair<int64_t, int64_t>, int64_t> roomOfCaches;
  /// Whether an assertion may fail in some of the runs: a program that is
  /// compiled before its lengths are known asserts it when it runs.
  bool leavesAssertions = false;
  /// Whether the function returns the extents of its dynamic results.
  bool returnsExtents = false;

  bool empty() const { return runs.empty(); }
  /// Adds a run in which no name has a length of its own.
  void add(int64_t length) { runs.push_back({length}); }
  /// Makes each run one for each of these lengths, which is that of the next
  /// name, or, in front of all names, that of the other dimensions. The first
  /// time, there has to be one run without lengths.
  void chooseNext(const std::vector<int64_t> &lengths);

  /// Gives each of these names that is a sum of others and has no length of its
  /// own the sum of their lengths.
  void addSums(llvm::ArrayRef<std::string> all);

  /// The number, in a run, of the length of a name.
  unsigned numberOf(llvm::StringRef name) const;
  /// The number of the length, in a run, that is the extent of a dynamic
  /// dimension of an argument.
  unsigned numberOf(mlir::func::FuncOp function, unsigned argument,
                    int64_t dim) const;
  /// The largest of the lengths of that number, or what there is room for.
  int64_t largest(unsigned number) const;
  /// "length 3", "lengths 'past' = 2, others = 3".
  std::string spell(const LengthsOfRun &run) const;
};

} // namespace npu

#endif // NPU_EXECUTION_PREPARE_PROMPTLENGTHS_H
