// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PreparePadding.h"
#include "npu/Analysis/Padding/InlinableCalls.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/GatherLookup.h"
#include "npu/Preprocess/Padding/AskedExtent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// The most calls that are inlined: functions that call each other twice grow
/// exponentially.
constexpr int64_t maxCalls = 10000;

bool isPrompt(func::FuncOp function, BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  return function.getArgAttr(argument.getArgNumber(), promptDimAttrName) ||
         (type && !type.hasStaticShape());
}

/// A call with an operand that follows from the prompt, of a function that can
/// be inlined; null where there is none.
func::CallOp findCall(func::FuncOp function) {
  llvm::DenseSet<Value> follows;
  for (BlockArgument argument : function.getArguments())
    if (isPrompt(function, argument))
      follows.insert(argument);
  func::CallOp found;
  if (follows.empty())
    return found;
  for (Operation &op : function.front()) {
    bool any = false;
    op.walk([&](Operation *inner) {
      any |= llvm::any_of(inner->getOperands(),
                          [&](Value value) { return follows.contains(value); });
    });
    if (!any)
      continue;
    follows.insert(op.result_begin(), op.result_end());
    op.walk([&](func::CallOp call) {
      if (!inlinableCallee(call))
        return WalkResult::advance();
      found = call;
      return WalkResult::interrupt();
    });
    if (found)
      break;
  }
  return found;
}

} // namespace

void inlineCallsWithPrompt(Operation *root) {
  // A pass on a single function must not look at others, which may be changed
  // at the same time.
  if (isa<func::FuncOp>(root))
    return;
  InlinerInterface inliner(root->getContext());
  InlinerConfig config;
  SetVector<Operation *> inlined;
  root->walk([&](func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return WalkResult::skip();
    for (int64_t calls = 0; calls < maxCalls; ++calls) {
      func::CallOp call = findCall(function);
      if (!call)
        break;
      func::FuncOp callee = inlinableCallee(call);
      if (failed(inlineCall(inliner, config.getCloneCallback(), call, callee,
                            &callee.getBody())))
        break;
      call.erase();
      inlined.insert(callee);
    }
    return WalkResult::skip();
  });
  // A function may have been called by another erased one alone: repeat until
  // none is erased.
  bool erased = true;
  while (erased) {
    erased = false;
    for (Operation *callee : llvm::to_vector(inlined)) {
      if (!cast<func::FuncOp>(callee).isPrivate() ||
          !SymbolTable::symbolKnownUseEmpty(callee, root))
        continue;
      inlined.remove(callee);
      callee->erase();
      erased = true;
    }
  }
}

void hoistDims(func::FuncOp function) {
  SmallVector<ShapedDimOpInterface> dims;
  function.walk([&](ShapedDimOpInterface dim) { dims.push_back(dim); });
  for (ShapedDimOpInterface dim : dims) {
    Value source = dim.getShapedValue();
    auto type = dyn_cast<RankedTensorType>(source.getType());
    Block *block = source.getParentBlock();
    Operation *inBlock = block->findAncestorOpInBlock(*dim);
    std::optional<int64_t> asked = getConstantIntValue(dim.getDimension());
    // Ignore a dimension that the tensor does not have.
    if (!type || type.getRank() == 0 || block != &function.front() ||
        (asked && inBlock == dim))
      continue;
    OpBuilder builder(inBlock);
    Location loc = dim.getLoc();
    SmallVector<Value> extents;
    for (int64_t each = 0; each < type.getRank(); ++each)
      if (!asked || each == *asked)
        extents.push_back(tensor::DimOp::create(builder, loc, source, each));
    if (extents.empty())
      continue;
    builder.setInsertionPoint(dim);
    dim->getResult(0).replaceAllUsesWith(askedExtent(builder, dim, extents));
    dim.erase();
  }
}

void lookUpWhatGathersTake(func::FuncOp function) {
  auto isDynamic = [](Type type) {
    return !cast<RankedTensorType>(type).hasStaticShape();
  };
  SmallVector<GatherOp> gathers;
  function.walk([&](GatherOp gather) {
    if (llvm::any_of(gather->getOperandTypes(), isDynamic))
      gathers.push_back(gather);
  });
  IRRewriter rewriter(function.getContext());
  for (GatherOp gather : gathers) {
    rewriter.setInsertionPoint(gather);
    Value made = asLookup(rewriter, gather);
    if (made.getType() != gather.getType())
      made = tensor::CastOp::create(rewriter, gather.getLoc(), gather.getType(),
                                    made);
    rewriter.replaceOp(gather, made);
  }
}

LogicalResult decomposeToPad(Operation *op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op);
  FailureOr<SmallVector<Value>> parts = failure();
  if (aggregate)
    parts = aggregate.decomposeOperation(rewriter);
  if (failed(parts) || parts->size() != op->getNumResults())
    return emitError(op->getLoc()) << "cannot be decomposed to be padded";
  // The last operations of upstream's decomposition have the layouts of inputs.
  for (auto [part, result] : llvm::zip_equal(*parts, op->getResults()))
    if (part.getType() != result.getType())
      part = RedistributeOp::create(rewriter, op->getLoc(), result.getType(),
                                    part);
  rewriter.replaceOp(op, *parts);
  return success();
}

Value askedExtent(OpBuilder &builder, ShapedDimOpInterface dim,
                  ArrayRef<Value> extents) {
  Location loc = dim.getLoc();
  Value number =
      getValueOrCreateConstantIndexOp(builder, loc, dim.getDimension());
  Value result = extents.front();
  for (size_t each = 1; each < extents.size(); ++each) {
    Value other = arith::ConstantIndexOp::create(builder, loc, each);
    Value asked = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        number, other);
    result =
        arith::SelectOp::create(builder, loc, asked, extents[each], result);
  }
  return result;
}

} // namespace npu
