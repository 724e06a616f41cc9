// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-outline-tasks: makes each task a function that a coroutine calls.

#include "npu/Conversion/Threads/Passes.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_OUTLINETASKS
#include "npu/Conversion/Threads/Passes.h.inc"

namespace {

struct OutlineTasksPass : impl::OutlineTasksBase<OutlineTasksPass> {
  using OutlineTasksBase::OutlineTasksBase;

  void runOnOperation() override {
    SmallVector<async::ExecuteOp> tasks;
    getOperation()->walk([&](async::ExecuteOp op) { tasks.push_back(op); });
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    unsigned number = 0;
    for (async::ExecuteOp task : tasks) {
      auto tile = task->getAttrOfType<IntegerAttr>(tileAttrName);
      std::string name;
      do
        name = fmt::format(
            "{}_task{}_{}",
            task->getParentOfType<func::FuncOp>().getName().str(), number++,
            tile ? fmt::format("tile{}", tile.getInt()) : "ddr");
      while (symbols.lookup(name));
      FailureOr<func::FuncOp> function = outlineSingleBlockRegion(
          rewriter, task.getLoc(), task.getBodyRegion(), name);
      if (failed(function)) {
        task.emitError("cannot become a function");
        return signalPassFailure();
      }
      function->setPrivate();
      // If the function were inlined into the coroutine, buffers would be
      // reloaded from its frame after every store, because LLVM cannot know
      // that stores do not change them.
      (*function)->setAttr("passthrough",
                           rewriter.getStrArrayAttr({"noinline"}));
    }
  }
};

} // namespace
} // namespace npu
