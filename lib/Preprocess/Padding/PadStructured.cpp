// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PadStructured.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OperandPadding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether combining any accumulator with the neutral element keeps the
/// accumulator's bits. (maxnumf drops a NaN.)
bool neutralIsExact(Operation *combiner) {
  return !isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner);
}

/// Rewrites the region of a copy of `op` for padded operands.
class BodyPadder {
public:
  BodyPadder(linalg::GenericOp copy, const PaddingState &loops,
             PaddedValues &values)
      : body(copy.getBody()), loops(loops), values(values),
        builder(copy.getContext()), loc(copy.getLoc()) {}

  /// The tensors that the region reads, and their padded forms.
  llvm::DenseMap<Value, Value> paddedSources;

  void countRealPositions() {
    SmallVector<linalg::IndexOp> indices(body->getOps<linalg::IndexOp>());
    for (linalg::IndexOp index : indices) {
      const auto &dim = loops[index.getDim()];
      if (!dim || dim->endsInPadding())
        continue;
      builder.setInsertionPoint(index);
      Value position = linalg::IndexOp::create(builder, loc, index.getDim());
      Value real = arith::SubIOp::create(builder, loc, position,
                                         number(dim->extent - dim->real));
      if (!dim->beginsWithPadding())
        real = arith::SelectOp::create(builder, loc, inFront(position, *dim),
                                       position, real);
      index.replaceAllUsesWith(real);
      index.erase();
    }
  }

  void keepFromTrapping() {
    SmallVector<Operation *> all;
    body->walk([&](Operation *op) { all.push_back(op); });
    llvm::SmallBitVector padded(loops.size());
    for (auto [loop, dim] : llvm::enumerate(loops))
      if (dim)
        padded.set(loop);
    for (Operation *op : all) {
      builder.setInsertionPoint(op);
      auto read = modelOf<EntryReadOpInterface>(op);
      if (read && readsNothing(read))
        continue;
      // Find harmless operands in the original body, because reading padded
      // tensors rewrites positions.
      SmallVector<std::pair<OpOperand *, int64_t>> guarded;
      if (padded.any())
        for (OpOperand &operand : op->getOpOperands())
          if (auto harmless = harmlessOperand(operand))
            guarded.push_back({&operand, *harmless});
      if (read)
        values.readPadded(read,
                          paddedSources.lookup(read.getReadTensor().get()));
      for (auto [operand, harmless] : guarded)
        guard(*operand, padded, harmless);
    }
  }

  /// Selects the old accumulator at padded positions of `masked` loops.
  void skip(const llvm::SmallBitVector &masked,
            std::optional<Reduction> reduction) {
    Operation *yield = body->getTerminator();
    if (reduction && neutralIsExact(reduction->combiner)) {
      Value accumulator = body->getArguments().back();
      Operation *combiner = reduction->combiner;
      unsigned term = combiner->getOperand(0) == accumulator ? 1 : 0;
      builder.setInsertionPoint(combiner);
      Value valid = isReal(masked);
      Value neutral =
          arith::ConstantOp::create(builder, loc, reduction->neutral);
      combiner->setOperand(
          term, arith::SelectOp::create(builder, loc, valid,
                                        combiner->getOperand(term), neutral));
      return;
    }
    builder.setInsertionPoint(yield);
    Value valid = isReal(masked);
    unsigned first = body->getNumArguments() - yield->getNumOperands();
    for (unsigned i = 0; i < yield->getNumOperands(); ++i)
      yield->setOperand(
          i, arith::SelectOp::create(builder, loc, valid, yield->getOperand(i),
                                     body->getArgument(first + i)));
  }

private:
  Value number(AffineExpr expr) {
    return values.valueOf(simplifyAffineExpr(expr, 0, 1));
  }

  /// Builds the condition that a position is before the hole.
  Value inFront(Value position, const PaddedDim &dim) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 position, number(dim.hole));
  }

  /// Builds the condition that all of the loops `which` are at real positions.
  /// It stands at the front of the body, so that nested regions, in which
  /// linalg.index is not allowed, can use it too.
  Value isReal(const llvm::SmallBitVector &which) {
    for (auto &[asked, known] : realConditions)
      if (asked == which)
        return known;
    OpBuilder::InsertionGuard inserting(builder);
    builder.setInsertionPointToStart(body);
    Value all;
    for (unsigned loop : which.set_bits()) {
      const PaddedDim &dim = *loops[loop];
      Value position = linalg::IndexOp::create(builder, loc, loop);
      Value real;
      if (!dim.beginsWithPadding())
        real = inFront(position, dim);
      if (!dim.endsInPadding()) {
        Value after = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::sge, position,
            number(dim.hole + dim.extent - dim.real));
        real = real ? arith::OrIOp::create(builder, loc, real, after) : after;
      }
      all = all ? arith::AndIOp::create(builder, loc, all, real).getResult()
                : real;
    }
    realConditions.push_back({which, all});
    return all;
  }

  void guard(OpOperand &operand, const llvm::SmallBitVector &padded,
             int64_t harmless) {
    Type type = operand.get().getType();
    Value instead = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, harmless));
    operand.set(arith::SelectOp::create(builder, loc, isReal(padded),
                                        operand.get(), instead));
  }

  /// Whether the tensor that is read has no entries at any length, so that no
  /// entry is read.
  bool readsNothing(EntryReadOpInterface read) {
    Value source = read.getReadTensor().get();
    if (Value padded = paddedSources.lookup(source))
      source = padded;
    if (!llvm::is_contained(cast<RankedTensorType>(source.getType()).getShape(),
                            0))
      return false;
    Value entry = read->getResult(0);
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(entry.getType()));
    entry.replaceAllUsesWith(zero);
    read.erase();
    return true;
  }

  Block *body;
  SmallVector<std::pair<llvm::SmallBitVector, Value>> realConditions;
  const PaddingState &loops;
  PaddedValues &values;
  OpBuilder builder;
  Location loc;
};

} // namespace

SmallVector<Value> padStructured(linalg::LinalgOp op,
                                 const llvm::SmallBitVector &masked,
                                 const PaddingAnalysis &analysis,
                                 PaddedValues &values, OpBuilder &builder) {
  Location loc = op.getLoc();
  PaddingState loops(op.getNumLoops());
  if (const StructuredPadding *padding = analysis.of(op))
    loops = padding->loops;

  SmallVector<Value> operands;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [map, operand] : llvm::zip(maps, op->getOperands())) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    // An operand that is read at windows keeps its own padding.
    PaddingState wanted = operandPadding(analysis.of(operand), map, loops);
    operands.push_back(values.padded(operand, wanted, loc));
  }
  SmallVector<Type> types;
  for (OpOperand &output : op.getDpsInitsMutable())
    types.push_back(operands[output.getOperandNumber()].getType());

  auto uses = [&](auto test) {
    return op
        ->walk([&](Operation *inner) {
          return test(inner) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  bool changesBody = masked.any() || uses([&](Operation *inner) {
                       if (auto index = dyn_cast<linalg::IndexOp>(inner))
                         return loops[index.getDim()] &&
                                !loops[index.getDim()]->endsInPadding();
                       return hasHarmlessOperand(inner) ||
                              modelOf<EntryReadOpInterface>(inner);
                     });
  if (!changesBody) {
    Operation *copy = clone(builder, op, types, operands);
    copy->removeAttr("linalg.memoized_indexing_maps");
    return SmallVector<Value>(copy->getResults());
  }

  unsigned inputs = op.getNumDpsInputs();
  auto copy =
      linalg::GenericOp::create(builder, loc, TypeRange(types),
                                ArrayRef<Value>(operands).take_front(inputs),
                                ArrayRef<Value>(operands).drop_front(inputs),
                                maps, op.getIteratorTypesArray());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&copy.getRegion(), mapping);
  std::optional<Reduction> reduction = matchReduction(op);
  if (reduction)
    reduction->combiner = mapping.lookup(reduction->combiner);
  BodyPadder body(copy, loops, values);
  builder.setInsertionPoint(copy);
  op->walk([&](Operation *inner) {
    auto read = modelOf<EntryReadOpInterface>(inner);
    Value source = read ? read.getReadTensor().get() : Value();
    if (source && isPadded(analysis.of(source)))
      body.paddedSources[source] = values.padded(source, loc);
  });
  body.countRealPositions();
  body.keepFromTrapping();
  if (masked.any())
    body.skip(masked, reduction);
  builder.setInsertionPointAfter(copy);
  return SmallVector<Value>(copy->getResults());
}

} // namespace npu
