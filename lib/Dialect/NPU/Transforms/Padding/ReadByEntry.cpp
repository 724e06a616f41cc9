// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that real entries do not go through together, as a linalg.generic
// that reads entry by entry. Positions are those without padding; what is
// padded afterwards moves them to where the entries are.

#include "ReadByEntry.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace npu {
namespace {

/// Writes one rewritten operation.
class ByEntry {
public:
  ByEntry(RewriterBase &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()) {}

  Value rewrite(ArrayRef<AffineExpr> extents, Value length) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> sizes;
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (type.isDynamicDim(dim))
        sizes.push_back(affine::AffineApplyOp::create(
            rewriter, loc, AffineMap::get(0, 1, extent), length));
    measure();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    SmallVector<Value> inputs = readInPlace();
    SmallVector<AffineMap> maps(
        inputs.size() + 1, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> kinds(type.getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, inputs, ValueRange{empty}, maps, kinds,
        [&](OpBuilder &body, Location, ValueRange arguments) {
          builder = &body;
          inPlace.map(inputs, arguments.drop_back());
          SmallVector<Value> at;
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            at.push_back(linalg::IndexOp::create(body, loc, dim));
          linalg::YieldOp::create(body, loc, entry(at));
        });
    return generic.getResult(0);
  }

  linalg::GenericOp rewrite(linalg::LinalgOp structured,
                            ArrayRef<unsigned> elsewhere) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      if (llvm::is_contained(elsewhere, number))
        continue;
      if (number < structured.getNumDpsInputs())
        inputs.push_back(operand.get());
      maps.push_back(structured.getMatchingIndexingMap(&operand));
    }
    return linalg::GenericOp::create(
        rewriter, loc, op->getResultTypes(), inputs, structured.getDpsInits(),
        maps, structured.getIteratorTypesArray(),
        [&](OpBuilder &body, Location, ValueRange arguments) {
          SmallVector<Value> loops;
          for (unsigned loop = 0; loop < structured.getNumLoops(); ++loop)
            loops.push_back(linalg::IndexOp::create(body, loc, loop));
          IRMapping mapping;
          for (BlockArgument argument : structured.getBlock()->getArguments()) {
            OpOperand *operand = structured.getMatchingOpOperand(argument);
            if (!llvm::is_contained(elsewhere, operand->getOperandNumber())) {
              mapping.map(argument, arguments.front());
              arguments = arguments.drop_front();
              continue;
            }
            SmallVector<Value> at;
            AffineMap map = structured.getMatchingIndexingMap(operand);
            for (AffineExpr expr : map.getResults())
              at.push_back(
                  affine::expandAffineExpr(body, loc, expr, loops, {}));
            mapping.map(argument, tensor::ExtractOp::create(
                                      body, loc, operand->get(), at));
          }
          for (Operation &inner : *structured.getBlock())
            body.clone(inner, mapping);
        });
  }

private:
  /// Operands of which the entry is read that stands where the result's does.
  SmallVector<Value> readInPlace() {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return {insert.getDest()};
    if (auto insert = dyn_cast<tensor::InsertOp>(op))
      return {insert.getDest()};
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return {};
    return llvm::filter_to_vector(op->getOperands(), [](Value operand) {
      return isa<RankedTensorType>(operand.getType());
    });
  }

  /// What the body needs of extents, and constants, stand in front.
  void measure() {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || extents.contains(operand))
        continue;
      SmallVector<Value> &known = extents[operand];
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        known.push_back(
            type.isDynamicDim(dim)
                ? tensor::DimOp::create(rewriter, loc, operand, dim).getResult()
                : number(type.getDimSize(dim)));
    }
  }

  Value number(int64_t value) {
    OpBuilder &at = builder ? *builder : rewriter;
    return arith::ConstantIndexOp::create(at, loc, value);
  }
  Value number(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder ? *builder : rewriter, loc,
                                           value);
  }
  template <typename Op>
  Value compute(Value a, Value b) {
    return Op::create(*builder, loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(*builder, loc, predicate, a, b);
  }
  Value both(Value a, Value b) { return a ? compute<arith::AndIOp>(a, b) : b; }
  Value choose(Value condition, Value a, Value b) {
    return condition ? arith::SelectOp::create(*builder, loc, condition, a, b)
                           .getResult()
                     : a;
  }
  Value read(Value tensor, ArrayRef<Value> at) {
    return tensor::ExtractOp::create(*builder, loc, tensor, at);
  }
  /// Nothing is read where there is nothing; what is not `inside` reads the
  /// first entry, and is not taken.
  Value readInside(Value tensor, ArrayRef<Value> at, Value inside,
                   Value otherwise) {
    if (llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                           0))
      return otherwise;
    SmallVector<Value> guarded;
    for (Value position : at)
      guarded.push_back(choose(inside, position, number(0)));
    return choose(inside, read(tensor, guarded), otherwise);
  }
  /// The block's operations, on `arguments`; what it yields.
  Value copyBlock(Block &block, ValueRange arguments) {
    IRMapping mapping;
    mapping.map(block.getArguments(), arguments);
    for (Operation &inner : block.without_terminator())
      builder->clone(inner, mapping);
    return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
  }

  Value entry(ArrayRef<Value> at) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return entryOf(collapse, at);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return entryOf(expand, at);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return entryOf(slice, at);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return entryOf(insert, at);
    if (auto insert = dyn_cast<tensor::InsertOp>(op))
      return entryOf(insert, at);
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return entryOf(concat, at);
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      return entryOf(pad, at);
    if (auto gather = dyn_cast<tensor::GatherOp>(op))
      return entryOf(gather, at);
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return splat.getInput();
    if (auto generate = dyn_cast<tensor::GenerateOp>(op))
      return copyBlock(generate.getBody().front(), at);
    return elementwise();
  }

  /// A position in a merged dimension, taken apart again.
  Value entryOf(tensor::CollapseShapeOp collapse, ArrayRef<Value> at) {
    SmallVector<Value> from(collapse.getSrcType().getRank());
    ArrayRef<Value> sizes = extents.find(collapse.getSrc())->second;
    for (auto [number, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      Value rest = at[number];
      for (int64_t dim : llvm::reverse(ArrayRef(group).drop_front())) {
        from[dim] = compute<arith::RemUIOp>(rest, sizes[dim]);
        rest = compute<arith::DivUIOp>(rest, sizes[dim]);
      }
      from[group.front()] = rest;
    }
    // To one entry of no dimension.
    for (Value &position : from)
      if (!position)
        position = number(0);
    return read(collapse.getSrc(), from);
  }

  Value entryOf(tensor::ExpandShapeOp expand, ArrayRef<Value> at) {
    SmallVector<Value> from;
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      Value position = at[group.front()];
      for (int64_t dim : ArrayRef(group).drop_front())
        position = compute<arith::AddIOp>(
            compute<arith::MulIOp>(position, number(sizes[dim])), at[dim]);
      from.push_back(position);
    }
    return read(expand.getSrc(), from);
  }

  Value entryOf(tensor::ExtractSliceOp slice, ArrayRef<Value> at) {
    SmallVector<Value> from;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
      from.push_back(number(offset));
      if (dropped[dim])
        continue;
      from.back() = compute<arith::AddIOp>(
          from.back(), compute<arith::MulIOp>(at.front(), number(stride)));
      at = at.drop_front();
    }
    return read(slice.getSource(), from);
  }

  Value entryOf(tensor::InsertSliceOp insert, ArrayRef<Value> at) {
    SmallVector<Value> from;
    Value inside;
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    for (auto [dim, offset, size, stride] :
         llvm::enumerate(insert.getMixedOffsets(), insert.getMixedSizes(),
                         insert.getMixedStrides())) {
      // What is before it is far behind it, unsigned.
      Value behind = compute<arith::SubIOp>(at[dim], number(offset));
      Value position = behind;
      if (!isConstantIntValue(stride, 1)) {
        position = compute<arith::DivUIOp>(behind, number(stride));
        Value rest = compute<arith::RemUIOp>(behind, number(stride));
        inside =
            both(inside, compare(arith::CmpIPredicate::eq, rest, number(0)));
      }
      inside = both(inside,
                    compare(arith::CmpIPredicate::ult, position, number(size)));
      if (!dropped[dim])
        from.push_back(position);
    }
    return readInside(insert.getSource(), from, inside,
                      inPlace.lookup(insert.getDest()));
  }

  Value entryOf(tensor::InsertOp insert, ArrayRef<Value> at) {
    Value there;
    for (auto [position, wanted] : llvm::zip(at, insert.getIndices()))
      there = both(there, compare(arith::CmpIPredicate::eq, position, wanted));
    return choose(there, insert.getScalar(), inPlace.lookup(insert.getDest()));
  }

  Value entryOf(tensor::ConcatOp concat, ArrayRef<Value> at) {
    unsigned along = concat.getDim();
    SmallVector<Value> begins;
    Value end = number(0);
    for (Value input : concat.getInputs()) {
      begins.push_back(end);
      end = compute<arith::AddIOp>(end, extents.find(input)->second[along]);
    }
    Value result;
    for (auto [input, begin] :
         llvm::reverse(llvm::zip_equal(concat.getInputs(), begins))) {
      SmallVector<Value> from(at);
      from[along] = compute<arith::SubIOp>(at[along], begin);
      // What is before the part is far behind it, unsigned.
      Value inside = compare(arith::CmpIPredicate::ult, from[along],
                             extents.find(input)->second[along]);
      result = result ? readInside(input, from, inside, result)
                      : readInside(input, from, inside, zero());
    }
    return result;
  }

  Value entryOf(tensor::PadOp pad, ArrayRef<Value> at) {
    SmallVector<Value> from;
    Value inside;
    ArrayRef<Value> sizes = extents.find(pad.getSource())->second;
    for (auto [dim, low, high] :
         llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad())) {
      from.push_back(at[dim]);
      if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0))
        continue;
      if (!isConstantIntValue(low, 0))
        from.back() = compute<arith::SubIOp>(at[dim], number(low));
      inside = both(
          inside, compare(arith::CmpIPredicate::ult, from.back(), sizes[dim]));
    }
    return readInside(pad.getSource(), from, inside,
                      copyBlock(pad.getRegion().front(), at));
  }

  Value entryOf(tensor::GatherOp gather, ArrayRef<Value> at) {
    auto source = gather.getSourceType();
    unsigned batch = gather.getIndicesType().getRank() - 1;
    bool reduced =
        int64_t(batch) + source.getRank() != gather.getResultType().getRank();
    ArrayRef<Value> kept = at.drop_front(batch);
    SmallVector<Value> from;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      const auto *found = llvm::find(gather.getGatherDims(), dim);
      bool gathered = found != gather.getGatherDims().end();
      if (!gathered) {
        from.push_back(kept.front());
      } else {
        SmallVector<Value> which(at.take_front(batch));
        which.push_back(number(found - gather.getGatherDims().begin()));
        Value position = read(gather.getIndices(), which);
        if (!position.getType().isIndex())
          position = arith::IndexCastOp::create(
              *builder, loc, builder->getIndexType(), position);
        from.push_back(position);
      }
      if (!gathered || !reduced)
        kept = kept.drop_front();
    }
    return read(gather.getSource(), from);
  }

  Value elementwise() {
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) {
          return inPlace.lookupOrDefault(operand);
        });
    OperationState state(loc, op->getName(), operands,
                         getElementTypeOrSelf(op->getResult(0).getType()),
                         op->getAttrs());
    return builder->create(state)->getResult(0);
  }

  Value zero() {
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    return arith::ConstantOp::create(*builder, loc, builder->getZeroAttr(type));
  }

  RewriterBase &rewriter;
  Operation *op;
  Location loc;
  /// In the body, once there is one.
  OpBuilder *builder = nullptr;
  IRMapping inPlace;
  llvm::DenseMap<Value, SmallVector<Value>> extents;
};

} // namespace

void rewriteByEntry(RewriterBase &rewriter, const EntryByEntry &each,
                    Value length) {
  rewriter.setInsertionPoint(each.op);
  ByEntry writer(rewriter, each.op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(each.op)) {
    rewriter.replaceOp(each.op, writer.rewrite(structured, each.operands));
    return;
  }
  rewriter.replaceOp(each.op, writer.rewrite(each.extents, length));
}

} // namespace npu
