// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Stays.h"
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
/// exceed. `made` has the bytes of its results by way and tile, `fixed` what
/// each tile holds besides.
void addRows(AssignmentProblem &problem, int at, ArrayRef<const Stay *> stays,
             ArrayRef<Bytes> made, const Bytes &fixed, int64_t capacity) {
  // What is fixed, the bytes of stays, then those of ways, by tile.
  std::map<Bytes, int> rows;
  for (size_t tile = 0; tile < fixed.size(); ++tile) {
    Bytes bytes = {fixed[tile]};
    for (const Stay *stay : stays)
      bytes.push_back((*stay->bytes)[tile]);
    int64_t most = 0;
    for (const Bytes &way : made)
      most = std::max(most, way[tile]);
    bool mayExceed = (Count{sumOf(bytes)} + Count{most}).value > capacity;
    for (const Bytes &way : made)
      bytes.push_back(way[tile]);
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
    MemoryRow row;
    row.at = at;
    row.tile = tile;
    row.capacity = capacity;
    row.fixed = bytes.front();
    for (size_t i = 0; i < stays.size(); ++i)
      if (bytes[i + 1] > 0)
        row.forms.push_back({stays[i]->form, bytes[i + 1]});
    for (size_t way = 0; way < made.size(); ++way)
      if (int64_t size = bytes[stays.size() + 1 + way]; size > 0)
        row.ways.push_back({static_cast<int>(way), size});
    problem.memory.push_back(std::move(row));
  }
}

/// What tiles hold of a reduction in parts inside a loop, they hold during the
/// whole outermost loop. A row says that of forms alone; so an operation in a
/// loop gets such a way only where all that could be held in the loop, in any
/// way, fits at the same time.
class RowsOfLoops {
public:
  RowsOfLoops(FunctionProblem &function, Stays &collected, ArrayRef<Stay> stays,
              int64_t capacity, int64_t tiles)
      : function(function), collected(collected), stays(stays),
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
      if (llvm::any_of(function.ways[at], [](const OperationWay *way) {
            return way->split != nullptr;
          }))
        inParts.push_back(at);
    if (inParts.empty())
      return;
    if (readers.empty())
      countReaders();
    std::vector<Count> total(tiles);
    std::map<int, std::vector<const Stay *>> byValue;
    for (const Stay &stay : stays)
      if (stay.first >= 0 && stay.last >= operations.front() &&
          stay.first <= operations.back())
        byValue[stay.form.value].push_back(&stay);
    for (const auto &[value, forms] : byValue)
      for (int64_t tile = 0; tile < tiles; ++tile)
        total[tile] += mostOf(forms, tile, readers[value] + 1);
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
      for (const Way &way : operation.ways)
        for (ValueForm need : way.needs)
          read.insert(need.value);
      for (int value : read)
        ++readers[value];
    }
  }

  /// The bytes of the `count` largest forms on a tile: a value is in the form
  /// that is made, and each reader needs one.
  static Count mostOf(ArrayRef<const Stay *> forms, int64_t tile,
                      size_t count) {
    Bytes bytes;
    for (const Stay *stay : forms)
      bytes.push_back((*stay->bytes)[tile]);
    llvm::sort(bytes, std::greater());
    bytes.resize(std::min(bytes.size(), count));
    return Count{sumOf(bytes)};
  }

  void forbid(int at, int tile, int64_t bytes) {
    MemoryRow row;
    row.at = at;
    row.tile = tile;
    row.capacity = capacity;
    for (auto [number, way] : llvm::enumerate(function.ways[at]))
      if (way->split)
        row.ways.push_back({static_cast<int>(number), bytes});
    function.problem.memory.push_back(std::move(row));
  }

  FunctionProblem &function;
  Stays &collected;
  ArrayRef<Stay> stays;
  int64_t capacity;
  int64_t tiles;
  /// For each value the number of operations that may need it; empty while
  /// nobody has asked.
  std::vector<size_t> readers;
  llvm::MapVector<Operation *, llvm::SmallVector<int>> inside;
};

} // namespace

/// Where forms that a view is made in without bytes of its own count in no row,
/// copies in them are forbidden.
static void forbidCopiesOfViews(FunctionProblem &function,
                                const Stays &collected) {
  for (auto [value, assigned] : llvm::enumerate(function.problem.values))
    for (size_t form = 0; form < assigned.forms.size(); ++form)
      if (collected.isReadInPlace(value, form))
        for (size_t from = 0; from < assigned.forms.size(); ++from)
          if (from != form)
            assigned.moves[from][form] = kImpossible;
}

/// What each tile holds while the operation runs, in any way: tensors of which
/// only the shape is read, and what a called function takes.
static Bytes bytesBeside(const FunctionProblem &function,
                         const Stays &collected, size_t at, int64_t tiles) {
  Bytes bytes(tiles, collected.shapesAt(at));
  if (auto called = function.called.find(static_cast<int>(at));
      called != function.called.end())
    for (auto [sum, more] : llvm::zip(bytes, called->second))
      sum = (Count{sum} +
             dividedUp(Count{more}, kBufferAlignment) * Count{kBufferAlignment})
                .value;
  return bytes;
}

void limitScratchpads(FunctionProblem &function, int64_t tiles,
                      int64_t capacity, ViewBytes views) {
  function.problem.memory.clear();
  Stays collected(function, tiles);
  std::vector<Stay> stays =
      collected.collect(/*withViews=*/views == ViewBytes::Counted);
  if (views == ViewBytes::Kept)
    forbidCopiesOfViews(function, collected);
  std::vector<std::vector<const Stay *>> begins(function.operations.size());
  for (const Stay &stay : stays)
    if (stay.first >= 0 && stay.first <= stay.last && stay.most > 0)
      begins[stay.first].push_back(&stay);
  std::vector<const Stay *> live;
  for (size_t at = 0; at < function.operations.size(); ++at) {
    llvm::append_range(live, begins[at]);
    Bytes fixed = bytesBeside(function, collected, at, tiles);
    Count most = Count{collected.mostMade(at)} +
                 Count{*std::max_element(fixed.begin(), fixed.end())};
    for (const Stay *stay : live)
      most += Count{stay->most};
    if (most.value > capacity)
      addRows(function.problem, static_cast<int>(at), live,
              collected.bytesMade(at), fixed, capacity);
    llvm::erase_if(live, [&](const Stay *stay) {
      return stay->last == static_cast<int>(at);
    });
  }
  RowsOfLoops(function, collected, stays, capacity, tiles).add();
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
  Stays collected(function, tiles);
  llvm::DenseSet<Operation *> unneeded = unneededOperations(function);
  for (size_t at = 0; at < function.operations.size(); ++at) {
    if (unneeded.contains(function.operations[at]))
      continue;
    std::vector<Bytes> least = collected.leastOwn(at);
    // What is called takes and gives whole tensors, in DDR: while it runs, the
    // call needs nothing else.
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
