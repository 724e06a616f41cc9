// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_TOLLVM_PASSES_TD
#define NPU_CONVERSION_TOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTransfers : Pass<"npu-lower-transfers"> {
  let summary = "lower transfers to copies of parts of buffers";
  let description = [{
    A `npu.transfer` becomes, for every destination, a `memref.copy` from the part
    of the source that the box covers to the part of the destination; where the
    memory orders differ, a `linalg.transpose`. One that moves an empty box goes
    away. A back end that has DMA engines takes transfers before this pass.

    Requires: bufferized functions. Guarantees: no `npu.transfer` is left.

    Example:

    ```mlir
    // before
    npu.transfer %x[2, 0] from ddr to tile 0 into %part[0, 0] box [2:4, 0:4] bytes = 32
        : memref<8x4xf32> to memref<2x4xf32, 1>
    // after
    %rows = memref.subview %x[2, 0] [2, 4] [1, 1]
        : memref<8x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
    memref.copy %rows, %part : memref<2x4xf32, strided<[4, 1], offset: 8>> to memref<2x4xf32, 1>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ElideCopies : Pass<"npu-elide-copies"> {
  let summary = "let operations use the other side of a copy, where nothing can tell";
  let description = [{
    A tile program loads operands from DDR to the scratchpads of tiles, and stores
    results. On the machine that simulates it, both are the same memory. Where a
    copy fills a buffer that is only read afterwards, what reads the buffer reads
    the source instead, as long as nothing writes the source before the last of
    these reads. Where a copy takes a buffer somewhere else, what writes and reads
    the buffer does so there instead, as long as nothing else touches that place
    from the first use of the buffer until the copy, and nothing changes either of
    both from then on. The copy and the buffer go away.

    Buffers are allocations and views of arenas all of whose uses are in one block.
    A buffer keeps its copies where an operation with unknown effects, such as a
    call, takes it, where its arena is an argument that is no tile's scratchpad
    (`npu.arena`), and where another view of the same bytes is used in between or
    reads bytes that it has not filled itself.

    The transfers of a program, their bytes and their phases are what they were
    until here: the pass belongs to the lowering for this machine.

    Requires: bufferized functions without `npu.transfer` (`npu-lower-transfers`).
    Guarantees: every operation reads the bits that it read before.

    Example:

    ```mlir
    // before
    %part = memref.subview %x[8, 0] [8, 64] [1, 1] : ...
    %loaded = memref.view %arena[%c0][] : memref<2048xi8> to memref<8x64xf32>
    memref.copy %part, %loaded : ...
    linalg.exp ins(%loaded : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
    // after
    %part = memref.subview %x[8, 0] [8, 64] [1, 1] : ...
    linalg.exp ins(%part : memref<8x64xf32, strided<[64, 1], offset: 512>>) outs(%y : memref<8x64xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CopiesToRuns : Pass<"npu-copies-to-runs"> {
  let summary = "rewrite copies of strided buffers as loops over contiguous runs";
  let description = [{
    A `memref.copy` between buffers that are not contiguous becomes a loop over
    copies of the longest runs that are contiguous on both sides; upstream
    lowers those to memcpy, and anything else to a call of a generic copy that
    moves element by element. Where a run is one element, the copy becomes a
    `linalg.generic`. Copies of nothing go away.

    A copy of one run becomes `llvm.intr.memcpy` between pointers at constant
    distances from those of whole buffers: a tile program has hundreds of such
    copies, and upstream's lowering takes 40 operations for each.

    Requires: bufferized functions. Guarantees: every `memref.copy` is contiguous
    on both sides.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LocateBodies : Pass<"npu-locate-bodies"> {
  let summary = "operations without a location get that of the one around them";
  let description = [{
    The parser gives the region of a named linalg operation operations without a
    location. Where one of them has no lowering, the error would have no line.
    Each gets the location of the operation that it stands in.

    Requires: nothing. Guarantees: every operation is located as well as the
    operation around it.
  }];
}

def DropTiles : Pass<"npu-drop-tiles"> {
  let summary = "drop the memory spaces and attributes that belong to tiles";
  let description = [{
    Takes memory spaces off every type, because a tile's number is not an address
    space of the machine that runs the program, and with them every attribute
    that begins with `npu.`, the marks of results, and the description of the
    target.

    Requires: bufferized functions. Guarantees: no memory space is left.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def MergeEqualOperations : Pass<"npu-merge-equal-operations"> {
  let summary = "compute and read once what is computed and read twice";
  let description = [{
    Upstream's `cse` looks, for each two equal reads, at every operation between them,
    which takes most of the time of a lowering whose blocks are long. This pass counts
    the writes of a block once: two equal reads are one where no write is between them,
    and two equal operations without effects are one where the first dominates the
    second. An operation with regions counts as a write, and what is inside of it
    stays as it is.

    Requires: nothing. Guarantees: a function computes and reads the same values.

    Example:

    ```mlir
    // before
    %0 = memref.load %a[%i] : memref<8xf32>
    %1 = memref.load %a[%i] : memref<8xf32>
    %2 = arith.addf %0, %1 : f32
    // after
    %0 = memref.load %a[%i] : memref<8xf32>
    %2 = arith.addf %0, %0 : f32
    ```
  }];
}

def OutlineOperations : Pass<"npu-outline-operations", "::mlir::ModuleOp"> {
  let summary = "one function for all structured operations that are equal";
  let description = [{
    Moves each structured operation, and each `memref.copy` that is more than one
    contiguous run, to a private function, and calls it. Operations share a
    function where they are equal: in name, attributes, extents, strides, maps and
    bodies, with the constants that they use. Tiles and layers differ in where
    their buffers begin only, which makes no difference. LLVM optimizes and
    compiles each function once, and in time that grows with the square of the
    size of the largest one; what is left of the program is calls, copies and
    control flow.

    A buffer of static extents and strides is handed over as a pointer to its
    first element. Others, and buffers that a body reads by indices, are arguments
    as they are. Such a function is never inlined.

    An assertion names the place in the file where it stands. Operations in whose
    bodies something may fail an assertion (one that is there, or an integer
    division, which gets one) share a function only where they come from the same
    place, as the parts of one operation on several tiles do.

    Requires: functions on buffers, without memory spaces
    (`npu-drop-tiles`; buffers with a memory space stay arguments as they are).
    Guarantees: every structured operation stands alone in a function; each of
    them runs as often and in the same order as before, on the same buffers.

    Example:

    ```mlir
    // before
    linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    linalg.exp ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
    // after, shortened
      call @npu_operation.0.linalg.exp(%px, %py) : (!llvm.ptr, !llvm.ptr) -> ()
      call @npu_operation.0.linalg.exp(%py, %pz) : (!llvm.ptr, !llvm.ptr) -> ()
      ...
    func.func private @npu_operation.0.linalg.exp(%0: !llvm.ptr, %1: !llvm.ptr) {
      ...
      linalg.exp ins(%from : memref<4xf32>) outs(%to : memref<4xf32>)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def VectorizeLoops : Pass<"npu-vectorize-loops"> {
  let summary = "lower structured operations to loops over vectors, bit for bit";
  let description = [{
    Lowers structured operations on buffers to loops of `scf` whose innermost
    part computes vectors of 512 bits: a parallel loop along which the result
    lies contiguously in memory runs over lanes, and where there are reductions,
    another parallel loop runs over up to 6 rows of vectors, which stay in
    registers while the reductions run. What is left of an extent is computed by
    shorter vectors, or element by element where the extent is known at run time
    only.

    Where many rows read the same lanes, as the rows of a matrix product, these
    are copied into a panel of 16 KiB first, for as many steps of the reductions
    as fit: loops over ranges of the reductions and of rows stand outside of
    those over lanes, so that panels stay in the first-level cache and rows in
    the second-level one. The panels are buffers of their own.

    Where an operand lies across the lanes and along the innermost reduction, as
    the rows that are added up, a block of as many lanes as steps is loaded with
    one vector for each lane and transposed in registers. The last block ends
    where the reduction does, and its first steps are not done again.

    Every element is computed by the same operations in the same order as by
    `convert-linalg-to-loops`: a lane is one element, sums are not split, and no
    multiplication is fused with an addition. So results are the same bits. f16
    and bf16 are computed in f32 and rounded after every operation, which is what
    LLVM does with scalars of these types.

    An operation stays as it is where its loops have fewer steps than
    `fewest-steps`, where its body divides integers (of which each division is
    asserted), calls, branches, reads buffers or has functions of the C library,
    or where no parallel loop gains by vectors. Conversions of floats to integers
    that do not have the number are undefined, and so are operands that overlap a
    result other than element by element.

    Requires: bufferized functions. Guarantees: bits stay the same.

    Example:

    ```mlir
    // before
    linalg.exp ins(%x : memref<32xf32>) outs(%y : memref<32xf32>)
    // after, with fewest-steps=0
    scf.for %i = %c0 to %c32 step %c16 {
      %0 = vector.load %x[%i] : memref<32xf32>, vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      vector.store %1, %y[%i] : memref<32xf32>, vector<16xf32>
    }
    ```
  }];
  let options = [
    Option<"fewestSteps", "fewest-steps", "int64_t", "4096",
           "operations of fewer steps stay loops over scalars, which compile "
           "faster; an extent that is known at run time only counts for 16">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ApproximateMath : Pass<"npu-approximate-math"> {
  let summary = "compute exp, log, tanh, erf, expm1 and log1p, lane by lane";
  let description = [{
    Rewrites `math.exp`, `math.log`, `math.tanh` and `math.erf` of f32, and of
    shorter floats in f32, to upstream's polynomial approximations, which consist
    of operations that vectors have: a lane and a scalar give the same bits. A
    call of the C library computes one number at a time. Results are within the
    bound that audits take for such functions (docs/audit.md). `math.expm1` and
    `math.log1p` become `math.exp` and `math.log` with a correction by Kahan's
    formulas, so that numbers near 0 keep their digits: 1e-9 stays 1e-9.

    What has a result in bf16 is computed in f32 and rounded, and conversions from
    and to bf16 become operations on integers, which round as IEEE 754 says. LLVM
    has a call for each number, or instructions of the processor that make numbers
    below the smallest normal one 0.

    Requires: structured operations have been lowered to loops, because bodies of
    named ones may not change. Guarantees: the same for both sides of a
    comparison.

    Example: `math.exp %x : vector<16xf32>` becomes a polynomial of `math.fma`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def AssertBounds : Pass<"npu-assert-bounds"> {
  let summary = "assert that parts and entries of buffers lie inside of them";
  let description = [{
    A `cf.assert` stands in front of every `memref.subview`, `memref.load` and
    `memref.store` that may be outside of its buffer: offsets, sizes, strides or
    indices that are known at run time only, unless the loops around them and the
    operations that compute them keep them inside. The same holds for copies and
    casts between buffers whose extents may differ, for dimensions that are
    expanded into others whose product may not be their extent, and for structured
    operations whose operands may have other extents than their loops. A part that is outside
    whatever the run is an error now; upstream's verifier does not look at what
    negative strides reach.

    Requires: bufferized functions. Guarantees: what runs reads and writes inside
    of its buffers, or an assertion fails.

    Example:

    ```mlir
    // before
    %part = memref.subview %x[%i] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
    // after
    %begins = arith.cmpi sge, %i, %c0 : index
    %ends = arith.cmpi sle, %i, %c2 : index
    %inside = arith.andi %begins, %ends : i1
    cf.assert %inside, "expected a slice inside the 4 entries of dimension 0"
    %part = memref.subview %x[%i] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ExpandByExtents : Pass<"npu-expand-by-extents"> {
  let summary = "view several dynamic extents by strides";
  let description = [{
    A `memref.expand_shape` that makes more than one dynamic extent of one becomes
    a `memref.reinterpret_cast` with the sizes that the operation states, and the
    strides that follow from them. Upstream's `expand-strided-metadata` computes
    the dynamic extent of a group from that of the source, and wants one in each.

    Requires: bufferized functions; assertions that sizes fit the source
    (`npu-assert-bounds`). Guarantees: every `memref.expand_shape` has at most one
    dynamic extent for each dimension of its source.

    Example:

    ```mlir
    // before
    %y = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : memref<?xf32> into memref<?x?xf32>
    // after
    %base, %offset, %size, %stride = memref.extract_strided_metadata %x : memref<?xf32> -> memref<f32>, index, index, index
    %y = memref.reinterpret_cast %base to offset: [0], sizes: [%m, %n], strides: [%n, 1] : memref<f32> to memref<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def AssertDepth : Pass<"npu-assert-depth", "::mlir::ModuleOp"> {
  let summary = "assert that functions which call themselves come to an end";
  let description = [{
    A function that may call itself, also through others, counts how many such
    functions are running, in a global of the module, and asserts that they are
    fewer than 1,000: more calls may not have room on the stack. Functions that
    do not call themselves stay as they are.

    Requires: `func.return` at the end of each such function. Guarantees: a
    recursion without an end fails an assertion.

    Example:

    ```mlir
    // before
    func.func private @f(%n: i64) -> i64 {
      %r = call @f(%n) : (i64) -> i64
      return %r : i64
    }
    // after
    memref.global "private" @npu_depth : memref<i64> = dense<0>
    func.func private @f(%n: i64) -> i64 {
      %depth = memref.get_global @npu_depth : memref<i64>
      %before = memref.load %depth[] : memref<i64>
      %holds = arith.cmpi slt, %before, %c1000_i64 : i64
      cf.assert %holds, "expected at most 1000 calls inside of each other, ..."
      %inside = arith.addi %before, %c1_i64 : i64
      memref.store %inside, %depth[] : memref<i64>
      %r = call @f(%n) : (i64) -> i64
      memref.store %before, %depth[] : memref<i64>
      return %r : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

def AssertDivisors : Pass<"npu-assert-divisors"> {
  let summary = "assert that divisions have a quotient and loops an end";
  let description = [{
    A `cf.assert` stands in front of every division and remainder of integers and
    indices whose divisor may be 0, and of every signed division which may be of
    the smallest number by -1, for which processors trap. The remainder of a
    division by -1 is 0: such a divisor becomes 1. Another one stands in front of
    every `scf.for` and `scf.parallel`, which divides its range into steps, whose
    step may be 0 or less: it would not end. What is known to be harmless, as
    constants are, needs no assertion.

    Requires: integers and indices, not vectors of them. Guarantees: no division
    traps and no counted loop goes on forever, or an assertion fails.

    Example:

    ```mlir
    // before
    %q = arith.divui %a, %b : i32
    // after
    %holds = arith.cmpi ne, %b, %c0_i32 : i32
    cf.assert %holds, "expected a divisor other than 0"
    %q = arith.divui %a, %b : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def LowerControlFlow : Pass<"npu-lower-control-flow"> {
  let summary = "lower loops and branches to blocks in linear time";
  let description = [{
    Applies upstream's lowering of `scf` to blocks, to the last operation of a
    block first. The lowering of a loop moves all that follows it to a new block.
    Upstream's own pass, `convert-scf-to-cf`, begins with the first loop, so that
    the last operation moves as often as there are loops: 8,000 loops in one
    block take 4 s there. Here each operation moves once.

    Requires: nothing. Guarantees: no operation of `scf` is left.

    Example:

    ```mlir
    // before
    scf.for %i = %zero to %n step %one {
      memref.store %x, %m[%i] : memref<4xf32>
    }
    // after
      cf.br ^head(%zero : index)
    ^head(%i: index):
      %more = arith.cmpi slt, %i, %n : index
      cf.cond_br %more, ^body, ^end
    ^body:
      memref.store %x, %m[%i] : memref<4xf32>
      %next = arith.addi %i, %one : index
      cf.br ^head(%next : index)
    ^end:
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def PackArguments : Pass<"npu-pack-arguments", "::mlir::ModuleOp"> {
  let summary = "a function on buffers takes one list of its buffers";
  let description = [{
    The function `entry` takes one pointer in place of its buffers: to an array
    that has, for each of them, a pointer to a pointer to its descriptor (two
    pointers, of which the second counts, an offset, extents, strides). A buffer
    is loaded before its first use. In LLVM, a buffer of rank r would be 3 + 2r
    arguments, and the time of its passes grows with the square of the number of
    arguments: 2,000 unused buffers of rank 1 take 8 s.

    Requires: bufferized functions without memory spaces; nothing calls `entry`.
    Guarantees: `entry` is `void (void **)`.

    Example:

    ```mlir
    // before
    func.func @main(%x: memref<4xf32>) {
      "use"(%x) : (memref<4xf32>) -> ()
    // after, shortened
    func.func @main(%list: !llvm.ptr) {
      %place = llvm.getelementptr %list[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %argument = llvm.load %place : !llvm.ptr -> !llvm.ptr
      %descriptor = llvm.load %argument : !llvm.ptr -> !llvm.ptr
      %word = llvm.getelementptr %descriptor[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %data = llvm.load %word : !llvm.ptr -> !llvm.ptr
      ...
      "use"(%x) : (memref<4xf32>) -> ()
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", [{"main"}],
           "the function whose buffers become a list">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PackElements : Pass<"npu-pack-elements", "::mlir::ModuleOp"> {
  let summary = "load and store integers of 2 and 4 bits as parts of bytes";
  let description = [{
    In the memory of a device, integers of 2 and 4 bits are packed: row by row,
    the first one in the lowest bits of a byte. LLVM gives each of them a byte.
    This pass loads the byte that has an element and takes its bits out of it, and
    stores an element with the others of its byte as they were. Offsets and strides
    of buffers go on counting elements, so that views need no change. Constants
    become bytes, which are viewed as elements.

    Upstream's emulation of narrow types changes the types of buffers, and refuses
    views of bytes (`memref.view`), which scratchpads consist of, and parts of more
    than one dimension.

    Requires: no structured operations on buffers. Guarantees: no load or store of
    such an element is left.

    Example:

    ```mlir
    // before
    %x = memref.load %m[%i] : memref<8xi4>
    // after, shortened
    %half = llvm.ashr %i, %one : i64
    %place = llvm.getelementptr %data[%half] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %byte = llvm.load %place : !llvm.ptr -> i8
    %moved = llvm.lshr %byte, %shift : i8
    %x = llvm.trunc %moved : i8 to i4
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def ReportAssertions : Pass<"npu-report-assertions", "::mlir::ModuleOp"> {
  let summary = "report failed assertions with their place and message";
  let description = [{
    Where the condition of a `cf.assert` is false, `npu_assertion_failed` is
    called, with a pointer to a text that ends in a zero: what a diagnostic would
    say, beginning with the file, line and column of the assertion as far as they
    are known. That function does not return. `npu-run` has such a function,
    which prints the text and ends with exit code 1; code that links the output
    of `npu-to-llvm` has to define one where the program has assertions.
    Upstream's lowering would abort,
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

def SignAddresses : Pass<"npu-sign-addresses"> {
  let summary = "let addresses go backwards where a stride may be negative";
  let description = [{
    Upstream's `finalize-memref-to-llvm` says of every address of a load or a store
    that neither it nor the products and sums of its index wrap around as numbers
    without a sign (`nuw`). Of a view with a negative stride that is not true, and
    LLVM may put another address there. This pass takes `nuw` from addresses whose
    index is multiplied by a negative number, or by one that is not known, and
    from what the index is made of.

    Requires: no memrefs. Guarantees: only flags change.

    Example:

    ```mlir
    // before
    %at = llvm.mul %i, %minus_one overflow<nsw, nuw> : i64
    %address = llvm.getelementptr inbounds|nuw %first[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    // after
    %at = llvm.mul %i, %minus_one overflow<nsw> : i64
    %address = llvm.getelementptr inbounds %first[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SplitFunctions : Pass<"npu-split-functions", "::mlir::ModuleOp"> {
  let summary = "move parts of long blocks to functions of their own";
  let description = [{
    A block of a function that has more than twice as many operations as
    `operations` says, those in regions included, becomes calls of functions
    (`npu_part.N`), each of which has about as many. They are not inlined: the time
    that LLVM's register allocation takes grows faster than the length of a
    function. `memref.alloca` and operations of the async dialect stay where they
    are, and so do coroutines.

    A part takes what its operations use of others, and returns what the rest of the block
    uses. What has no effects, as a constant or a view, is made again in each part,
    and so is a buffer that `npu-pack-arguments` loads from the list of arguments.
    A buffer of static shape that one part makes and others use is handed over as
    two pointers in an array in memory: as a result it would be five values and
    more.

    Requires: nothing. Guarantees: results stay the same.

    Example, with `operations=2`:

    ```mlir
    // before
    func.func @main(%x: memref<4xf32>) {
      call @a(%x) : (memref<4xf32>) -> ()
      call @b(%x) : (memref<4xf32>) -> ()
      call @c(%x) : (memref<4xf32>) -> ()
      call @d(%x) : (memref<4xf32>) -> ()
      call @e(%x) : (memref<4xf32>) -> ()
      return
    }
    // after
    func.func @main(%x: memref<4xf32>) {
      call @npu_part.2(%x) : (memref<4xf32>) -> ()
      call @npu_part.1(%x) : (memref<4xf32>) -> ()
      call @npu_part.0(%x) : (memref<4xf32>) -> ()
      return
    }
    func.func private @npu_part.0(%x: memref<4xf32>) attributes {passthrough = ["noinline"]} {
      call @e(%x) : (memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let options = [
    Option<"operations", "operations", "int64_t", /*default=*/"512",
           "the operations of one part">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // NPU_CONVERSION_TOLLVM_PASSES_TD
