// What padding looks like: arguments are put into padded tensors, reductions over
// the prompt skip what is after (or in front of) the real part, results are cut
// back.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=8 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left" | FileCheck %s --check-prefix=LEFT
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 static-signature" | FileCheck %s --check-prefix=STATIC
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" | FileCheck %s --check-prefix=POISON
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=8 --remarks-filter=npu -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @run_time(%arg0: tensor<?xf32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK: %[[L:.*]] = tensor.dim %arg0
// CHECK: cf.assert %{{.*}}, "'run_time': expected a prompt length of 1 to 8"
// CHECK: %[[E:.*]] = tensor.empty() {npu.padding} : tensor<8xf32>
// CHECK: %[[P:.*]] = tensor.insert_slice %arg0 into %[[E]][0] [%[[L]]] [1]
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<8xf32>)
// CHECK: %[[AT:.*]] = linalg.index 0
// CHECK: %[[REAL:.*]] = arith.cmpi slt, %[[AT]], %[[L]]
// CHECK: %[[NEUTRAL:.*]] = arith.constant -0.0
// CHECK: %[[TERM:.*]] = arith.select %[[REAL]], %in, %[[NEUTRAL]]
// CHECK: arith.addf %out, %[[TERM]]
// LEFT-LABEL: func.func @run_time
// LEFT: %[[L:.*]] = tensor.dim %arg0
// LEFT: tensor.insert_slice %arg0 into %{{.*}}[%[[BEGIN:.*]]] [%[[L]]] [1]
// LEFT: arith.cmpi sge, %{{.*}}, %[[BEGIN]]
// STATIC-LABEL: func.func @run_time(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: index {npu.prompt_length}) -> tensor<f32>
// STATIC-NOT: tensor.insert_slice
// STATIC: arith.cmpi slt, %{{.*}}, %arg2
// POISON-LABEL: func.func @run_time
// POISON: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// POISON: linalg.fill ins(%[[NAN]] : f32)
// REMARK: mask | {{.*}}Function=run_time | Reason="reduction along loop 0 skips padding (dim 0: L real of 8, padding after is anything)"
// REMARK: pad | {{.*}}Function=run_time | Reason="padded to 8 on the right", masks=1, masks proved unnecessary=0
func.func @run_time(%x: tensor<?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<?xf32>) outs(%e : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}

// A known length, and two prompt dimensions of one argument.
// CHECK-LABEL: func.func @known(%arg0: tensor<5x5xi32> {npu.prompt_dim = [0, 1]}) -> tensor<5x5xi32>
// CHECK: tensor.empty() {npu.padding = {{\[\[}}0, 5, 8], [1, 5, 8]]} : tensor<8x8xi32>
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 0] [5, 5] [1, 1] {npu.padding = {{\[\[}}0, 5, 8], [1, 5, 8]]} : tensor<5x5xi32> into tensor<8x8xi32>
// CHECK: linalg.transpose {{.*}}tensor<8x8xi32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [5, 5] [1, 1] : tensor<8x8xi32> to tensor<5x5xi32>
// LEFT-LABEL: func.func @known
// LEFT: tensor.insert_slice %arg0 into %{{.*}}[3, 3] [5, 5] [1, 1]
// LEFT: tensor.extract_slice %{{.*}}[3, 3] [5, 5] [1, 1]
// STATIC-LABEL: func.func @known(%arg0: tensor<8x8xi32> {npu.prompt_dim = [0, 1]}, %arg1: index {npu.prompt_length}) -> tensor<8x8xi32>
// POISON-LABEL: func.func @known
// POISON: arith.constant -1414812757 : i32
func.func @known(%x: tensor<5x5xi32> {npu.prompt_dim = [0, 1]}) -> tensor<5x5xi32> {
  %e = tensor.empty() : tensor<5x5xi32>
  %0 = linalg.transpose ins(%x : tensor<5x5xi32>) outs(%e : tensor<5x5xi32>) permutation = [1, 0]
  return %0 : tensor<5x5xi32>
}

// A constant as long as the prompt is padded too; what needs no data is made
// longer. Nothing is masked where nothing is reduced.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: arith.select
// CHECK: linalg.add {{.*}}tensor<8xf32>
// CHECK-NOT: arith.select
// CHECK: return
// REMARK: pad | {{.*}}Function=constants | {{.*}}masks=0, masks proved unnecessary=0
func.func @constants(%x: tensor<3xf32> {npu.prompt_dim = 0}) -> tensor<3xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.add ins(%x, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A causal mask by position has made padding neutral for the largest; the sum of
// what comes of it is not known to be.
// CHECK-LABEL: func.func @causal
// REMARK: left-alone | {{.*}}Function=causal | Reason="reduction along loop 1 needs no mask: padding is neutral"
// REMARK: mask | {{.*}}Function=causal | Reason="reduction along loop 1 skips padding
// REMARK: pad | {{.*}}Function=causal | {{.*}}masks=1, masks proved unnecessary=1
func.func @causal(%x: tensor<?x?xf32>, %low: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %far = arith.constant 0xFF800000 : f32
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %s = arith.select %seen, %in, %far : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%masked : tensor<?x?xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
  %sum = linalg.reduce { arith.addf } ins(%masked : tensor<?x?xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
  return %largest, %sum : tensor<?xf32>, tensor<?xf32>
}

// Into a tensor that is not padded goes the real part, whatever boxes it has.
// CHECK-LABEL: func.func @into_boxes
// CHECK: tensor.insert_slice %{{.*}} into %arg0[0, 0] [4, %{{.*}}] [1, 2] : tensor<4x?xf32> into tensor<4x17xf32, #
#one_box = #npu.layout<SEGMENTED, compute = [[0:4, 0:17]]>
func.func @into_boxes(%whole: tensor<4x17xf32, #one_box>, %x: tensor<4x?xf32>) -> tensor<4x17xf32, #one_box> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %y = tensor.insert_slice %x into %whole[0, 0] [4, %n] [1, 2] : tensor<4x?xf32> into tensor<4x17xf32, #one_box>
  return %y : tensor<4x17xf32, #one_box>
}
