// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_PLANSCRATCHPAD_PASSES_TD
#define NPU_CONVERSION_PLANSCRATCHPAD_PASSES_TD

include "mlir/Pass/PassBase.td"

def PinLoopBuffers : Pass<"npu-pin-loop-buffers"> {
  let summary = "give the buffers that loops hand to their next iteration one place";
  let description = [{
    A `scf.for` or `scf.while` that hands on a tile's buffer that its iteration
    allocated would need another buffer in the next iteration, while the old one
    is read. The handed-on buffer is copied into one buffer instead: the one
    that the loop begins with, where nothing reads that later, or a copy of it.

    Requires: nothing. Guarantees: no loop hands on another buffer of a tile
    than it was given, as `npu-plan-scratchpad` wants it. Buffers of dynamic
    size,
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

def ReuseBuffers : Pass<"npu-reuse-buffers"> {
  let summary = "let elementwise operations write over inputs that nothing uses later";
  let description = [{
    An elementwise linalg operation in a function's body writes its result over an
    input buffer of the same type, which it reads with the same indexing map,
    where nothing uses the input later and the result is the first thing in its
    own buffer. Buffers of tiles stay as they are: `npu-plan-scratchpad` does the
    same with their places.

    Requires: nothing; functions with several blocks stay as they are, and what
    is freed. Guarantees: results stay the same, and no buffer is added.

    Example: `%b` is in `%a`'s place.

    ```mlir
    // before
    %a = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    %b = memref.alloc() : memref<4xf32>
    linalg.tanh ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
    linalg.log ins(%b : memref<4xf32>) outs(%out : memref<4xf32>)
    // after
    %a = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    linalg.tanh ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
    linalg.log ins(%a : memref<4xf32>) outs(%out : memref<4xf32>)
    ```
  }];
}

def PlanScratchpad : Pass<"npu-plan-scratchpad", "::mlir::ModuleOp"> {
  let summary = "place every tile's buffers at fixed offsets of its scratchpad";
  let description = [{
    A `memref.alloc` in tile k's memory space (k + 1) becomes a `memref.view` at a
    fixed offset of one argument that the function gets for that tile,
    `memref<BYTESxi8, k + 1>` with the attribute `npu.arena = k`; its deallocations
    go away. Buffers that are in use at the same time lie apart. Offsets are
    multiples of 64.

    A buffer is in use from the first to the last operation of the function's body
    that touches it or a view of it. A buffer inside a loop is in use for the whole
    outermost loop. A buffer that goes out of sight (its pointer is taken, an
    unknown operation gets it) is in use throughout, or refused in a
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

    `problems=DIRECTORY` writes what was packed: DIRECTORY/main.0.csv has the buffers
    of tile 0 in @main, one in each line, as `npu-translate --pack-buffers` and other
    solvers read them (bytes, steps as half-open intervals). Buffers that share one
    place in turn, because one is written over the other, are one line.

    Requires: bufferized functions whose tiles' buffers have static sizes and
    stay in the function; no recursion through a function that has such buffers.
    Guarantees: in every function that can be reached from outside, tiles'
    memory comes from arenas only (buffers of no bytes aside); results do not
    depend on which buffers share memory.

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
    Option<"problems", "problems", "std::string", /*default=*/"\"\"",
           "directory for what was packed, a table (CSV) for each tile">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def VerifyScratchpadPlan
    : Pass<"npu-verify-scratchpad-plan", "::mlir::ModuleOp"> {
  let summary = "verify that planned buffers lie inside their arenas and apart";
  let description = [{
    Changes nothing. In every function that has arenas, each buffer is a
    `memref.view` of its tile's arena at a constant offset that is a multiple of
    64, all of it lies inside the arena, and buffers that are in use at the same
    time lie apart. An arena is used in no other way. In a loop the offset may be
    `(ROUND mod SLOTS) * BYTES + OFFSET` as an `affine.apply`, of 2 to 8 slots that are
    each as large as the buffer: all of them lie inside and apart.

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
  let summary = "print the longest prompt whose padded program fits a target";
  let description = [{
    Pads (`npu-pad-to-max-prompt-len`), legalizes, lowers and plans copies of the
    module at lengths between which it searches, and prints the largest length at
    which every tile's buffers fit the scratchpads of the target, and what is in
    DDR fits `npu.ddr_bytes`, where that is known. One more does not, and the error
    that it gets is printed. Where no tensor has a layout, `npu-assign-distributions` gives them
    before they are legalized, as `npu-compile` does. Considered are lengths from the functions' own (1 where that is a run-time
    value) to 1,048,576. Changes nothing.

    Requires: a target; what `npu-pad-to-max-prompt-len` and `npu-lower-to-tiles`
    require; that a longer prompt does not need less memory.

    Example: `--npu-print-largest-prompt-len=target=npu4000` prints

    ```text
    the largest prompt that fits the scratchpads of npu4000 has 251 tokens
    one more is limited by: 'linalg.generic' on tile 0: expected 'main' to need at most 1474560 bytes, the scratchpad of npu4000, got 1478880
    how much DDR npu4000 has is not known (npu.ddr_bytes), and limits nothing
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

#endif // NPU_CONVERSION_PLANSCRATCHPAD_PASSES_TD
