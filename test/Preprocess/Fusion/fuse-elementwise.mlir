// Elementwise operations in the operations that read them, where that costs less.
//
// RUN: npu-opt %s --npu-fuse-elementwise=target=npu4000 > %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run changes nothing, and results stay.
// RUN: npu-opt %t.mlir --npu-fuse-elementwise=target=npu4000 | diff - %t.mlir
// RUN: npu-run -O0 %t.mlir --entry=chain --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=norm --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=biased_residual --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=running_sum --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL: 0 different

#map = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: math.tanh
// CHECK-NEXT: linalg.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @chain(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.exp ins(%x : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = linalg.tanh ins(%0 : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// Of a small tensor, the difference is computed again for the result, and a square
// in its sum.
// CHECK-LABEL: func.func @norm
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @norm(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
  %zero = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<8x32xf32>
  %wide = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x32xf16>) outs(%ew : tensor<8x32xf32>) {
  ^bb0(%a: f16, %out: f32):
    %s = arith.extf %a : f16 to f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %es = tensor.empty() : tensor<8xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%wide : tensor<8x32xf32>) outs(%fs : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %out, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %off = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %sum : tensor<8x32xf32>, tensor<8xf32>) outs(%ew : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %square = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%off : tensor<8x32xf32>) outs(%ew : tensor<8x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %var = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%square : tensor<8x32xf32>) outs(%fs : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %out, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %er = tensor.empty() : tensor<8x32xf16>
  %r = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%off, %var : tensor<8x32xf32>, tensor<8xf32>) outs(%er : tensor<8x32xf16>) {
  ^bb0(%a: f32, %b: f32, %out: f16):
    %s = arith.mulf %a, %b : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}

// Of a large one, computing it twice costs more than a kernel begins with.
// CHECK-LABEL: func.func @large
// CHECK-COUNT-3: linalg.{{exp|tanh|abs}} ins
func.func @large(%x: tensor<1024x1024xf16>) -> (tensor<1024x1024xf16>, tensor<1024x1024xf16>) {
  %e = tensor.empty() : tensor<1024x1024xf16>
  %0 = linalg.exp ins(%x : tensor<1024x1024xf16>) outs(%e : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %1 = linalg.tanh ins(%0 : tensor<1024x1024xf16>) outs(%e : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %2 = linalg.abs ins(%0 : tensor<1024x1024xf16>) outs(%e : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %1, %2 : tensor<1024x1024xf16>, tensor<1024x1024xf16>
}

// A bias that costs nothing goes into a sum that the engine does as well, and the
// contraction stays as it is.
// CHECK-LABEL: func.func @biased_residual
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.maximumf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @biased_residual(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>, %b: tensor<64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x64xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %m = linalg.matmul ins(%x, %w : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf16>) -> tensor<64x64xf16>
  %0 = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<64x64xf16>, tensor<64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a: f16, %c: f16, %out: f16):
    %s = arith.addf %a, %c : f16
    linalg.yield %s : f16
  } -> tensor<64x64xf16>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0, %x : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a: f16, %c: f16, %out: f16):
    %s = arith.addf %a, %c : f16
    %t = arith.maximumf %s, %zero : f16
    linalg.yield %t : f16
  } -> tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// Operations of a kind that somebody asks something of stay.
// CHECK-LABEL: func.func @marked
// CHECK: linalg.exp {asked}
// CHECK: linalg.tanh
func.func @marked(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.exp {asked} ins(%x : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = linalg.tanh ins(%0 : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// A running sum reads the product along the loop that reduces, and has a loop over its
// own results beside it: with the product in it, the operation would have a second result.
// It stays as it is, and so does what reads the sum.
//
// CHECK-LABEL: @running_sum
// CHECK: %[[PRODUCT:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PRODUCT]]
// CHECK: arith.addf
// CHECK: return %[[SUM]]
func.func @running_sum(%x: tensor<5x8xf32>, %w: tensor<8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x8xf32>
  %product = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<5x8xf32>, tensor<8xf32>) outs(%empty : tensor<5x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<5x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x8xf32>) -> tensor<5x8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%product : tensor<5x8xf32>) outs(%zeros : tensor<5x8xf32>) {
  ^bb0(%a: f32, %so_far: f32):
    %row = linalg.index 0 : index
    %other = linalg.index 2 : index
    %counts = arith.cmpi sle, %other, %row : index
    %term = arith.select %counts, %a, %zero : f32
    %0 = arith.addf %so_far, %term : f32
    linalg.yield %0 : f32
  } -> tensor<5x8xf32>
  return %sum : tensor<5x8xf32>
}
