// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates in which tiles can run an operation whose tensors have no
// layouts yet: which tile runs which iterations, and so which layouts results
// and operands get. They follow from the loops of the operation alone, and from
// what others make and read.
//
// Example, linalg.matmul of 512x1536 and 1536x256 on four tiles: "split d0 over
// 4" makes rows, reads rows of the first operand and the whole second one on
// every tile; "split d1 over 4" makes columns; "split d0 over 2 and d1 over 2"
// a grid; "duplicated" all of it on every tile; "one tile". And, where they are
// asked for, "split d2 over 4, combined as split d0 over 4": each tile sums up
// a quarter of the terms of every entry, and then, of its rows, all four
// partial results.

#ifndef NPU_ANALYSIS_CANDIDATES_OPERATIONCANDIDATES_H
#define NPU_ANALYSIS_CANDIDATES_OPERATIONCANDIDATES_H

#include "npu/Analysis/Candidates/LoopSplits.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Analysis/Choices/StepGroup.h"
#include "npu/Analysis/Costs/DoneByEngine.h"
#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Target/Target.h"

#include "mlir/IR/BuiltinTypes.h"

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace npu {

/// A strategy for running an operation, by the types that its tensors have
/// then.
struct OperationCandidate {
  /// Such as "split d0 over 4".
  std::string what;
  /// A type for each result; null for results that are no tensors.
  std::vector<mlir::RankedTensorType> results;
  /// A type for each operand; null for what is no tensor, and for tensors whose
  /// entries are not read.
  std::vector<mlir::RankedTensorType> operands;
  /// Cycles of the busiest tile. What an engine does of the operation beside
  /// its own work (DoneByEngine.h) costs nothing here.
  int64_t cost = 0;
  /// The cycles more that this costs where a move lies between.
  int64_t costApart = 0;
  /// The operation is a transpose and, with these types, a permute_cast.
  bool readsInPlace = false;
  /// The parts in which tiles reduce, where the candidate splits loops that do:
  /// their partial results are combined as the result lies. Null in other
  /// candidates.
  std::shared_ptr<const ReductionSplit> split = nullptr;
  /// The steps in which tiles run the operation; null where they run it as a
  /// whole.
  std::shared_ptr<const OperationSteps> steps = nullptr;
  /// What steps hold on tiles at the same time, beside operands and result that
  /// have layouts (StepsCost::held).
  std::vector<std::vector<mlir::RankedTensorType>> heldInSteps = {};
  /// Others run in the same steps before this one: operations, and pads.
  bool isOfGroup = false;
  /// The types of what these operations read from outside of the group.
  std::vector<std::pair<StepUse, mlir::RankedTensorType>> readBefore = {};
  /// The operation runs in the steps of its reader, as that one's candidate
  /// says: nobody has its result as a whole.
  bool isInStepsOfReader = false;
  /// The host runs the operation, which tiles could run, too.
  bool isOnHost = false;
  /// The bytes that DDR moves for the operation, and those of partial results
  /// that tiles receive from other tiles.
  int64_t movedBytes = 0;
};

/// How many plans of steps a search has considered: loops, sizes and orders
/// that were judged by an estimate, and those that were costed exactly, with
/// their slots and a split over tiles.
struct ConsideredSteps {
  int64_t judged = 0;
  int64_t costed = 0;

  ConsideredSteps &operator+=(const ConsideredSteps &other) {
    judged += other.judged;
    costed += other.costed;
    return *this;
  }
};

/// The types under which an operation's tensors lie on tiles, as far as they
/// are decided beforehand: without a distribution, with a memory order, which
/// is the preferred one where there are several.
struct OrderedTypes {
  std::vector<mlir::RankedTensorType> results;
  std::vector<mlir::RankedTensorType> operands;
  /// The only result is written in any order that readers ask for.
  bool anyOrder = false;
  /// The storage kinds on tiles, in which images have no order; empty where all
  /// are linear.
  std::vector<Storage> resultKinds;
  std::vector<Storage> operandKinds;

  friend bool operator==(const OrderedTypes &, const OrderedTypes &) = default;
};

/// All candidates of one operation, and of others of the same kind and types.
class OperationCandidates {
public:
  /// Finds the candidates that split loops over `tiles` tiles. `op` has to live
  /// until the last candidate is added. `done` is what doneByEngine() says
  /// of it. Candidates in parts are of operations that `kernels` takes, if it
  /// is not null.
  OperationCandidates(mlir::Operation *op, OrderedTypes types,
                      const Target &target, int64_t tiles,
                      DoneByEngine done = {},
                      const KernelTable *kernels = nullptr);

  /// All candidates so far. Their addresses do not change.
  const std::deque<OperationCandidate> &candidates() const { return found; }
  /// How many candidates were added after those that the constructor finds.
  size_t added() const { return found.size() - ownCandidates; }
  /// What an engine does of the operation beside its own work.
  const DoneByEngine &doneByEngine() const { return done; }
  /// Why no tile does a part of the operation, as the end of the sentence "'x'
  /// falls back to the host: ..."; empty where there are candidates on tiles.
  const std::string &whyInDdr() const { return reason; }

  /// Adds the candidate by which each tile makes its memory box of a result
  /// under `type`: more than it owns, where a reader wants more. True where the
  /// candidate is new.
  bool addMaking(unsigned result, mlir::RankedTensorType type);
  /// Adds the candidate by which each tile runs what its part of an operand
  /// under `type` suffices for. True where the candidate is new.
  bool addReading(unsigned operand, mlir::RankedTensorType type);

  /// Adds the candidate by which the host runs the operation in DDR, where
  /// tiles can run it, too. A second call adds nothing.
  void addOnHost();
  /// Adds the candidates by which tiles run the operation in steps on slices of
  /// tensors in DDR, where that is possible, and that by which what only puts
  /// tensors beside each other does so in DDR. What is not cut stays on tiles;
  /// an engine that would do something of others does not do so in steps, and
  /// such a result is stored, or such operands are loaded, by the steps
  /// themselves. `bytePrice` is what a byte of DDR counts beside its time, in
  /// millicycles, where the best are chosen. A second call adds nothing.
  void addInSteps(bool storesResult, bool loadsOperands, int64_t bytePrice);
  /// The plans that addInSteps() has considered.
  const ConsideredSteps &consideredSteps() const { return considered; }
  /// Adds the candidates that split a loop which reduces over all tiles, if the
  /// operation is a reduction that can be combined from parts
  /// (SplitReduction.h): with the result split along each parallel loop, or
  /// duplicated. A second call adds nothing.
  void addReductionSplits();
  /// Adds the candidates by which each tile reduces what its part of an operand
  /// under `type` suffices for, with the same results. True where one is new.
  /// Precondition: addReductionSplits() has been called.
  bool addReadingParts(unsigned operand, mlir::RankedTensorType type);

private:
  using TypeList = std::vector<mlir::RankedTensorType>;

  /// A candidate that others offer may give the busiest tile this many times
  /// the work that the best split of the loops gives it: entries may be made on
  /// two tiles to save moving them.
  static constexpr double mostExtraWork = 2;

  /// The iterations of the busiest tile, and the number of tiles without any.
  struct Load {
    double busiest = 0;
    int64_t idle = 0;
  };

  void measureSplits();
  Load loadOf(const TileIterations &iterations) const;
  /// Whether a candidate that others offer uses the tiles about as well as the
  /// loops allow, or is the same on all of them.
  bool isWorthwhile(const TileIterations &iterations) const;
  void addInDdr(std::string what, bool isOnHost = false);
  void addSplits();
  bool addOnTiles(std::string what, const TileIterations &iterations,
                  mlir::RankedTensorType like = {});
  /// The types of all results where tiles run `iterations`; no types where
  /// these do not make every entry.
  TypeList resultsOf(const TileIterations &iterations,
                     mlir::RankedTensorType like) const;
  TypeList operandsOf(const TileIterations &iterations,
                      const TypeList &results) const;
  /// Whether lowering cuts the operation for tiles when it has these types.
  /// Then the candidate gets its cost.
  bool measure(OperationCandidate &candidate);
  bool addInParts(const std::string &what, TileIterations iterations);
  bool addCombined(std::shared_ptr<const ReductionSplit> split,
                   const std::string &what, const LoopSplit &combined);
  bool measureParts(OperationCandidate &candidate);
  bool offer(OperationCandidate candidate);

  enum class Request { Making, Reading, ReadingParts };

  /// Whether nobody has asked this before.
  bool isNewRequest(Request request, unsigned number,
                    mlir::RankedTensorType type) {
    return asked.insert({request, number, type.getAsOpaquePointer()}).second;
  }

  /// Whether addOnTiles() has not seen these results before. What each tile
  /// runs, and so the operands, follows from them.
  bool isNewOnTiles(const TypeList &results) {
    std::vector<const void *> key;
    for (mlir::RankedTensorType type : results)
      key.push_back(type.getAsOpaquePointer());
    return onTiles.insert(std::move(key)).second;
  }

  mlir::Operation *op;
  OrderedTypes types;
  const Target &target;
  const KernelTable *kernels;
  int64_t tiles;
  DoneByEngine done;
  std::optional<OpAccess> access;
  std::vector<LoopSplit> splits;
  double leastBusiest = 0;
  int64_t leastIdle = 0;
  std::deque<OperationCandidate> found;
  size_t ownCandidates = 0;
  bool isInSteps = false;
  ConsideredSteps considered;
  std::set<std::pair<TypeList, TypeList>,
           bool (*)(const std::pair<TypeList, TypeList> &,
                    const std::pair<TypeList, TypeList> &)>
      seen;
  std::string reason;
  std::set<std::tuple<Request, unsigned, const void *>> asked;
  /// The results of all candidates that addOnTiles() has made.
  std::set<std::vector<const void *>> onTiles;
  /// The reduction that addReductionSplits() has found.
  std::optional<Reduction> reduction;
  size_t candidatesInParts = 0;
};

/// The tensors that tiles hold in a candidate besides its operands and results,
/// in each step between them that may take most: the partial results of several
/// series beside all of them in one, and these beside what is brought to where
/// they are combined.
std::vector<std::vector<mlir::RankedTensorType>>
heldBetween(const OperationCandidate &candidate);

/// Whether a candidate computes nothing where its tensors are in DDR: the
/// operation is a slice, a reshape or a cast.
bool isViewInDdr(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_CANDIDATES_OPERATIONCANDIDATES_H
