// An elementwise operation takes one buffer for what it reads and what it writes,
// where nobody reads the operand afterwards: 2048 bytes of a scratchpad of 2560
// and some of the sums are enough, and nothing has to run in steps.
//
// RUN: npu-opt %s --npu-compile=compile-to=assigned | FileCheck %s
// RUN: npu-opt %s --npu-compile=compile-to=scratchpad | FileCheck %s --check-prefix=PLANNED
// RUN: npu-run %s --entry=chain --compile | FileCheck %s --check-prefix=SAME
// RUN: npu-run %s --entry=read_later --compile | FileCheck %s --check-prefix=SAME
// RUN: npu-run %s --entry=transposed --compile | FileCheck %s --check-prefix=SAME
// SAME: {{^}}equal

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.tiles" = 1 : i64, "npu.scratchpad_bytes" = 2560 : i64>>} {

// CHECK-LABEL: func.func @chain
// CHECK-NOT: npu.steps
// CHECK: return
// PLANNED-LABEL: func.func @chain
// PLANNED-SAME: memref<2176xi8, 1>
func.func @chain(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %e = tensor.empty() : tensor<32x16xf32>
  %0 = linalg.exp ins(%x : tensor<32x16xf32>) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = tensor.empty() : tensor<32xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.reduce { arith.addf } ins(%0 : tensor<32x16xf32>) outs(%f : tensor<32xf32>) dimensions = [1]
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %sum : tensor<32x16xf32>, tensor<32xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<32x16xf32>
  return %1 : tensor<32x16xf32>
}

// The argument is loaded once more for the last operation.
// CHECK-LABEL: func.func @read_later
func.func @read_later(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %e = tensor.empty() : tensor<32x16xf32>
  %0 = linalg.exp ins(%x : tensor<32x16xf32>) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = tensor.empty() : tensor<32xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.reduce { arith.addf } ins(%0 : tensor<32x16xf32>) outs(%f : tensor<32xf32>) dimensions = [1]
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0, %sum : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%u: f32, %a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    %r = arith.addf %q, %u : f32
    linalg.yield %r : f32
  } -> tensor<32x16xf32>
  return %1 : tensor<32x16xf32>
}

// What is read elsewhere than it is written is no such operand.
// CHECK-LABEL: func.func @transposed
// CHECK: npu.steps
func.func @transposed(%x: tensor<24x20xf32>) -> tensor<20x24xf32> {
  %e = tensor.empty() : tensor<20x24xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<24x20xf32>) outs(%e : tensor<20x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.negf %a : f32
    linalg.yield %q : f32
  } -> tensor<20x24xf32>
  return %1 : tensor<20x24xf32>
}
}
