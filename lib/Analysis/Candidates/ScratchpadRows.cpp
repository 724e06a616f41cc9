// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LiveRanges.h"
#include "npu/Analysis/Choices/WritesOver.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Target/Count.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

using namespace mlir;

namespace npu {
namespace {

using Bytes = std::vector<int64_t>;

int64_t sumOf(ArrayRef<int64_t> bytes) {
  Count sum;
  for (int64_t each : bytes)
    sum += Count{each};
  return sum.value;
}

/// The rows of one operation: one for each tile whose bytes no other tile's
/// exceed. `made` has the bytes of its results by candidate and tile, `fixed`
/// what each tile holds besides.
void addRows(AssignmentProblem &problem, int at,
             ArrayRef<const LiveRange *> liveRanges, ArrayRef<Bytes> made,
             const Bytes &fixed, int64_t capacity) {
  // What is fixed, the bytes of live ranges, then those of candidates, by tile.
  std::map<Bytes, int> rows;
  for (size_t tile = 0; tile < fixed.size(); ++tile) {
    Bytes bytes = {fixed[tile]};
    for (const LiveRange *range : liveRanges)
      bytes.push_back((*range->bytes)[tile]);
    int64_t most = 0;
    for (const Bytes &candidate : made)
      most = std::max(most, candidate[tile]);
    bool mayExceed = (Count{sumOf(bytes)} + Count{most}).value > capacity;
    for (const Bytes &candidate : made)
      bytes.push_back(candidate[tile]);
    if (mayExceed)
      rows.try_emplace(std::move(bytes), static_cast<int>(tile));
  }
  for (const auto &[bytes, tile] : rows) {
    bool isCovered = llvm::any_of(rows, [&](const auto &other) {
      return other.second != tile &&
             llvm::all_of(llvm::zip_equal(bytes, other.first), [](auto pair) {
               return std::get<0>(pair) <= std::get<1>(pair);
             });
    });
    if (isCovered)
      continue;
    CapacityRow row;
    row.at = at;
    row.tile = tile;
    row.capacity = capacity;
    row.fixed = bytes.front();
    for (size_t i = 0; i < liveRanges.size(); ++i)
      if (bytes[i + 1] > 0)
        row.layouts.push_back({liveRanges[i]->layout, bytes[i + 1]});
    for (size_t candidate = 0; candidate < made.size(); ++candidate)
      if (int64_t size = bytes[liveRanges.size() + 1 + candidate]; size > 0)
        row.candidates.push_back({static_cast<int>(candidate), size});
    problem.memory.push_back(std::move(row));
  }
}

/// The partial results of a split reduction inside a loop are held during the
/// whole outermost loop. A capacity row can only
/// express that for layouts; so an operation in a loop gets such a candidate
/// only where everything that may be held in the loop, with any candidate, fits
/// at the same time.
class RowsOfLoops {
public:
  RowsOfLoops(FunctionProblem &function, LiveRanges &collected,
              ArrayRef<LiveRange> liveRanges, int64_t capacity, int64_t tiles)
      : function(function), collected(collected), liveRanges(liveRanges),
        capacity(capacity), tiles(tiles) {}

  void add() {
    for (size_t at = 0; at < function.operations.size(); ++at)
      if (Operation *loop = collected.outermostLoopAround(at))
        inside[loop].push_back(static_cast<int>(at));
    for (const auto &[loop, operations] : inside)
      addFor(operations);
  }

private:
  void addFor(ArrayRef<int> operations) {
    llvm::SmallVector<int> inParts;
    for (int at : operations)
      if (llvm::any_of(function.candidates[at],
                       [](const OperationCandidate *candidate) {
                         return candidate->split != nullptr;
                       }))
        inParts.push_back(at);
    if (inParts.empty())
      return;
    if (readers.empty())
      countReaders();
    std::vector<Count> total(tiles);
    std::map<int, std::vector<const LiveRange *>> byValue;
    for (const LiveRange &range : liveRanges)
      if (range.first >= 0 && range.last >= operations.front() &&
          range.first <= operations.back())
        byValue[range.layout.value].push_back(&range);
    for (const auto &[value, layouts] : byValue)
      for (int64_t tile = 0; tile < tiles; ++tile)
        total[tile] += mostOf(layouts, tile, readers[value] + 1);
    for (int at : inParts)
      for (auto [sum, bytes] :
           llvm::zip_equal(total, collected.mostBetween(at)))
        sum += Count{bytes};
    auto fullest = llvm::max_element(
        total, [](Count a, Count b) { return a.value < b.value; });
    if (fullest->value > capacity)
      for (int at : inParts)
        forbid(at, static_cast<int>(fullest - total.begin()), fullest->value);
  }

  void countReaders() {
    readers.resize(function.values.size());
    for (const AssignedOperation &operation : function.problem.operations) {
      std::set<int> read;
      for (const Candidate &candidate : operation.candidates)
        for (ValueLayout operand : candidate.operandLayouts)
          read.insert(operand.value);
      for (int value : read)
        ++readers[value];
    }
  }

  /// The bytes of the `count` largest layouts on a tile: a value is in the
  /// layout that is made, and each reader uses one.
  static Count mostOf(ArrayRef<const LiveRange *> layouts, int64_t tile,
                      size_t count) {
    Bytes bytes;
    for (const LiveRange *range : layouts)
      bytes.push_back((*range->bytes)[tile]);
    llvm::sort(bytes, std::greater());
    bytes.resize(std::min(bytes.size(), count));
    return Count{sumOf(bytes)};
  }

  void forbid(int at, int tile, int64_t bytes) {
    CapacityRow row;
    row.at = at;
    row.tile = tile;
    row.capacity = capacity;
    for (auto [number, candidate] : llvm::enumerate(function.candidates[at]))
      if (candidate->split)
        row.candidates.push_back({static_cast<int>(number), bytes});
    function.problem.memory.push_back(std::move(row));
  }

  FunctionProblem &function;
  LiveRanges &collected;
  ArrayRef<LiveRange> liveRanges;
  int64_t capacity;
  int64_t tiles;
  /// For each value the number of operations that may need it; empty while
  /// nobody has asked.
  std::vector<size_t> readers;
  llvm::MapVector<Operation *, llvm::SmallVector<int>> inside;
};

} // namespace

/// Forbids copies in layouts that a view is made in without bytes of its own,
/// where such layouts count in no row.
static void forbidCopiesOfViews(FunctionProblem &function,
                                const LiveRanges &collected) {
  for (auto [value, assigned] : llvm::enumerate(function.problem.values))
    for (size_t layout = 0; layout < assigned.layouts.size(); ++layout)
      if (collected.isReadInPlace(value, layout))
        for (size_t from = 0; from < assigned.layouts.size(); ++from)
          if (from != layout)
            assigned.moves[from][layout] = kImpossible;
}

/// What each tile holds while the operation runs, with any candidate: tensors
/// of which only the shape is read, and what a called function takes.
static Bytes bytesBeside(const FunctionProblem &function,
                         const LiveRanges &collected, size_t at,
                         int64_t tiles) {
  Bytes bytes(tiles, collected.shapesAt(at));
  if (auto called = function.called.find(static_cast<int>(at));
      called != function.called.end())
    for (auto [sum, more] : llvm::zip(bytes, called->second))
      sum = (Count{sum} + Count{aligned(more)}).value;
  return bytes;
}

/// Whether nothing but the value is in the buffer that it has on a tile, or
/// what counts there by itself: a tensor from DDR that the value is a view of.
static bool hasOwnBuffer(const FunctionProblem &function,
                         const LiveRanges &collected, int value) {
  int maker = function.problem.values[value].madeBy;
  return maker < 0 || collected.isViewOfDdr(value) ||
         (isa<linalg::LinalgOp>(function.operations[maker]) &&
          llvm::none_of(
              function.candidates[maker],
              [](const OperationCandidate *candidate) {
                return candidate->readsInPlace;
              }));
}

/// The operand that a candidate writes its result over (WritesOver.h): it is
/// one of those that are over after the operation.
static std::optional<ValueLayout>
writtenOver(const FunctionProblem &function, const LiveRanges &collected,
            size_t at, size_t candidate, ArrayRef<const LiveRange *> over) {
  auto op = dyn_cast<linalg::LinalgOp>(function.operations[at]);
  const OperationCandidate &chosen = *function.candidates[at][candidate];
  if (!op || op->getNumResults() != 1 || chosen.steps || chosen.split ||
      chosen.readsInPlace || chosen.isInStepsOfReader || chosen.isOnHost)
    return std::nullopt;
  const auto &read =
      function.problem.operations[at].candidates[candidate].operandLayouts;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto found = llvm::find_if(over, [&](const LiveRange *range) {
      auto [value, layout] = range->layout;
      return function.values[value] == input->get() &&
             function.layouts[value][layout] == chosen.results[0] &&
             llvm::is_contained(read, range->layout) &&
             hasOwnBuffer(function, collected, value);
    });
    if (found != over.end() &&
        mayWriteOver(op, *op.getDpsInitOperand(0), input->get()))
      return (*found)->layout;
  }
  return std::nullopt;
}

/// Adds what is over after the operation to the bytes of the candidates that
/// read it, but for what they write over.
static void addToReaders(const FunctionProblem &function,
                         const LiveRanges &collected, size_t at,
                         ArrayRef<const LiveRange *> over,
                         std::vector<Bytes> &bytes) {
  for (auto [number, candidate] :
       llvm::enumerate(function.problem.operations[at].candidates)) {
    std::optional<ValueLayout> replaced =
        writtenOver(function, collected, at, number, over);
    for (const LiveRange *range : over)
      if (range->layout != replaced &&
          llvm::is_contained(candidate.operandLayouts, range->layout))
        for (auto [sum, more] : llvm::zip_equal(bytes[number], *range->bytes))
          sum = (Count{sum} + Count{more}).value;
  }
}

void limitScratchpads(FunctionProblem &function, int64_t tiles,
                      int64_t capacity, ViewBytes views) {
  function.problem.memory.clear();
  LiveRanges collected(function, tiles);
  std::vector<LiveRange> liveRanges =
      collected.collect(/*withViews=*/views == ViewBytes::Counted);
  if (views == ViewBytes::Kept)
    forbidCopiesOfViews(function, collected);
  std::vector<std::vector<const LiveRange *>> begins(
      function.operations.size());
  for (const LiveRange &range : liveRanges)
    if (range.first >= 0 && range.first <= range.last && range.most > 0)
      begins[range.first].push_back(&range);
  std::vector<const LiveRange *> live;
  for (size_t at = 0; at < function.operations.size(); ++at) {
    llvm::append_range(live, begins[at]);
    Bytes fixed = bytesBeside(function, collected, at, tiles);
    Count most = Count{collected.mostMade(at)} +
                 Count{*std::max_element(fixed.begin(), fixed.end())};
    for (const LiveRange *range : live)
      most += Count{range->most};
    auto isOver = [&](const LiveRange *range) {
      return range->last == static_cast<int>(at);
    };
    if (most.value > capacity) {
      std::vector<Bytes> made = collected.bytesMade(at);
      std::vector<const LiveRange *> over, others;
      for (const LiveRange *range : live)
        (isOver(range) && collected.isKeptByReader(*range, at) ? over : others)
            .push_back(range);
      if (!over.empty()) {
        // While copies are made for the operation, what they are made of is
        // there, and nothing of its results.
        addRows(function.problem, static_cast<int>(at), live, {}, fixed,
                capacity);
        // While it runs, it is there where the chosen candidate reads it.
        addToReaders(function, collected, at, over, made);
      }
      addRows(function.problem, static_cast<int>(at), others, made, fixed,
              capacity);
    }
    llvm::erase_if(live, isOver);
  }
  RowsOfLoops(function, collected, liveRanges, capacity, tiles).add();
}

/// The operations that compute nothing which is needed: no program has them.
static llvm::DenseSet<Operation *>
unneededOperations(const FunctionProblem &function) {
  llvm::DenseSet<Operation *> unneeded;
  for (Operation *op : llvm::reverse(function.operations))
    if (wouldOpBeTriviallyDead(op) &&
        llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return unneeded.contains(user); }))
      unneeded.insert(op);
  return unneeded;
}

void limitToOwnBytes(FunctionProblem &function, int64_t tiles,
                     int64_t capacity) {
  function.problem.memory.clear();
  LiveRanges collected(function, tiles);
  llvm::DenseSet<Operation *> unneeded = unneededOperations(function);
  for (size_t at = 0; at < function.operations.size(); ++at) {
    Operation *op = function.operations[at];
    // What has one value everywhere is made anew for each reader, whose own
    // bytes have it.
    bool isMadeByReaders =
        op->getNumResults() == 1 && isMadeAnywhere(op->getResult(0));
    if (unneeded.contains(op) || isMadeByReaders)
      continue;
    std::vector<Bytes> least = collected.leastOwn(at);
    // What is called takes and gives whole tensors, in DDR: while it runs, the
    // call uses nothing else.
    if (auto called = function.called.find(static_cast<int>(at));
        called != function.called.end())
      for (Bytes &bytes : least)
        for (auto [most, other] : llvm::zip(bytes, called->second))
          most = std::max(most, other);
    addRows(function.problem, static_cast<int>(at), {}, least, Bytes(tiles),
            capacity);
  }
}

} // namespace npu
