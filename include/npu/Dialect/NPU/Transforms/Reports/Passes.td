// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_REPORTS_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_REPORTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintDistributions : Pass<"npu-print-distributions", "::mlir::ModuleOp"> {
  let summary = "print the placement of every value";
  let description = [{
    For every tensor value of every function, in program order, function
    arguments first: its type and, for every tile, compute and memory boxes.
    Tensors that are not distributed are listed with no tiles. Known padding
    (docs/padding.md) is shown: the ranges of the tensor, and the real part of
    the memory of every tile that holds padding. In JSON such values have
    `"padding": [{"dim": 2, "begin": 336, "end": 512} ]`.

    Changes nothing. Writes to standard output unless `output-file` is given
    (`-o /dev/null` drops the IR). Units: elements, whole-tensor coordinates.

    With `format=picture`, the boxes are drawn in lines of at most 80 columns, with up to
    three of the dimensions that are cut (docs/debugging.md, "Where is the data?").

    Example of `format=json`:

    ```json
    {"functions": [{"name": "main", "values": [{"name": "%arg0", "type": "tensor<...>",
      "shape": [1, 28, 336, 128], "element_bits": 16, "tiles": [
        {"tile": 0, "compute": {"offset": [0, 0, 0, 0], "size": [1, 7, 336, 128]},
                    "memory":  {"offset": [0, 0, 0, 0], "size": [1, 7, 336, 128]} } ] } ] } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text, json or picture">,
    Option<"tiles", "tiles", "int64_t", /*default=*/"16",
           "how many tiles a picture shows; 0 shows all of them">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintTransfers : Pass<"npu-print-transfers", "::mlir::ModuleOp"> {
  let summary = "print every redistribution's transfers, bytes and bounds";
  let description = [{
    One row per `npu.redistribute` and per cast between layouts (casts have no
    transfers): who sends which box to whom, and each figure beside the least it
    can be. Units: bytes. Known padding does not move and is not counted.

    | figure | definition | bound |
    |---|---|---|
    | `bytes_received` | sum over transfers between tiles of bytes times receivers | sum over tiles of what it must hold and does not |
    | `max_tile_received` | the same for the fullest tile | the same |
    | `bytes_injected` | sum over transfers between tiles, a multicast once | what some tile must hold and does not, once |
    | `max_tile_sent` | busiest sender, a multicast once | least possible (max-flow) |
    | `bytes_relaid` | bytes whose order inside a tile changes | |
    | `ddr_bytes` | loaded from DDR (a multicast load once) plus stored to it | |

    Elements of fewer than eight bits are counted in bits, and each figure is
    rounded up to whole bytes once. It may be below the sum over the transfers,
    each of which has whole bytes of its own.

    Source of the bounds: docs/concepts.md, "Redistribution, and how good it can
    be".

    An operation that tiles do not do part by part falls back to the host: its
    operands are stored, its results loaded. Each such operation that moves
    anything is a row of `gathered`, with the reason.

    `totals` has what the function moves after lowering: the rows, the operands
    and results of host fallbacks (`gathered_bytes`, part of `ddr_bytes`),
    and what passes the function's boundary (`boundary_bytes`, part of
    `ddr_bytes`: distributed
    arguments that are used are loaded, results stored, constants of more than one
    value loaded). An operation in a loop counts once, and functions that are
    called do not count. A redistribution of an unwritten tensor has a row, but
    moves nothing after lowering, and is in no total.

    Of a tile program (`npu-lower-to-tiles`), every `npu.transfer` is an entry of
    `transfers`, and `totals` has `bytes_received`, `bytes_injected` and
    `ddr_bytes`, which are equal to those of the function before lowering.

    Changes nothing. Writes to standard output unless `output-file` is given.

    Of a redistribution with more transfers than a program may have (1048576),
    there is their number instead: `transfers_left_out`.

    With `format=picture`, the bytes of transfers are a table of tiles that send and tiles
    that receive, in lines of at most 80 columns. A multicast counts for each receiver.

    Example of `format=json`:

    ```json
    {"functions": [{"name": "main",
      "redistributions": [{"location": "...", "op": "npu.redistribute",
        "transfers": [{"from": 0, "to": [1], "offset": [0, 0, 0, 0], "size": [1, 7, 84, 128], "bytes": 150528} ] } ],
      "gathered": [{"location": "...", "op": "tosa.add", "reason": "it is not known which part of its operands it reads",
        "bytes_stored": 128, "bytes_loaded": 128, "ddr_bytes": 256} ],
      "totals": {"bytes_received": 150528, "bytes_injected": 150528, "bytes_relaid": 0, "ddr_bytes": 512,
        "gathered_bytes": 256, "boundary_bytes": 256} } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text, json or picture">,
    Option<"tiles", "tiles", "int64_t", /*default=*/"16",
           "how many tiles a picture shows; 0 shows all of them">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintCosts : Pass<"npu-print-costs", "::mlir::ModuleOp"> {
  let summary = "print what every operation and movement costs on a target";
  let description = [{
    One row per operation that has a tensor as its result, and one per movement: a
    redistribution, a cast between layouts (0), the load of a constant of several
    values, and what is stored and loaded around an operation that falls back to the host.
    `total` is the sum of the rows, as if one were done after the other. Units:
    cycles of the target's clock, and bytes. docs/costs.md says what costs what.

    `tile` is the busiest one, 0 for what is in DDR. Rows in loops whose rounds are known are for
    all rounds; of other loops one round counts, and a remark says so. All branches
    count, called functions do not, nor does what loads arguments with a layout and
    stores such results. In text, rows of 0 cycles are only counted.

    Changes nothing. Writes to standard output unless `output-file` is given.

    Requires: a target, and functions that `npu-verify-distributions` accepts.

    Example of `format=json`:

    ```json
    {"functions": [{"name": "main", "target": "npu4000", "unit": "cycles", "total": 1234,
      "ddr_bytes": 4096, "ddr_bytes_bound": 4096,
      "rows": [{"kind": "operation", "op": "linalg.matmul", "location": "model.mlir:3:8",
        "cycles": 1234, "tile": 2, "bytes": 0, "ddr_bytes": 0} ] } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose figures count, instead of the module's own">,
    Option<"largestFirst", "largest-first", "bool", /*default=*/"false",
           "rows by their cycles instead of in program order">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintKernels : Pass<"npu-print-kernels", "::mlir::ModuleOp"> {
  let summary = "print which kernel of a device each operation has, or why none";
  let description = [{
    For every operation that computes, the row of the device's table of kernels
    ([kernels](../devices.md#kernels)) that takes it, or every row for such
    operations with the first thing that it has against it. Equal operations with
    the same answer share a line in text; the location is that of the first.
    An operation that passes do not know, or that is marked for the host
    (`npu.host`), has no kernel, and the reason says so. The answers are those
    that npu-select-kernels acts on.

    Changes nothing. Writes to standard output unless `output-file` is given.

    Requires: a target. Of a model in TOSA, operations are asked as they stand: after
    `npu-compile="compile-to=padded"` they are what the assignment gets.

    Example of `format=json`:

    ```json
    {"target": "npu4000", "rows": [{"row": 8, "kernel": "{op = ...}"} ],
      "functions": [{"name": "main", "operations": [
        {"op": "npu.scatter", "kernel": "npu.scatter f16xf16xi64->f16", "location": "model.mlir:3:8",
         "structure": null, "row": null, "reason": "index type i64; the row takes i32, i16, i8",
         "refusals": [{"row": 8, "item": "indices", "found": "index type i64",
                       "instead": "the row takes i32, i16, i8"} ] } ] } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose table counts, instead of the module's own">,
    Option<"kernels", "kernels", "std::string", /*default=*/"\"\"",
           "file with a target description whose table of kernels counts instead "
           "of the device's own">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::DLTIDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_REPORTS_PASSES_TD
