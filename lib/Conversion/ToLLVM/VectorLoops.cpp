// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops, from outside to inside: those over what is neither lanes nor rows;
// with panels, ranges of reductions, and ranges of rows, which bring what they
// read into caches; lanes; rows; reductions. Values of short floats are in f32
// all the way from a load to a store.

#include "VectorLoops.h"

#include "LaneOperations.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include "mlir/IR/TypeUtilities.h"
#include <map>

using namespace mlir;

namespace npu {
namespace {

using utils::IteratorType;

class Builder {
public:
  Builder(linalg::LinalgOp op, const LoopPlan &plan)
      : op(op), plan(plan), builder(op), loc(op.getLoc()),
        extents(op.getStaticLoopRanges()),
        iterators(op.getIteratorTypesArray()),
        isFixed(iterators.size(), false) {}

  void build() {
    for (mlir::Range range : op.createLoopRanges(builder, loc))
      ends.push_back(range.size);
    begins.assign(ends.size(), builder.getIndexAttr(0));
    positions = begins;
    for (unsigned operand : plan.lanePanels)
      panels[operand] = allocatePanel(operand, plan.width);
    for (unsigned operand : plan.rowPanels) {
      int64_t blocks = llvm::divideCeil(plan.rowsOfBlock, plan.rows);
      panels[operand] = allocatePanel(operand, plan.rows, {blocks});
    }
    buildOuter(0);
    for (auto &[operand, panel] : panels)
      memref::DeallocOp::create(builder, loc, panel);
  }

private:
  bool isReduced() const {
    return llvm::is_contained(iterators, IteratorType::reduction);
  }

  bool isReduction(unsigned loop) const {
    return iterators[loop] == IteratorType::reduction;
  }

  Value asValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }

  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, operands);
  }

  OpFoldResult plus(OpFoldResult number, int64_t more) {
    if (more == 0)
      return number;
    return apply(builder.getAffineDimExpr(0) + more, {number});
  }

  OpFoldResult minus(OpFoldResult number, OpFoldResult less) {
    return apply(builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1),
                 {number, less});
  }

  OpFoldResult least(OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> first = getConstantIntValue(a),
                           second = getConstantIntValue(b);
    if (first && second)
      return builder.getIndexAttr(std::min(*first, *second));
    return OpFoldResult(
        arith::MinSIOp::create(builder, loc, asValue(a), asValue(b))
            .getResult());
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Loops over everything but lanes, rows and reductions.
  void buildOuter(unsigned loop) {
    if (loop == iterators.size()) {
      if (plan.hasPanels())
        return overPanels(0);
      return overLanes();
    }
    if (loop == plan.lane || loop == plan.row || isReduction(loop))
      return buildOuter(loop + 1);
    overSteps(loop, 1, [&](int64_t) { buildOuter(loop + 1); });
  }

  /// Loops over the parts of the reductions that are in a panel.
  void overPanels(unsigned loop) {
    while (!isReduction(loop) && loop < plan.blocked)
      ++loop;
    if (loop < plan.blocked) {
      isFixed[loop] = true;
      overSteps(loop, 1, [&](int64_t) { overPanels(loop + 1); });
      isFixed[loop] = false;
      return;
    }
    inRanges(plan.blocked, plan.blockedSteps, [&] {
      inRanges(*plan.row, plan.rowsOfBlock, [&] {
        for (unsigned operand : plan.rowPanels)
          fillRowPanel(operand);
        overLanes();
      });
    });
  }

  /// Builds `body` once, in a loop over ranges of at most `most` steps of a
  /// loop: of `begins` to `ends`.
  void inRanges(unsigned loop, int64_t most, llvm::function_ref<void()> body) {
    OpFoldResult begin = begins[loop], end = ends[loop];
    if (most >= extents[loop])
      return body();
    inLoop(loop, begin, end, most, [&] {
      begins[loop] = positions[loop];
      ends[loop] = least(plus(positions[loop], most), end);
      body();
    });
    begins[loop] = begin;
    ends[loop] = end;
  }

  void overLanes() {
    auto lanes = [&](llvm::function_ref<void(int64_t)> body) {
      overSteps(plan.lane, plan.width, [&](int64_t width) {
        for (unsigned operand : plan.lanePanels)
          fillLanePanel(operand, width);
        body(width);
      });
    };
    auto rows = [&](llvm::function_ref<void(int64_t)> body) {
      overSteps(*plan.row, plan.rows, body);
    };
    if (!plan.row)
      lanes([&](int64_t width) { buildBlock(width, 1); });
    else if (isReduced())
      lanes([&](int64_t width) {
        rows([&](int64_t count) { buildBlock(width, count); });
      });
    else
      rows([&](int64_t count) {
        lanes([&](int64_t width) { buildBlock(width, count); });
      });
  }

  /// Builds `body` for steps of a loop, and once more for what is left: as one
  /// shorter step where the extent is known, or else in steps of 1.
  void overSteps(unsigned loop, int64_t step,
                 llvm::function_ref<void(int64_t)> body) {
    OpFoldResult begin = begins[loop], end = ends[loop];
    int64_t extent = extents[loop];
    bool isStatic = !ShapedType::isDynamic(extent);
    OpFoldResult whole = end;
    if (isStatic) {
      whole = builder.getIndexAttr(extent / step * step);
    } else if (step > 1) {
      AffineExpr dim = builder.getAffineDimExpr(0);
      whole = apply(dim.floorDiv(step) * step, {end});
    }
    // Ranges begin at whole steps, so that only the last has a rest.
    if (!isStatic || extent >= step)
      inLoop(loop, begin, least(whole, end), step, [&] { body(step); });
    if (isStatic && extent % step != 0)
      inLoop(loop, whole, end, extent % step, [&] { body(extent % step); });
    else if (!isStatic && step > 1)
      inLoop(loop, whole, end, 1, [&] { body(1); });
  }

  void inLoop(unsigned loop, OpFoldResult begin, OpFoldResult end, int64_t step,
              llvm::function_ref<void()> body) {
    OpFoldResult before = positions[loop];
    std::optional<int64_t> first = getConstantIntValue(begin);
    std::optional<int64_t> last = getConstantIntValue(end);
    if (first && last && *last - *first == step) {
      positions[loop] = begin;
      body();
    } else {
      auto created = scf::ForOp::create(
          builder, loc, asValue(begin), asValue(end),
          arith::ConstantIndexOp::create(builder, loc, step));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(created.getBody());
      positions[loop] = created.getInductionVar();
      body();
    }
    positions[loop] = before;
  }

  /// The part of a block that one vector of each operand computes.
  struct Part {
    int64_t row, first, width;
  };

  SmallVector<Part> partsOf(int64_t width, int64_t rows) const {
    SmallVector<Part> parts;
    bool isTransposed = !plan.transposed.empty();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t first = 0; first < width;) {
        // A part has the lanes of no more than one block.
        int64_t most = isTransposed ? plan.blockSize : width;
        int64_t count = std::min(width - first, most);
        for (LanePart lanes : divideLanes(count, plan.bits))
          parts.push_back({row, first + lanes.first, lanes.width});
        first += count;
      }
    return parts;
  }

  /// Computes `rows` rows of `width` elements: loads what they begin with, runs
  /// the reductions in their order, and stores them.
  void buildBlock(int64_t width, int64_t rows) {
    SmallVector<Part> parts = partsOf(width, rows);
    SmallVector<Value> sums;
    for (const Part &part : parts)
      for (OpOperand &init : op.getDpsInitsMutable())
        if (isRead(init))
          sums.push_back(load(init, part));
        else
          sums.push_back({});
    sums = buildReductions(0, parts, sums);
    Value *next = sums.begin();
    for (const Part &part : parts)
      for (OpOperand &init : op.getDpsInitsMutable())
        store(*next++, init, part);
  }

  bool isRead(OpOperand &init) {
    return isReduced() || !op.getMatchingBlockArgument(&init).use_empty();
  }

  SmallVector<Value> buildReductions(unsigned loop, ArrayRef<Part> parts,
                                     ValueRange sums) {
    while (loop < iterators.size() && (!isReduction(loop) || isFixed[loop]))
      ++loop;
    if (loop == iterators.size())
      return buildBody(parts, sums);
    if (getConstantIntValue(ends[loop]) == 1)
      return buildReductions(loop + 1, parts, sums);
    if (!plan.transposed.empty() && loop == plan.transposedLoop)
      return overBlocks(parts, sums);
    return overReduction(loop, begins[loop], ends[loop], 1, sums,
                         [&](ValueRange current) {
                           return buildReductions(loop + 1, parts, current);
                         });
  }

  using Step = llvm::function_ref<SmallVector<Value>(ValueRange)>;

  /// Builds `step` in a loop that hands on sums.
  SmallVector<Value> overReduction(unsigned loop, OpFoldResult begin,
                                   OpFoldResult end, int64_t step,
                                   ValueRange sums, Step body) {
    auto created = scf::ForOp::create(
        builder, loc, asValue(begin), asValue(end),
        arith::ConstantIndexOp::create(builder, loc, step), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(created.getBody());
    OpFoldResult before = positions[loop];
    positions[loop] = created.getInductionVar();
    SmallVector<Value> next = body(created.getRegionIterArgs());
    positions[loop] = before;
    scf::YieldOp::create(builder, loc, next);
    return created.getResults();
  }

  //===--------------------------------------------------------------------===//
  // Transposed blocks
  //===--------------------------------------------------------------------===//

  /// The innermost reduction, in blocks of steps. The last block ends where the
  /// reduction does, and its first steps are those that were done before.
  SmallVector<Value> overBlocks(ArrayRef<Part> parts, ValueRange sums) {
    unsigned loop = plan.transposedLoop;
    int64_t size = plan.blockSize, extent = extents[loop];
    SmallVector<Value> current = overReduction(
        loop, builder.getIndexAttr(0),
        builder.getIndexAttr(extent / size * size), size, sums,
        [&](ValueRange values) { return buildBlockSteps(0, parts, values); });
    int64_t rest = extent % size;
    if (rest == 0)
      return current;
    OpFoldResult before = positions[loop];
    positions[loop] = builder.getIndexAttr(extent - size);
    current = buildBlockSteps(size - rest, parts, current);
    positions[loop] = before;
    return current;
  }

  /// The steps of a block from `first` on, for one part after the other: so
  /// registers hold one block at a time.
  SmallVector<Value> buildBlockSteps(int64_t first, ArrayRef<Part> parts,
                                     ValueRange sums) {
    SmallVector<Value> results;
    unsigned loop = plan.transposedLoop, sumsOfPart = op.getNumDpsInits();
    OpFoldResult begin = positions[loop];
    for (auto [number, part] : llvm::enumerate(parts)) {
      positions[loop] = begin;
      for (unsigned operand : plan.transposed)
        blocks[operand] =
            first == 0 ? loadBlock(op->getOpOperand(operand), part)
                       : gatherSteps(op->getOpOperand(operand), part, first);
      SmallVector<Value> current(sums.slice(number * sumsOfPart, sumsOfPart));
      for (stepOfBlock = first; stepOfBlock < plan.blockSize; ++stepOfBlock) {
        positions[loop] = plus(begin, stepOfBlock);
        current = buildBody(part, current);
      }
      llvm::append_range(results, current);
    }
    positions[loop] = begin;
    blocks.clear();
    return results;
  }

  /// The lanes of each step of a block from `first` on, entry by entry. What is
  /// used of transposed lines is their end then, for which LLVM 22 reads
  /// entries before it where the rest of the block is in another function.
  SmallVector<Value> gatherSteps(OpOperand &operand, const Part &part,
                                 int64_t first) {
    unsigned loop = plan.transposedLoop;
    OpFoldResult begin = positions[loop];
    SmallVector<Value> steps(plan.blockSize);
    for (int64_t step = first; step < plan.blockSize; ++step) {
      positions[loop] = plus(begin, step);
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < part.width; ++lane)
        lanes.push_back(
            widenLanes(builder, loc,
                       memref::LoadOp::create(
                           builder, loc, operand.get(),
                           indices(operand, part.row, part.first + lane))));
      steps[step] =
          part.width == 1
              ? lanes.front()
              : vector::FromElementsOp::create(
                    builder, loc,
                    VectorType::get({part.width}, lanes.front().getType()),
                    lanes);
    }
    positions[loop] = begin;
    return steps;
  }

  /// Loads steps of the reduction for each lane of a part; returns the lanes of
  /// each step.
  SmallVector<Value> loadBlock(OpOperand &operand, const Part &part) {
    SmallVector<Value> lines;
    for (int64_t lane = 0; lane < part.width; ++lane)
      lines.push_back(
          widenLanes(builder, loc,
                     loadLanes(operand.get(),
                               indices(operand, part.row, part.first + lane),
                               plan.blockSize)));
    if (part.width == 1) {
      SmallVector<Value> steps;
      for (int64_t step = 0; step < plan.blockSize; ++step)
        steps.push_back(
            vector::ExtractOp::create(builder, loc, lines.front(), step));
      return steps;
    }
    // Lanes that the part does not have are other ones.
    while (static_cast<int64_t>(lines.size()) < plan.blockSize)
      lines.push_back(lines.back());
    SmallVector<Value> steps = transposeLanes(builder, loc, lines);
    if (part.width < plan.blockSize)
      for (Value &step : steps)
        step = vector::ExtractStridedSliceOp::create(
            builder, loc, step, ArrayRef<int64_t>{0},
            ArrayRef<int64_t>{part.width}, ArrayRef<int64_t>{1});
    return steps;
  }

  //===--------------------------------------------------------------------===//
  // Bodies
  //===--------------------------------------------------------------------===//

  /// One step of all reductions, or all there is.
  SmallVector<Value> buildBody(ArrayRef<Part> parts, ValueRange sums) {
    SmallVector<Value> results;
    // What several parts share: of an operand, at a row, from a lane on.
    std::map<std::tuple<unsigned, int64_t, int64_t, int64_t>, Value> loaded;
    for (auto [number, part] : llvm::enumerate(parts)) {
      IRMapping mapping;
      for (OpOperand *input : op.getDpsInputOperands()) {
        if (op.getMatchingBlockArgument(input).use_empty())
          continue;
        AffineMap map = op.getMatchingIndexingMap(input);
        bool hasRow = plan.row && map.isFunctionOfDim(*plan.row);
        bool hasLane = map.isFunctionOfDim(plan.lane);
        Value &value = loaded[{input->getOperandNumber(), hasRow ? part.row : 0,
                               hasLane ? part.first : 0, part.width}];
        if (!value)
          value = load(*input, part);
        mapping.map(op.getMatchingBlockArgument(input), value);
      }
      for (auto [result, init] : llvm::enumerate(op.getDpsInitsMutable()))
        if (Value sum = sums[number * op.getNumDpsInits() + result])
          mapping.map(op.getMatchingBlockArgument(&init), sum);
      for (Operation &inner : op.getBlock()->without_terminator())
        buildInner(inner, part, mapping);
      for (Value yielded : op.getBlock()->getTerminator()->getOperands())
        results.push_back(lanes(yielded, part.width, mapping));
    }
    return results;
  }

  /// The lanes of a value of the body, or of one from outside of it.
  Value lanes(Value value, int64_t width, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    return broadcastLanes(builder, loc, widenLanes(builder, loc, value), width);
  }

  void buildInner(Operation &inner, const Part &part, IRMapping &mapping) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), indexLanes(index.getDim(), part));
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(lanes(operand, part.width, mapping));
    mapping.map(inner.getResult(0),
                buildLanes(builder, inner, operands, part.width));
  }

  Value indexLanes(unsigned loop, const Part &part) {
    OpFoldResult position = positions[loop];
    if (loop == plan.row)
      position = plus(position, part.row);
    if (loop == plan.lane)
      position = plus(position, part.first);
    Value value = broadcastLanes(builder, loc, asValue(position), part.width);
    if (loop != plan.lane || part.width == 1)
      return value;
    Value steps = vector::StepOp::create(
        builder, loc, VectorType::get({part.width}, builder.getIndexType()));
    return arith::AddIOp::create(builder, loc, value, steps);
  }

  //===--------------------------------------------------------------------===//
  // Buffers
  //===--------------------------------------------------------------------===//

  /// The indices of an operand's element at a row and lane.
  SmallVector<Value> indices(OpOperand &operand, int64_t row, int64_t lane) {
    SmallVector<OpFoldResult> at(positions);
    if (plan.row)
      at[*plan.row] = plus(at[*plan.row], row);
    at[plan.lane] = plus(at[plan.lane], lane);
    SmallVector<Value> values;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (AffineExpr result : map.getResults())
      values.push_back(asValue(affine::makeComposedFoldedAffineApply(
          builder, loc, AffineMap::get(map.getNumDims(), 0, result), at)));
    return values;
  }

  /// The computed lanes of an operand, from its panel where it has one.
  Value load(OpOperand &operand, const Part &part) {
    if (auto block = blocks.find(operand.getOperandNumber());
        block != blocks.end())
      return block->second[stepOfBlock];
    Value panel = panels.lookup(operand.getOperandNumber());
    if (!panel)
      return loadFromOperand(operand, part);
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (!llvm::is_contained(plan.rowPanels, operand.getOperandNumber()))
      return fromPanel(
          loadLanes(panel, panelIndices({}, part.first), part.width), element);
    return broadcastLanes(
        builder, loc,
        memref::LoadOp::create(builder, loc, panel,
                               panelIndices({rowBlock()}, part.row)),
        part.width);
  }

  // Elements of less than a byte have a byte each in a panel, which is loaded
  // more often than it is filled.

  static Type panelElement(Type element) {
    return isPacked(element) ? IntegerType::get(element.getContext(), 8)
                             : computedType(element);
  }

  static Type withElement(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }

  Value fromPanel(Value value, Type element) {
    if (!isPacked(element))
      return value;
    return arith::TruncIOp::create(
        builder, loc, withElement(value.getType(), element), value);
  }

  Value toPanel(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (!isPacked(element))
      return value;
    return arith::ExtUIOp::create(
        builder, loc, withElement(value.getType(), panelElement(element)),
        value);
  }

  Value loadLanes(Value buffer, ValueRange at, int64_t width) {
    if (width == 1)
      return memref::LoadOp::create(builder, loc, buffer, at);
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return vector::LoadOp::create(builder, loc, VectorType::get(width, element),
                                  buffer, at);
  }

  Value loadFromOperand(OpOperand &operand, const Part &part) {
    Value buffer = operand.get();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      return broadcastLanes(builder, loc, widenLanes(builder, loc, buffer),
                            part.width);
    LaneAccess how = laneAccess(op, operand, plan.lane);
    if (part.width == 1 || how == LaneAccess::Same) {
      Value scalar = memref::LoadOp::create(
          builder, loc, buffer, indices(operand, part.row, part.first));
      return broadcastLanes(builder, loc, widenLanes(builder, loc, scalar),
                            part.width);
    }
    if (how == LaneAccess::Contiguous)
      return widenLanes(builder, loc,
                        loadLanes(buffer,
                                  indices(operand, part.row, part.first),
                                  part.width));
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < part.width; ++lane)
      elements.push_back(memref::LoadOp::create(
          builder, loc, buffer, indices(operand, part.row, part.first + lane)));
    return widenLanes(builder, loc,
                      vector::FromElementsOp::create(
                          builder, loc,
                          VectorType::get(part.width, type.getElementType()),
                          elements));
  }

  void store(Value computed, OpOperand &init, const Part &part) {
    Value buffer = init.get();
    Type element = getElementTypeOrSelf(buffer.getType());
    Value value = narrowLanes(builder, loc, computed, element);
    if (part.width == 1) {
      memref::StoreOp::create(builder, loc, value, buffer,
                              indices(init, part.row, part.first));
    } else if (laneAccess(op, init, plan.lane) == LaneAccess::Contiguous) {
      vector::StoreOp::create(builder, loc, value, buffer,
                              indices(init, part.row, part.first));
    } else {
      for (int64_t lane = 0; lane < part.width; ++lane) {
        Value number = vector::ExtractOp::create(builder, loc, value, lane);
        memref::StoreOp::create(builder, loc, number, buffer,
                                indices(init, part.row, part.first + lane));
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Panels
  //===--------------------------------------------------------------------===//

  /// The reductions that run inside of a panel, from outside to inside.
  SmallVector<unsigned> panelLoops() const {
    SmallVector<unsigned> loops;
    for (unsigned loop = plan.blocked; loop < iterators.size(); ++loop)
      if (isReduction(loop))
        loops.push_back(loop);
    return loops;
  }

  Value allocatePanel(unsigned operand, int64_t last,
                      ArrayRef<int64_t> first = {}) {
    SmallVector<int64_t> shape(first);
    for (unsigned loop : panelLoops())
      shape.push_back(loop == plan.blocked ? plan.blockedSteps : extents[loop]);
    shape.push_back(last);
    Type element = getElementTypeOrSelf(op->getOperand(operand).getType());
    // Vectors in it do not cross cache lines.
    return memref::AllocOp::create(
        builder, loc, MemRefType::get(shape, panelElement(element)),
        builder.getI64IntegerAttr(64));
  }

  OpFoldResult rowBlock() {
    AffineExpr row = builder.getAffineDimExpr(0),
               begin = builder.getAffineDimExpr(1);
    return apply((row - begin).floorDiv(plan.rows),
                 {positions[*plan.row], begins[*plan.row]});
  }

  SmallVector<Value> panelIndices(ArrayRef<OpFoldResult> first, int64_t last) {
    SmallVector<Value> at;
    for (OpFoldResult index : first)
      at.push_back(asValue(index));
    for (unsigned loop : panelLoops())
      at.push_back(asValue(loop == plan.blocked
                               ? minus(positions[loop], begins[loop])
                               : positions[loop]));
    at.push_back(asValue(builder.getIndexAttr(last)));
    return at;
  }

  /// Loops over the steps of the reductions that are in a panel.
  void overPanelSteps(ArrayRef<unsigned> loops,
                      llvm::function_ref<void()> body) {
    if (loops.empty())
      return body();
    unsigned loop = loops.front();
    inLoop(loop, begins[loop], ends[loop], 1,
           [&] { overPanelSteps(loops.drop_front(), body); });
  }

  void fillLanePanel(unsigned operand, int64_t width) {
    overPanelSteps(panelLoops(), [&] {
      for (const Part &part : partsOf(width, 1)) {
        Value value = toPanel(loadFromOperand(op->getOpOperand(operand), part));
        SmallVector<Value> at = panelIndices({}, part.first);
        if (part.width == 1)
          memref::StoreOp::create(builder, loc, value, panels[operand], at);
        else
          vector::StoreOp::create(builder, loc, value, panels[operand], at);
      }
    });
  }

  void fillRowPanel(unsigned operand) {
    overSteps(*plan.row, plan.rows, [&](int64_t count) {
      overPanelSteps(panelLoops(), [&] {
        for (int64_t row = 0; row < count; ++row)
          memref::StoreOp::create(
              builder, loc,
              loadFromOperand(op->getOpOperand(operand), {row, 0, 1}),
              panels[operand], panelIndices({rowBlock()}, row));
      });
    });
  }

  linalg::LinalgOp op;
  const LoopPlan &plan;
  OpBuilder builder;
  Location loc;
  SmallVector<int64_t> extents;
  SmallVector<IteratorType> iterators;
  /// Reductions of which a panel has one step.
  SmallVector<bool> isFixed;
  /// The range that each loop runs over, and where it is.
  SmallVector<OpFoldResult> begins, ends, positions;
  /// The panels of operands, by number.
  llvm::MapVector<unsigned, Value> panels;
  /// The lanes of each step of a block of operands, by number, and the step
  /// that is being built.
  std::map<unsigned, SmallVector<Value>> blocks;
  int64_t stepOfBlock = 0;
};

} // namespace

void buildVectorLoops(linalg::LinalgOp op, const LoopPlan &plan) {
  Builder(op, plan).build();
}

} // namespace npu
