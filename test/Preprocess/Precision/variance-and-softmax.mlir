// A variance as E[x^2] - E[x]^2 and a softmax without its maximum are found in
// their forms, and all that computes them computes in f32.
// RUN: npu-opt %s --npu-set-precision=policy=accuracy --split-input-file --remarks-filter=npu --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TYPES --input-file=%t.mlir --implicit-check-not="addf {{.*}} : f16" --implicit-check-not="subf {{.*}} : f16" --implicit-check-not="mulf {{.*}} : f16" --implicit-check-not="divf {{.*}} : f16" --implicit-check-not="exp {{.*}} : f16"
// Without a policy a remark says which there is.
// RUN: npu-opt %s --npu-set-precision --split-input-file --remarks-filter=npu --remark-format=emitRemark -o %t.same.mlir 2>&1 | FileCheck %s --check-prefix=SUGGEST
// RUN: npu-opt %s --split-input-file -o %t.plain.mlir
// RUN: diff %t.plain.mlir %t.same.mlir

// Quotients by the count, in operations of their own.
// CHECK: precision-pattern | Category:npu | Function=by_quotients | Reason="a variance as E[x^2] - E[x]^2, of linalg.square, linalg.reduce, linalg.reduce, linalg.div, linalg.div, linalg.square, linalg.sub, linalg.generic, in f16: the squares overflow where the variance does not, and what rounding leaves of it is small where the mean is large"
// SUGGEST: Function=by_quotients {{.*}} Suggestion="policy=accuracy keeps all of it in f32"
// TYPES-LABEL: func @by_quotients
// TYPES: math.rsqrt %{{.*}} : f32
func.func @by_quotients(%x: tensor<8x16xf16>) -> tensor<8xf16> {
  %n0 = arith.constant dense<0.0> : tensor<8xf16>
  %count = arith.constant dense<16.0> : tensor<8xf16>
  %eps = arith.constant 1.0e-3 : f16
  %empty = tensor.empty() : tensor<8x16xf16>
  %xx = linalg.square ins(%x : tensor<8x16xf16>) outs(%empty : tensor<8x16xf16>) -> tensor<8x16xf16>
  %q = linalg.reduce { arith.addf } ins(%xx : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) dimensions = [1]
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) dimensions = [1]
  %e = linalg.div ins(%q, %count : tensor<8xf16>, tensor<8xf16>) outs(%n0 : tensor<8xf16>) -> tensor<8xf16>
  %m = linalg.div ins(%s, %count : tensor<8xf16>, tensor<8xf16>) outs(%n0 : tensor<8xf16>) -> tensor<8xf16>
  %mm = linalg.square ins(%m : tensor<8xf16>) outs(%n0 : tensor<8xf16>) -> tensor<8xf16>
  %v = linalg.sub ins(%e, %mm : tensor<8xf16>, tensor<8xf16>) outs(%n0 : tensor<8xf16>) -> tensor<8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%v : tensor<8xf16>) outs(%n0 : tensor<8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %a = arith.addf %in, %eps : f16
    %r = math.rsqrt %a : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// -----

// Sums of a pool and reciprocals that are rounded, in one generic; 1/9 in bf16 is
// 0.111328125.
// CHECK: precision-pattern | Category:npu | Function=of_a_pool | Reason="a variance as E[x^2] - E[x]^2, of linalg.square, linalg.pooling_nhwc_sum, linalg.pooling_nhwc_sum, linalg.generic, in bf16
// TYPES-LABEL: func @of_a_pool
// TYPES: linalg.pooling_nhwc_sum {{.*}} -> tensor<1x4x4x2xf32>
func.func @of_a_pool(%x: tensor<1x6x6x2xbf16>) -> tensor<1x4x4x2xbf16> {
  %n0 = arith.constant dense<0.0> : tensor<1x4x4x2xbf16>
  %ninth = arith.constant 0.111328125 : bf16
  %window = tensor.empty() : tensor<3x3xbf16>
  %empty = tensor.empty() : tensor<1x6x6x2xbf16>
  %xx = linalg.square ins(%x : tensor<1x6x6x2xbf16>) outs(%empty : tensor<1x6x6x2xbf16>) -> tensor<1x6x6x2xbf16>
  %q = linalg.pooling_nhwc_sum ins(%xx, %window : tensor<1x6x6x2xbf16>, tensor<3x3xbf16>) outs(%n0 : tensor<1x4x4x2xbf16>) -> tensor<1x4x4x2xbf16>
  %s = linalg.pooling_nhwc_sum ins(%x, %window : tensor<1x6x6x2xbf16>, tensor<3x3xbf16>) outs(%n0 : tensor<1x4x4x2xbf16>) -> tensor<1x4x4x2xbf16>
  %id = tensor.empty() : tensor<1x4x4x2xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%q, %s : tensor<1x4x4x2xbf16>, tensor<1x4x4x2xbf16>) outs(%id : tensor<1x4x4x2xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %e = arith.mulf %a, %ninth : bf16
    %m = arith.mulf %b, %ninth : bf16
    %mm = arith.mulf %m, %m : bf16
    %v = arith.subf %e, %mm : bf16
    linalg.yield %v : bf16
  } -> tensor<1x4x4x2xbf16>
  return %v : tensor<1x4x4x2xbf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i, 0)>

// CHECK: precision-pattern | Category:npu | Function=exponentials | Reason="a softmax without its maximum, of linalg.exp, linalg.reduce, linalg.generic, in f16: an exponential of 11.1 or their sum overflows in f16, of 88.8 in bf16 and f32"
// TYPES-LABEL: func @exponentials
// TYPES: tensor.expand_shape %{{.*}} : tensor<8xf32>
// TYPES: arith.divf %{{.*}} : f32
// TYPES: arith.truncf
func.func @exponentials(%x: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %n0 = arith.constant dense<0.0> : tensor<8xf16>
  %empty = tensor.empty() : tensor<8x16xf16>
  %e = linalg.exp ins(%x : tensor<8x16xf16>) outs(%empty : tensor<8x16xf16>) -> tensor<8x16xf16>
  %s = linalg.reduce { arith.addf } ins(%e : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) dimensions = [1]
  %se = tensor.expand_shape %s [[0, 1]] output_shape [8, 1] : tensor<8xf16> into tensor<8x1xf16>
  %p = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %se : tensor<8x16xf16>, tensor<8x1xf16>) outs(%empty : tensor<8x16xf16>) {
  ^bb0(%in: f16, %sum: f16, %out: f16):
    %d = arith.divf %in, %sum : f16
    linalg.yield %d : f16
  } -> tensor<8x16xf16>
  return %p : tensor<8x16xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// A scale before the exponential, which is taken twice, and a reciprocal.
// CHECK: precision-pattern | Category:npu | Function=by_a_reciprocal | Reason="a softmax without its maximum, of linalg.generic, linalg.generic, in f16
// TYPES-LABEL: func @by_a_reciprocal
// TYPES: math.exp %{{.*}} : f32
// TYPES: math.exp %{{.*}} : f32
func.func @by_a_reciprocal(%x: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %n0 = arith.constant dense<0.0> : tensor<8xf16>
  %scale = arith.constant 0.25 : f16
  %one = arith.constant 1.0 : f16
  %empty = tensor.empty() : tensor<8x16xf16>
  %s = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %t = arith.mulf %in, %scale : f16
    %e = math.exp %t : f16
    %a = arith.addf %out, %e : f16
    linalg.yield %a : f16
  } -> tensor<8xf16>
  %p = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x16xf16>, tensor<8xf16>) outs(%empty : tensor<8x16xf16>) {
  ^bb0(%in: f16, %sum: f16, %out: f16):
    %t = arith.mulf %in, %scale : f16
    %e = math.exp %t : f16
    %r = arith.divf %one, %sum : f16
    %d = arith.mulf %e, %r : f16
    linalg.yield %d : f16
  } -> tensor<8x16xf16>
  return %p : tensor<8x16xf16>
}
