// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-assert-depth: asserts that functions which call themselves come to an
// end before the stack does.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SCCIterator.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ASSERTDEPTH
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// Frames of a kilobyte, as calls with a handful of tensors have, fill an
/// eighth of a stack of 8 MB.
constexpr int64_t kMostCalls = 1000;

/// The functions that may call themselves, also through others.
SmallVector<func::FuncOp> recursiveFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  CallGraph graph(module);
  const CallGraph *root = &graph;
  for (auto it = llvm::scc_begin(root); !it.isAtEnd(); ++it) {
    if (!it.hasCycle())
      continue;
    for (CallGraphNode *node : *it)
      if (!node->isExternal())
        if (auto function = dyn_cast<func::FuncOp>(
                node->getCallableRegion()->getParentOp()))
          functions.push_back(function);
  }
  return functions;
}

struct AssertDepthPass : impl::AssertDepthBase<AssertDepthPass> {
  using AssertDepthBase::AssertDepthBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions = recursiveFunctions(getOperation());
    if (functions.empty())
      return;
    memref::GlobalOp depth = makeCounter();
    for (func::FuncOp function : functions)
      count(function, depth);
  }

private:
  /// A global of one number, 0 while no function that calls itself runs.
  memref::GlobalOp makeCounter() {
    OpBuilder builder(getOperation().getBodyRegion());
    auto number = RankedTensorType::get({}, builder.getI64Type());
    auto depth = memref::GlobalOp::create(
        builder, getOperation().getLoc(), "npu_depth",
        builder.getStringAttr("private"),
        MemRefType::get({}, builder.getI64Type()),
        DenseElementsAttr::get(number, int64_t{0}), /*constant=*/false,
        /*alignment=*/IntegerAttr());
    SymbolTable(getOperation()).insert(depth);
    return depth;
  }

  static void count(func::FuncOp function, memref::GlobalOp depth) {
    Location loc = function.getLoc();
    OpBuilder builder(function.getBody());
    Value counter = memref::GetGlobalOp::create(builder, loc, depth.getType(),
                                                depth.getSymName());
    Value before = memref::LoadOp::create(builder, loc, counter);
    Value most = arith::ConstantIntOp::create(builder, loc, kMostCalls, 64);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        before, most);
    cf::AssertOp::create(builder, loc, holds,
                         fmt::format("expected at most {} calls inside of each "
                                     "other, got one more of a function that "
                                     "calls itself",
                                     kMostCalls));
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
    Value inside = arith::AddIOp::create(builder, loc, before, one);
    memref::StoreOp::create(builder, loc, inside, counter);
    function.walk([&](func::ReturnOp end) {
      builder.setInsertionPoint(end);
      memref::StoreOp::create(builder, loc, before, counter);
    });
  }
};

} // namespace
} // namespace npu
