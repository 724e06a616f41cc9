// The polynomials of npu-approximate-math are within the bound that audits take
// of such functions, 6 units in the last place, where results are small, large
// and subnormal: compared with the C library's functions of f64. A lane of a
// vector and a scalar have the same bits.
//
// RUN: split-file %s %t
// RUN: for scale in 1.0e-40 1.0e-30 0.001 1.0 10.0 104.0; do for entry in exp log tanh erf expm1 log1p; do sed "s/SCALE/$scale/" %t/short.mlir > %t/s.mlir && sed "s/SCALE/$scale/" %t/wide.mlir > %t/w.mlir && npu-run %t/s.mlir --reference=%t/w.mlir --entry=$entry --inputs=special --tolerance=6ulp || exit 1; done; done
// RUN: npu-opt %t/lanes.mlir --npu-approximate-math | FileCheck %t/lanes.mlir
// RUN: npu-run %t/lanes.mlir --entry=halves --reference=%t/scalars.mlir

//--- short.mlir
func.func @exp(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %t = math.exp %y : f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @log(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %z = math.absf %y : f32
    %t = math.log %z : f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @tanh(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %t = math.tanh %y : f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @erf(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %t = math.erf %y : f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @expm1(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %t = math.expm1 %y : f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @log1p(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %z = math.absf %y : f32
    %t = math.log1p %z : f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}

//--- wide.mlir
func.func @exp(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %w = arith.extf %y : f32 to f64
    %r = math.exp %w : f64
    %t = arith.truncf %r : f64 to f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @log(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %z = math.absf %y : f32
    %w = arith.extf %z : f32 to f64
    %r = math.log %w : f64
    %t = arith.truncf %r : f64 to f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @tanh(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %w = arith.extf %y : f32 to f64
    %r = math.tanh %w : f64
    %t = arith.truncf %r : f64 to f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @erf(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %w = arith.extf %y : f32 to f64
    %r = math.erf %w : f64
    %t = arith.truncf %r : f64 to f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @expm1(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %w = arith.extf %y : f32 to f64
    %r = math.expm1 %w : f64
    %t = arith.truncf %r : f64 to f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}
func.func @log1p(%a: tensor<16385xf32>) -> tensor<16385xf32> {
  %e = tensor.empty() : tensor<16385xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<16385xf32>) outs(%e : tensor<16385xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant SCALE : f32
    %y = arith.mulf %x, %s : f32
    %z = math.absf %y : f32
    %w = arith.extf %z : f32 to f64
    %r = math.log1p %w : f64
    %t = arith.truncf %r : f64 to f32
    linalg.yield %t : f32
  } -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}

//--- lanes.mlir
// CHECK-LABEL: func.func @lanes
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : vector<16xf32>
func.func @lanes(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}
// CHECK-LABEL: func.func @kept
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.sin %{{.*}} : f32
func.func @kept(%x: f64, %y: f32) -> (f64, f32) {
  %0 = math.exp %x : f64
  %1 = math.sin %y : f32
  return %0, %1 : f64, f32
}
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
func.func @rounded(%x: vector<16xf32>) -> vector<16xbf16> {
  %0 = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}
// CHECK-LABEL: func.func @in_f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK: math.sqrt %{{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK: arith.divf %{{.*}} : f32
// CHECK-NOT: bf16 {{.*}}bf16
func.func @in_f32(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.addf %x, %y : bf16
  %1 = math.rsqrt %0 : bf16
  return %1 : bf16
}
// CHECK-LABEL: func.func @halves
// CHECK-NOT: math.tanh
func.func @halves(%a: tensor<37xf16>) -> tensor<37xf16> {
  %e = tensor.empty() : tensor<37xf16>
  %r = linalg.tanh ins(%a : tensor<37xf16>) outs(%e : tensor<37xf16>) -> tensor<37xf16>
  return %r : tensor<37xf16>
}
//--- scalars.mlir
func.func @halves(%a: tensor<37xf16>) -> tensor<37xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c37 = arith.constant 37 : index
  %e = tensor.empty() : tensor<37xf16>
  %r = scf.for %i = %c0 to %c37 step %c1 iter_args(%t = %e) -> tensor<37xf16> {
    %x = tensor.extract %a[%i] : tensor<37xf16>
    %y = math.tanh %x : f16
    %u = tensor.insert %y into %t[%i] : tensor<37xf16>
    scf.yield %u : tensor<37xf16>
  }
  return %r : tensor<37xf16>
}
