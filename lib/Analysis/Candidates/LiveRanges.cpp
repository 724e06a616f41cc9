// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LiveRanges.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace npu {

LiveRanges::LiveRanges(FunctionProblem &function, int64_t tiles)
    : function(function), tiles(tiles) {
  for (size_t number = 0; number < function.operations.size(); ++number)
    for (Operation *op = function.operations[number]; op;
         op = op->getParentOp()) {
      firstInside.try_emplace(op, number);
      lastInside[op] = static_cast<int>(number);
    }
  for (size_t number = 0; number < function.operations.size(); ++number)
    makesViews.push_back(makesViewOnly(number));
  for (size_t number = 0; number < function.operations.size(); ++number) {
    shapes.push_back(shapesOf(number));
    Operation *loop = shapes.back() > 0 ? outermostLoopAround(number) : nullptr;
    if (loop)
      shapesInLoop[loop] =
          (Count{shapesInLoop[loop]} + Count{shapes.back()}).value;
  }
  joinSameBuffers();
}

int64_t aligned(int64_t bytes) {
  return (dividedUp(Count{bytes}, kBufferAlignment) * Count{kBufferAlignment})
      .value;
}

/// The bytes of a buffer of that shape.
static int64_t sizeOfShape(Type element, ArrayRef<int64_t> shape) {
  return Count{bufferBytes(element, shape).value_or(Count::most)}.value;
}

int64_t bytesOnTile(RankedTensorType type, int64_t tile) {
  return getPlacement(type)->memoryOf(tile).isEmpty()
             ? 0
             : sizeOfShape(type.getElementType(),
                           storedType(type, tile).getShape());
}

static int64_t bytesOfShape(Type element, ArrayRef<int64_t> shape) {
  return aligned(sizeOfShape(element, shape));
}

/// The least bytes in which buffers of these sizes lie apart: after the last
/// one, nothing has to begin at a multiple of the alignment.
static int64_t leastArena(ArrayRef<int64_t> sizes) {
  Count sum;
  int64_t atEnd = 0;
  for (int64_t size : sizes) {
    sum += Count{aligned(size)};
    atEnd = std::max(atEnd, aligned(size) - size);
  }
  return sum.value - atEnd;
}

/// The extents of a part are said by those of a tensor that nobody reads.
static Count shapesOfParts(const OperationCandidate &candidate) {
  Count bytes;
  if (!candidate.split)
    return bytes;
  Type element = IntegerType::get(candidate.results[0].getContext(), 1);
  for (const ReductionSeries &series : candidate.split->series) {
    llvm::SmallVector<int64_t> extents;
    for (const PartRange &range : series.parts.ranges)
      extents.push_back(range.extent);
    bytes += Count{bytesOfShape(element, extents)};
  }
  return bytes;
}

int64_t LiveRanges::shapesOf(size_t number) const {
  Operation *op = function.operations[number];
  bool isOnTiles = llvm::any_of(
      function.candidates[number], [](const OperationCandidate *candidate) {
        return llvm::any_of(candidate->results, [](RankedTensorType type) {
          return type && isDistributed(type);
        });
      });
  Count sum;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (structured && isOnTiles)
    for (OpOperand *operand : structured.getDpsInputOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand->get().getType());
          type && (isUnwritten(operand->get()) ||
                   !structured.payloadUsesValueFromOperand(operand)))
        sum += Count{bytesOfShape(type.getElementType(), type.getShape())};
  return sum.value;
}

int64_t LiveRanges::shapesAt(size_t number) const {
  Operation *loop = outermostLoopAround(number);
  return loop ? shapesInLoop.lookup(loop) : shapes[number];
}

std::vector<LiveRange> LiveRanges::collect(bool withViews) {
  findUses();
  std::vector<LiveRange> liveRanges;
  for (size_t value = 0; value < function.values.size(); ++value)
    for (size_t layout = 0; layout < function.layouts[value].size(); ++layout)
      if (isDistributed(function.layouts[value][layout]) &&
          (withViews || !isReadInPlace(value, layout)))
        liveRanges.push_back(liveRangeOf(value, layout));
  return liveRanges;
}

std::vector<std::vector<int64_t>> LiveRanges::bytesMade(size_t number) {
  std::vector<std::vector<int64_t>> all;
  for (const OperationCandidate *candidate : function.candidates[number])
    all.push_back(bytesMade(number, *candidate));
  return all;
}

std::vector<int64_t> LiveRanges::mostBetween(size_t number) {
  std::vector<int64_t> most(tiles);
  for (const OperationCandidate *candidate : function.candidates[number])
    keepLarger(most, bytesBetween(*candidate));
  return most;
}

Operation *LiveRanges::outermostLoopAround(size_t number) const {
  return outermostLoopOf(function.operations[number]->getBlock());
}

int64_t LiveRanges::mostMade(size_t number) {
  int64_t most = 0;
  if (!makesView(number))
    for (const OperationCandidate *candidate : function.candidates[number]) {
      Count between;
      for (const auto &step : heldBetween(*candidate))
        between = std::max(between, mostOf(step));
      between += shapesOfParts(*candidate);
      most = std::max(most, (mostOf(candidate->results) + between).value);
    }
  return most;
}

bool LiveRanges::isView(size_t value) const {
  int maker = function.problem.values[value].madeBy;
  return maker >= 0 && makesView(maker);
}

bool LiveRanges::isKeptByReader(const LiveRange &range, size_t number) const {
  return range.last == static_cast<int>(number) && !makesView(number) &&
         !outermostLoopAround(number) &&
         function.holds[range.layout.value] < 0 &&
         llvm::any_of(
             function.problem.operations[number].candidates,
             [&](const Candidate &candidate) {
               return llvm::is_contained(candidate.operandLayouts,
                                         range.layout);
             });
}

bool LiveRanges::isReadInPlace(size_t value, size_t layout) const {
  return isView(value) && isMade(value, layout) && !comesFromDdr(value);
}

size_t LiveRanges::viewedBy(size_t value) const {
  while (isView(value)) {
    Operation *maker =
        function.operations[function.problem.values[value].madeBy];
    if (maker->getNumOperands() == 0)
      break;
    auto viewed = function.numberOf.find(maker->getOperand(0));
    if (viewed == function.numberOf.end())
      break;
    value = viewed->second;
  }
  return value;
}

/// What a view is of may be no value of the problem: then it is made anywhere.
bool LiveRanges::comesFromDdr(size_t value) const {
  size_t viewed = viewedBy(value);
  return isView(viewed) || function.problem.values[viewed].madeBy < 0;
}

/// The operation as one that computes all its results from all operands that it
/// reads; null for others, which may hand on an operand as it is: what a tile
/// does of an insertion, a concatenation or a copy can be one whole operand.
static linalg::LinalgOp asComputation(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return {};
  Operation *yield = structured.getBlock()->getTerminator();
  bool handsOn = llvm::any_of(yield->getOperands(), [](Value yielded) {
    return isa<BlockArgument>(yielded);
  });
  return handsOn ? linalg::LinalgOp() : structured;
}

void LiveRanges::joinSameBuffers() {
  sameBuffer.grow(function.values.size());
  // What an operation loads for itself it may also load with others.
  for (auto [number, value] : llvm::enumerate(function.values))
    if (auto shared = function.numberOf.find(value);
        shared != function.numberOf.end())
      sameBuffer.join(number, shared->second);
  for (Operation *op : function.operations) {
    if (asComputation(op) || op->getNumResults() == 0)
      continue;
    llvm::SmallVector<Value> handed(op->getOperands());
    llvm::append_range(handed, op->getResults());
    if (isGoneInto(op))
      for (Region &region : op->getRegions())
        for (Block &block : region) {
          llvm::append_range(handed, block.getArguments());
          llvm::append_range(handed, block.getTerminator()->getOperands());
        }
    std::optional<int> first;
    for (Value value : handed)
      if (auto number = function.numberOf.find(value);
          number != function.numberOf.end()) {
        first = first.value_or(number->second);
        sameBuffer.join(*first, number->second);
      }
  }
}

/// The types of the results in this candidate; null for those that nobody
/// reads, which lowering may drop.
static llvm::SmallVector<RankedTensorType>
typesRead(Operation *op, const OperationCandidate &candidate) {
  llvm::SmallVector<RankedTensorType> types =
      llvm::to_vector(candidate.results);
  for (auto [type, result] : llvm::zip_equal(types, op->getResults()))
    if (result.use_empty())
      type = {};
  return types;
}

std::vector<std::vector<int64_t>> LiveRanges::leastOwn(size_t number) {
  Operation *op = function.operations[number];
  linalg::LinalgOp computation = asComputation(op);
  // Only what reads operands after it has written results surely has both
  // apart.
  bool isApart = computation && computation.getNumReductionLoops() > 0;
  // Where an output is read, its layout becomes the result.
  std::set<int> outputs;
  if (isApart)
    for (Value output : computation.getDpsInits())
      if (auto value = function.numberOf.find(output);
          value != function.numberOf.end())
        outputs.insert(value->second);
  std::vector<std::vector<int64_t>> all;
  for (auto [candidate, found] :
       llvm::zip_equal(function.problem.operations[number].candidates,
                       function.candidates[number])) {
    // The sizes of buffers by tile.
    std::map<unsigned, std::vector<int64_t>> read;
    for (ValueLayout operand : candidate.operandLayouts) {
      RankedTensorType type = function.layouts[operand.value][operand.layout];
      if (outputs.contains(operand.value) || !isDistributed(type))
        continue;
      auto [entry, isNew] =
          read.try_emplace(sameBuffer.findLeader(operand.value), tiles);
      keepLarger(entry->second, heldOf(type).sizes);
    }
    llvm::SmallVector<const std::vector<int64_t> *> made;
    if (!makesView(number) && !found->readsInPlace)
      for (RankedTensorType type : typesRead(op, *found))
        if (type && isDistributed(type))
          made.push_back(&heldOf(type).sizes);
    std::vector<int64_t> least(tiles);
    if (found->steps) {
      // While slices are on tiles, so is what is not cut.
      for (const auto &slices : found->heldInSteps)
        for (int64_t tile = 0; tile < tiles; ++tile) {
          llvm::SmallVector<int64_t> together;
          for (RankedTensorType type : slices)
            together.push_back(heldOf(type).sizes[tile]);
          for (const auto &[buffer, sizes] : read)
            together.push_back(sizes[tile]);
          for (const std::vector<int64_t> *sizes : made)
            together.push_back((*sizes)[tile]);
          least[tile] = std::max(least[tile], leastArena(together));
        }
      all.push_back(std::move(least));
      continue;
    }
    for (int64_t tile = 0; tile < tiles; ++tile) {
      llvm::SmallVector<int64_t> operands, results;
      for (const auto &[buffer, sizes] : read)
        operands.push_back(sizes[tile]);
      if (!computation && !operands.empty())
        operands = {*llvm::max_element(operands)};
      for (const std::vector<int64_t> *sizes : made)
        results.push_back((*sizes)[tile]);
      // A tile that makes nothing may not even be sent its operands.
      if (llvm::all_of(results, [](int64_t size) { return size == 0; }))
        continue;
      if (isApart)
        least[tile] = leastArena(
            llvm::to_vector(llvm::concat<int64_t>(operands, results)));
      else
        least[tile] = std::max(leastArena(operands), leastArena(results));
    }
    all.push_back(std::move(least));
  }
  return all;
}

bool LiveRanges::makesViewOnly(size_t number) const {
  Operation *op = function.operations[number];
  if (isViewInDdr(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  return llvm::all_of(
      function.candidates[number], [&](const OperationCandidate *candidate) {
        return candidate->readsInPlace || !candidate->results[0] ||
               (!candidate->steps && !isDistributed(candidate->results[0]));
      });
}

Operation *LiveRanges::standsAt(size_t value, size_t number) const {
  Block *block = function.values[value].getParentBlock();
  Operation *op = block->findAncestorOpInBlock(*function.operations[number]);
  return op ? op : function.operations[number];
}

Operation *LiveRanges::outermostLoopOf(Block *block) const {
  Operation *outermost = nullptr;
  for (Operation *op = block->getParentOp(); op && op != function.function;
       op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      outermost = op;
  return outermost;
}

void LiveRanges::findUses() {
  uses.resize(function.values.size());
  for (size_t value = 0; value < uses.size(); ++value)
    uses[value].resize(function.layouts[value].size());
  for (size_t number = function.operations.size(); number-- > 0;)
    for (const Candidate &candidate :
         function.problem.operations[number].candidates)
      for (ValueLayout operand : candidate.operandLayouts)
        addUse(number, operand);
}

void LiveRanges::addUse(size_t number, ValueLayout layout) {
  Uses &of = uses[layout.value][layout.layout];
  Operation *at = standsAt(layout.value, number);
  int first = firstInside.lookup(at), last = lastInside.lookup(at);
  if (makesView(number))
    for (Value result : function.operations[number]->getResults())
      if (auto view = function.numberOf.find(result);
          view != function.numberOf.end())
        // A copy of the view in DDR is made at once.
        for (auto [type, later] : llvm::zip_equal(
                 function.layouts[view->second], uses[view->second]))
          if (isDistributed(type))
            last = std::max(last, later.last);
  of.first = of.first < 0 ? first : std::min(of.first, first);
  of.last = std::max(of.last, last);
}

bool LiveRanges::isMade(size_t value, size_t layout) const {
  int maker = function.problem.values[value].madeBy;
  if (maker < 0)
    return layout == 0;
  return llvm::any_of(
      function.candidates[maker], [&](const OperationCandidate *candidate) {
        return llvm::is_contained(candidate->results,
                                  function.layouts[value][layout]);
      });
}

/// The live ranges of the value's layouts on tiles.
std::vector<LiveRange> LiveRanges::liveRangesOf(size_t value) {
  std::vector<LiveRange> ranges;
  for (size_t layout = 0; layout < function.layouts[value].size(); ++layout)
    if (isDistributed(function.layouts[value][layout]))
      ranges.push_back(liveRangeOf(value, layout));
  return ranges;
}

LiveRange LiveRanges::liveRangeOf(size_t value, size_t layout) {
  const Uses &of = uses[value][layout];
  LiveRange range;
  range.layout = {static_cast<int>(value), static_cast<int>(layout)};
  range.first = of.first;
  range.last = of.last;
  if (int shared = function.holds[value]; shared >= 0) {
    range.first = function.problem.values[value].madeBy + 1;
    for (const LiveRange &early : liveRangesOf(shared))
      range.first = std::max(range.first, early.last + 1);
  } else if (isMade(value, layout)) {
    // While its maker runs, a layout counts with the candidate that makes it.
    range.first = function.problem.values[value].madeBy + 1;
    // A copy in DDR takes nothing there, and is made at once.
    for (auto [type, copy] :
         llvm::zip_equal(function.layouts[value], uses[value]))
      if (isDistributed(type))
        range.last = std::max(range.last, copy.first);
  }
  // What is inside a loop keeps its place during the whole outermost loop: at
  // its end all of it counts together.
  Operation *loop = outermostLoopOf(function.values[value].getParentBlock());
  if (loop && (range.last >= 0 || isMade(value, layout)))
    range.last = lastInside.lookup(loop);
  const Held &held = heldOf(function.layouts[value][layout]);
  range.bytes = &held.bytes;
  range.most = held.most;
  return range;
}

std::vector<int64_t>
LiveRanges::bytesMade(size_t number, const OperationCandidate &candidate) {
  if (makesView(number))
    return std::vector<int64_t>(tiles);
  std::vector<int64_t> made = bytesOf(candidate.results);
  for (auto [total, bytes] : llvm::zip_equal(made, bytesBetween(candidate)))
    total = (Count{total} + Count{bytes}).value;
  return made;
}

std::vector<int64_t>
LiveRanges::bytesBetween(const OperationCandidate &candidate) {
  std::vector<int64_t> between(tiles);
  for (const auto &step : heldBetween(candidate))
    keepLarger(between, bytesOf(step));
  Count shapes = shapesOfParts(candidate);
  for (int64_t &bytes : between)
    bytes = (Count{bytes} + shapes).value;
  return between;
}

void LiveRanges::keepLarger(std::vector<int64_t> &most,
                            ArrayRef<int64_t> others) {
  for (auto [bytes, other] : llvm::zip_equal(most, others))
    bytes = std::max(bytes, other);
}

std::vector<int64_t> LiveRanges::bytesOf(ArrayRef<RankedTensorType> types) {
  std::vector<int64_t> sum(tiles);
  for (RankedTensorType type : types)
    if (type && isDistributed(type))
      for (auto [total, bytes] : llvm::zip_equal(sum, heldOf(type).bytes))
        total = (Count{total} + Count{bytes}).value;
  return sum;
}

Count LiveRanges::mostOf(ArrayRef<RankedTensorType> types) {
  Count sum;
  for (RankedTensorType type : types)
    if (type && isDistributed(type))
      sum += Count{heldOf(type).most};
  return sum;
}

const LiveRanges::Held &LiveRanges::heldOf(RankedTensorType type) {
  auto [it, isNew] = held.try_emplace(type.getAsOpaquePointer());
  if (isNew)
    for (int64_t tile = 0; tile < tiles; ++tile) {
      it->second.sizes.push_back(bytesOnTile(type, tile));
      it->second.bytes.push_back(aligned(it->second.sizes.back()));
      it->second.most = std::max(it->second.most, it->second.bytes.back());
    }
  return it->second;
}

} // namespace npu
