// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_SCHEDULE_PASSES_TD
#define NPU_CONVERSION_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def MarkCycles : Pass<"npu-mark-cycles", "::mlir::ModuleOp"> {
  let summary = "say on every operation what each tile's part of it takes";
  let description = [{
    Every operation that is work gets what npu-print-costs counts for it, tile by
    tile, as `npu.matrix_cycles` or `npu.vector_cycles`, by the engine of a tile that
    does it, and as `npu.load_cycles` where it only loads rows that data name, as an
    embedding does. npu-lower-to-tiles gives each tile's part its number, so that a program of
    tiles says what its parts take: npu-print-schedule reads them. What an output stage
    or an engine's padding does costs 0. An operation in DDR has one number. What a function returns gets 0,
    which says that arguments and results with a layout cost nothing at its ends.

    Without a target nothing is marked. npu-compile runs this pass before it lowers
    to tiles.

    Requires: functions that `npu-verify-distributions` accepts.

    Example, on npu4000:

    ```mlir
    // before
    %0 = linalg.exp ins(%x : tensor<8x4xf32, #rows>) outs(%e : tensor<8x4xf32, #rows>)
    // after
    %0 = linalg.exp {npu.vector_cycles = array<i64: 4164, 4164>} ins(...) outs(...)
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose figures count, instead of the module's own">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintSchedule : Pass<"npu-print-schedule", "::mlir::ModuleOp"> {
  let summary = "print when every engine does what, as the costs model it";
  let description = [{
    The modelled run of a program of the phase `scratchpad`: one row for each time that an
    engine is at work. Loops are unrolled in the rows, not in the program.

    Engines are `tile N matrix`, `tile N vector` and `dma N`. A tile's two engines work
    beside each other, each in the order of the program. `dma 0` and so on up to the
    device's ports move data between DDR and tiles: a tile's loads in their order, its
    stores in theirs, each transfer on the port that is free first, and of those that wait
    the one that comes first in the program. DDR as a whole gives what it has. The numbers after the ports
    are the links between tiles. Every row waits for those that have written what it
    reads, and for those that use what it writes over: in scratchpads byte by byte, in DDR
    box by box. Nothing else holds a row back, so that the next loads run under work
    wherever buffers have the room.

    `total` is the end of the last row, `compute_bound` the larger of all matrix and all
    vector work, spread over all tiles, and `ddr_bound` the time of `ddr_bytes_bound`, each
    argument, constant and result once, at full bandwidth. `waiting` is the time in which
    the busiest tile, or port, has work left and does nothing.

    In text: these figures, a picture in which each column is an equal part of the time, and the
    operations that wait longest; `format=picture` has them in lines of at most 80 columns.
    Units: cycles of the target's clock, seconds, and bytes. `format=chrome` is a trace for
    viewers, in microseconds (docs/schedule.md, "In a trace viewer").

    `reads` of a row are `[tile, begin byte, end byte, row]`: ranges of a tile's
    scratchpad with the row that wrote them, null for what was there at the start;
    `writes` are `[tile, begin byte, end byte]`.

    Changes nothing. Writes to standard output unless `output-file` is given. All
    branches count; of loops whose rounds nobody knows one round counts, and called
    functions do not.

    Requires: a target, and a program with planned scratchpads, with the marks of
    npu-mark-cycles: `npu-opt model.mlir --npu-compile=target=npu4000
    --npu-print-schedule=target=npu4000`. What has no mark
    takes no cycles, as in npu-print-costs: fills, copies between buffers, loads of
    arguments and stores of results that have a layout. A remark says how many structured
    operations on tiles have none.

    Example of `format=json`:

    ```json
    {"functions": [{"name": "main", "unit": "cycles", "total": 98765, "seconds": 7.26e-05,
      "compute_bound": 90000, "ddr_bound": 80000, "ddr_bytes": 480000000,
      "ddr_bytes_bound": 479000000, "waiting": {"compute": 1200, "transfer": 300},
      "rows": [{"id": 0, "engine": "dma 0", "begin": 0, "end": 40, "what": "load",
        "location": "model.mlir:3:8", "bytes": 4096, "reads": [], "writes": [[2, 0, 4096]] } ] } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text, json, picture, or chrome for a trace viewer">,
    Option<"rows", "rows", "int64_t", /*default=*/"-1",
           "how many rows are printed; all of them where it is negative">,
    Option<"engines", "engines", "int64_t", /*default=*/"32",
           "how many engines a picture shows; 0 shows all of them">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose figures count, instead of the module's own">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_CONVERSION_SCHEDULE_PASSES_TD
