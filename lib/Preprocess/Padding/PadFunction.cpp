// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PadFunction.h"

#include "PaddedValues.h"
#include "PreparePadding.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Analysis/Positions/LargestExtent.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/MovedElements.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OperandPadding.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <fmt/format.h>

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
          if (auto harmless = harmlessOperand(operand);
              harmless && !isInsideAnyway(operand, read))
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
  Value number(AffineExpr expr) { return values.valueOf(simplified(expr)); }

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

  /// Whether `operand` is a position of `read` that no padding moves out of the
  /// tensor: the number of an iteration, of no more than there are entries. A
  /// row of a table stays one that is read from its first column to its last.
  bool isInsideAnyway(OpOperand &operand, EntryReadOpInterface read) {
    auto index = operand.get().getDefiningOp<linalg::IndexOp>();
    if (!read || !index || loops[index.getDim()])
      return false;
    OpOperand &source = read.getReadTensor();
    auto type = dyn_cast<RankedTensorType>(source.get().getType());
    if (!type || paddedSources.contains(source.get()))
      return false;
    int64_t iterations = cast<linalg::LinalgOp>(body->getParentOp())
                             .getStaticLoopRanges()[index.getDim()];
    for (auto [position, extent] : llvm::zip_equal(
             MutableOperandRange(read.getReadPosition()), type.getShape()))
      if (&position == &operand)
        return !ShapedType::isDynamic(iterations) &&
               !ShapedType::isDynamic(extent) && iterations <= extent;
    return false;
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

/// Builds `op` on padded operands at the place of `builder`: reductions along
/// `masked` loops skip padding, integer divisions and reads of tensors in the
/// region are kept from trapping on padding, and positions count real entries.
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

} // namespace

/// The padding of a part of a concatenation whose padding is `state`: its own
/// along the concatenation, and that of the whole in other dimensions.
static PaddingState paddingOfPart(Value part, const Concatenation &whole,
                                  const PaddingState &state,
                                  PaddedValues &values) {
  PaddingState wanted = values.of(part);
  wanted.resize(state.size());
  for (int64_t dim = 0; dim < int64_t(state.size()); ++dim)
    if (dim != whole.along)
      wanted[dim] = state[dim];
  return wanted;
}

/// Puts the parts of a concatenation with their padding one after the other
/// into one tensor, each over the padding of the one before.
///   %cache = tensor.insert_slice %past into %empty[0] [%L1]
///   %whole = tensor.insert_slice %rows into %cache[%L1] [8]
/// An argument is put there without padding, so that the tensor can be the
/// argument's own memory. Tiles may do the insertion of other parts, and do not
/// move what nothing was written to.
static Value packConcatenation(Operation *op, const Concatenation &whole,
                               const PaddingAnalysis &analysis,
                               PaddedValues &values) {
  OpBuilder &builder = values.getBuilder();
  Location loc = op->getLoc();
  const PaddingState &state = values.of(op->getResult(0));
  auto rank = static_cast<int64_t>(state.size());
  Value made =
      values.emptyPadding(values.paddedType(op->getResult(0)), state, loc);
  auto isReal = [&](Value part) {
    bool isArgument = isa<BlockArgument>(part) && isPadded(values.of(part));
    return isArgument &&
           llvm::all_of(llvm::seq<int64_t>(0, rank), [&](int64_t dim) {
             return dim == whole.along || !state[dim];
           });
  };
  if (Operation *empty = made.getDefiningOp();
      makesUnwritten(empty) && !isReal(whole.parts.front())) {
    empty->removeAttr(paddingAttrName);
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(getElementTypeOrSelf(made)));
    made = linalg::FillOp::create(builder, loc, zero, made).getResult(0);
  }
  AffineExpr begin = builder.getAffineConstantExpr(0);
  for (Value part : whole.parts) {
    PaddingState wanted = paddingOfPart(part, whole, state, values);
    Value piece = isReal(part) ? values.real(part, loc)
                               : values.padded(part, wanted, loc);
    auto type = cast<RankedTensorType>(piece.getType());
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)), sizes,
        strides(rank, builder.getIndexAttr(1));
    offsets[whole.along] = values.sizeOf(begin);
    for (int64_t dim = 0; dim < rank; ++dim)
      sizes.push_back(type.isDynamicDim(dim)
                          ? values.sizeOf(wanted[dim]->real)
                          : builder.getIndexAttr(type.getDimSize(dim)));
    made = tensor::InsertSliceOp::create(builder, loc, piece, made, offsets,
                                         sizes, strides);
    begin = simplified(begin + analysis.realExtent(part, whole.along));
  }
  made.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return made;
}

/// Rewrites `op`, which is a concatenation, to padded parts. Returns its padded
/// result.
static Value padConcatenation(Operation *op, const Concatenation &whole,
                              const PaddingAnalysis &analysis,
                              PaddedValues &values) {
  if (whole.isPacked)
    return packConcatenation(op, whole, analysis, values);
  OpBuilder &builder = values.getBuilder();
  Location loc = op->getLoc();
  const PaddingState &state = values.of(op->getResult(0));
  SmallVector<Value> parts;
  for (Value part : whole.parts)
    parts.push_back(
        values.padded(part, paddingOfPart(part, whole, state, values), loc));
  auto concat = tensor::ConcatOp::create(
      builder, loc, values.paddedType(op->getResult(0)), whole.along, parts);
  concat->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return concat;
}

namespace {

class FunctionPadder {
public:
  FunctionPadder(func::FuncOp function, const PaddingAnalysis &analysis,
                 const PadOptions &options)
      : function(function), analysis(analysis), options(options),
        builder(function.getContext()),
        values(function, analysis, builder, options.poison) {}

  /// Pads the function and returns how many masks were needed.
  FailureOr<int64_t> run() {
    SmallVector<Operation *> ops;
    for (Operation &op : function.front())
      ops.push_back(&op);
    padArguments();
    for (Operation *op : ops) {
      builder.setInsertionPoint(op);
      pad(op);
      if (failed(checkPadded(op)))
        return failure();
    }
    finish();
    return needed;
  }

private:
  void padArguments() {
    Block &entry = function.front();
    Location loc = function.getLoc();
    const Prompt &prompt = analysis.getPrompt();
    builder.setInsertionPointToStart(&entry);
    arguments.assign(entry.args_begin(), entry.args_end());
    if (options.staticSignature) {
      for (BlockArgument argument : arguments)
        if (isPadded(analysis.of(argument))) {
          auto type = paddedType(cast<RankedTensorType>(argument.getType()),
                                 analysis.of(argument));
          values.set(argument, entry.addArgument(type, argument.getLoc()));
        }
      Value length = entry.addArgument(builder.getIndexType(), loc);
      values.setLengths(length);
      checkLength(length);
      return;
    }
    if (!prompt.length) {
      SmallVector<Value> lengths = promptLengths(builder, function, prompt);
      values.setLengths(lengths);
      for (Value length : lengths)
        checkLength(length);
      assertOneLength(builder, function, prompt, lengths);
    }
    for (BlockArgument argument : arguments)
      if (isPadded(analysis.of(argument)))
        values.set(argument, values.enlargeReal(argument, argument.getLoc()));
  }

  /// Asserts that the prompt fits the padded tensors.
  void checkLength(Value length) {
    const Prompt &prompt = analysis.getPrompt();
    assertPromptLength(builder, function, length, prompt.minLength(),
                       prompt.maxLength);
  }

  /// Checks that the padded results of `op` have the shapes that the analysis
  /// found: users ask for a result with its padding.
  LogicalResult checkPadded(Operation *op) {
    if (misshapen)
      return emitError(op->getLoc())
             << "'" << op->getName() << "' cannot be padded: its model does "
             << "not make what it has said";
    for (OpResult result : op->getResults())
      if (isPadded(analysis.of(result)) && !values.has(result) &&
          !analysis.isSeenThrough(op))
        return emitError(op->getLoc())
               << "'" << op->getName() << "' cannot be padded: nothing makes "
               << "its result #" << result.getResultNumber()
               << " with its padding";
    return success();
  }

  void pad(Operation *op) {
    if (op->hasTrait<OpTrait::ReturnLike>())
      return padReturn(op);
    if (isa<ShapedDimOpInterface>(op)) {
      AffineExpr real = analysis.exprOf(op->getResult(0));
      // Replace dims at the end only: until then, the analysis knows sizes by
      // these values.
      if (real)
        dims.push_back({op, values.valueOf(real)});
      return;
    }
    if (cutsOut(op))
      assertSliceIsReal(cast<OffsetSizeAndStrideOpInterface>(op));
    if (analysis.isUnpadded(op))
      return unpad(op);
    if (analysis.isSeenThrough(op))
      return;
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      if (!touches(op))
        return;
      llvm::SmallBitVector masked = masksOf(structured);
      give(op, padStructured(structured, masked, analysis, values, builder));
      remarkMasks(structured, masked);
      return;
    }
    if (readsAsWritten(op))
      return;
    if (!touches(op))
      return;
    if (const Concatenation *whole = analysis.concatenationBy(op))
      return give(op, padConcatenation(op, *whole, analysis, values));
    auto model = modelOf<PaddingOpInterface>(op);
    if (!model)
      return;
    SmallVector<Value> made = model.pad(values);
    if (values.havePaddedShapes(made, op->getResults()))
      give(op, made);
    else
      misshapen = op;
  }

  /// Asserts that a slice ends at real entries, where that is not known of an
  /// empty one of several prompts: there would be padding in its place.
  void assertSliceIsReal(OffsetSizeAndStrideOpInterface slice) {
    const Prompt &prompt = analysis.getPrompt();
    const PaddingState &state = analysis.of(slice->getOperand(0));
    if (prompt.minLength() > 0 || !isPadded(state))
      return;
    for (auto [dim, padding] : llvm::enumerate(state)) {
      AffineExpr first = analysis.exprOf(slice.getMixedOffsets()[dim]),
                 size = analysis.exprOf(slice.getMixedSizes()[dim]);
      if (!padding || !first || !size || !slice.hasUnitStride())
        continue;
      AffineExpr rest =
          simplifyAffineExpr(padding->real - first - size, 0, prompt.count());
      LengthRange lengths{prompt.minLength(), prompt.maxLength};
      if (smallestOverLengths(rest, lengths).value_or(-1) >= 0 &&
          smallestOverLengths(first, lengths).value_or(-1) >= 0)
        continue;
      Location loc = slice.getLoc();
      Value none = arith::ConstantIndexOp::create(builder, loc, 0);
      auto isFrom0 = [&](AffineExpr expr) -> Value {
        return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                     values.valueOf(expr), none);
      };
      cf::AssertOp::create(
          builder, loc,
          arith::AndIOp::create(builder, loc, isFrom0(first), isFrom0(rest)),
          fmt::format("expected a slice inside the entries of dimension {}",
                      dim));
    }
  }

  /// Records `made` as the padded results of `op`.
  void give(Operation *op, ArrayRef<Value> made) {
    for (auto [result, padded] : llvm::zip_equal(op->getResults(), made))
      if (isPadded(analysis.of(result)))
        values.set(result, padded);
      else
        values.replace(result, padded);
    replaced.push_back(op);
  }

  bool touches(Operation *op) {
    auto padded = [&](Value value) { return isPadded(analysis.of(value)); };
    if (llvm::any_of(op->getOperands(), padded) ||
        llvm::any_of(op->getResults(), padded))
      return true;
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(), padded)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether `op` uses padded tensors only to read single entries; such an
  /// operation gets its positions rewritten.
  bool readsAsWritten(Operation *op) {
    if (!analysis.readsAsWritten(op))
      return false;
    op->walk([&](Operation *inner) {
      auto read = modelOf<EntryReadOpInterface>(inner);
      if (!read || !isPadded(analysis.of(read.getReadTensor().get())))
        return;
      builder.setInsertionPoint(op);
      values.readPadded(
          read, values.padded(read.getReadTensor().get(), op->getLoc()));
    });
    return true;
  }

  /// Keeps `op` on the real parts of its operands.
  void unpad(Operation *op) {
    remarkLeftAlone(op, [&] {
      return fmt::format("'{}' works on the real part alone",
                         op->getName().getStringRef().str());
    });
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (isPadded(analysis.of(operand.get()))) {
          builder.setInsertionPoint(op);
          operand.set(values.real(operand.get(), op->getLoc()));
        }
    });
  }

  void padReturn(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isPadded(analysis.of(operand.get())))
        operand.set(options.staticSignature
                        ? values.padded(operand.get(), op->getLoc())
                        : values.real(operand.get(), op->getLoc()));
  }

  /// The loops that skip padding: all that have to, except the one that the
  /// option `without-mask` names.
  llvm::SmallBitVector masksOf(linalg::LinalgOp op) {
    const StructuredPadding *padding = analysis.of(op);
    if (!padding)
      return llvm::SmallBitVector(op.getNumLoops());
    llvm::SmallBitVector masked = padding->masked;
    for (unsigned loop : padding->masked.set_bits())
      if (needed++ == options.withoutMask)
        masked.reset(loop);
    return masked;
  }

  void remarkMasks(linalg::LinalgOp op, const llvm::SmallBitVector &masked) {
    const StructuredPadding *padding = analysis.of(op);
    if (!padding)
      return;
    masks += masked.count();
    proved += padding->proved.count();
    for (unsigned loop : masked.set_bits())
      remarkDone("mask", op, 0, [&] {
        return fmt::format("reduction along loop {} skips padding ({})", loop,
                           toString({padding->loops[loop]}));
      });
    for (unsigned loop : padding->proved.set_bits())
      remarkLeftAlone(op, [&] {
        return fmt::format("reduction along loop {} needs no mask: padding is "
                           "neutral",
                           loop);
      });
  }

  void finish() {
    for (auto [dim, real] : dims) {
      if (dim->getResult(0) != real)
        dim->getResult(0).replaceAllUsesWith(real);
    }
    for (Operation *op : llvm::reverse(replaced))
      if (op->use_empty())
        op->erase();
    // Erase dims that were replaced by the prompt length.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    Operation *terminator = function.front().getTerminator();
    if (options.staticSignature)
      replaceArguments();
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.front().getArgumentTypes(),
        terminator->getOperandTypes()));
    if (!function->getContext()->getRemarkEngine())
      return;
    if (auto remark =
            mlir::remark::passed(function.getLoc(), decision("pad", function)))
      remark << mlir::remark::reason(
                    "{0}",
                    fmt::format("padded to {} on the {}",
                                analysis.getPrompt().maxLength,
                                analysis.getPrompt().side == PaddingSide::Right
                                    ? "right"
                                    : "left"))
             << mlir::remark::metric("masks", masks)
             << mlir::remark::metric("masks proved unnecessary", proved);
  }

  /// Replaces the arguments by padded tensors, and adds the length as the last
  /// argument.
  void replaceArguments() {
    Block &entry = function.front();
    unsigned count = arguments.size();
    SmallVector<Attribute> attrs;
    for (unsigned i = 0; i < count; ++i)
      attrs.push_back(function.getArgAttrDict(i));
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(promptLengthAttrName, builder.getUnitAttr())));
    for (BlockArgument argument : arguments) {
      if (!values.has(argument))
        continue;
      auto padded =
          cast<BlockArgument>(values.padded(argument, argument.getLoc()));
      unsigned number = argument.getArgNumber();
      BlockArgument moved =
          entry.insertArgument(number + 1, padded.getType(), argument.getLoc());
      padded.replaceAllUsesWith(moved);
      entry.eraseArgument(padded.getArgNumber());
      entry.eraseArgument(number);
    }
    function.setFunctionType(FunctionType::get(function.getContext(),
                                               entry.getArgumentTypes(),
                                               function.getResultTypes()));
    function.setAllArgAttrs(attrs);
  }

  func::FuncOp function;
  const PaddingAnalysis &analysis;
  const PadOptions &options;
  OpBuilder builder;
  PaddedValues values;
  SmallVector<BlockArgument> arguments;
  SmallVector<Operation *> replaced;
  SmallVector<std::pair<Operation *, Value>> dims;
  /// The operation whose padded results do not have the expected shapes.
  Operation *misshapen = nullptr;
  int64_t needed = 0, masks = 0, proved = 0;
};

} // namespace

FailureOr<int64_t> padAnalyzed(func::FuncOp function,
                               const PaddingAnalysis &analysis,
                               const PadOptions &options) {
  return FunctionPadder(function, analysis, options).run();
}

} // namespace npu
