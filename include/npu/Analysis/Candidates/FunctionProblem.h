// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assignment problem of a function (npu/Assignment/Problem.h), and what its
// numbers stand for.
//
// Operations are those on tensors, in program order; an operation with a region
// of control flow stands after what is in it. A tensor that is empty or has
// one value everywhere is made again wherever it is wanted and is no value of
// the problem, unless an operation reads it like any other operand.

#ifndef NPU_ANALYSIS_CANDIDATES_FUNCTIONPROBLEM_H
#define NPU_ANALYSIS_CANDIDATES_FUNCTIONPROBLEM_H

#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "npu/Analysis/Candidates/StorageKinds.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Assignment/Problem.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>

namespace npu {

struct FunctionProblem {
  mlir::FunctionOpInterface function;
  AssignmentProblem problem;
  /// For each value, the bytes that DDR moves, or that tiles receive from other
  /// tiles, in each of its moves; empty unless they have a price.
  std::vector<std::vector<std::vector<int64_t>>> movedBytes;
  /// For each operation, the same within each of its candidates.
  std::vector<std::vector<int64_t>> movedByCandidates;
  /// What each operation, value and layout of the problem is. A layout that is
  /// not distributed is DDR.
  std::vector<mlir::Operation *> operations;
  std::vector<mlir::Value> values;
  std::vector<std::vector<mlir::RankedTensorType>> layouts;
  /// The candidates of each operation, in the order of the problem's.
  std::vector<std::vector<const OperationCandidate *>> candidates;
  /// For each operation and candidate, the operands that the operation loads
  /// for itself: from DDR, where what makes them on tiles stores them before.
  std::vector<std::vector<llvm::SmallVector<unsigned, 1>>> ownLoads;
  /// Why an operation has no candidate on tiles; empty where it has one.
  std::vector<std::string> whyInDdr;
  llvm::DenseMap<mlir::Value, int> numberOf;
  /// For each value of the problem, the operation that it is loaded for, which
  /// alone reads it; -1 for a value that all its readers share. `numberOf` has
  /// those that are shared. Only with ProblemOptions::loadsAgain are there
  /// others.
  std::vector<int> loadedFor;
  /// For each value of the problem, the value that it holds on tiles from that
  /// one's early readers to its late ones; -1 for others. It takes nothing
  /// where late readers load what was stored. Only with
  /// ProblemOptions::loadsAgain are there any.
  std::vector<int> holds;
  /// For each call whose function has buffers on tiles, the bytes that these
  /// take on each tile while the call runs.
  std::map<int, std::vector<int64_t>> called;
  /// For each operation, the group that some of its candidates run in steps
  /// with it, the operation itself the last one; empty for most.
  std::vector<std::optional<StepGroup>> groups;
  /// How its storage kinds were chosen.
  StorageChoice storage;
  /// Whether operations have candidates in steps, and the plans of steps that
  /// were considered, those of equal operations once.
  bool runsInSteps = false;
  ConsideredSteps considered;
  /// What `candidates` points into.
  std::vector<std::unique_ptr<OperationCandidates>> found;
  std::deque<OperationCandidate> written;
  std::deque<std::vector<OperationCandidate>> inGroups;
};

struct ProblemOptions {
  /// The number of tiles that candidates use.
  int64_t tiles = 1;
  /// Adds the layout DDR to every value, with the moves to it and back, for
  /// baselines that use it.
  bool everywhereInDdr = false;
  /// What a byte that moves counts besides its time, in millicycles: then the
  /// bytes of moves are counted.
  int64_t bytePrice = 0;
  /// Candidates may split loops that reduce. All other candidates are those
  /// without.
  bool splitReductions = false;
  /// An operation may load a tensor that DDR has from the beginning, as
  /// weights, for itself: such a copy is paid once more, and is held by nobody
  /// else. A tensor that tiles make and need again only much later may be
  /// spilled: stored when it is made, and loaded by each of these readers. All
  /// other candidates are those without.
  bool loadsAgain = false;
  /// The host may run every operation: which device does it is one more choice,
  /// by the same cost. All other candidates are those without.
  bool mayUseHost = false;
  /// An operation may run in steps on slices of tensors in DDR. All other
  /// candidates are those without.
  bool runsInSteps = false;
  /// How storage kinds are chosen.
  StorageChoice storage;
  /// The kernels of the device: orders of memory that an operation has to have,
  /// storage kinds, and which parts of sums tiles can make and combine. Null:
  /// any.
  std::shared_ptr<const KernelTable> kernels = nullptr;
};

/// The problem of `function` on `target`, as if scratchpads held everything:
/// limitScratchpads() adds the capacity rows. Layouts that tensors have
/// already are kept: such a value is made in that layout alone. Precondition:
/// shapes are static, layouts fit their tensors, and of the operations only
/// redistribute, distribution_cast, permute_cast, calls and control flow have
/// results with layouts (pinLayouts of npu-assign-distributions makes that so).
FunctionProblem problemOf(mlir::FunctionOpInterface function,
                          const Target &target, const ProblemOptions &options);

/// Whether an operation of the problem may load for itself what another one
/// loads as well, or what can be spilled: only then does
/// ProblemOptions::loadsAgain add candidates.
bool mayLoadAgain(const FunctionProblem &function);

/// Which layouts of views take memory. Capacity rows are linear: they cannot
/// distinguish a view that is made in a layout, which takes nothing, from a
/// copy in that layout.
enum class ViewBytes {
  /// Each layout of a view counts as a copy does.
  Counted,
  /// Layouts that a view can be made in count nothing, and views are not copied
  /// into them.
  Kept,
};

/// Replaces the capacity rows of the problem by those of scratchpads of
/// `capacity` bytes on `tiles` tiles. A layout counts from the operation that
/// makes it, or the first one that may read it, to the last one that may: at
/// least as long as it is live. At that last one it counts with the candidates
/// that read it, but for those that write their result over it. Rows that no
/// assignment exceeds are left out.
void limitScratchpads(FunctionProblem &function, int64_t tiles,
                      int64_t capacity, ViewBytes views);

/// Replaces the capacity rows of the problem by those that hold whatever else
/// is live: the bytes that each operation reads and makes itself, in each
/// candidate, where its results may take the places of operands. No program
/// that runs an operation with a candidate takes less.
void limitToOwnBytes(FunctionProblem &function, int64_t tiles,
                     int64_t capacity);

/// Writes types and locations into the problem, for a report.
void nameLayouts(FunctionProblem &function);

/// Whether the operations in the regions of `op` are operations of the problem:
/// of loops and branches that run one after the other.
bool isGoneInto(mlir::Operation *op);

/// How often the operations of a block run, as far as loops around it say so.
int64_t knownRounds(mlir::Block *block);

} // namespace npu

#endif // NPU_ANALYSIS_CANDIDATES_FUNCTIONPROBLEM_H
