// An index of one loop is no index of another: exp(x + i) is divided by a sum of
// exp(x + k), which is no softmax, and subtracting a maximum would change it.
// RUN: npu-opt %s --npu-set-precision="policy=accuracy softmax=subtract-maximum" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: policy=accuracy changes nothing
// RUN: npu-run %t.mlir --reference=%s --inputs=normal | FileCheck %s
// CHECK: 32 elements, 0 different
// The index of the loop that is summed over is that of the sum's loop.
// RUN: sed 's/%i = linalg.index 0 : index \/\/ of the quotient/%i = linalg.index 1 : index/' %s > %t.same.mlir
// RUN: npu-opt %t.same.mlir --npu-set-precision="policy=accuracy softmax=subtract-maximum" | FileCheck %s --check-prefix=SAME
// SAME: arith.maximumf
#a = affine_map<(i,k)->(i,k)>
#r = affine_map<(i,k)->(i)>
func.func @main(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %z = arith.constant dense<0.0> : tensor<4xf16>
  %e0 = tensor.empty() : tensor<4x8xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(k,i)->(i,k)>, affine_map<(k,i)->(i)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4x8xf16>) outs(%z : tensor<4xf16>) {
  ^bb0(%in: f16, %o: f16):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f16
    %q = arith.addf %in, %f : f16
    %e = math.exp %q : f16
    %t = arith.addf %o, %e : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  %r = linalg.generic {indexing_maps = [#a, #r, #a], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<4x8xf16>, tensor<4xf16>) outs(%e0 : tensor<4x8xf16>) {
  ^bb0(%in: f16, %ss: f16, %o: f16):
    %i = linalg.index 0 : index // of the quotient
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f16
    %q = arith.addf %in, %f : f16
    %e = math.exp %q : f16
    %t = arith.divf %e, %ss : f16
    linalg.yield %t : f16
  } -> tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}
