// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/ReadThroughCopies.h"

#include "PlainRewrites.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether the operation may read other tensors in place of those that it
/// reads: it is elementwise, with one result.
bool mayReadOthers(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         !op.hasDynamicShape() && isPlain(op) &&
         llvm::all_of(op.getIteratorTypesArray(), linalg::isParallelIterator) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// A pattern that lets an elementwise operation read other tensors in place of
/// one of its inputs.
struct ReadOthers : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const final {
    if (!mayReadOthers(op))
      return failure();
    for (OpOperand *input : op.getDpsInputOperands())
      if (readOthers(op, input, rewriter))
        return success();
    return failure();
  }

  /// False, and nothing is changed, where the input stays.
  virtual bool readOthers(linalg::GenericOp op, OpOperand *input,
                          PatternRewriter &rewriter) const = 0;
};

/// A slice of a transposed tensor is a transposed slice.
struct SliceBeforeTranspose : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto transpose = slice.getSource().getDefiningOp<linalg::TransposeOp>();
    if (!transpose || !transpose.hasPureTensorSemantics() || !isPlain(slice) ||
        !isPlain(transpose) || slice.getDroppedDims().any() ||
        !slice.getType().hasStaticShape())
      return failure();
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<OpFoldResult> offsets(permutation.size()),
        sizes(permutation.size()), strides(permutation.size());
    for (auto [dim, source] : llvm::enumerate(permutation)) {
      offsets[source] = slice.getMixedOffsets()[dim];
      sizes[source] = slice.getMixedSizes()[dim];
      strides[source] = slice.getMixedStrides()[dim];
    }
    Value part = tensor::ExtractSliceOp::create(rewriter, slice.getLoc(),
                                                transpose.getInput(), offsets,
                                                sizes, strides);
    Value empty = tensor::EmptyOp::create(rewriter, slice.getLoc(),
                                          slice.getType().getShape(),
                                          slice.getType().getElementType());
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(slice, part, empty,
                                                     permutation);
    return success();
  }
};

/// An elementwise operation reads what a transpose reads.
struct ReadThroughTranspose : ReadOthers {
  using ReadOthers::ReadOthers;

  bool readOthers(linalg::GenericOp op, OpOperand *input,
                  PatternRewriter &rewriter) const override {
    auto transpose = input->get().getDefiningOp<linalg::TransposeOp>();
    if (!transpose || !transpose.hasPureTensorSemantics() ||
        !isPlain(transpose))
      return false;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap &map = maps[input->getOperandNumber()];
    SmallVector<AffineExpr> results(map.getNumResults());
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
      results[source] = map.getResult(dim);
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    rewriter.modifyOpInPlace(op, [&] {
      input->set(transpose.getInput());
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return true;
  }
};

/// An operation whose result is transposed, and read by nobody else, writes it
/// transposed, also where its dimensions are collapsed in between.
struct WriteTransposed : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp transpose,
                                PatternRewriter &rewriter) const override {
    Value read = transpose.getInput();
    auto collapse = read.getDefiningOp<tensor::CollapseShapeOp>();
    auto maker = (collapse ? collapse.getSrc() : read)
                     .getDefiningOp<linalg::GenericOp>();
    if (!transpose.hasPureTensorSemantics() || !isPlain(transpose) ||
        !read.hasOneUse() || (collapse && !isPlain(collapse)) || !maker ||
        !maker.hasPureTensorSemantics() || maker.hasDynamicShape() ||
        maker->getNumResults() != 1 || !maker->hasOneUse() || !isPlain(maker))
      return failure();
    OpOperand *output = maker.getDpsInitOperand(0);
    auto fill = output->get().getDefiningOp<linalg::FillOp>();
    if (fill ? !isPlain(fill) : !isUnwritten(output->get()))
      return failure();
    // The dimensions of the maker in their new order.
    SmallVector<ReassociationIndices> groups, written;
    SmallVector<int64_t> order;
    if (collapse)
      groups = collapse.getReassociationIndices();
    for (int64_t dim : transpose.getPermutation()) {
      auto &group = written.emplace_back();
      for (int64_t each : collapse ? groups[dim] : ReassociationIndices{dim}) {
        group.push_back(static_cast<int64_t>(order.size()));
        order.push_back(each);
      }
    }
    auto type = cast<RankedTensorType>(maker->getResult(0).getType());
    AffineMap map = maker.getMatchingIndexingMap(output);
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> results;
    for (int64_t dim : order) {
      shape.push_back(type.getDimSize(dim));
      results.push_back(map.getResult(dim));
    }
    Location loc = maker.getLoc();
    rewriter.setInsertionPoint(maker);
    Value init =
        tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
    if (fill)
      init = linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs(),
                                    init)
                 ->getResult(0);
    SmallVector<AffineMap> maps = maker.getIndexingMapsArray();
    maps.back() =
        AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
    auto writer = linalg::GenericOp::create(rewriter, loc, init.getType(),
                                            maker.getInputs(), init, maps,
                                            maker.getIteratorTypesArray());
    rewriter.inlineRegionBefore(maker.getRegion(), writer.getRegion(),
                                writer.getRegion().begin());
    Value result = writer->getResult(0);
    if (collapse)
      result = tensor::CollapseShapeOp::create(
          rewriter, collapse.getLoc(), transpose.getType(0), result, written);
    rewriter.replaceOp(transpose, result);
    if (collapse)
      rewriter.eraseOp(collapse);
    rewriter.eraseOp(maker);
    return success();
  }
};

/// The iteration of a loop selects one of the values.
Value selectByLoop(OpBuilder &builder, Location loc, int64_t loop,
                   ValueRange values) {
  Value index = linalg::IndexOp::create(builder, loc, loop);
  Value selected = values.front();
  for (auto [number, value] : llvm::enumerate(values.drop_front())) {
    Value at = arith::ConstantIndexOp::create(builder, loc,
                                              static_cast<int64_t>(number) + 1);
    Value isAt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       index, at);
    selected = arith::SelectOp::create(builder, loc, isAt, value, selected);
  }
  return selected;
}

/// An elementwise operation reads the parts of a concatenation, each of the
/// same extent: its loop over them becomes one over parts and one within.
struct ReadThroughConcat : ReadOthers {
  using ReadOthers::ReadOthers;

  bool readOthers(linalg::GenericOp op, OpOperand *input,
                  PatternRewriter &rewriter) const override {
    auto concat = input->get().getDefiningOp<tensor::ConcatOp>();
    if (!concat || !concat->hasOneUse() || !isPlain(concat) ||
        concat.getInputs().size() < 2 ||
        !llvm::all_equal(concat.getInputs().getTypes()))
      return false;
    readParts(op, input, concat, rewriter);
    return true;
  }

private:
  static void readParts(linalg::GenericOp op, OpOperand *operand,
                        tensor::ConcatOp concat, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto count = static_cast<int64_t>(concat.getInputs().size());
    int64_t extent =
        cast<RankedTensorType>(concat.getInputs().front().getType())
            .getDimSize(static_cast<unsigned>(concat.getDim()));
    auto cut = cast<AffineDimExpr>(
        op.getMatchingIndexingMap(operand).getResult(concat.getDim()));
    unsigned loop = cut.getPosition();
    // Loop `loop` counts parts from now on, and the one after it within them.
    unsigned loops = op.getNumLoops() + 1;
    auto expanded = [&](AffineMap map, bool readsPart) {
      SmallVector<AffineExpr> results;
      for (AffineExpr result : map.getResults()) {
        unsigned position = cast<AffineDimExpr>(result).getPosition();
        if (position == loop && !readsPart)
          results.push_back(rewriter.getAffineDimExpr(loop));
        results.push_back(
            rewriter.getAffineDimExpr(position + (position >= loop)));
      }
      return AffineMap::get(loops, 0, results, op.getContext());
    };
    auto expand = [&](Value value, AffineMap map) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<ReassociationIndices> groups;
      SmallVector<int64_t> shape;
      for (auto [dim, result] : llvm::enumerate(map.getResults())) {
        auto next = static_cast<int64_t>(shape.size());
        if (result == cut) {
          groups.push_back({next, next + 1});
          shape.append({count, extent});
        } else {
          groups.push_back({next});
          shape.push_back(type.getDimSize(dim));
        }
      }
      if (shape.size() == groups.size())
        return value;
      return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape),
                                           value, groups);
    };
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *each : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(each);
      if (each == operand)
        for (Value part : concat.getInputs()) {
          inputs.push_back(part);
          maps.push_back(expanded(map, /*readsPart=*/true));
        }
      else {
        inputs.push_back(isa<RankedTensorType>(each->get().getType())
                             ? expand(each->get(), map)
                             : each->get());
        maps.push_back(expanded(map, /*readsPart=*/false));
      }
    }
    OpOperand *init = op.getDpsInitOperand(0);
    AffineMap made = op.getMatchingIndexingMap(init);
    Value output = expand(init->get(), made);
    maps.push_back(expanded(made, /*readsPart=*/false));
    SmallVector<utils::IteratorType> kinds(loops,
                                           utils::IteratorType::parallel);
    auto reader = linalg::GenericOp::create(
        rewriter, loc, output.getType(), inputs, output, maps, kinds,
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          IRMapping mapping;
          unsigned next = 0;
          for (BlockArgument argument : op.getBody()->getArguments()) {
            bool isConcat =
                argument.getArgNumber() == operand->getOperandNumber();
            mapping.map(argument,
                        isConcat ? selectByLoop(builder, loc, loop,
                                                arguments.slice(next, count))
                                 : arguments[next]);
            next += isConcat ? count : 1;
          }
          for (Operation &inner : *op.getBody())
            cloneInner(builder, inner, mapping, loop, extent);
        });
    rewriter.setInsertionPointAfter(reader);
    Value result = reader->getResult(0);
    if (result.getType() != op->getResult(0).getType()) {
      SmallVector<ReassociationIndices> groups;
      int64_t next = 0;
      for (AffineExpr each : made.getResults()) {
        groups.push_back({next++});
        if (each == cut)
          groups.back().push_back(next++);
      }
      result = tensor::CollapseShapeOp::create(
          rewriter, loc, op->getResult(0).getType(), result, groups);
    }
    rewriter.replaceOp(op, result);
    rewriter.eraseOp(concat);
    while (reader)
      reader = withMaker(reader, rewriter);
  }

  /// The operation with what makes one of its inputs for it alone; null where
  /// there is no such input.
  static linalg::GenericOp withMaker(linalg::GenericOp reader,
                                     PatternRewriter &rewriter) {
    for (OpOperand *input : reader.getDpsInputOperands()) {
      if (!input->get().hasOneUse() || !linalg::areElementwiseOpsFusable(input))
        continue;
      auto maker = input->get().getDefiningOp<linalg::GenericOp>();
      // What it reads of its output it would read again for each part.
      if (!mayReadOthers(maker) ||
          maker.payloadUsesValueFromOperand(maker.getDpsInitOperand(0)))
        continue;
      rewriter.setInsertionPoint(reader);
      auto fused = linalg::fuseElementwiseOps(rewriter, input);
      if (failed(fused))
        continue;
      rewriter.replaceAllUsesWith(
          reader->getResult(0),
          fused->replacements.lookup(reader->getResult(0)));
      rewriter.eraseOp(reader);
      return cast<linalg::GenericOp>(fused->fusedOp);
    }
    return {};
  }

  /// Clones an operation of the body. An iteration of the loop that is cut is a
  /// part times its extent and the iteration within it.
  static void cloneInner(OpBuilder &builder, Operation &inner,
                         IRMapping &mapping, unsigned loop, int64_t extent) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      builder.clone(inner, mapping);
      return;
    }
    Location loc = index.getLoc();
    auto position = static_cast<unsigned>(index.getDim());
    Value after =
        linalg::IndexOp::create(builder, loc, position + (position >= loop));
    if (position == loop) {
      Value part = linalg::IndexOp::create(builder, loc, loop);
      Value begin = arith::MulIOp::create(
          builder, loc, part,
          arith::ConstantIndexOp::create(builder, loc, extent));
      after = arith::AddIOp::create(builder, loc, begin, after);
    }
    mapping.map(index.getResult(), after);
  }
};

/// An elementwise operation that reads a tensor, and all of its slices along a
/// dimension as well, reads the slices alone.
struct ReadSlicesAlone : ReadOthers {
  using ReadOthers::ReadOthers;

  bool readOthers(linalg::GenericOp op, OpOperand *input,
                  PatternRewriter &rewriter) const override {
    auto expand = input->get().getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand || !isPlain(expand) ||
        expand.getResultType().getRank() != expand.getSrcType().getRank() + 1)
      return false;
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      if (group.size() != 2)
        continue;
      SmallVector<OpOperand *> slices =
          slicesOf(op, expand, static_cast<int64_t>(dim), group.front(),
                   map.dropResult(group.front()));
      if (slices.empty())
        continue;
      selectSlices(
          op, input, slices,
          cast<AffineDimExpr>(map.getResult(group.front())).getPosition(),
          rewriter);
      return true;
    }
    return false;
  }

private:
  /// Replaces the input by a selection among these others, and drops it.
  static void selectSlices(linalg::GenericOp op, OpOperand *input,
                           ArrayRef<OpOperand *> slices, unsigned loop,
                           PatternRewriter &rewriter) {
    rewriter.modifyOpInPlace(op, [&] {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(op.getBody());
      SmallVector<Value> values;
      for (OpOperand *slice : slices)
        values.push_back(op.getMatchingBlockArgument(slice));
      rewriter.replaceAllUsesWith(
          op.getMatchingBlockArgument(input),
          selectByLoop(rewriter, op.getLoc(), loop, values));
      unsigned number = input->getOperandNumber();
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps.erase(maps.begin() + number);
      op.getBody()->eraseArgument(number);
      op.getInputsMutable().erase(number);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  }

  /// The operands that are the slices of the expanded tensor along `dim`, in
  /// their order, all read under `map`; empty where one is missing.
  static SmallVector<OpOperand *> slicesOf(linalg::GenericOp op,
                                           tensor::ExpandShapeOp expand,
                                           int64_t dim, int64_t part,
                                           AffineMap map) {
    int64_t count = expand.getResultType().getDimSize(part);
    int64_t extent = expand.getResultType().getDimSize(part + 1);
    SmallVector<OpOperand *> slices(count);
    for (OpOperand *each : op.getDpsInputOperands()) {
      auto slice = each->get().getDefiningOp<tensor::ExtractSliceOp>();
      if (!slice || !isPlain(slice) || slice.getSource() != expand.getSrc() ||
          slice.getDroppedDims().any() || !slice.hasUnitStride() ||
          op.getMatchingIndexingMap(each) != map)
        continue;
      SmallVector<int64_t> shape(expand.getSrcType().getShape());
      shape[dim] = extent;
      int64_t begin = slice.getStaticOffsets()[dim];
      bool isPart = slice.getType().getShape() == ArrayRef(shape) &&
                    begin % extent == 0 && begin >= 0;
      for (auto [other, offset] : llvm::enumerate(slice.getStaticOffsets()))
        isPart &= static_cast<int64_t>(other) == dim || offset == 0;
      if (isPart)
        slices[begin / extent] = each;
    }
    return llvm::is_contained(slices, nullptr) ? SmallVector<OpOperand *>()
                                               : slices;
  }
};

template <typename... Patterns>
void apply(FunctionOpInterface function) {
  RewritePatternSet patterns(function.getContext());
  patterns.add<Patterns...>(function.getContext());
  applyAlone(function, std::move(patterns));
}

} // namespace

void readThroughCopies(FunctionOpInterface function) {
  apply<SliceBeforeTranspose, ReadThroughTranspose>(function);
  apply<ReadThroughConcat>(function);
  // Parts may be slices of a transposed tensor.
  apply<ReadThroughTranspose>(function);
  apply<ReadSlicesAlone>(function);
}

void writeTransposed(FunctionOpInterface function) {
  apply<WriteTransposed>(function);
}

} // namespace npu
