// Legalization of a function without layouts says that nothing was to be done:
// whoever forgot to assign layouts hears of it. Pipelines know what they do.
//
// RUN: npu-opt %s --npu-legalize-distributions --split-input-file --verify-diagnostics -o /dev/null
// RUN: grep -v expected- %s > %t.mlir
// RUN: npu-opt %t.mlir --npu-legalize-distributions=quiet --split-input-file 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=remark
// RUN: npu-opt %t.mlir --npu-compile="target=npu4000 compile-to=legal device=CPU" --split-input-file 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=nothing
// QUIET: func.func @plain

// expected-remark @below {{no tensor has a layout, so that there is nothing to legalize; npu-assign-distributions gives layouts}}
module {
  func.func @plain(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = arith.addf %x, %x : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

// One layout anywhere is one to look at.
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
module {
  func.func @plain(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = arith.addf %x, %x : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
  func.func @distributed(%x: tensor<8x16xf32, #rows>) -> tensor<8x16xf32, #rows> {
    %0 = arith.addf %x, %x : tensor<8x16xf32, #rows>
    return %0 : tensor<8x16xf32, #rows>
  }
}

// -----

// Numbers alone are nobody's to legalize.
module {
  func.func @numbers(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
}
