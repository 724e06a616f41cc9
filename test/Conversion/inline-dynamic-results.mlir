// Calls that return tensors of dynamic shape give way to what they call: on buffers, a
// caller would have to give a buffer whose extent the called function alone knows.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/calls.mlir --npu-inline-dynamic-results | FileCheck %t/calls.mlir
// RUN: npu-opt %t/calls.mlir --npu-to-buffers | FileCheck %t/calls.mlir --check-prefix=BUFFERS
// RUN: npu-opt %t/refused.mlir --npu-inline-dynamic-results --split-input-file --verify-diagnostics
// RUN: not npu-opt %t/declared.mlir --npu-compile="target=npu4000 max-prompt-len=8 gather=allow" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DECLARED

// DECLARED-NOT: out param
// DECLARED: error: {{.*}}it calls '@elsewhere', of which there is only a declaration
// DECLARED-NOT: out param

//--- calls.mlir
// Other calls stay.
// CHECK-NOT: @leaf
// CHECK: func.func private @fixed
// CHECK-LABEL: func.func @main
// CHECK: tensor.extract_slice %{{.*}} : tensor<8x4xf32> to tensor<?x4xf32>
// CHECK: call @fixed
// CHECK-NOT: call
// BUFFERS: func.func @main(%{{.*}}: index, %{{.*}}: memref<8x4xf32>, %{{.*}}: memref<?x4xf32> {bufferize.result}, %{{.*}}: memref<8x4xf32> {bufferize.result})
func.func private @leaf(%n: index, %x: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %0 = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1] : tensor<8x4xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func private @middle(%n: index, %x: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %0 = call @leaf(%n, %x) : (index, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func private @fixed(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = math.exp %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func @main(%n: index, %x: tensor<8x4xf32>) -> (tensor<?x4xf32>, tensor<8x4xf32>) {
  %0 = call @middle(%n, %x) : (index, tensor<8x4xf32>) -> tensor<?x4xf32>
  %1 = call @fixed(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<8x4xf32>
}

//--- refused.mlir
func.func private @declared(index) -> tensor<?xf32>
func.func @main(%n: index) -> tensor<?xf32> {
  // expected-error @below {{expected a call that returns static shapes, or whose place the body of the function can take, got a result of 'tensor<?xf32>', for which no caller has a buffer: it calls '@declared', of which there is only a declaration}}
  %0 = call @declared(%n) : (index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @again(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{for which no caller has a buffer: it calls '@again', which calls itself}}
  %0 = call @again(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @kept(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{it calls '@kept', which is not to be inlined (no_inline)}}
  %0 = call @kept(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
