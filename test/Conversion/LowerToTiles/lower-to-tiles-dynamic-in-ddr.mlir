// In DDR, tensors may have extents that are known at run time only, and orders.
//
// RUN: npu-opt %s --npu-lower-to-tiles | FileCheck %s

#order = #npu.layout<order = [1, 0]>

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf16>) -> tensor<?x4xf16>
// CHECK: linalg.transpose ins(%[[X]] : tensor<?x4xf16>) outs(%{{.*}} : tensor<4x?xf16>)
func.func @dynamic(%x: tensor<?x4xf16, #order>) -> tensor<?x4xf16, #order> {
  return %x : tensor<?x4xf16, #order>
}
