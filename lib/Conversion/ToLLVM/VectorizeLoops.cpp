// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-vectorize-loops: lowers structured operations to loops over vectors, in
// which every element of a result is computed by the same operations in the
// same order as by upstream's loops over scalars.
//
// Upstream's vectorizer serves other users: it makes contractions of fused
// multiply-adds, and reductions of several partial sums, and either changes
// bits. Here a vector holds elements of a result, so that each of its lanes is
// one sum in its order. The shape of the loops is the register tile of Goto and
// van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (ACM TOMS
// 34:3, 2008): some rows of vectors are accumulated in registers while the
// reduction runs.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VECTORIZELOOPS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The bits of a vector register. Wider ones than a machine has are halved by
/// LLVM.
constexpr int64_t kVectorBits = 512;
/// The rows of vectors that are accumulated at once: half of the registers of
/// machines with 16 of them, so that operands have the others.
constexpr int64_t kRows = 8;
/// The vectors of a row where there is nothing to make several rows of, so that
/// sums of one row do not wait for each other.
constexpr int64_t kVectorsOfSingleRow = 4;

int64_t bitsOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Whether a vector of the type lies in memory as its elements do. Elements
/// that are no whole bytes take whole bytes of a buffer, and are packed in
/// vectors.
bool isPackedAsInMemory(Type type) {
  return bitsOf(type) >= 8 && llvm::isPowerOf2_64(bitsOf(type));
}

/// Whether the operation computes each lane of a vector as it would compute a
/// scalar. Integer divisions are guarded by assertions on scalars, and powers
/// become functions of scalars.
bool isLanewise(Operation &op) {
  if (isa<arith::ConstantOp, linalg::IndexOp, linalg::YieldOp>(op))
    return true;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          math::IPowIOp, math::FPowIOp>(op))
    return false;
  // LLVM has no code for some operations on vectors of shorter floats.
  auto isShort = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  };
  if ((llvm::any_of(op.getOperandTypes(), isShort) ||
       llvm::any_of(op.getResultTypes(), isShort)) &&
      !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
           arith::ExtFOp, arith::TruncFOp, arith::CmpFOp, arith::SelectOp>(op))
    return false;
  auto isScalar = [](Type type) {
    return type.isIntOrIndexOrFloat() && bitsOf(type) <= kVectorBits;
  };
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
         OpTrait::hasElementwiseMappableTraits(&op) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

bool isParallel(utils::IteratorType type) {
  return type == utils::IteratorType::parallel;
}

bool isReduction(utils::IteratorType type) {
  return type == utils::IteratorType::reduction;
}

/// How the elements of an operand that the lanes of a vector need lie in
/// memory.
enum class Lanes { Same, Contiguous, Strided };

/// Which loops of an operation run over lanes and rows.
struct LoopPlan {
  unsigned lane;
  std::optional<unsigned> row;
  /// Lanes of a vector and rows of a block.
  int64_t width = 1, rows = 1;
};

class LoopBuilder {
public:
  explicit LoopBuilder(linalg::LinalgOp op)
      : op(op), builder(op), loc(op.getLoc()),
        extents(op.getStaticLoopRanges()),
        iterators(op.getIteratorTypesArray()) {}

  /// Nothing where the operation is to stay.
  std::optional<LoopPlan> plan() {
    if (!op.hasPureBufferSemantics() || op->getNumResults() != 0 ||
        llvm::is_contained(extents, 0) ||
        !llvm::all_of(op.getBlock()->getOperations(), isLanewise) ||
        !llvm::all_of(iterators, [](utils::IteratorType type) {
          return isParallel(type) || isReduction(type);
        }))
      return std::nullopt;
    for (Value operand : op->getOperands()) {
      Type element = getElementTypeOrSelf(operand.getType());
      auto buffer = dyn_cast<MemRefType>(operand.getType());
      if (!element.isSignlessIntOrIndexOrFloat() ||
          (!buffer && !operand.getType().isIntOrIndexOrFloat()))
        return std::nullopt;
    }
    // Each step of the parallel loops has an element of each result of its own,
    // and no step of a reduction has one.
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != llvm::count_if(iterators, isParallel))
        return std::nullopt;
      for (unsigned loop = 0; loop < iterators.size(); ++loop)
        if (isReduction(iterators[loop]) && map.isFunctionOfDim(loop))
          return std::nullopt;
    }
    std::optional<LoopPlan> best;
    int64_t least = 0;
    for (unsigned loop = 0; loop < iterators.size(); ++loop) {
      if (!isParallel(iterators[loop]) || extents[loop] == 1)
        continue;
      std::optional<int64_t> cost = costOfLanes(loop);
      if (cost && (!best || *cost <= least)) {
        best = LoopPlan{loop, std::nullopt};
        least = *cost;
      }
    }
    if (!best)
      return std::nullopt;
    chooseRows(*best);
    return best;
  }

  void build(const LoopPlan &chosen) {
    loops = chosen;
    for (Range range : op.createLoopRanges(builder, loc))
      ends.push_back(range.size);
    positions.assign(ends.size(), builder.getIndexAttr(0));
    buildOuter(0);
  }

private:
  bool isReduced() const { return llvm::any_of(iterators, isReduction); }

  Lanes lanesOf(OpOperand &operand, unsigned loop) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || !map.isFunctionOfDim(loop))
      return Lanes::Same;
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (!isPackedAsInMemory(type.getElementType()) ||
        failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return Lanes::Strided;
    for (AffineExpr result : map.getResults().drop_back())
      if (result.isFunctionOfDim(loop))
        return Lanes::Strided;
    return stepOf(map.getResults().back(), loop) == 1 ? Lanes::Contiguous
                                                      : Lanes::Strided;
  }

  /// By how much an index grows with a loop; nothing where that differs.
  std::optional<int64_t> stepOf(AffineExpr index, unsigned loop) {
    MLIRContext *context = op.getContext();
    AffineExpr dim = getAffineDimExpr(loop, context);
    AffineExpr step = simplifyAffineExpr(index.replace(dim, dim + 1) - index,
                                         iterators.size(), 0);
    if (auto constant = dyn_cast<AffineConstantExpr>(step))
      return constant.getValue();
    return std::nullopt;
  }

  /// Memory operations for a vector of which lanes run over `loop`; nothing
  /// where results do not depend on the loop, or where vectors save nothing.
  std::optional<int64_t> costOfLanes(unsigned loop) {
    constexpr int64_t strided = 16;
    int64_t cost = 0;
    bool anyContiguous = false;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isInit = op.isDpsInit(&operand);
      Lanes lanes = lanesOf(operand, loop);
      if (isInit && lanes == Lanes::Same)
        return std::nullopt;
      anyContiguous |= lanes == Lanes::Contiguous;
      if (lanes == Lanes::Strided)
        cost += strided * (isInit && !isReduced() ? 2 : 1);
      else
        cost += lanes == Lanes::Contiguous;
    }
    if (!anyContiguous && !isReduced())
      return std::nullopt;
    return cost;
  }

  /// Chooses how many lanes and rows there are.
  void chooseRows(LoopPlan &plan) {
    int64_t widest = 8;
    for (Value operand : op->getOperands())
      widest =
          std::max(widest, bitsOf(getElementTypeOrSelf(operand.getType())));
    for (Operation &inner : op.getBlock()->without_terminator())
      for (Type type : inner.getResultTypes())
        widest = std::max(widest, bitsOf(type));
    plan.width = kVectorBits / widest;
    if (isReduced()) {
      int64_t most = 0;
      for (unsigned loop = 0; loop < iterators.size(); ++loop) {
        if (loop == plan.lane || extents[loop] == 1 ||
            !isParallel(iterators[loop]))
          continue;
        // What several rows share is loaded once for all of them.
        int64_t shared = 0;
        for (OpOperand &operand : op->getOpOperands()) {
          bool moves =
              op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
          if (op.isDpsInit(&operand) && !moves)
            shared = -1000;
          shared += !moves && lanesOf(operand, plan.lane) != Lanes::Same;
        }
        if (shared >= 0 && (!plan.row || shared >= most)) {
          plan.row = loop;
          most = shared;
        }
      }
      if (plan.row)
        plan.rows = std::max<int64_t>(1, kRows / op.getNumDpsInits());
      else
        plan.width *= kVectorsOfSingleRow;
    } else {
      chooseBlock(plan);
    }
    if (!ShapedType::isDynamic(extents[plan.lane]))
      plan.width = std::min(plan.width, extents[plan.lane]);
    if (plan.row && !ShapedType::isDynamic(extents[*plan.row]))
      plan.rows = std::min(plan.rows, extents[*plan.row]);
  }

  /// Where an operand lies across the lanes, as that of a transpose: rows along
  /// which it is contiguous, and blocks of them, so that what a cache line
  /// holds is used while it is there.
  void chooseBlock(LoopPlan &plan) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (lanesOf(operand, plan.lane) != Lanes::Strided)
        continue;
      for (unsigned loop = 0; loop < iterators.size(); ++loop)
        if (loop != plan.lane && extents[loop] != 1 &&
            lanesOf(operand, loop) == Lanes::Contiguous) {
          plan.row = loop;
          plan.rows = kRows;
          // Fewer lanes than a cache has places for lines whose addresses
          // differ by a power of two.
          plan.width = std::min(plan.width, kRows);
        }
    }
  }

  Value asValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }

  OpFoldResult plus(OpFoldResult number, int64_t more) {
    if (more == 0)
      return number;
    AffineExpr dim = builder.getAffineDimExpr(0);
    return affine::makeComposedFoldedAffineApply(builder, loc, dim + more,
                                                 {number});
  }

  /// Loops over everything but lanes, rows and reductions.
  void buildOuter(unsigned loop) {
    if (loop == iterators.size())
      return overLanes();
    if (loop == loops.lane || loop == loops.row || isReduction(iterators[loop]))
      return buildOuter(loop + 1);
    overSteps(loop, 1, [&](int64_t) { buildOuter(loop + 1); });
  }

  void overLanes() {
    auto lanes = [&](llvm::function_ref<void(int64_t)> body) {
      overSteps(loops.lane, loops.width, body);
    };
    auto rows = [&](llvm::function_ref<void(int64_t)> body) {
      overSteps(*loops.row, loops.rows, body);
    };
    if (!loops.row)
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
    OpFoldResult end = ends[loop];
    std::optional<int64_t> extent = getConstantIntValue(end);
    OpFoldResult whole = end;
    if (extent) {
      whole = builder.getIndexAttr(*extent / step * step);
    } else if (step > 1) {
      AffineExpr dim = builder.getAffineDimExpr(0);
      whole = affine::makeComposedFoldedAffineApply(
          builder, loc, dim.floorDiv(step) * step, {end});
    }
    if (!extent || *extent >= step)
      inLoop(loop, builder.getIndexAttr(0), whole, step, [&] { body(step); });
    if (extent && *extent % step != 0) {
      positions[loop] = whole;
      body(*extent % step);
    } else if (!extent && step > 1) {
      inLoop(loop, whole, end, 1, [&] { body(1); });
    }
    positions[loop] = builder.getIndexAttr(0);
  }

  void inLoop(unsigned loop, OpFoldResult begin, OpFoldResult end, int64_t step,
              llvm::function_ref<void()> body) {
    std::optional<int64_t> first = getConstantIntValue(begin);
    std::optional<int64_t> last = getConstantIntValue(end);
    if (first && last && *last - *first == step) {
      positions[loop] = begin;
      return body();
    }
    auto created =
        scf::ForOp::create(builder, loc, asValue(begin), asValue(end),
                           arith::ConstantIndexOp::create(builder, loc, step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(created.getBody());
    positions[loop] = created.getInductionVar();
    body();
  }

  /// Computes `rows` rows of `width` elements: loads what they begin with, runs
  /// the reductions in their order, and stores them.
  void buildBlock(int64_t width, int64_t rows) {
    SmallVector<Value> sums;
    for (int64_t row = 0; row < rows; ++row)
      for (OpOperand &init : op.getDpsInitsMutable())
        sums.push_back(isRead(init) ? load(init, width, row)
                                    : unread(init, width));
    sums = buildReductions(0, width, rows, sums);
    for (int64_t row = 0, next = 0; row < rows; ++row)
      for (OpOperand &init : op.getDpsInitsMutable())
        store(sums[next++], init, width, row);
  }

  bool isRead(OpOperand &init) {
    return isReduced() || !op.getMatchingBlockArgument(&init).use_empty();
  }

  Value unread(OpOperand &init, int64_t width) {
    Type element = getElementTypeOrSelf(init.get().getType());
    return arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(vectorOf(element, width)));
  }

  Type vectorOf(Type element, int64_t width) {
    return width == 1 ? element : VectorType::get({width}, element);
  }

  SmallVector<Value> buildReductions(unsigned loop, int64_t width, int64_t rows,
                                     ValueRange sums) {
    while (loop < iterators.size() && !isReduction(iterators[loop]))
      ++loop;
    if (loop == iterators.size())
      return buildBody(width, rows, sums);
    if (getConstantIntValue(ends[loop]) == 1) {
      positions[loop] = builder.getIndexAttr(0);
      return buildReductions(loop + 1, width, rows, sums);
    }
    auto created = scf::ForOp::create(
        builder, loc, arith::ConstantIndexOp::create(builder, loc, 0),
        asValue(ends[loop]), arith::ConstantIndexOp::create(builder, loc, 1),
        sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(created.getBody());
    positions[loop] = created.getInductionVar();
    SmallVector<Value> next =
        buildReductions(loop + 1, width, rows, created.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    return created.getResults();
  }

  /// One step of all reductions, or all there is.
  SmallVector<Value> buildBody(int64_t width, int64_t rows, ValueRange sums) {
    SmallVector<Value> results;
    llvm::DenseMap<OpOperand *, Value> shared;
    for (int64_t row = 0; row < rows; ++row) {
      IRMapping mapping;
      for (OpOperand *input : op.getDpsInputOperands()) {
        if (op.getMatchingBlockArgument(input).use_empty())
          continue;
        bool moves =
            loops.row &&
            op.getMatchingIndexingMap(input).isFunctionOfDim(*loops.row);
        Value &value = shared[input];
        if (!value || moves)
          value = load(*input, width, row);
        mapping.map(op.getMatchingBlockArgument(input), value);
      }
      for (OpOperand &init : op.getDpsInitsMutable())
        mapping.map(op.getMatchingBlockArgument(&init),
                    sums[row * op.getNumDpsInits() +
                         (init.getOperandNumber() - op.getNumDpsInputs())]);
      for (Operation &inner : op.getBlock()->without_terminator())
        buildInner(inner, width, row, mapping);
      for (Value yielded : op.getBlock()->getTerminator()->getOperands())
        results.push_back(lanes(yielded, width, mapping));
    }
    return results;
  }

  /// The lanes of a value of the body, or of one from outside of it.
  Value lanes(Value value, int64_t width, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    return broadcast(value, width);
  }

  Value broadcast(Value scalar, int64_t width) {
    if (width == 1)
      return scalar;
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get({width}, scalar.getType()), scalar);
  }

  void buildInner(Operation &inner, int64_t width, int64_t row,
                  IRMapping &mapping) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), indexLanes(index.getDim(), width, row));
      return;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      Operation *copy = builder.clone(*constant);
      mapping.map(constant.getResult(), broadcast(copy->getResult(0), width));
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(lanes(operand, width, mapping));
    SmallVector<Type> types;
    for (Type type : inner.getResultTypes())
      types.push_back(vectorOf(type, width));
    OperationState state(inner.getLoc(), inner.getName(), operands, types,
                         inner.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = inner.getPropertiesAsAttribute();
    Operation *copy = builder.create(state);
    mapping.map(inner.getResults(), copy->getResults());
  }

  Value indexLanes(unsigned loop, int64_t width, int64_t row) {
    OpFoldResult position = positions[loop];
    if (loop == loops.row)
      position = plus(position, row);
    Value value = broadcast(asValue(position), width);
    if (loop != loops.lane || width == 1)
      return value;
    Value steps = vector::StepOp::create(
        builder, loc, VectorType::get({width}, builder.getIndexType()));
    return arith::AddIOp::create(builder, loc, value, steps);
  }

  /// The indices of an operand's element at a row and lane.
  SmallVector<Value> indices(OpOperand &operand, int64_t row, int64_t lane) {
    SmallVector<OpFoldResult> at(positions);
    if (loops.row)
      at[*loops.row] = plus(at[*loops.row], row);
    at[loops.lane] = plus(at[loops.lane], lane);
    SmallVector<Value> values;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (AffineExpr result : map.getResults())
      values.push_back(asValue(affine::makeComposedFoldedAffineApply(
          builder, loc, AffineMap::get(map.getNumDims(), 0, result), at)));
    return values;
  }

  Value load(OpOperand &operand, int64_t width, int64_t row) {
    Value buffer = operand.get();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      return broadcast(buffer, width);
    Lanes how = width == 1 ? Lanes::Same : lanesOf(operand, loops.lane);
    Type lanesType = vectorOf(type.getElementType(), width);
    switch (how) {
    case Lanes::Same:
      return broadcast(memref::LoadOp::create(builder, loc, buffer,
                                              indices(operand, row, 0)),
                       width);
    case Lanes::Contiguous:
      return vector::LoadOp::create(builder, loc, cast<VectorType>(lanesType),
                                    buffer, indices(operand, row, 0));
    case Lanes::Strided:
      SmallVector<Value> elements;
      for (int64_t lane = 0; lane < width; ++lane)
        elements.push_back(memref::LoadOp::create(builder, loc, buffer,
                                                  indices(operand, row, lane)));
      return vector::FromElementsOp::create(
          builder, loc, cast<VectorType>(lanesType), elements);
    }
    return {};
  }

  void store(Value value, OpOperand &init, int64_t width, int64_t row) {
    Value buffer = init.get();
    if (width == 1) {
      memref::StoreOp::create(builder, loc, value, buffer,
                              indices(init, row, 0));
    } else if (lanesOf(init, loops.lane) == Lanes::Contiguous) {
      vector::StoreOp::create(builder, loc, value, buffer,
                              indices(init, row, 0));
    } else {
      for (int64_t lane = 0; lane < width; ++lane) {
        Value element = vector::ExtractOp::create(builder, loc, value, lane);
        memref::StoreOp::create(builder, loc, element, buffer,
                                indices(init, row, lane));
      }
    }
  }

  linalg::LinalgOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> iterators;
  LoopPlan loops = {0, std::nullopt};
  SmallVector<OpFoldResult> ends;
  /// Where each loop is.
  SmallVector<OpFoldResult> positions;
};

struct VectorizeLoopsPass : impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  using VectorizeLoopsBase::VectorizeLoopsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> structured;
    getOperation()->walk(
        [&](linalg::LinalgOp op) { structured.push_back(op); });
    for (linalg::LinalgOp op : structured) {
      LoopBuilder loops(op);
      if (std::optional<LoopPlan> plan = loops.plan()) {
        loops.build(*plan);
        op.erase();
      }
    }
  }
};

} // namespace
} // namespace npu
