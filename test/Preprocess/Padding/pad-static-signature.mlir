// With static-signature, nothing is left that uses an argument as it was: extents that
// are asked for in a body, or of a dimension that is no constant, are the length.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 static-signature" | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 static-signature side=left" -o /dev/null
// RUN: npu-opt %s --npu-print-largest-prompt-len=target=npu4000 -o /dev/null

// CHECK-LABEL: func.func @in_a_body(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[L:.*]]: index {npu.prompt_length})
// CHECK: linalg.generic
// CHECK: index_cast %[[L]]
func.func @in_a_body(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = tensor.dim %x, %c0 : tensor<?xf32>
    %k = arith.index_cast %m : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.divf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @of_any_dimension(
// CHECK-SAME: %[[X:.*]]: tensor<8x3xf32>, %[[W:.*]]: index, %[[L:.*]]: index {npu.prompt_length})
// CHECK: arith.select {{.*}}, %c3{{.*}}, %[[L]]
// CHECK-NOT: tensor.dim
func.func @of_any_dimension(%x: tensor<?x3xf32>, %w: index) -> index {
  %n = tensor.dim %x, %w : tensor<?x3xf32>
  return %n : index
}

// What a pad adds is computed: the search compiles it too.
// CHECK-LABEL: func.func @computed_pad(
// CHECK-SAME: -> tensor<8x6xf32>
func.func @computed_pad(%x: tensor<?x4xf32>) -> tensor<?x6xf32> {
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %i2 = arith.index_cast %i : index to i32
    %i3 = arith.sitofp %i2 : i32 to f32
    tensor.yield %i3 : f32
  } : tensor<?x4xf32> to tensor<?x6xf32>
  return %p : tensor<?x6xf32>
}
