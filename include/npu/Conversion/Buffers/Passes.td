// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_BUFFERS_PASSES_TD
#define NPU_CONVERSION_BUFFERS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SinkLoads : Pass<"npu-sink-loads"> {
  let summary = "move loads down to the first use of what they load";
  let description = [{
    A `npu.transfer` from DDR, and the `tensor.empty` that it loads into, move
    down to the
    first operation that uses what it loads. `npu-lower-to-tiles` loads all
    arguments at the beginning, where each would take its part of a scratchpad
    until it is used.

    Requires: nothing. Guarantees: only `npu.transfer`s from DDR and
    `tensor.empty` have moved, in the order in which they stood.

    Example: `%b` is loaded after the exp, so that what the exp reads and what
    `%b` takes can share memory.

    ```mlir
    // before
    %a = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
    %b = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.add ins(%1, %b : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
    // after
    %a = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
    %b = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
    %2 = linalg.add ins(%1, %b : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def InlineDynamicResults
    : Pass<"npu-inline-dynamic-results", "::mlir::ModuleOp"> {
  let summary = "put the bodies of functions that return dynamic shapes in place of their calls";
  let description = [{
    Results become arguments of a function, the caller's buffers
    (`buffer-results-to-out-params`), and a caller has no buffer of an extent that
    only the called function says. The choice among several prompt lengths calls
    such functions, one for each length; so does the loop over the chunks of a
    prefill. Private functions that nobody calls any more are erased.

    Requires: functions on tensors. Guarantees: no call of a function with a body
    returns a tensor of dynamic shape. Errors: such a call of a declaration, or of
    a function that calls itself, has several blocks or is `no_inline`.

    Example:

    ```mlir
    // before
    %0 = call @main_8(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    // after, with what @main_8 does
    %e = tensor.empty() : tensor<8x4xf32>
    %p = tensor.insert_slice %x into %e[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<8x4xf32>
    ```
  }];
}

def StructureOps : Pass<"npu-structure-ops"> {
  let summary = "rewrite operations on tensors as structured ones, keeping npu.tile";
  let description = [{
    Elementwise arith and math operations on tensors become `linalg.generic`;
    operations that are defined by simpler ones (`linalg.softmax`) are replaced
    by them; a `tensor.gather`, which upstream does not lower, becomes a
    `linalg.generic` that loads. The operations that replace one with `npu.tile`
    have the same attribute, which upstream's passes would drop. TOSA operations
    are lowered
    first, each by itself. Slices, pads and concatenations without elements are
    replaced by what is left of them, and dimensions that a slice drops among
    others of extent 1 are dropped by a `tensor.collapse_shape`. A constant of one value of more than
    1 MiB becomes a `linalg.fill`. An operation of a function's body that does not
    read its output gets a `tensor.empty` of its own as output: what may share memory
    is decided on buffers.

    Requires: no layouts. Guarantees: what is left bufferizes and lowers to loops
    by upstream's passes, or upstream has no lowering for it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def PlaceBuffers : Pass<"npu-place-buffers"> {
  let summary = "place every tile's tensors in that tile's memory space";
  let description = [{
    A fresh tensor of tile k (`tensor.empty`, a constant, a splat) becomes a
    `bufferization.alloc_tensor` in memory space k + 1, so that after
    bufferization every buffer says whose it is. DDR is the default space. Where
    an operation writes only a part of an output that it does not read, the
    output is copied, so that the buffer has the other part. A chain of operations
    that hand on one buffer outside of tiles (`tensor.insert_slice`, loops,
    branches) is copied every 32 of them, because one-shot bufferization takes the
    third power of their number. What tiles store of a step (`npu.steps`) they store
    to its place in the whole tensor. Where a function
    returns a scalar before a tensor,
    `npu.result` on its scalar results keeps their numbers: tensors that are
    returned become arguments.

    Requires: a tile program, or a function without tiles, which stays as it is.
    Guarantees: bufferization gives every buffer of a tile that tile's space.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def SeparateResults : Pass<"npu-separate-results"> {
  let summary = "give each result of a function a buffer of its own";
  let description = [{
    A function that returns one buffer as two results copies it: results become
    arguments next (`buffer-results-to-out-params`), and the caller gives each its
    own buffer.

        func.func @twice(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
          return %x, %x : memref<4xf32>, memref<4xf32>   // the second is a copy
        }

    What a loop returns that hands on the buffer it was given is that buffer, so that
    a loop of steps that makes a result writes to the caller's buffer.

    Requires: functions with one return (`lift-cf-to-scf`). Guarantees: no
    function returns one buffer twice, casts of the buffer included.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // NPU_CONVERSION_BUFFERS_PASSES_TD
