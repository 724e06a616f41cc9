// Of two operations that are equal but for their places, the assertion that fails names
// the place of its own: they do not share code (npu-outline-operations). Those of several
// tiles come from one place, and name it.
//
// RUN: not npu-run %s --inputs=iota 2>&1 | FileCheck %s
// RUN: not npu-run %s --inputs=iota -O0 2>&1 | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions --mlir-print-debuginfo > %t.mlir
// RUN: not npu-run %t.mlir --entry=tiles --inputs=iota 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not npu-run %t.mlir --entry=tiles --inputs=iota --tiles=parallel 2>&1 | FileCheck %s --check-prefix=TILES

#map = affine_map<(i) -> (i)>
func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %e = tensor.empty() : tensor<4xi32>
  %c1 = arith.constant dense<1> : tensor<4xi32>
  %y = linalg.add ins(%x, %c1 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %q = arith.divui %a, %b : i32
    linalg.yield %q : i32
  } -> tensor<4xi32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%y, %x : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    // CHECK: equal-operations.mlir:[[@LINE+1]]:{{[0-9]+}}: error: assertion failed: expected a divisor other than 0
    %q = arith.divui %a, %b : i32
    linalg.yield %q : i32
  } -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

#parts = #npu.layout<SEGMENTED, tiles = [2]>
!t = tensor<4xi32, #parts>
func.func @tiles(%x: !t) -> !t {
  %e = tensor.empty() : !t
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %x : !t, !t) outs(%e : !t) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    // TILES: equal-operations.mlir:[[@LINE+1]]:{{[0-9]+}}: error: assertion failed: expected a divisor other than 0
    %q = arith.divui %a, %b : i32
    linalg.yield %q : i32
  } -> !t
  return %0 : !t
}
