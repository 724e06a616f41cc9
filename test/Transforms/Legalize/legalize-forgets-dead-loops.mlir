// A fill overwrites what a loop makes, and is made again in another layout: the
// fill is dead, then the loop, and with it the redistribution in it that is
// wanted there. The one before the loop has nobody left who reads it.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// CHECK-LABEL: func.func @overwritten
// CHECK-NOT: npu.redistribute
// CHECK: %[[E:.+]] = tensor.empty()
// CHECK-NEXT: %[[F:.+]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK-NOT: scf.for
// CHECK-NOT: npu.redistribute
// CHECK: %[[Y:.+]] = linalg.softmax dimension(1) ins(%[[F]]
// CHECK-NEXT: return %[[Y]]
func.func @overwritten(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x4xf16, #columns>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %e) -> tensor<8x4xf16, #columns> {
    %0 = linalg.add ins(%x, %acc : tensor<8x4xf16, #rows>, tensor<8x4xf16, #columns>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    %1 = linalg.softmax dimension(1) ins(%0 : tensor<8x4xf16, #columns>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %1 : tensor<8x4xf16, #columns>
  }
  %filled = linalg.fill ins(%zero : f16) outs(%sum : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  %out = tensor.empty() : tensor<8x4xf16, #rows>
  %y = linalg.softmax dimension(1) ins(%filled : tensor<8x4xf16, #columns>) outs(%out : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  return %y : tensor<8x4xf16, #rows>
}
