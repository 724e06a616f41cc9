// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignDistributions : Pass<"npu-assign-distributions", "::mlir::ModuleOp"> {
  let summary = "choose the layout of every tensor that has none";
  let description = [{
    Says which tile runs which part of every operation, and so in which layout
    every tensor lies, at least total cost in cycles of the target, and writes
    the answer down: types with layouts, and an `npu.redistribute` or
    `npu.distribution_cast` for every copy of a tensor in another layout, loads
    from DDR and stores to it among them. The result is what
    npu-verify-distributions accepts: npu-legalize-distributions has nothing
    left to do, and npu-print-costs adds up to the cost that is told here.

    * `strategy=least` is dynamic programming over the program with dominance,
      pruned by Lagrangian bounds: it finds the least cost with a proof, or says
      how far from a proved bound it is (docs/assignment.md).
    * `strategy=greedy` takes for each operation in turn what is cheapest then;
      `strategy=beam` keeps the eight cheapest partial assignments;
      `strategy=duplicate` runs everything on all tiles and `strategy=rows`
      splits the outermost loop of everything. They are there to be compared.

    With `split-reductions`, a reduction may also run in parts: tiles reduce
    parts of the terms, partial results are brought to where they are combined,
    and a second reduction combines them in order. Float sums get the attribute
    `npu.split_reduction`, by which npu-run adds up the reference in the same
    parts.

    Tensors of rank 4 get a [storage kind](../storage.md) as well, for each of
    which `storage` has a remark that says why, and `npu.convert_storage` stands
    where the maker and a reader of one take different kinds.

    Kept as they are: layouts that tensors have already; the layout that
    `npu.layout` on an argument or a result of a function asks for; the types of
    calls, loops and branches. Arguments and results without one are in DDR, and
    so are operations that are not understood, with a warning. Tensors of
    `index`, those without elements and those of more than eight dimensions have
    no layouts.

    Where nothing fits the scratchpads, operations of linalg may run in steps on
    slices of tensors in DDR: one more kind of candidate, with loops, sizes, a
    layout for each slice, its own cost and its own bytes. An operation that gets
    one carries `npu.steps`, of which npu-run-in-steps makes loops; tensors that
    are not cut keep a layout. Operations before it, up to the first product, may
    run in the same steps, so that what lies between never is in DDR: a softmax
    between two products, or what follows a product. Reshapes between them are
    moved out of the way.

    Where memory may be short, the program is lowered to planned buffers in a
    copy, by npu-lower-to-tiles and npu-to-buffers: what is accepted fits the
    scratchpads, and a program for a larger scratchpad is accepted wherever its
    buffers fit.

    Requires: static shapes (npu-pad-to-max-prompt-len makes them), TOSA lowered.
    Errors: two layouts for one argument or result; an operation that does not
    fit the scratchpads; a storage kind that the device does not have, or an
    image that is larger than its images, where `storage` or `npu.storage` asks
    for it.

    Remarks, for each operation with a choice: what was chosen, what the next
    best candidate would have cost, everything else staying as it is, and what
    forbade others. One more for each function: its cost, and the bound.

    The report is JSON, one object for each function: operations with their
    candidates (`ways`), values with their layouts (`forms`) and what it costs to
    move between them, what has to fit the scratchpads, and the solution.

    Example:

    ```mlir
    // before
    %1 = linalg.exp ins(%0 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>)
    // after: --npu-assign-distributions=target=npu4000
    #rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
    %1 = npu.redistribute %0 : tensor<64x48xf32> to tensor<64x48xf32, #rows>
    %2 = tensor.empty() : tensor<64x48xf32, #rows>
    %3 = linalg.exp ins(%1 : tensor<64x48xf32, #rows>) outs(%2 : tensor<64x48xf32, #rows>)
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", /*default=*/"\"least\"",
           "least, greedy, beam, duplicate or rows">,
    Option<"tiles", "tiles", "int64_t", /*default=*/"0",
           "number of tiles; 0: as many as the target uses">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device, instead of the module's own; without any, costs are "
           "those of npu4000 and scratchpads hold everything">,
    Option<"states", "states", "int64_t", /*default=*/"20000",
           "strategy=least: the most partial assignments that the search keeps "
           "between two operations; where there are more, a bound and the "
           "distance to it are told instead of a proof">,
    Option<"bytePrice", "byte-price", "int64_t", /*default=*/"0",
           "what a byte counts that DDR moves or that a tile receives from "
           "another one, in millicycles, besides its time; reported costs are "
           "time alone">,
    Option<"splitReductions", "split-reductions", "bool", /*default=*/"false",
           "tiles may reduce parts of the terms and combine partial results; "
           "float sums are added up in another order then">,
    Option<"host", "host", "bool", /*default=*/"false",
           "the host may run what tiles can run, in functions where it has to run "
           "something or where nothing fits otherwise: which device runs an "
           "operation is one more choice by the same cost">,
    Option<"inSteps", "in-steps", "bool", /*default=*/"true",
           "where nothing fits the scratchpads otherwise, operations may run in "
           "steps on slices of tensors in DDR">,
    Option<"storage", "storage", "std::string", /*default=*/"\"auto\"",
           "linear or tiled2d: the storage kind of every tensor whose kernels take "
           "it and that has no npu.storage; auto: the one with the fewest bytes in "
           "conversions, and of equal ones the one that the device prefers">,
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "a file for the problems and their solutions, as JSON; -: standard "
           "output">,
  ];
  let dependentDialects = ["::npu::NPUDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def OutlineHost : Pass<"npu-outline-host", "::mlir::ModuleOp"> {
  let summary = "make a function of every part of a model that the host runs";
  let description = [{
    The operations of a function that the host runs, because tiles cannot
    (`npu.host`, and what passes do not understand), become private functions
    that may not be inlined: one for each part in which they read each other's
    results. Where an operation of tiles lies between two of them, reading one
    and read by the other, these are two parts: no part waits for itself. What
    crosses between the devices are then the operands and the results of calls,
    and `npu.host` on a call says why.

    Calls, loops and branches stay where they are, and so do operations on
    tensors with layouts or known padding. Constants and unwritten tensors are
    made in each part.

    Requires: nothing. Guarantees: results stay the same.

    Example: of a matmul, an operation without a kernel and a tanh, the one in the
    middle becomes `call @main_host_0(%0) {npu.host = "no kernel: ..."}`.
  }];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::func::FuncDialect"];
}

def ExplainAssignment : Pass<"npu-explain-assignment", "::mlir::ModuleOp"> {
  let summary = "say why a value gets the layouts that it gets";
  let description = [{
    Searches the assignment that npu-assign-distributions would write, writes
    nothing into the function, and explains one value in words: the candidates
    of the operation that makes it, what each costs and would cost the whole
    function, the layouts in which the value exists, and who reads it in which.

    Example, of a matmul's result:

    ```text
    %2 : tensor<64x48xf32>, in function @main on npu4000
      the whole function takes 6885 cycles, which is proved to be the least
      made by 'linalg.matmul' at model.mlir:5:8:
        split d0 over 4: 303 cycles, makes #npu.layout<SEGMENTED, tiles = [4, 1]>; +21 cycles in all, everything else as it is
        split d0 over 2 and d1 over 2: 301 cycles, makes #npu.layout<SEGMENTED, tiles = [2, 2]>; chosen
      exists in #npu.layout<SEGMENTED, tiles = [2, 2]>, as it is made
      read by 'linalg.exp' at model.mlir:6:8 in #npu.layout<SEGMENTED, tiles = [2, 2]>: it runs as 'split d0 over 2 and d1 over 2' for 4044 cycles, at least 4044 with any candidate
    ```
  }];
  let options = [
    Option<"value", "value", "std::string", /*default=*/"\"\"",
           "the value's name in a dump of its function: %0, %arg1">,
    Option<"strategy", "strategy", "std::string", /*default=*/"\"least\"",
           "least, greedy, beam, duplicate or rows">,
    Option<"tiles", "tiles", "int64_t", /*default=*/"0",
           "number of tiles; 0: as many as the target uses">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device, instead of the module's own">,
    Option<"states", "states", "int64_t", /*default=*/"20000",
           "as for npu-assign-distributions">,
    Option<"bytePrice", "byte-price", "int64_t", /*default=*/"0",
           "as for npu-assign-distributions">,
    Option<"splitReductions", "split-reductions", "bool", /*default=*/"false",
           "as for npu-assign-distributions">,
    Option<"storage", "storage", "std::string", /*default=*/"\"auto\"",
           "as for npu-assign-distributions">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_TD
