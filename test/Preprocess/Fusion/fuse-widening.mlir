// Contractions read the quantized integers that their factors are widened from:
// conversions, zero points, scales, transposes and reshapes become part of their
// bodies, and the sums stay in their order.
//
// RUN: npu-opt %s --npu-fuse-elementwise=target=npu4000 > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-fuse-elementwise=target=npu4000 | diff - %t.mlir
// RUN: npu-run -O0 %t.mlir --entry=groups --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=channels --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=integers --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run -O0 %t.mlir --entry=other_product --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL: 0 different
//
// The engine's figures are of one type, and that is said.
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=legal function=groups" -o %t.legal.mlir
// RUN: npu-opt %t.legal.mlir --npu-print-costs=target=npu4000 -o /dev/null 2>&1 | FileCheck %s --check-prefix=FIGURES
// FIGURES: remark: a product of 'f16' and 'i4', the first of 1, costs as one of 'f16': npu4000 has no figures of both types, and widening is taken to be its engine's

#gnk = affine_map<(n, g, k) -> (n, g, k)>
#gn = affine_map<(n, g, k) -> (n, g)>

// CHECK-LABEL: func.func @groups
// CHECK: tensor.expand_shape %{{.*}} output_shape [4, 2, 32] : tensor<4x64xf16> into tensor<4x2x32xf16>
// CHECK-NOT: tensor<32x64xf16>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: tensor<4x2x32xf16>, tensor<32x2x32xi4>, tensor<32x2xf16>, tensor<32x2xi4>
// CHECK: arith.uitofp
// CHECK: arith.uitofp
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @groups(%x: tensor<4x64xf16>, %w: tensor<32x2x32xi4>, %s: tensor<32x2xf16>, %z: tensor<32x2xi4>) -> tensor<4x32xf16> {
  %e = tensor.empty() : tensor<32x2x32xf16>
  %wide = linalg.generic {indexing_maps = [#gnk, #gn, #gn, #gnk], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %s, %z : tensor<32x2x32xi4>, tensor<32x2xf16>, tensor<32x2xi4>) outs(%e : tensor<32x2x32xf16>) {
  ^bb0(%q: i4, %scale: f16, %zero: i4, %o: f16):
    %a = arith.uitofp %q : i4 to f16
    %b = arith.uitofp %zero : i4 to f16
    %c = arith.subf %a, %b : f16
    %d = arith.mulf %c, %scale : f16
    linalg.yield %d : f16
  } -> tensor<32x2x32xf16>
  %rows = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<32x2x32xf16> into tensor<32x64xf16>
  %te = tensor.empty() : tensor<64x32xf16>
  %columns = linalg.transpose ins(%rows : tensor<32x64xf16>) outs(%te : tensor<64x32xf16>) permutation = [1, 0]
  %c0 = arith.constant 0.0 : f16
  %ye = tensor.empty() : tensor<4x32xf16>
  %init = linalg.fill ins(%c0 : f16) outs(%ye : tensor<4x32xf16>) -> tensor<4x32xf16>
  %y = linalg.matmul ins(%x, %columns : tensor<4x64xf16>, tensor<64x32xf16>) outs(%init : tensor<4x32xf16>) -> tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}

// CHECK-LABEL: func.func @channels
// CHECK: linalg.generic
// CHECK-SAME: ["parallel", "parallel", "reduction"]
// CHECK-SAME: tensor<4x64xf32>, tensor<64x32xi8>, tensor<32xf32>
func.func @channels(%x: tensor<4x64xf32>, %w: tensor<64x32xi8>, %s: tensor<32xf32>) -> tensor<4x32xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<64x32xi8>, tensor<32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%q: i8, %scale: f32, %o: f32):
    %a = arith.sitofp %q : i8 to f32
    %d = arith.mulf %a, %scale : f32
    linalg.yield %d : f32
  } -> tensor<64x32xf32>
  %c0 = arith.constant 0.0 : f32
  %ye = tensor.empty() : tensor<4x32xf32>
  %init = linalg.fill ins(%c0 : f32) outs(%ye : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<4x64xf32>, tensor<64x32xf32>) outs(%init : tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// Products of integers stay integers.
// CHECK-LABEL: func.func @integers
// CHECK: linalg.generic
// CHECK-SAME: tensor<4x64xi8>, tensor<64x32xi8>
// CHECK: arith.muli
// CHECK: arith.addi
func.func @integers(%x: tensor<4x64xi8>, %w: tensor<64x32xi8>) -> tensor<4x32xi32> {
  %xe = tensor.empty() : tensor<4x64xi32>
  %xw = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xi8>) outs(%xe : tensor<4x64xi32>) {
  ^bb0(%q: i8, %o: i32):
    %a = arith.extui %q : i8 to i32
    linalg.yield %a : i32
  } -> tensor<4x64xi32>
  %we = tensor.empty() : tensor<64x32xi32>
  %ww = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<64x32xi8>) outs(%we : tensor<64x32xi32>) {
  ^bb0(%q: i8, %o: i32):
    %a = arith.extsi %q : i8 to i32
    linalg.yield %a : i32
  } -> tensor<64x32xi32>
  %c0 = arith.constant 0 : i32
  %ye = tensor.empty() : tensor<4x32xi32>
  %init = linalg.fill ins(%c0 : i32) outs(%ye : tensor<4x32xi32>) -> tensor<4x32xi32>
  %y = linalg.matmul ins(%xw, %ww : tensor<4x64xi32>, tensor<64x32xi32>) outs(%init : tensor<4x32xi32>) -> tensor<4x32xi32>
  return %y : tensor<4x32xi32>
}

// What is multiplied by a tensor of its own extents is no scale.
// CHECK-LABEL: func.func @other_product
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: linalg.matmul
func.func @other_product(%x: tensor<4x64xf32>, %w: tensor<64x32xi8>, %s: tensor<64x32xf32>) -> tensor<4x32xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<64x32xi8>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%q: i8, %scale: f32, %o: f32):
    %a = arith.sitofp %q : i8 to f32
    %d = arith.mulf %a, %scale : f32
    linalg.yield %d : f32
  } -> tensor<64x32xf32>
  %c0 = arith.constant 0.0 : f32
  %ye = tensor.empty() : tensor<4x32xf32>
  %init = linalg.fill ins(%c0 : f32) outs(%ye : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<4x64xf32>, tensor<64x32xf32>) outs(%init : tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
