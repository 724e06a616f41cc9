// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_CHUNKS_PASSES_TD
#define NPU_PREPROCESS_CHUNKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChunkPrefill : Pass<"npu-chunk-prefill", "::mlir::ModuleOp"> {
  let summary = "run a prefill function of any prompt length in chunks of one shape";
  let description = [{
    A prefill function takes the rows of a prompt (dynamic dimensions), caches
    (`npu.cache_dim = 1` names the dimension with an entry for each position) and
    the position of the prompt's first row (`npu.cache_offset`, an index or
    integer), and gives rows and the caches with the prompt's entries. It becomes a
    loop over chunks: each call of one function of static shape (`main_chunk_128`,
    padded to `chunk-len`) gets the next rows, the caches as the chunk before left
    them, and the offset that belongs to them. Results are equal bit for bit.

    Results are equal where every row follows from the rows before it and from
    the cache alone, and does not depend on where its chunk begins. Both are
    proved:

    * Keys and values are read from a cache into which the chunk's rows have
      been put at the offset.
    * Positions after a row are neutral in reductions over positions: a select
      on `position <= row + offset` whose other branch is -inf, say. A
      weight of 0 is neutral if what it is multiplied with is finite; this is
      assumed of rows and caches, and remarked. With `assume-finite=false` it is not.
    * Rows are counted from the offset, and no result depends on the prompt's
      length.
    * Nothing reduces over rows. A function may select the last row: it is the
      last row of the last chunk.

    Anything else is refused with the operation and the reason.

    Requires: functions of one block; prompt lengths known at run time alone; caches
    of static shape, each returned. Guarantees: a prompt that does not fit into the
    caches fails an assertion.

    Example: `npu-opt model.mlir --npu-chunk-prefill=chunk-len=128`
    (test/Preprocess/Chunks/chunk-prefill.mlir).
  }];
  let options = [
    Option<"chunkLen", "chunk-len", "int64_t", /*default=*/"0",
           "rows of a chunk; at least 1">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where the padding of the last chunk goes: right or left">,
    Option<"assumeFinite", "assume-finite", "bool", /*default=*/"true",
           "assume that rows and caches hold finite numbers">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "fill padding with NaN (integers: 0xAB bytes), for tests">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // NPU_PREPROCESS_CHUNKS_PASSES_TD
