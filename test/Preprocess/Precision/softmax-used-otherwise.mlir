// The maximum of a softmax is subtracted only where the exponentials and their
// sum are used for nothing but the quotient: here an exponential is added to it.
//
// RUN: npu-opt %s --npu-set-precision="policy=accuracy softmax=subtract-maximum" | FileCheck %s
// RUN: npu-opt %s --npu-set-precision="policy=accuracy softmax=subtract-maximum" | npu-run - --reference=%s --inputs=integers --tolerance=0.05 | FileCheck %s --check-prefix=SAME

// CHECK-NOT: arith.maximumf
// CHECK: arith.divf
// CHECK-NOT: arith.maximumf
// SAME: equal within

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
func.func @main(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %s0 = arith.constant dense<0.0> : tensor<4xf16>
  %half = arith.constant 0.5 : f16
  %empty = tensor.empty() : tensor<4x8xf16>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16>) outs(%s0 : tensor<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %e = math.exp %in : f16
    %sum = arith.addf %out, %e : f16
    linalg.yield %sum : f16
  } -> tensor<4xf16>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf16>, tensor<4xf16>) outs(%empty : tensor<4x8xf16>) {
  ^bb0(%in: f16, %t: f16, %out: f16):
    %e = math.exp %in : f16
    %q = arith.divf %e, %t : f16
    %z = arith.addf %q, %e : f16
    linalg.yield %z : f16
  } -> tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}
