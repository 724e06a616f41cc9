// Steps make their slices of a result that stays on tiles where they lie in it: nothing is
// copied, and the loops cost what the operation with its steps does. A result that begins as
// a constant has no such place, and its slices are copied, at the same cost in both forms.

// RUN: npu-opt %s --npu-run-in-steps | FileCheck %s
// RUN: npu-opt %s --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --npu-run-in-steps --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --npu-compile="compile-from=assigned compile-to=scratchpad" -o %t.pad.mlir
// RUN: FileCheck %s --input-file=%t.pad.mlir --check-prefix=BUFFERS
// RUN: npu-opt %s --npu-run-in-steps --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --entry=filled --reference=%s | FileCheck %s --check-prefix=RESULT
// RUN: npu-run %t.mlir --entry=added --reference=%s | FileCheck %s --check-prefix=RESULT
// RUN: npu-run %t.mlir --entry=constant --reference=%s | FileCheck %s --check-prefix=RESULT

// RESULT: 128 elements, 0 different

#all = #npu.layout<DUPLICATED, tiles = 4>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {

// CHECK-LABEL: func.func @filled
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} iter_args(%[[WHOLE:.*]] =
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[WHOLE]][0, 0, %[[I]]] [2, 4, 4] [1, 1, 1] {npu.steps}
// CHECK: %[[PLACE:.*]] = tensor.collapse_shape %[[SLICE]]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[PLACE]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK: tensor.insert_slice %{{.*}} into %[[WHOLE]][0, 0, %[[I]]] [2, 4, 4] [1, 1, 1] {npu.steps}
// COSTS-LABEL: function @filled
// COSTS: 18737  operation  linalg.matmul
// BUFFERS-LABEL: func.func @filled
// BUFFERS-NOT: memref.copy
func.func @filled(%x: tensor<2x32xf32>, %w: tensor<32x64xf32>) -> tensor<2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x64xf32, #columns>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x64xf32, #columns>) -> tensor<2x64xf32, #columns>
  %0 = linalg.matmul {npu.steps = {loops = array<i64: 1, 2>, sizes = array<i64: 16, 16>, slots = array<i64: 2, 2>, layouts = [#all, #columns, #columns]}}
      ins(%x, %w : tensor<2x32xf32>, tensor<32x64xf32>) outs(%init : tensor<2x64xf32, #columns>) -> tensor<2x64xf32, #columns>
  %1 = npu.redistribute %0 : tensor<2x64xf32, #columns> to tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
}

// What the steps add to is cut from the whole, and no second one is made.
// CHECK-LABEL: func.func @added
// CHECK: %[[INIT:.*]] = npu.redistribute %{{.*}} : tensor<2x64xf32> to
// CHECK: %[[APART:.*]] = tensor.expand_shape %[[INIT]]
// CHECK: scf.for {{.*}} iter_args(%[[WHOLE:.*]] = %[[APART]])
// CHECK: tensor.extract_slice %[[WHOLE]]
// CHECK: tensor.insert_slice {{.*}} into %[[WHOLE]]
// COSTS-LABEL: function @added
// COSTS: 18737  operation  linalg.matmul
// BUFFERS-LABEL: func.func @added
// BUFFERS-NOT: memref.copy
func.func @added(%x: tensor<2x32xf32>, %w: tensor<32x64xf32>, %y: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %init = npu.redistribute %y : tensor<2x64xf32> to tensor<2x64xf32, #columns>
  %0 = linalg.matmul {npu.steps = {loops = array<i64: 1, 2>, sizes = array<i64: 16, 16>, slots = array<i64: 2, 2>, layouts = [#all, #columns, #columns]}}
      ins(%x, %w : tensor<2x32xf32>, tensor<32x64xf32>) outs(%init : tensor<2x64xf32, #columns>) -> tensor<2x64xf32, #columns>
  %1 = npu.redistribute %0 : tensor<2x64xf32, #columns> to tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
}

// CHECK-LABEL: func.func @constant
// CHECK: scf.for {{.*}} iter_args(%[[WHOLE:.*]] =
// CHECK-NOT: tensor.extract_slice %[[WHOLE]]
// CHECK: tensor.insert_slice {{.*}} into %[[WHOLE]]
// COSTS-LABEL: function @constant
// COSTS: 29099  operation  linalg.matmul
// BUFFERS-LABEL: func.func @constant
// BUFFERS: memref.copy
func.func @constant(%x: tensor<2x32xf32>, %w: tensor<32x64xf32>) -> tensor<2x64xf32> {
  %init = arith.constant dense<0.5> : tensor<2x64xf32, #columns>
  %0 = linalg.matmul {npu.steps = {loops = array<i64: 1, 2>, sizes = array<i64: 16, 16>, slots = array<i64: 2, 2>, layouts = [#all, #columns, #columns]}}
      ins(%x, %w : tensor<2x32xf32>, tensor<32x64xf32>) outs(%init : tensor<2x64xf32, #columns>) -> tensor<2x64xf32, #columns>
  %1 = npu.redistribute %0 : tensor<2x64xf32, #columns> to tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
}

}
