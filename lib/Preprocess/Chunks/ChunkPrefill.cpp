// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-chunk-prefill: a prefill function of any prompt length becomes a loop
// over chunks that calls one function of one static shape.

#include "UnmarkedPrefill.h"
#include "npu/Analysis/Causality/Causality.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Preprocess/Chunks/Passes.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "npu/Support/Decisions.h"
#include "npu/Support/SignatureAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_CHUNKPREFILL
#include "npu/Preprocess/Chunks/Passes.h.inc"

namespace {

RankedTensorType tensorType(Type type) { return cast<RankedTensorType>(type); }

/// Offsets, sizes and strides of `size` rows from row `begin` on.
struct Rows {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  Rows(OpBuilder &builder, RankedTensorType type, int64_t dim, Value begin,
       Value size) {
    for (int64_t each = 0; each < type.getRank(); ++each) {
      offsets.push_back(each == dim ? OpFoldResult(begin)
                                    : builder.getIndexAttr(0));
      sizes.push_back(each == dim
                          ? OpFoldResult(size)
                          : builder.getIndexAttr(type.getDimSize(each)));
      strides.push_back(builder.getIndexAttr(1));
    }
  }
};

/// Builds the new body of the function: a loop that calls `chunk`.
class ChunkLoop {
public:
  ChunkLoop(func::FuncOp function, func::FuncOp chunk, const Prefill &prefill,
            ArrayRef<PrefillResult> results, int64_t chunkLength)
      : function(function), chunk(chunk), prefill(prefill), results(results),
        chunkLength(chunkLength), builder(function.getContext()),
        loc(function.getLoc()) {}

  void build() {
    function.getBody().dropAllReferences();
    function.getBody().getBlocks().clear();
    builder.setInsertionPointToStart(function.addEntryBlock());
    SmallVector<Value> lengths =
        promptLengths(builder, function, prefill.prompt);
    Value length = lengths.front();
    assertOneLength(builder, function, prefill.prompt, lengths);
    Value offset = function.getArgument(prefill.offset);
    if (!offset.getType().isIndex())
      offset = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          offset);
    checkRoom(length, offset);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value step = arith::ConstantIndexOp::create(builder, loc, chunkLength);
    auto loop = scf::ForOp::create(
        builder, loc, zero, length, step, startValues(length),
        [&](OpBuilder &body, Location, Value at, ValueRange carried) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(body.getInsertionBlock(),
                                    body.getInsertionPoint());
          Value left = arith::SubIOp::create(builder, loc, length, at);
          Value rows = arith::MinSIOp::create(builder, loc, left, step);
          scf::YieldOp::create(builder, loc, runChunk(at, rows, carried));
        });
    func::ReturnOp::create(builder, loc, loop.getResults());
  }

private:
  /// Asserts that the caches have a place for every row.
  void checkRoom(Value length, Value offset) {
    auto atLeast = [&](Value a, int64_t b) {
      return arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sge, a,
          arith::ConstantIndexOp::create(builder, loc, b));
    };
    // Compare without adding to the offset, because the sum might wrap around.
    Value room = arith::SubIOp::create(
        builder, loc,
        arith::ConstantIndexOp::create(builder, loc, prefill.capacity), length);
    Value some = atLeast(length, 1);
    Value begins = atLeast(offset, 0);
    Value ends = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                       offset, room);
    Value fits = arith::AndIOp::create(
        builder, loc, some, arith::AndIOp::create(builder, loc, begins, ends));
    cf::AssertOp::create(
        builder, loc, fits,
        fmt::format("'{}': expected a prompt length of at least 1 that ends, "
                    "from the offset on, within the {} entries of the cache",
                    function.getName().str(), prefill.capacity));
  }

  SmallVector<Value> startValues(Value length) {
    SmallVector<Value> values;
    for (auto [result, type] : llvm::zip(results, function.getResultTypes())) {
      if (result.kind == PrefillResult::Cache) {
        values.push_back(function.getArgument(result.argument));
        continue;
      }
      SmallVector<Value> sizes;
      if (result.kind == PrefillResult::Rows)
        sizes.push_back(length);
      values.push_back(
          tensor::EmptyOp::create(builder, loc, tensorType(type), sizes));
    }
    return values;
  }

  /// Builds the call for the chunk that begins at row `at`, and the values
  /// carried to the next chunk.
  SmallVector<Value> runChunk(Value at, Value rows, ValueRange carried) {
    SmallVector<Value> arguments(function.getArguments());
    for (auto [argument, dims] :
         llvm::zip(function.getArguments(), prefill.prompt.dims)) {
      if (dims.empty())
        continue;
      RankedTensorType type = tensorType(argument.getType());
      Rows slice(builder, type, dims.front(), at, rows);
      arguments[argument.getArgNumber()] = tensor::ExtractSliceOp::create(
          builder, loc, type, argument, slice.offsets, slice.sizes,
          slice.strides);
    }
    for (auto [result, value] : llvm::zip(results, carried))
      if (result.kind == PrefillResult::Cache)
        arguments[result.argument] = value;
    Value &offset = arguments[prefill.offset];
    Value shift = at;
    if (!offset.getType().isIndex())
      shift = arith::IndexCastOp::create(builder, loc, offset.getType(), at);
    offset = arith::AddIOp::create(builder, loc, offset, shift);
    auto call = func::CallOp::create(builder, loc, chunk, arguments);
    SmallVector<Value> after(call.getResults());
    for (auto [result, value, before] : llvm::zip(results, after, carried)) {
      if (result.kind != PrefillResult::Rows)
        continue;
      Rows slice(builder, tensorType(value.getType()), result.dim, at, rows);
      value = tensor::InsertSliceOp::create(builder, loc, value, before,
                                            slice.offsets, slice.sizes,
                                            slice.strides);
    }
    return after;
  }

  func::FuncOp function, chunk;
  const Prefill &prefill;
  ArrayRef<PrefillResult> results;
  int64_t chunkLength;
  OpBuilder builder;
  Location loc;
};

/// Replaces operations with AggregatedOpInterface (a softmax) by simpler ones.
LogicalResult decomposeAggregates(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  WalkResult walked = function.walk([&](linalg::AggregatedOpInterface op) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
    if (failed(parts)) {
      op->emitError() << "cannot be decomposed to be run in chunks";
      return WalkResult::interrupt();
    }
    rewriter.replaceOp(op, *parts);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult runInChunks(func::FuncOp function, const Prefill &prefill,
                          const PadOptions &options, bool assumeFinite) {
  std::string name =
      fmt::format("{}_chunk_{}", function.getName().str(), options.maxLength);
  if (SymbolTable::lookupNearestSymbolFrom(
          function->getParentOp(),
          StringAttr::get(function.getContext(), name)))
    return function.emitError()
           << "expected no function '" << name << "' yet: it is to be '"
           << function.getName() << "' for chunks of " << options.maxLength;
  if (failed(decomposeAggregates(function)))
    return failure();
  Causality causality(function, prefill, assumeFinite);
  if (failed(causality.run()))
    return failure();
  for (Operation *op : causality.assumptions())
    remarkLeftAlone(op, [] {
      return "rows do not follow from later positions if what later rows and "
             "the cache hold is finite";
    });
  func::FuncOp chunk = function.clone();
  chunk.setName(name);
  chunk.setPrivate();
  rewriteArgAttrs(chunk, [](unsigned, NamedAttrList &attributes) {
    for (StringRef mark : {NPUDialect::CacheAttrHelper::getNameStr(),
                           cacheDimAttrName, cacheOffsetAttrName})
      attributes.erase(mark);
  });
  function->getBlock()->getOperations().insert(function->getIterator(),
                                               chunk.getOperation());
  if (failed(padToMaxPromptLen(chunk, options)))
    return failure();
  ChunkLoop(function, chunk, prefill, causality.results(), options.maxLength)
      .build();
  remarkDone("chunk", function, 0, [&] {
    return fmt::format("runs in chunks of {}: every row follows from rows "
                       "before it and from the cache",
                       options.maxLength);
  });
  return success();
}

struct ChunkPrefillPass : impl::ChunkPrefillBase<ChunkPrefillPass> {
  using ChunkPrefillBase::ChunkPrefillBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto parsed = parsePaddingSide(module.getLoc(), side);
    if (failed(parsed) ||
        failed(checkMaxPromptLen(module.getLoc(), chunkLen, "chunk-len")))
      return signalPassFailure();
    PadOptions options;
    options.maxLength = chunkLen;
    options.side = *parsed;
    options.poison = poison;
    SmallVector<std::pair<func::FuncOp, Prefill>, 1> found;
    func::FuncOp unmarked;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      bool isPrefill = false;
      auto prefill = findPrefill(function, isPrefill);
      if (failed(prefill))
        return signalPassFailure();
      if (isPrefill)
        found.push_back({function, *prefill});
      else if (!unmarked)
        unmarked = function;
    }
    if (found.empty() && unmarked) {
      (void)refuseUnmarked(unmarked, assumeFinite);
      return signalPassFailure();
    }
    for (auto &[function, prefill] : found)
      if (failed(runInChunks(function, prefill, options, assumeFinite)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace npu
