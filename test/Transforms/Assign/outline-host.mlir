// The parts of a function that the host runs are functions: what reads each other's results
// is one part, unless an operation of tiles lies between.

// RUN: npu-opt %s --npu-outline-host | FileCheck %s
// RUN: npu-opt %s --npu-outline-host -o %t.mlir
// RUN: npu-run %t.mlir --entry=diamond --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=chain --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=interleaved --reference=%s | FileCheck %s --check-prefix=EQUAL

// EQUAL: {{^}}equal

// Operations that follow each other are one part, and its constants are made in it.
// CHECK-LABEL: func @chain(
// CHECK: %[[R:.*]] = call @chain_host_0(%{{.*}}) {npu.host = "no kernel: a; no kernel: b"}
// CHECK-NEXT: return %[[R]]
// CHECK-LABEL: func private @chain_host_0(
// CHECK-SAME: attributes {no_inline}
// CHECK: arith.constant
// CHECK: math.exp
// CHECK: arith.addf
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %0 = math.exp %x {npu.host = "no kernel: a"} : tensor<8xf32>
  %1 = arith.addf %0, %one {npu.host = "no kernel: b"} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The tile's operation reads one and is read by the other: two parts.
// CHECK-LABEL: func @diamond(
// CHECK: %[[A:.*]] = call @diamond_host_0(
// CHECK: %[[B:.*]] = math.absf %[[A]]
// CHECK: %[[C:.*]] = call @diamond_host_1(%[[A]], %[[B]])
// CHECK: return %[[C]]
func.func @diamond(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x {npu.host = "no kernel: a"} : tensor<8xf32>
  %1 = math.absf %0 : tensor<8xf32>
  %2 = arith.addf %0, %1 {npu.host = "no kernel: a"} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// What stands between two operations of a part is moved before or after its call.
// CHECK-LABEL: func @interleaved(
// CHECK: %[[Y:.*]] = math.absf %arg1
// CHECK: %[[H:.*]]:2 = call @interleaved_host_0(%arg0, %[[Y]])
// CHECK: %[[Z:.*]] = math.absf %[[H]]#0
// CHECK: return %[[Z]], %[[H]]#1
func.func @interleaved(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x {npu.host = "no kernel: a"} : tensor<8xf32>
  %1 = math.absf %0 : tensor<8xf32>
  %2 = math.absf %y : tensor<8xf32>
  %3 = arith.addf %0, %2 {npu.host = "no kernel: a"} : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
