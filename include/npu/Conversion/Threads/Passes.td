// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_THREADS_PASSES_TD
#define NPU_CONVERSION_THREADS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RunTilesInParallel : Pass<"npu-run-tiles-in-parallel", "::mlir::ModuleOp"> {
  let summary = "turn every tile's operations into tasks that run at the same time";
  let description = [{
    Puts the operations of a bufferized tile program into phases. Within a phase
    every tile has at most one task, an `async.execute` with its operations in
    program order; tasks run at the same time, and the phase ends when all have
    ended. An operation that writes to a tile's buffers is that tile's, so that
    transfers to different tiles run at the same time, too; one that only writes
    to DDR belongs to the tile that it reads from. A `npu.transfer` to several
    tiles becomes one for each of them.

    An operation is in the earliest phase that keeps it after all earlier
    operations that it conflicts with: that may touch the same memory, one of them
    writing. The memory that an operation touches follows from the effects that
    it declares, through views to allocations and arguments, with the constant
    boxes of subviews and transfers.
    Buffers in different memory spaces do not overlap, nor do different
    allocations. An operation with unknown effects (a call) runs alone. Loops
    and branches run
    alone, with phases inside.

    Afterwards every pair of accesses to a buffer is checked: two that conflict
    are in program order, or the pass fails. A block that has tasks already is
    checked, and stays as it is.

    Requires: bufferized functions with tiles' memory spaces, and callers that give
    a public function distinct buffers. Guarantees: the same bits in every
    buffer as without the pass; no task waits for another one of its phase.

    Example: an operation on two tiles.

    ```mlir
    // before
    linalg.exp ins(%x0 : memref<4xf32, 1>) outs(%y0 : memref<4xf32, 1>)
    linalg.exp ins(%x1 : memref<4xf32, 2>) outs(%y1 : memref<4xf32, 2>)
    // after
    %t0 = async.execute attributes {npu.phase = 0 : i64, npu.tile = 0 : i64} {
      linalg.exp ins(%x0 : memref<4xf32, 1>) outs(%y0 : memref<4xf32, 1>)
      async.yield
    }
    %t1 = async.execute attributes {npu.phase = 0 : i64, npu.tile = 1 : i64} {
      linalg.exp ins(%x1 : memref<4xf32, 2>) outs(%y1 : memref<4xf32, 2>)
      async.yield
    }
    async.await %t0 : !async.token
    async.await %t1 : !async.token
    ```
  }];
  let dependentDialects = ["::mlir::async::AsyncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OutlineTasks : Pass<"npu-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "outline the body of every async.execute as a function";
  let description = [{
    The body of every `async.execute` becomes a private function that LLVM does
    not inline, named after the function around it, a number and the tile. What
    is left of the body is a call, so that the coroutine that upstream makes of it
    has nothing to do but to be resumed.

    Requires: bodies that yield nothing. Guarantees: every body is one call.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // NPU_CONVERSION_THREADS_PASSES_TD
