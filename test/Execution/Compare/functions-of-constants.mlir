// Upstream folds math.exp and its like of a constant tensor by the C library, and
// everything else computes them by polynomials, with other last bits. So a constant is
// computed like everything else where it is compiled, too.
//
// RUN: npu-run %s --entry=tensors | FileCheck %s --check-prefix=VALUES
// RUN: npu-run %s --entry=tensors --compile=target=npu4000 | FileCheck %s
// RUN: npu-run %s --entry=bodies --inputs=iota --compile=target=npu4000 | FileCheck %s
// RUN: npu-run %s --entry=bodies --inputs=iota --compile=target=npu3720 | FileCheck %s
// CHECK: {{^equal$}}

// Near 0, expm1 and log1p keep the digits that exp(x) - 1 and log(1 + x) lose.
// VALUES: result #3 4xf32: 9.99999972e-10 0.349858
// VALUES: result #4 4xf32: 9.99999972e-10 0.262364
// VALUES: result #6 2xf64: 9.9999999999999995e-21 9.9999500003333
func.func @tensors() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf64>) {
  %c = arith.constant dense<[1.0e-9, 0.3, 7.7, -3.2]> : tensor<4xf32>
  %exp = math.exp %c : tensor<4xf32>
  %tanh = math.tanh %c : tensor<4xf32>
  %erf = math.erf %c : tensor<4xf32>
  %expm1 = math.expm1 %c : tensor<4xf32>
  %n = math.absf %c : tensor<4xf32>
  %log1p = math.log1p %n : tensor<4xf32>
  %log = math.log %n : tensor<4xf32>
  %d = arith.constant dense<[1.0e-20, 1.0e-5]> : tensor<2xf64>
  %wide = math.log1p %d : tensor<2xf64>
  return %exp, %tanh, %erf, %expm1, %log1p, %log, %wide : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf64>
}

#map = affine_map<(d0) -> (d0)>
func.func @bodies(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4xf32>) {
  %c = arith.constant 0.3 : f32
  %s = math.exp %c : f32
  %t = tensor.splat %s : tensor<64xf32>
  %scalar = arith.addf %x, %t : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %inside = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c1 = arith.constant -3.2 : f32
    %q = math.tanh %c1 : f32
    %r = arith.mulf %q, %i : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %p = arith.constant dense<0.3> : tensor<64xf32>
  %splat = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %p : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %q = math.exp %j : f32
    %r = arith.mulf %q, %i : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %g = linalg.exp ins(%f : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %filled = arith.mulf %g, %x : tensor<64xf32>
  %all = arith.constant dense<[0.3, 7.7, -3.2, 0.3, 0.3, 0.3, 0.3, 0.3]> : tensor<8xf32>
  %part = tensor.extract_slice %all[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %slice = math.exp %part : tensor<4xf32>
  return %scalar, %inside, %splat, %filled, %slice : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4xf32>
}
