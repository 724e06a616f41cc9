// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-outline-tasks: a task is a function that a coroutine calls.

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
      // Inside the coroutine, buffers would be read from its frame again and
      // again, because a store may change them for all that LLVM knows.
      (*function)->setAttr("passthrough",
                           rewriter.getStrArrayAttr({"noinline"}));
    }
  }
};

} // namespace
} // namespace npu
