// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PadFunction.h"
#include "PadStructured.h"
#include "PaddedValues.h"
#include "PreparePadding.h"
#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

/// Rewrites `op`, which is a concatenation, to padded parts. Returns its padded
/// result.
static Value padConcatenation(Operation *op, const Concatenation &whole,
                              PaddedValues &values) {
  OpBuilder &builder = values.getBuilder();
  Location loc = op->getLoc();
  const PaddingState &state = values.of(op->getResult(0));
  SmallVector<Value> parts;
  for (Value part : whole.parts) {
    PaddingState wanted = values.of(part);
    wanted.resize(state.size());
    for (int64_t dim = 0; dim < int64_t(state.size()); ++dim)
      if (dim != whole.along)
        wanted[dim] = state[dim];
    parts.push_back(values.padded(part, wanted, loc));
  }
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
      values.setLength(length);
      checkLength(length);
      return;
    }
    if (!prompt.length) {
      Value length = promptLength(builder, function, prompt);
      values.setLength(length);
      checkLength(length);
      assertOneLength(builder, function, prompt, length);
    }
    for (BlockArgument argument : arguments)
      if (isPadded(analysis.of(argument)))
        values.set(argument, values.enlargeReal(argument, argument.getLoc()));
  }

  /// Asserts that the prompt fits the padded tensors.
  void checkLength(Value length) {
    assertPromptLength(builder, function, length,
                       analysis.getPrompt().maxLength);
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
      return give(op, padConcatenation(op, *whole, values));
    auto model = modelOf<PaddingOpInterface>(op);
    if (!model)
      return;
    SmallVector<Value> made = model.pad(values);
    if (values.havePaddedShapes(made, op->getResults()))
      give(op, made);
    else
      misshapen = op;
  }

  /// Records `made` as the padded results of `op`.
  void give(Operation *op, ArrayRef<Value> made) {
    for (auto [result, padded] : llvm::zip_equal(op->getResults(), made))
      if (isPadded(analysis.of(result)))
        values.set(result, padded);
      else
        result.replaceAllUsesWith(padded);
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
