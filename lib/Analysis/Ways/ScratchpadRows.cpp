// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchpadRows.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Target/Count.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// A form, and the operations during which it may be in the scratchpads.
struct Stay {
  ValueForm form;
  int first = 0;
  int last = 0;
  /// The bytes on each tile.
  const std::vector<int64_t> *bytes = nullptr;
  int64_t most = 0;
};

/// Finds all stays; owns the bytes that they point to.
class Stays {
public:
  explicit Stays(FunctionProblem &function, int64_t tiles)
      : function(function), tiles(tiles) {
    for (size_t number = 0; number < function.operations.size(); ++number)
      for (Operation *op = function.operations[number]; op;
           op = op->getParentOp()) {
        firstInside.try_emplace(op, number);
        lastInside[op] = static_cast<int>(number);
      }
    for (size_t number = 0; number < function.operations.size(); ++number)
      makesViews.push_back(makesViewOnly(number));
  }

  std::vector<Stay> collect() {
    findNeeds();
    std::vector<Stay> stays;
    for (size_t value = 0; value < function.values.size(); ++value)
      for (size_t form = 0; form < function.forms[value].size(); ++form)
        if (isDistributed(function.forms[value][form]) &&
            !isReadInPlace(value, form))
          stays.push_back(stayOf(value, form));
    return stays;
  }

  /// The bytes that the results of an operation, and what is between them and
  /// its operands, take on each tile, by way.
  std::vector<std::vector<int64_t>> bytesMade(size_t number) {
    std::vector<std::vector<int64_t>> all;
    for (const OperationWay *way : function.ways[number])
      all.push_back(bytesMade(number, *way));
    return all;
  }

  /// What these take at most, on any tile and in any way.
  int64_t mostMade(size_t number) {
    int64_t most = 0;
    if (!makesView(number))
      for (const OperationWay *way : function.ways[number]) {
        Count between;
        for (const auto &step : heldBetween(*way))
          between = std::max(between, mostOf(step));
        most = std::max(most, (mostOf(way->results) + between).value);
      }
    return most;
  }

private:
  /// The bytes of a type on each tile, and on the fullest.
  struct Held {
    std::vector<int64_t> bytes;
    int64_t most = 0;
  };

  struct Needs {
    int first = -1;
    int last = -1;
  };

  /// Whether the value is a view of another one wherever it is made.
  bool isView(size_t value) const {
    int maker = function.problem.values[value].madeBy;
    return maker >= 0 && makesView(maker);
  }

  /// Whether the form is there without bytes of its own: a way on tiles makes
  /// it as a view, and nobody would rather load it. A view of a tensor in DDR
  /// may be made in DDR and loaded, so that its forms count.
  bool isReadInPlace(size_t value, size_t form) const {
    return isView(value) && isMade(value, form) && !comesFromDdr(value);
  }

  /// Whether the value is there from the beginning, or a view of such a one.
  bool comesFromDdr(size_t value) const {
    int maker = function.problem.values[value].madeBy;
    while (maker >= 0 && makesView(maker)) {
      Operation *op = function.operations[maker];
      auto viewed = function.numberOf.find(op->getOperand(0));
      if (viewed == function.numberOf.end())
        return true;
      value = viewed->second;
      maker = function.problem.values[value].madeBy;
    }
    return maker < 0;
  }

  bool makesView(size_t number) const { return makesViews[number]; }

  bool makesViewOnly(size_t number) const {
    Operation *op = function.operations[number];
    if (isViewInDdr(op))
      return true;
    if (op->getNumResults() != 1)
      return false;
    return llvm::all_of(function.ways[number], [&](const OperationWay *way) {
      return way->readsInPlace || !way->results[0] ||
             !isDistributed(way->results[0]);
    });
  }

  /// The first and the last operation at which the value's own block stands
  /// while `number` runs: loops run as a whole.
  Operation *standsAt(size_t value, size_t number) const {
    Block *block = function.values[value].getParentBlock();
    Operation *op = block->findAncestorOpInBlock(*function.operations[number]);
    return op ? op : function.operations[number];
  }

  /// The outermost loop that the value is made in; null outside of loops.
  Operation *outermostLoop(size_t value) const {
    Operation *outermost = nullptr;
    for (Operation *op = function.values[value].getParentBlock()->getParentOp();
         op && op != function.function; op = op->getParentOp())
      if (isa<LoopLikeOpInterface>(op))
        outermost = op;
    return outermost;
  }

  /// Goes backwards, so that how long a view is needed is known before what it
  /// is a view of.
  void findNeeds() {
    needs.resize(function.values.size());
    for (size_t value = 0; value < needs.size(); ++value)
      needs[value].resize(function.forms[value].size());
    for (size_t number = function.operations.size(); number-- > 0;)
      for (const Way &way : function.problem.operations[number].ways)
        for (ValueForm need : way.needs)
          addNeed(number, need);
  }

  void addNeed(size_t number, ValueForm form) {
    Needs &of = needs[form.value][form.form];
    Operation *at = standsAt(form.value, number);
    int first = firstInside.lookup(at), last = lastInside.lookup(at);
    if (makesView(number))
      for (Value result : function.operations[number]->getResults())
        if (auto view = function.numberOf.find(result);
            view != function.numberOf.end())
          for (const Needs &later : needs[view->second])
            last = std::max(last, later.last);
    of.first = of.first < 0 ? first : std::min(of.first, first);
    of.last = std::max(of.last, last);
  }

  bool isMade(size_t value, size_t form) const {
    int maker = function.problem.values[value].madeBy;
    if (maker < 0)
      return form == 0;
    return llvm::any_of(function.ways[maker], [&](const OperationWay *way) {
      return llvm::is_contained(way->results, function.forms[value][form]);
    });
  }

  /// A copy is made before the first operation that may need it, and what it is
  /// made of stays until then.
  Stay stayOf(size_t value, size_t form) {
    const Needs &of = needs[value][form];
    Stay stay;
    stay.form = {static_cast<int>(value), static_cast<int>(form)};
    stay.first = of.first;
    stay.last = of.last;
    if (isMade(value, form)) {
      // While its maker runs, a form counts with the way that makes it.
      stay.first = function.problem.values[value].madeBy + 1;
      for (const Needs &copy : needs[value])
        stay.last = std::max(stay.last, copy.first);
    }
    // What is inside a loop keeps its place during the whole outermost loop: at
    // its end all of it counts together.
    if (Operation *loop = outermostLoop(value); loop && stay.last >= 0)
      stay.last = lastInside.lookup(loop);
    const Held &held = heldOf(function.forms[value][form]);
    stay.bytes = &held.bytes;
    stay.most = held.most;
    return stay;
  }

  /// The bytes on each tile that bytesMade() has, in a way.
  std::vector<int64_t> bytesMade(size_t number, const OperationWay &way) {
    if (makesView(number))
      return std::vector<int64_t>(tiles);
    std::vector<int64_t> made = bytesOf(way.results), between(tiles);
    for (const auto &step : heldBetween(way))
      for (auto [most, bytes] : llvm::zip_equal(between, bytesOf(step)))
        most = std::max(most, bytes);
    for (auto [total, bytes] : llvm::zip_equal(made, between))
      total = (Count{total} + Count{bytes}).value;
    return made;
  }

  /// The bytes of all these tensors on each tile.
  std::vector<int64_t> bytesOf(ArrayRef<RankedTensorType> types) {
    std::vector<int64_t> sum(tiles);
    for (RankedTensorType type : types)
      if (type && isDistributed(type))
        for (auto [total, bytes] : llvm::zip_equal(sum, heldOf(type).bytes))
          total = (Count{total} + Count{bytes}).value;
    return sum;
  }

  /// The bytes of all these tensors, each on its fullest tile.
  Count mostOf(ArrayRef<RankedTensorType> types) {
    Count sum;
    for (RankedTensorType type : types)
      if (type && isDistributed(type))
        sum += Count{heldOf(type).most};
    return sum;
  }

  const Held &heldOf(RankedTensorType type) {
    auto [it, isNew] = held.try_emplace(type.getAsOpaquePointer());
    if (isNew) {
      const Placement &placement = *getPlacement(type);
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const Box &box = placement.memoryOf(tile);
        Extents sizes = box.sizes();
        int64_t size =
            bufferBytes(type.getElementType(),
                        ArrayRef<int64_t>(sizes.begin(), sizes.size()))
                .value_or(Count::most);
        // Each buffer begins at a multiple of the alignment.
        Count places = dividedUp(Count{size}, kBufferAlignment);
        it->second.bytes.push_back(
            box.isEmpty() ? 0 : (places * Count{kBufferAlignment}).value);
        it->second.most = std::max(it->second.most, it->second.bytes.back());
      }
    }
    return it->second;
  }

  FunctionProblem &function;
  int64_t tiles;
  std::vector<bool> makesViews;
  std::vector<std::vector<Needs>> needs;
  llvm::DenseMap<Operation *, int> firstInside, lastInside;
  std::map<const void *, Held> held;
};

using Bytes = std::vector<int64_t>;

int64_t sumOf(ArrayRef<int64_t> bytes) {
  Count sum;
  for (int64_t each : bytes)
    sum += Count{each};
  return sum.value;
}

/// The rows of one operation: one for each tile whose bytes no other tile's
/// exceed. `made` has the bytes of its results by way and tile.
void addRows(AssignmentProblem &problem, int at, ArrayRef<const Stay *> stays,
             ArrayRef<Bytes> made, int64_t capacity, int64_t tiles) {
  // The bytes of stays, then those of ways, by tile.
  std::map<Bytes, int> rows;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    Bytes bytes;
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
    for (size_t i = 0; i < stays.size(); ++i)
      if (bytes[i] > 0)
        row.forms.push_back({stays[i]->form, bytes[i]});
    for (size_t way = 0; way < made.size(); ++way)
      if (int64_t size = bytes[stays.size() + way]; size > 0)
        row.ways.push_back({static_cast<int>(way), size});
    problem.memory.push_back(std::move(row));
  }
}

} // namespace

void addScratchpadRows(FunctionProblem &function, const Target &target,
                       int64_t tiles) {
  Stays collected(function, tiles);
  std::vector<Stay> stays = collected.collect();
  std::vector<std::vector<const Stay *>> begins(function.operations.size());
  for (const Stay &stay : stays)
    if (stay.first >= 0 && stay.first <= stay.last && stay.most > 0)
      begins[stay.first].push_back(&stay);
  std::vector<const Stay *> live;
  for (size_t at = 0; at < function.operations.size(); ++at) {
    llvm::append_range(live, begins[at]);
    Count most{collected.mostMade(at)};
    for (const Stay *stay : live)
      most += Count{stay->most};
    if (most.value > target.scratchpadBytes)
      addRows(function.problem, static_cast<int>(at), live,
              collected.bytesMade(at), target.scratchpadBytes, tiles);
    llvm::erase_if(live, [&](const Stay *stay) {
      return stay->last == static_cast<int>(at);
    });
  }
}

} // namespace npu
