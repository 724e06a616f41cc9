// A softmax between two products, on scratchpads of 6 KiB: with a price on bytes
// all of it runs in the steps of the last product, also through reshapes, and DDR
// moves every argument and the result once. The bits are those of the model.
//
// RUN: npu-opt %s --npu-compile="compile-to=assigned byte-price=4000" -o %t.mlir 2>/dev/null
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %t.mlir --npu-run-in-steps --npu-print-costs -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-run -O0 %s --compile="byte-price=4000" | FileCheck %s --check-prefix=SAME
// COSTS: 1.00 times
// SAME: {{^}}equal
//
// CHECK-LABEL: func.func @main
// CHECK-NOT: collapse_shape
// CHECK: linalg.generic {{.*}}npu.steps = {layouts =
// CHECK: linalg.generic {{.*}}npu.steps = {layouts =
// CHECK: linalg.generic {{.*}}npu.steps = {layouts =
// CHECK: linalg.generic {{.*}}npu.steps = {layouts =
// CHECK-NOT: expand_shape
// CHECK: linalg.generic {{.*}}npu.steps = {layouts = {{.*}}loops =

#in = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#kv = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
#vv = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
#out = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 6144>>} {
func.func @main(%q: tensor<2x3x40x8xf32>, %k: tensor<2x40x8xf32>, %v: tensor<2x40x8xf32>) -> tensor<2x3x40x8xf32> {
  %z = arith.constant 0.0 : f32
  %least = arith.constant -1.0e+30 : f32
  %es = tensor.empty() : tensor<2x3x40x40xf32>
  %fs = linalg.fill ins(%z : f32) outs(%es : tensor<2x3x40x40xf32>) -> tensor<2x3x40x40xf32>
  %s = linalg.generic {indexing_maps = [#in, #kv, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x3x40x8xf32>, tensor<2x40x8xf32>) outs(%fs : tensor<2x3x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x40x40xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2], [3]] : tensor<2x3x40x40xf32> into tensor<6x40x40xf32>
  %em = tensor.empty() : tensor<6x40xf32>
  %fm = linalg.fill ins(%least : f32) outs(%em : tensor<6x40xf32>) -> tensor<6x40xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%c : tensor<6x40x40xf32>) outs(%fm : tensor<6x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x40xf32>
  %ee = tensor.empty() : tensor<6x40x40xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %most : tensor<6x40x40xf32>, tensor<6x40xf32>) outs(%ee : tensor<6x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x40x40xf32>
  %fz = linalg.fill ins(%z : f32) outs(%em : tensor<6x40xf32>) -> tensor<6x40xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<6x40x40xf32>) outs(%fz : tensor<6x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<6x40xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<6x40x40xf32>, tensor<6x40xf32>) outs(%ee : tensor<6x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x40x40xf32>
  %x = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [2, 3, 40, 40] : tensor<6x40x40xf32> into tensor<2x3x40x40xf32>
  %er = tensor.empty() : tensor<2x3x40x8xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<2x3x40x8xf32>) -> tensor<2x3x40x8xf32>
  %r = linalg.generic {indexing_maps = [#in, #vv, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<2x3x40x40xf32>, tensor<2x40x8xf32>) outs(%fr : tensor<2x3x40x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x3x40x8xf32>
  return %r : tensor<2x3x40x8xf32>
}
}
