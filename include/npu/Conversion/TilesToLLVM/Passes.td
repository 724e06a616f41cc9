// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_TILESTOLLVM_PASSES_TD
#define NPU_CONVERSION_TILESTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def StripLayouts : Pass<"npu-strip-layouts"> {
  let summary = "the function that was there before it was distributed";
  let description = [{
    Takes every `#npu.layout` off every type and attribute. A `npu.permute_cast`
    says in plain tensors what it does to logical indices: a `linalg.transpose`
    with `result[o] = input[d[o]]`, or nothing where `d` is the identity.
    `npu.distribution_cast`, `npu.redistribute` and a `tensor.cast` between
    layouts vanish.

    Requires: a phase before tile programs; what a tile program was made from
    cannot be told from it, and it is refused. Guarantees: no layout and no
    operation of the npu dialect is left.

    Example:

    ```mlir
    // before
    %1 = npu.permute_cast %0 mem_perm = [0, 1, 2, 3]
        : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
    // after
    %e = tensor.empty() : tensor<1x128x28x336xf16>
    %1 = linalg.transpose ins(%0 : tensor<1x28x336x128xf16>)
        outs(%e : tensor<1x128x28x336xf16>) permutation = [0, 3, 1, 2]
    ```
  }];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerTransfers : Pass<"npu-lower-transfers"> {
  let summary = "transfers as slices of tensors";
  let description = [{
    A `npu.transfer` becomes, for every destination, the slice of the source and
    its insertion into the destination; where the memory orders differ, a
    `linalg.transpose` into the destination's slice. One that moves an empty box
    becomes its destinations.

    Requires: nothing. Guarantees: no `npu.transfer` is left.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SinkLoads : Pass<"npu-sink-loads"> {
  let summary = "loads where what they load is needed first";
  let description = [{
    A `npu.transfer` from DDR, and the room that it loads into, moves down to the
    first operation that uses what it loads. `npu-lower-to-tiles` loads all
    arguments at the beginning, where each would take its part of a scratchpad
    until it is used.

    Requires: nothing. Guarantees: only `npu.transfer`s from DDR and
    `tensor.empty` have moved, in the order in which they stood.

    Example: `%b` is loaded behind the exp, so that what the exp reads and what
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

def StructureOps : Pass<"npu-structure-ops"> {
  let summary = "operations on tensors as structured operations, tile kept";
  let description = [{
    Elementwise arith and math operations on tensors become `linalg.generic`;
    operations that are defined by simpler ones (`linalg.softmax`) are replaced
    by them; a `tensor.gather`, which upstream does not lower, becomes a
    `linalg.generic` that loads. Whatever an operation with `npu.tile` becomes has the same
    attribute, which upstream's passes would drop. TOSA operations are lowered
    first, each by itself. Slices, pads and concatenations without elements are
    replaced by what is left of them, and dimensions that a slice drops among
    others of extent 1 are dropped by a `tensor.collapse_shape`. A constant of one value of more than
    1 MiB becomes a `linalg.fill`.

    Requires: no layouts. Guarantees: what is left bufferizes and lowers to loops
    by upstream's passes, or upstream has no lowering for it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def PlaceBuffers : Pass<"npu-place-buffers"> {
  let summary = "every tile's tensors in that tile's memory space";
  let description = [{
    A fresh tensor of tile k (`tensor.empty`, a constant, a splat) becomes a
    `bufferization.alloc_tensor` in memory space k + 1, so that after
    bufferization every buffer says whose it is. DDR is the default space. An
    output of which an operation writes only a part without reading it is copied, so
    that the rest is there; and a `cf.cond_br` with two ways to one block gets a block
    between. Where a function returns a scalar before a
    tensor, `npu.result` on its scalar results keeps their numbers: tensors that
    are returned become arguments.

    Requires: a tile program, or a function without tiles, which stays as it is.
    Guarantees: bufferization gives every buffer of a tile that tile's space.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def SeparateResults : Pass<"npu-separate-results"> {
  let summary = "a buffer of its own for each result of a function";
  let description = [{
    A function that returns one buffer as two results copies it: results become
    arguments next (`buffer-results-to-out-params`), and the caller gives each its
    own buffer.

        func.func @twice(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
          return %x, %x : memref<4xf32>, memref<4xf32>   // the second is a copy
        }

    Requires: functions with one return (`lift-cf-to-scf`). Guarantees: none
    returns a buffer twice, casts of it included.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PinLoopBuffers : Pass<"npu-pin-loop-buffers"> {
  let summary = "one place for what every iteration of a loop hands to the next";
  let description = [{
    A `scf.for` or `scf.while` that hands on a tile's buffer which its iteration allocated would
    need another one in the next iteration, while the old one is read. What is
    handed on is copied into one buffer instead: the one that the loop begins with,
    where nothing looks at that later, or a copy of it.

    Requires: nothing. Guarantees: neither hands on another buffer of a tile
    than it was given, as `npu-plan-scratchpad` wants it. Buffers of dynamic size,
    and those in DDR, stay as they are.

    Example:

    ```mlir
    // before
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%last = %a) -> (memref<4xf32, 1>) {
      %b = memref.alloc() : memref<4xf32, 1>
      linalg.exp ins(%last : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
      scf.yield %b : memref<4xf32, 1>
    }
    // after
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%last = %a) -> (memref<4xf32, 1>) {
      %b = memref.alloc() : memref<4xf32, 1>
      linalg.exp ins(%last : memref<4xf32, 1>) outs(%b : memref<4xf32, 1>)
      memref.copy %b, %last : memref<4xf32, 1> to memref<4xf32, 1>
      scf.yield %last : memref<4xf32, 1>
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanScratchpad : Pass<"npu-plan-scratchpad", "::mlir::ModuleOp"> {
  let summary = "every tile's buffers at fixed places of its scratchpad";
  let description = [{
    A `memref.alloc` in tile k's memory space (k + 1) becomes a `memref.view` at a
    fixed offset of one argument that the function gets for that tile,
    `memref<BYTESxi8, k + 1>` with the attribute `npu.arena = k`; its deallocations
    go away. Buffers that are in use at the same time lie apart. Offsets are
    multiples of 64.

    A buffer is in use from the first to the last operation of the function's body
    that touches it or a view of it. A buffer inside a loop is in use for the whole
    outermost loop. A buffer that goes out of sight (its pointer is taken, an
    operation that nobody knows gets it) is in use throughout, or refused in a
    loop. An elementwise linalg operation writes its result over an
    input that nothing uses later, where both have the same bytes and the same
    indexing map. A call needs room for what the called function's buffers take.

    In a function that has arenas already nothing changes: its plan is checked and
    reported.

    With a target, which the module describes or `target` names, a function that
    needs more than a tile's scratchpad is an error, at the operation where most
    is in use. Without a target there is no limit.

    `report` prints, for every tile: the bytes that its arena takes at the peak,
    the target's capacity, the most bytes in use at one time (no plan takes less),
    the operation at which they are, and what is in use there, largest first.
    Units: bytes. With `prompts-of=model.mlir`, the module before its prompts were
    padded, the report also says the largest prompt that fits the target: that
    length compiles, and no longer one does (`npu-print-largest-prompt-len`).

    Requires: bufferized functions whose tiles' buffers have static sizes and
    stay in the function; no recursion through a function that has such buffers.
    Guarantees: in every function that can be reached from outside, tiles' memory
    comes from arenas only (what has no bytes aside); what runs does not depend on which buffers share memory.

    Example:

    ```mlir
    // before
    func.func @main(%x: memref<4xf32>, %out: memref<4xf32>) {
      %0 = memref.alloc() : memref<4xf32, 1>
      memref.copy %x, %0 : memref<4xf32> to memref<4xf32, 1>
      memref.copy %0, %out : memref<4xf32, 1> to memref<4xf32>
      return
    }
    // after
    func.func @main(%x: memref<4xf32>, %out: memref<4xf32>,
                    %arena: memref<16xi8, 1> {npu.arena = 0 : i64}) {
      %c0 = arith.constant 0 : index
      %0 = memref.view %arena[%c0][] : memref<16xi8, 1> to memref<4xf32, 1>
      ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose scratchpads count, instead of the module's own">,
    Option<"report", "report", "bool", /*default=*/"false",
           "print what every tile needs, and where">,
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "the report's format, text or json">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file for the report, - for standard output">,
    Option<"promptsOf", "prompts-of", "std::string", /*default=*/"\"\"",
           "the module before padding, for the largest prompt in the report">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where the padding of those prompts goes, right or left">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def VerifyScratchpadPlan
    : Pass<"npu-verify-scratchpad-plan", "::mlir::ModuleOp"> {
  let summary = "error where a planned buffer is outside its arena or shared";
  let description = [{
    Changes nothing. In every function that has arenas, each buffer is a
    `memref.view` of its tile's arena at a constant offset that is a multiple of
    64, all of it lies inside the arena, and buffers that are in use at the same
    time lie apart. An arena is used in no other way.

    Offsets of a plan are text and may be edited: any plan that passes gives the
    same results as the one that was made. `npu-run` runs this first on a program
    on buffers, and `npu-plan-scratchpad` checks the same.

    Requires: bufferized functions. Guarantees on success: tiles' buffers are
    written by nobody but their users.

    Example of a refusal: `expected a buffer inside the 136 bytes of tile 0's
    arena, got 8 bytes at offset 256`.
  }];
}

def PrintLargestPromptLen
    : Pass<"npu-print-largest-prompt-len", "::mlir::ModuleOp"> {
  let summary = "the longest prompt whose padded program fits a target";
  let description = [{
    Pads (`npu-pad-to-max-prompt-len`), legalizes, lowers and plans copies of the
    module at lengths between which it searches, and prints the largest length at
    which every tile's buffers fit the scratchpads of the target. One more does
    not. Considered are lengths from the functions' own (1 where that is a run-time
    value) to 1,048,576. Changes nothing.

    Requires: a target; what `npu-pad-to-max-prompt-len` and `npu-lower-to-tiles`
    require; that a longer prompt does not need less memory.

    Example: `--npu-print-largest-prompt-len=target=npu4000` prints

    ```text
    the largest prompt that fits the scratchpads of npu4000 has 251 tokens
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose scratchpads count, instead of the module's own">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where padding goes: right (real part first) or left">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "where to write; - is standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CopiesToRuns : Pass<"npu-copies-to-runs"> {
  let summary = "copies of strided buffers as loops over contiguous runs";
  let description = [{
    A `memref.copy` between buffers that are not contiguous becomes a loop over
    copies of the longest runs that are contiguous on both sides; upstream
    lowers those to memcpy, and anything else to a call of a generic copy that
    moves element by element. Where a run is one element, the copy becomes a
    `linalg.generic`. Copies of nothing go away.

    Requires: bufferized functions. Guarantees: every `memref.copy` is contiguous
    on both sides.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def RunTilesInParallel : Pass<"npu-run-tiles-in-parallel", "::mlir::ModuleOp"> {
  let summary = "every tile's operations as tasks that run at the same time";
  let description = [{
    Puts the operations of a bufferized tile program into phases. Within a phase
    every tile has at most one task, an `async.execute` with its operations in
    program order; tasks run at the same time, and the phase ends when all have
    ended. An operation that writes to a tile's buffers is that tile's, so that
    transfers to different tiles run at the same time, too; one that only writes
    to DDR belongs to the tile that it reads from.

    An operation is in the earliest phase that keeps it behind all earlier
    operations that it conflicts with: that may touch the same memory, one of them
    writing. What is touched follows from the effects that operations declare,
    through views to allocations and arguments, with subviews' constant boxes.
    Buffers in different memory spaces do not overlap, nor do different
    allocations. Whatever is not known (a call) runs alone. Loops and branches run
    alone, with phases inside.

    Afterwards every pair of accesses to a buffer is checked: two that conflict
    are in program order, or the pass fails.

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
  let summary = "the body of every async.execute as a function";
  let description = [{
    The body of every `async.execute` becomes a private function that LLVM does
    not inline, named after the function around it, a number and the tile. What
    is left of the body is a call, so that the coroutine that upstream makes of it
    has nothing to do but to be resumed.

    Requires: bodies that yield nothing. Guarantees: every body is one call.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def DropTiles : Pass<"npu-drop-tiles"> {
  let summary = "forget whose buffer is whose";
  let description = [{
    Takes memory spaces off every type, because a tile's number is not an address
    space of the machine that runs the program, and with them every attribute
    that begins with `npu.`, the marks of results, and the description of the
    target.

    Requires: bufferized functions. Guarantees: no memory space is left.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ReportAssertions : Pass<"npu-report-assertions", "::mlir::ModuleOp"> {
  let summary = "a call where an assertion fails, with its place and message";
  let description = [{
    Where the condition of a `cf.assert` is false, `npu_assertion_failed` is
    called, with a pointer to a text that ends in a zero: what a diagnostic would
    say, beginning with the file, line and column of the assertion as far as they
    are known. That function does not return. `npu-run` has one that prints the
    text and ends with exit code 1; who links what `npu-to-llvm` writes has to
    have one where the program has assertions. Upstream's lowering would abort,
    and leave the message, without its place, in a buffer of standard output.

    Requires: no structured control flow around assertions. Guarantees: no
    `cf.assert` is left.

    Example:

    ```mlir
    // before
    cf.assert %holds, "no way"
    // after
      cf.cond_br %holds, ^after, ^fails
    ^after:
      ...
    ^fails:
      %text = llvm.mlir.addressof @assertion : !llvm.ptr
      llvm.call @npu_assertion_failed(%text) : (!llvm.ptr) -> ()
      llvm.unreachable
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

#endif // NPU_CONVERSION_TILESTOLLVM_PASSES_TD
