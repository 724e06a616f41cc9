// What is only written over is not computed, and nobody pays for it: the reports of
// costs and the assignment agree on what two fills cost that have an insertion
// between them.
//
// RUN: %python %S/../../Inputs/check_assigned_costs.py npu-opt %s %t
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000" | FileCheck %s

// CHECK-LABEL: func.func @written_over
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.fill ins(%{{.*}} : f32)
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @written_over(%x: tensor<2x17xf32>, %y: tensor<3x20xf32>) -> tensor<3x20xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = linalg.fill ins(%one : f32) outs(%y : tensor<3x20xf32>) -> tensor<3x20xf32>
  %1 = tensor.insert_slice %x into %0[1, 0] [2, 17] [1, 1] : tensor<2x17xf32> into tensor<3x20xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<3x20xf32>) -> tensor<3x20xf32>
  return %2 : tensor<3x20xf32>
}
