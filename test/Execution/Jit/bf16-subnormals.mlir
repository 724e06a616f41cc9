// Numbers of bf16 below the smallest normal one stay what they are at every -O, where
// they are added, selected and carried by a loop. A processor's instructions for bf16
// would make them 0.
//
// RUN: rm -rf %t && mkdir %t
// RUN: for level in 0 1 2 3; do npu-run %s -O$level --inputs=special --output=%t/$level.npy > %t/$level.txt; done
// RUN: for level in 1 2 3; do cmp %t/0.npy %t/$level.npy || exit 1; done
// RUN: npu-run %s --entry=sum | FileCheck %s

// CHECK: result #0 1xbf16: 2.9387e-39
func.func @sum() -> tensor<1xbf16> {
  %x = arith.constant dense<9.183550e-41> : tensor<32x1xbf16>
  %a = arith.constant dense<0.0> : tensor<1xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x1xbf16>) outs(%a : tensor<1xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.addf %out, %in : bf16
    linalg.yield %0 : bf16
  } -> tensor<1xbf16>
  return %r : tensor<1xbf16>
}
func.func @main(%x: tensor<4x15xi8>, %a: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x15xi8>) outs(%a : tensor<4xbf16>) {
  ^bb0(%in: i8, %out: bf16):
    %zero = arith.constant 0.0 : bf16
    %isNaN = arith.cmpf uno, %out, %zero : bf16
    %number = arith.select %isNaN, %zero, %out : bf16
    %0 = arith.addf %out, %number : bf16
    linalg.yield %0 : bf16
  } -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}
