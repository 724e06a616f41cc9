// Loads go down to where what they load is needed first; nothing else moves.
//
// RUN: npu-opt %s --npu-sink-loads | FileCheck %s
// RUN: npu-opt %s --npu-to-buffers=report -o /dev/null | FileCheck %s --check-prefix=REPORT

// %y is loaded after the exp, which writes over what it reads: 16 bytes there,
// and 16 more at 64 for %y.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = npu.transfer %arg0
// CHECK: %[[E:.*]] = linalg.exp {{.*}}ins(%[[A]]
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = npu.transfer %arg1[0] from ddr to tile 0 into %[[EMPTY]]
// CHECK: linalg.add {{.*}}ins(%[[E]], %[[B]]
// REPORT: tile 0: 80 bytes at the peak, at least 80
// REPORT-NEXT: most in use at linalg.add
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %b = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %0 = linalg.exp {npu.tile = 0 : i64} ins(%a : tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %e3 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %1 = linalg.add {npu.tile = 0 : i64} ins(%0, %b : tensor<4xf32>, tensor<4xf32>) outs(%e3 : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %d = npu.transfer %1[0] from tile 0 to ddr into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %d : tensor<4xf32>
}

// Used inside a loop: loaded before it. The order of loads stays, and what
// nobody uses stays.
// CHECK-LABEL: func.func @inside
// CHECK: npu.transfer %arg0[0] from ddr to tile 0 {{.*}}[0:2]
// CHECK: arith.constant 7
// CHECK: npu.transfer %arg0[0] from ddr
// CHECK: npu.transfer %arg1[0] from ddr
// CHECK: scf.for
func.func @inside(%x: tensor<4xf32>, %y: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xf32>
  %unused = npu.transfer %x[0] from ddr to tile 0 into %e2[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<2xf32>
  %a = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %b = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%s = %out) -> tensor<4xf32> {
    %t = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A load for a load goes where that one goes, in the order in which they stood:
// parts of two tensors stay as they are written, one tensor after the other.
// CHECK-LABEL: func.func @parts
// CHECK: arith.constant 7
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: npu.transfer %arg0[0] from ddr
// CHECK-NEXT: npu.transfer %arg0[2] from ddr
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: npu.transfer %arg1[0] from ddr
// CHECK-NEXT: npu.transfer %arg1[2] from ddr
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: linalg.add
func.func @parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (index, tensor<4xf32>) {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %a0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %a1 = npu.transfer %x[2] from ddr to tile 0 into %a0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %e1 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %b0 = npu.transfer %y[0] from ddr to tile 0 into %e1[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %b1 = npu.transfer %y[2] from ddr to tile 0 into %b0[2] box [2:4] bytes = 8 : tensor<4xf32> to tensor<4xf32>
  %e2 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %c7 = arith.constant 7 : index
  %0 = linalg.add {npu.tile = 0 : i64} ins(%a1, %b1 : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  return %c7, %0 : index, tensor<4xf32>
}
