// Layouts that somebody has chosen are kept: by the type of an argument or of an
// operation's result, or by npu.layout on an argument or a result.
//
// RUN: npu-opt %s --npu-assign-distributions=target=npu4000 --mlir-print-local-scope -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-opt %t.mlir --npu-verify-distributions=strict -o /dev/null 2>/dev/null
// RUN: npu-run %t.mlir --entry=main --reference=%s 2>/dev/null | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf32, #npu.layout<SEGMENTED, tiles = [1, 4]>>, %{{.*}}: tensor<32x48xf32>)
// CHECK-SAME: -> (tensor<64x48xf32, #npu.layout<SEGMENTED, tiles = [1, 4]>>, tensor<64x48xf32>)
func.func @main(%a: tensor<64x32xf32> {npu.layout = #columns}, %b: tensor<32x48xf32>)
    -> (tensor<64x48xf32> {npu.layout = #columns}, tensor<64x48xf32>) {
  %e = tensor.empty() : tensor<64x48xf32>
  %zero = arith.constant dense<0.0> : tensor<64x48xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%zero : tensor<64x48xf32>) -> tensor<64x48xf32>
  // The called function has rows: they are what it is given.
  // CHECK: %[[Y:.*]] = call @called(%{{.*}}) : (tensor<64x48xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>)
  // CHECK: npu.redistribute %[[Y]] {{.*}} to tensor<64x48xf32>
  %y = func.call @called(%m) : (tensor<64x48xf32>) -> tensor<64x48xf32>
  return %m, %y : tensor<64x48xf32>, tensor<64x48xf32>
}

// CHECK-LABEL: func.func @called(
func.func @called(%x: tensor<64x48xf32> {npu.layout = #rows}) -> (tensor<64x48xf32> {npu.layout = #rows}) {
  %e = tensor.empty() : tensor<64x48xf32>
  // CHECK: linalg.exp {{.*}} -> tensor<64x48xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>
  %y = linalg.exp ins(%x : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// An operation in the middle: what is before and after it follows.
// CHECK-LABEL: func.func @middle(
func.func @middle(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %p = tensor.empty() : tensor<64x48xf32, #columns>
  %in = npu.redistribute %x : tensor<64x48xf32> to tensor<64x48xf32, #columns>
  // CHECK: linalg.exp {{.*}} -> tensor<64x48xf32, #npu.layout<SEGMENTED, tiles = [1, 4]>>
  %y = linalg.exp ins(%in : tensor<64x48xf32, #columns>) outs(%p : tensor<64x48xf32, #columns>)
      -> tensor<64x48xf32, #columns>
  // CHECK: linalg.abs {{.*}} -> tensor<64x48xf32, #npu.layout<SEGMENTED, tiles = [1, 4]>>
  %z = linalg.abs ins(%y : tensor<64x48xf32, #columns>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %z : tensor<64x48xf32>
}
