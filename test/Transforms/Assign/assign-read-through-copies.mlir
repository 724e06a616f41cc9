// A rotary embedding reads a transposed product and, through a concatenation, its
// halves in the other order. Where it runs in steps, it reads the halves of the
// product instead of their copies, and DDR moves every argument and the result
// once. The bits are those of the model.
//
// RUN: npu-opt %s --npu-compile="compile-to=assigned byte-price=4000" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-run -O0 %s --entry=rotary --compile | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %s --entry=thirds --compile | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %s --entry=shifted --compile | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %s --entry=written --compile | FileCheck %s --check-prefix=SAME
// COSTS: @rotary
// COSTS: 1.00 times
// SAME: {{^}}equal

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 4096 : i64>>} {

// CHECK-LABEL: func.func @rotary
// CHECK-NOT: linalg.transpose
// CHECK-NOT: tensor.concat
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel"]{{.*}}npu.steps
// CHECK: linalg.index 2
// CHECK: arith.select
// CHECK-NOT: linalg.generic
// CHECK: tensor.collapse_shape {{.*}}tensor<2x12x2x64xf16> into tensor<2x12x128xf16>
func.func @rotary(%x: tensor<12x256xf16>, %cos: tensor<12x128xf16>, %sin: tensor<12x128xf16>) -> tensor<2x12x128xf16> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [12, 2, 128] : tensor<12x256xf16> into tensor<12x2x128xf16>
  %whole = tensor.empty() : tensor<2x12x128xf16>
  %t = linalg.transpose ins(%e : tensor<12x2x128xf16>) outs(%whole : tensor<2x12x128xf16>) permutation = [1, 0, 2]
  %low = tensor.extract_slice %t[0, 0, 0] [2, 12, 64] [1, 1, 1] : tensor<2x12x128xf16> to tensor<2x12x64xf16>
  %high = tensor.extract_slice %t[0, 0, 64] [2, 12, 64] [1, 1, 1] : tensor<2x12x128xf16> to tensor<2x12x64xf16>
  %half = tensor.empty() : tensor<2x12x64xf16>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%high : tensor<2x12x64xf16>) outs(%half : tensor<2x12x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %m = arith.negf %a : f16
    linalg.yield %m : f16
  } -> tensor<2x12x64xf16>
  %turned = tensor.concat dim(2) %n, %low : (tensor<2x12x64xf16>, tensor<2x12x64xf16>) -> tensor<2x12x128xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %turned, %cos, %sin : tensor<2x12x128xf16>, tensor<2x12x128xf16>, tensor<12x128xf16>, tensor<12x128xf16>) outs(%whole : tensor<2x12x128xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %s: f16, %o: f16):
    %p = arith.mulf %a, %c : f16
    %q = arith.mulf %b, %s : f16
    %r = arith.addf %p, %q : f16
    linalg.yield %r : f16
  } -> tensor<2x12x128xf16>
  return %y : tensor<2x12x128xf16>
}

// Three parts, of which two are the same, under an index of the whole row. A
// concatenation that is a result as well stays.
// CHECK-LABEL: func.func @thirds
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: linalg.index 1
// CHECK: tensor.concat
// CHECK: linalg.exp {{.*}}ins(%concat
func.func @thirds(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x96xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %a = tensor.concat dim(1) %x, %y, %x : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.mulf %v, %f : f32
    linalg.yield %s : f32
  } -> tensor<64x96xf32>
  %b = tensor.concat dim(1) %y, %x : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %eb = tensor.empty() : tensor<64x64xf32>
  %exp = linalg.exp ins(%b : tensor<64x64xf32>) outs(%eb : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r, %exp, %b : tensor<64x96xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// Slices that are no parts of equal extent: the tensor is read beside them.
// CHECK-LABEL: func.func @shifted
// CHECK: tensor.expand_shape %arg0
// CHECK: linalg.generic {{.*}} ins(%expanded, %extracted_slice_0, %extracted_slice
func.func @shifted(%x: tensor<32x96xf32>) -> tensor<32x96xf32> {
  %a = tensor.extract_slice %x[0, 8] [32, 48] [1, 1] : tensor<32x96xf32> to tensor<32x48xf32>
  %b = tensor.extract_slice %x[0, 48] [32, 48] [1, 1] : tensor<32x96xf32> to tensor<32x48xf32>
  %c = tensor.concat dim(1) %b, %a : (tensor<32x48xf32>, tensor<32x48xf32>) -> tensor<32x96xf32>
  %e = tensor.empty() : tensor<32x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<32x96xf32>, tensor<32x96xf32>) outs(%e : tensor<32x96xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %d = arith.subf %u, %v : f32
    linalg.yield %d : f32
  } -> tensor<32x96xf32>
  return %r : tensor<32x96xf32>
}

// What is transposed for the result alone is written transposed.
// CHECK-LABEL: func.func @written
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[OUT:.*]]], {{.*}}ins(%arg0
// CHECK-NOT: linalg.transpose
func.func @written(%x: tensor<2x4x24x16xf32>) -> tensor<24x8x16xf32> {
  %e = tensor.empty() : tensor<2x4x24x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x4x24x16xf32>) outs(%e : tensor<2x4x24x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<2x4x24x16xf32>
  %c = tensor.collapse_shape %r [[0, 1], [2], [3]] : tensor<2x4x24x16xf32> into tensor<8x24x16xf32>
  %et = tensor.empty() : tensor<24x8x16xf32>
  %t = linalg.transpose ins(%c : tensor<8x24x16xf32>) outs(%et : tensor<24x8x16xf32>) permutation = [1, 0, 2]
  return %t : tensor<24x8x16xf32>
}
}
