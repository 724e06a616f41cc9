// Named operations whose regions count positions count those of the whole tensor on
// every tile.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --entry=map --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=reduce --reference=%s -O0 | FileCheck %s
// RUN: npu-run %t.mlir --entry=random --reference=%s -O0 | FileCheck %s
// CHECK: equal

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#row = #npu.layout<SEGMENTED, tiles = [2]>

func.func @map(%x: tensor<6x4xi32, #rows>) -> tensor<6x4xi32, #rows> {
  %e = tensor.empty() : tensor<6x4xi32, #rows>
  %y = linalg.map ins(%x : tensor<6x4xi32, #rows>) outs(%e : tensor<6x4xi32, #rows>) (%v: i32, %o: i32) {
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %s = arith.addi %v, %k : i32
    linalg.yield %s : i32
  }
  return %y : tensor<6x4xi32, #rows>
}

func.func @reduce(%x: tensor<6x4xi32, #rows>, %a: tensor<6xi32, #row>) -> tensor<6xi32, #row> {
  %y = linalg.reduce ins(%x : tensor<6x4xi32, #rows>) outs(%a : tensor<6xi32, #row>) dimensions = [1] (%v: i32, %o: i32) {
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %p = arith.muli %v, %k : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  }
  return %y : tensor<6xi32, #row>
}

func.func @random(%low: f64, %high: f64, %seed: i32) -> tensor<6x4xf32, #rows> {
  %e = tensor.empty() : tensor<6x4xf32, #rows>
  %y = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%e : tensor<6x4xf32, #rows>) -> tensor<6x4xf32, #rows>
  return %y : tensor<6x4xf32, #rows>
}
