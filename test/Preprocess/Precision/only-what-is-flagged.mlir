// A policy changes the operations of patterns and no other, wherever they stand.
// RUN: npu-opt %s --npu-set-precision=policy=accuracy --mlir-print-local-scope | FileCheck %s
// RUN: npu-opt %s --npu-set-precision=policy=performance --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,SHORT

// Whole models without a pattern stay as they are, and a warning says so.
// RUN: npu-opt %examples/feed-forward.mlir --npu-compile=compile-to=input -o %t.plain.mlir
// RUN: npu-opt %examples/feed-forward.mlir --npu-compile="compile-to=input policy=accuracy" -o %t.same.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: diff %t.plain.mlir %t.same.mlir
// NOTHING: warning: policy=accuracy changes nothing

// CHECK-LABEL: func @main
// CHECK: %[[W:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<8x8xf16>, tensor<8x8xf16>) outs(%{{.*}} : tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: %[[X:.*]] = linalg.tanh ins(%[[W]] : tensor<8x8xf16>) outs(%{{.*}} : tensor<8x8xf16>) -> tensor<8x8xf16>
// SHORT-NOT: f32
// SHORT: npu.precision
// CHECK: %[[D:.*]] = linalg.generic {{.*}} attrs = {npu.precision = #npu.precision<storage = f16, intermediate = f{{.*}}>}
// CHECK: } -> tensor<8x8xf16>
// CHECK-NEXT: %[[E:.*]] = linalg.exp ins(%[[D]] : tensor<8x8xf16>) outs(%{{.*}} : tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK-NEXT: %[[P:.*]] = linalg.matmul ins(%[[E]], %[[X]] : tensor<8x8xf16>, tensor<8x8xf16>) outs(%{{.*}} : tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK-NEXT: return %[[P]]
#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %n0 = arith.constant dense<0.0> : tensor<8xf16>
  %p0 = arith.constant dense<0.0> : tensor<8x8xf16>
  %two = arith.constant 2.0 : f16
  %w = linalg.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
  %x = linalg.tanh ins(%w : tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
  %n = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf16>) outs(%n0 : tensor<8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %q = arith.mulf %in, %in : f16
    %s = arith.addf %out, %q : f16
    linalg.yield %s : f16
  } -> tensor<8xf16>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
  %d = linalg.generic {indexing_maps = [#r, #c, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%n, %n, %p : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) {
  ^bb0(%l: f16, %u: f16, %m: f16, %out: f16):
    %t = arith.mulf %m, %two : f16
    %s = arith.subf %l, %t : f16
    %d = arith.addf %s, %u : f16
    linalg.yield %d : f16
  } -> tensor<8x8xf16>
  %e = linalg.exp ins(%d : tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
  %o = linalg.matmul ins(%e, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %o : tensor<8x8xf16>
}
