// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-run prints about results.

#ifndef NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H
#define NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H

#include "NonFinite.h"
#include "npu/Execution/Compare/RunSides.h"

#include <memory>
#include <optional>

namespace npu {

class PendingFile;

/// From the best to the worst. NotFinite: no difference was found, and none
/// could be, because a result is mostly NaN or infinite on both sides.
enum class Outcome { Equal, Allowed, NotFinite, Different };

Outcome outcomeOf(const Comparison &comparison);

/// Prints one result's comparison and gives it back.
Comparison reportResult(Sides &sides, unsigned number,
                        const RunOptions &options, llvm::raw_ostream &out);

/// Prints one line about NaN and infinities that result `number` has, on both
/// sides where there are two, and none where it has none.
NonFiniteCount reportNonFinite(const Sides &sides, unsigned number,
                               llvm::raw_ostream &out);

/// Prints since which operation result `number` is not finite. Uses up what was
/// kept for the search.
void reportOrigin(Sides &sides, unsigned number,
                  const std::vector<HostTensor> &inputs,
                  llvm::raw_ostream &out);

/// Prints the reductions that were split.
void reportSplits(llvm::ArrayRef<SplitReductionNote> splits,
                  llvm::raw_ostream &out);

/// Prints the rounding shares of split reductions, which explain the
/// differences that the replay accepts. Fails where a type cannot hold
/// a sum, which then has no meaningful value in any order.
mlir::LogicalResult reportRounding(const Sides &sides, llvm::raw_ostream &out);

/// Reports entries that the tile program reads unwritten, or uses of another
/// tile's tensors: errors that were edited into the program after it was
/// verified.
void reportBroken(Side &side, llvm::raw_ostream &out);

/// Prints the signature and the beginning of every result.
void reportRun(const Sides &sides, llvm::raw_ostream &out);

/// The files of results, numbered if there are several: r.npy, or r.0.npy,
/// r.1.npy, ...
std::vector<std::string> filesOfResults(const std::string &path, size_t count);

/// The .npy files of a side's results. Large results lie in their files from
/// the start, so that memory need not hold them; the files have no names before
/// all of them are whole.
class ResultFiles {
public:
  /// Makes the files, where `side` puts its results from here on. An error
  /// where there can be none, or no room for them.
  static Result<ResultFiles> create(Side &side, const std::string &path);

  /// Writes what does not lie in its file, and gives all files their names.
  mlir::LogicalResult write(const Side &side) const;

private:
  struct File {
    std::string path;
    std::shared_ptr<PendingFile> pending;
    /// Where the elements of the last run's result lie in the file; null where
    /// they do not.
    std::byte *data = nullptr;
    /// The result of the first run, before there is one.
    std::optional<HostTensor> first;
  };
  std::shared_ptr<std::vector<File>> files;
};

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H
