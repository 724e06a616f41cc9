// Calls that return tensors of dynamic shape give way to what they call: on buffers, a
// caller would have to give a buffer whose extent the called function alone knows.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/calls.mlir --npu-inline-dynamic-results | FileCheck %t/calls.mlir
// RUN: npu-opt %t/calls.mlir --npu-to-buffers | FileCheck %t/calls.mlir --check-prefix=BUFFERS
// RUN: npu-opt %t/branches.mlir --npu-inline-dynamic-results | FileCheck %t/branches.mlir
// RUN: npu-opt %t/refused.mlir --npu-inline-dynamic-results --split-input-file --verify-diagnostics
// RUN: not npu-opt %t/declared.mlir --npu-inline-dynamic-results -o /dev/null 2>&1 | FileCheck %s --check-prefix=DECLARED

// DECLARED: error: {{.*}}it calls '@elsewhere', of which there is only a declaration

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

//--- branches.mlir
// A body with indices of affine maps takes its place in a branch on the length.
// CHECK-LABEL: func.func @main
// CHECK: scf.if
// CHECK: affine.apply
// CHECK-NOT: call
func.func private @numbers(%n: index) -> tensor<?xindex> {
  %e = tensor.empty(%n) : tensor<?xindex>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %twice = affine.apply affine_map<(i) -> (2 * i)>(%i)
    linalg.yield %twice : index
  } -> tensor<?xindex>
  return %0 : tensor<?xindex>
}
func.func @main(%short: i1, %n: index) -> tensor<?xindex> {
  %0 = scf.if %short -> tensor<?xindex> {
    %1 = func.call @numbers(%n) : (index) -> tensor<?xindex>
    scf.yield %1 : tensor<?xindex>
  } else {
    %1 = tensor.empty(%n) : tensor<?xindex>
    scf.yield %1 : tensor<?xindex>
  }
  return %0 : tensor<?xindex>
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

//--- declared.mlir
func.func private @elsewhere(%x: tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = call @elsewhere(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
