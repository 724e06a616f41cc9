// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pad-to-max-prompt-len: pads prompt dimensions to one static shape for all
// prompt lengths, without changing a bit of the real results.

#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "PadFunction.h"
#include "PreparePadding.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Preprocess/Padding/Passes.h"
#include "npu/Support/Decisions.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

namespace {

/// Rewrites one operation.
class ByEntry final : EntryReader {
public:
  ByEntry(RewriterBase &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()),
        builder(op->getContext()) {}

  /// The new result; null where the model gives no code for an entry.
  Value rewrite(ArrayRef<AffineExpr> extents, ValueRange lengths) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> sizes;
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (type.isDynamicDim(dim))
        sizes.push_back(affine::AffineApplyOp::create(
            rewriter, loc, AffineMap::get(0, lengths.size(), extent), lengths));
    measure();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
    // Build the body first: operands that it reads in place become inputs.
    auto block = std::make_unique<Block>();
    body = block.get();
    builder.setInsertionPointToEnd(body);
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      at.push_back(linalg::IndexOp::create(builder, loc, dim));
    Value entry = modelOf<PaddingOpInterface>(op).entryAt(*this, at);
    if (!entry || entry.getType() != type.getElementType())
      return {};
    linalg::YieldOp::create(builder, loc, entry);
    body->addArgument(type.getElementType(), loc);
    SmallVector<AffineMap> maps(
        inputs.size() + 1, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> kinds(type.getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, inputs, ValueRange{empty}, maps, kinds);
    generic.getRegion().push_back(block.release());
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
  OpBuilder &getBuilder() override { return builder; }

  Value extentOf(Value operand, int64_t dim) override {
    return extents.find(operand)->second[dim];
  }

  Value inPlace(Value operand) override {
    const auto *known = llvm::find(inputs, operand);
    if (known != inputs.end())
      return body->getArgument(known - inputs.begin());
    inputs.push_back(operand);
    return body->addArgument(getElementTypeOrSelf(operand.getType()), loc);
  }

  Value number(OpFoldResult value) override {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }

  /// Makes the extents and constants that the body needs, in front of the
  /// generic.
  void measure() {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || extents.contains(operand))
        continue;
      SmallVector<Value> &known = extents[operand];
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          known.push_back(tensor::DimOp::create(rewriter, loc, operand, dim));
        else
          known.push_back(arith::ConstantIndexOp::create(rewriter, loc,
                                                         type.getDimSize(dim)));
    }
  }

  RewriterBase &rewriter;
  Operation *op;
  Location loc;
  /// Inserts into the body.
  OpBuilder builder;
  Block *body = nullptr;
  SmallVector<Value> inputs;
  llvm::DenseMap<Value, SmallVector<Value>> extents;
};

} // namespace

/// Replaces the operation by a linalg.generic that computes, for each entry of
/// the result, the position that it comes from, and reads it there by
/// tensor.extract. Sizes are computed from `lengths`, those of the function's
/// prompts. Fails with a diagnostic where the operation's model gives no entry.
static LogicalResult rewriteByEntry(RewriterBase &rewriter,
                                    const EntryByEntry &each,
                                    ValueRange lengths) {
  rewriter.setInsertionPoint(each.op);
  ByEntry writer(rewriter, each.op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(each.op)) {
    rewriter.replaceOp(each.op, writer.rewrite(structured, each.operands));
    return success();
  }
  Value whole = writer.rewrite(each.extents, lengths);
  if (!whole)
    return emitError(each.op->getLoc())
           << "'" << each.op->getName() << "' cannot be padded: its model "
           << "does not say how an entry of it is computed";
  rewriter.replaceOp(each.op, whole);
  return success();
}

#define GEN_PASS_DEF_PADTOMAXPROMPTLEN
#include "npu/Preprocess/Padding/Passes.h.inc"

namespace {

/// Pads a function and returns how many masks the padded function needs.
FailureOr<int64_t> padFunction(func::FuncOp function, const Prompt &prompt,
                               const PadOptions &options) {
  Prompt padded = prompt;
  if (options.staticSignature)
    padded.length = std::nullopt;
  lookUpWhatGathersTake(function);
  hoistDims(function);
  while (true) {
    PaddingAnalysis analysis(function, padded);
    if (failed(analysis.run()))
      return failure();
    if (analysis.toDecompose().empty() && analysis.entryByEntry().empty())
      return padAnalyzed(function, analysis, options);
    IRRewriter rewriter(function.getContext());
    rewriter.setInsertionPointToStart(&function.front());
    SmallVector<Value> lengths = promptLengths(rewriter, function, padded);
    for (const EntryByEntry &each : analysis.entryByEntry()) {
      remarkDone("by-entry", each.op, 0, [&] {
        return fmt::format("'{}' reads entry by entry: real entries do not "
                           "stay together",
                           each.op->getName().getStringRef().str());
      });
      if (failed(rewriteByEntry(rewriter, each, lengths)))
        return failure();
    }
    for (Operation *op : analysis.toDecompose())
      if (failed(decomposeToPad(op, rewriter)))
        return failure();
  }
}

} // namespace

LogicalResult padToMaxPromptLen(Operation *root, const PadOptions &options) {
  inlineCallsWithPrompt(root);
  FailureOr<PromptFunctions> prompts = findPrompts(root, options);
  if (failed(prompts))
    return failure();
  int64_t most = 0;
  func::FuncOp withMost;
  for (auto &[function, prompt] : *prompts) {
    FailureOr<int64_t> masks = padFunction(function, prompt, options);
    if (failed(masks))
      return failure();
    if (!withMost || *masks > most)
      withMost = function;
    most = std::max(most, *masks);
  }
  if (withMost && options.withoutMask >= most)
    return marked(emitError(withMost.getLoc())
                      << "expected without-mask below " << most
                      << ", the most masks in a function, got "
                      << options.withoutMask,
                  RefusalKind::NoSuchMask);
  return success();
}

namespace {

struct PadToMaxPromptLenPass
    : impl::PadToMaxPromptLenBase<PadToMaxPromptLenPass> {
  using PadToMaxPromptLenBase::PadToMaxPromptLenBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    auto parsed = parsePaddingSide(root->getLoc(), side);
    PadOptions options{maxPromptLen, PaddingSide::Right, staticSignature,
                       poison, withoutMask};
    if (failed(parsed) ||
        failed(checkMaxPromptLen(root->getLoc(), maxPromptLen)))
      return signalPassFailure();
    options.side = *parsed;
    if (failed(padToMaxPromptLen(root, options)))
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
