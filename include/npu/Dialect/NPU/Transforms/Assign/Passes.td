// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignDistributions : Pass<"npu-assign-distributions", "::mlir::ModuleOp"> {
  let summary = "give every tensor a layout: arguments, and what follows from them";
  let description = [{
    Gives a layout to every tensor that has none and lies in DDR so far:
    arguments, results of operations, constants, and results of functions. The
    layout follows from the shape alone, so that operations which want operands
    and results of one type stay valid:

    * `strategy=rows` splits the outermost dimension that has an entry for each
      tile at least: tokens of `1x40x4096`, heads of `12x1x1024`, rows of
      `11008x4096`. A tensor without such a dimension is on every tile.
    * `strategy=duplicate` puts every tensor on every tile.

    Nothing is weighed: npu-legalize-distributions, which has to follow, moves
    what operations need elsewhere, and says how much. Tensors of `index` are
    shapes and stay in DDR, as do tensors without elements and those of more than
    eight dimensions.

    Requires: static shapes (npu-pad-to-max-prompt-len makes them), TOSA lowered,
    and no call of a function without a body that takes or gives tensors
    (npu-isolate-computation). Guarantees: shapes, element types and layouts that
    were there stay.

    Example:

    ```mlir
    // before
    func.func @main(%x: tensor<1x40x64xf32>, %scale: tensor<3xf32>)
    // after: --npu-assign-distributions="strategy=rows tiles=4"
    func.func @main(
        %x: tensor<1x40x64xf32, #npu.layout<SEGMENTED, tiles = [1, 4, 1]>>,
        %scale: tensor<3xf32, #npu.layout<DUPLICATED, tiles = 4>>)
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", /*default=*/"\"rows\"",
           "which layouts: rows or duplicate">,
    Option<"tiles", "tiles", "int64_t", /*default=*/"0",
           "number of tiles; 0: as many as the target uses">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose tiles count, instead of the module's own">,
    Option<"states", "states", "int64_t", /*default=*/"20000",
           "strategy=least: the most partial assignments that the search keeps "
           "between two operations; where there are more, a lower bound and the "
           "distance to it are told instead of a proof">,
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "a file for the assignment problem and its solution, as JSON; -: "
           "standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_TD
