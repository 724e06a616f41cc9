// The phase `input`: a model comes out of the program around it, into one function where
// calls allow it, and is linalg on tensors. Constants stay where they are.
//
// RUN: npu-opt %s --npu-compile=compile-to=input --split-input-file | FileCheck %s
//
// A pass runs where there is something for it alone, because each walks over all layers.
// RUN: npu-opt %S/Inputs/matmul-linalg.mlir --npu-compile=compile-to=input --mlir-timing -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMING --implicit-check-not=Tosa --implicit-check-not=Inliner --implicit-check-not=Isolate --implicit-check-not=Raise
// TIMING: LowerModel
// TIMING: ConvertElementwiseToLinalg
// TIMING: Canonicalizer

// CHECK-LABEL: module
// CHECK-NOT: @rtclock
// CHECK-NOT: @helper
// CHECK: func.func @kernel(%[[x:.*]]: tensor<1x4x1x8xf32>, %[[y:.*]]: tensor<1x4x8xf32>) -> tensor<1x1x4x8xf32>
// CHECK-DAG: arith.constant dense<{{.*}}> : tensor<1x4x1x8xf32>
// CHECK-DAG: arith.constant dense_resource<weights> : tensor<8xf32>
// CHECK: linalg.generic
// CHECK: npu.permute_cast {{.*}} : tensor<1x4x1x8xf32> to tensor<1x1x4x8xf32>
// CHECK-NOT: func.func
// CHECK: dialect_resources
func.func private @rtclock() -> f64
func.func private @print(tensor<*xf32>)

func.func private @helper(%x: tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32> {
  %0 = tosa.exp %x : (tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  return %0 : tensor<1x4x1x8xf32>
}

func.func @kernel(%x: tensor<1x4x1x8xf32>, %y: tensor<1x4x8xf32>) {
  %begin = call @rtclock() : () -> f64
  %weights = arith.constant dense_resource<weights> : tensor<8xf32>
  %bias = "tosa.const"() {values = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]]> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
  %four = tosa.const_shape {values = dense<[1, 4, 1, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %ones = tosa.const_shape {values = dense<[1, 1, 1, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = tosa.reshape %bias, %four : (tensor<4x8xf32>, !tosa.shape<4>) -> tensor<1x4x1x8xf32>
  %w = tosa.reshape %weights, %ones : (tensor<8xf32>, !tosa.shape<4>) -> tensor<1x1x1x8xf32>
  %0 = call @helper(%x) : (tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  %1 = tosa.add %0, %b : (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32>
  %2 = tosa.add %1, %w : (tensor<1x4x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x4x1x8xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x4x1x8xf32>) -> tensor<1x1x4x8xf32>
  %end = call @rtclock() : () -> f64
  %any = tensor.cast %3 : tensor<1x1x4x8xf32> to tensor<*xf32>
  call @print(%any) : (tensor<*xf32>) -> ()
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x04000000000000000000803F0000004000004040000080400000A0400000C0400000E040"
    }
  }
#-}

// -----

// Quantized TOSA, whose scales upstream's pass leaves unless it is asked, and branches.

// CHECK: func.func @branches
// CHECK: scf.if
// CHECK-NOT: tosa
// CHECK: return
func.func @branches(%c: tensor<i1>, %x: tensor<8xi32>) -> tensor<8xi8> {
  %multiplier = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %shift = "tosa.const"() {values = dense<32> : tensor<1xi8>} : () -> tensor<1xi8>
  %from = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %to = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = "tosa.cond_if"(%c, %x) ({
  ^bb0(%a: tensor<8xi32>):
    %n = tosa.abs %a : (tensor<8xi32>) -> tensor<8xi32>
    tosa.yield %n : tensor<8xi32>
  }, {
  ^bb0(%a: tensor<8xi32>):
    tosa.yield %a : tensor<8xi32>
  }) : (tensor<i1>, tensor<8xi32>) -> tensor<8xi32>
  %1 = tosa.rescale %0, %multiplier, %shift, %from, %to {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8xi8>
  return %1 : tensor<8xi8>
}

// -----

// Layouts that somebody has written stay: upstream's canonicalize does not know them.

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// CHECK: func.func @pinned
// CHECK: linalg.transpose
// CHECK: linalg.transpose
func.func @pinned(%x: tensor<4x8xf32, #rows>) -> tensor<4x8xf32, #columns> {
  %e0 = tensor.empty() : tensor<8x4xf32, #columns>
  %0 = linalg.transpose ins(%x : tensor<4x8xf32, #rows>) outs(%e0 : tensor<8x4xf32, #columns>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<4x8xf32, #columns>
  %1 = linalg.transpose ins(%0 : tensor<8x4xf32, #columns>) outs(%e1 : tensor<4x8xf32, #columns>) permutation = [1, 0]
  return %1 : tensor<4x8xf32, #columns>
}

// -----

// Parts that upstream writes one after the other are one concatenation, in TOSA and in
// what others have lowered; a tensor that is seen when it is written in part is not.

// CHECK: func.func @parts(%[[a:.*]]: tensor<2x6xf32>, %[[b:.*]]: tensor<2x1xf32>)
// CHECK: %[[first:.*]] = tensor.concat dim(1) %[[a]], %[[b]]
// CHECK: %[[second:.*]] = tensor.concat dim(1) %[[b]], %[[a]]
// CHECK: tensor.insert_slice %[[b]] into
// CHECK: %[[part:.*]] = tensor.insert_slice
// CHECK: %[[whole:.*]] = tensor.insert_slice
// CHECK: return %[[first]], %[[second]], %{{.*}}, %[[part]], %[[whole]]
func.func @parts(%a: tensor<2x6xf32>, %b: tensor<2x1xf32>)
    -> (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x8xf32>, tensor<2x7xf32>, tensor<2x7xf32>) {
  %0 = tosa.concat %a, %b {axis = 1 : i32} : (tensor<2x6xf32>, tensor<2x1xf32>) -> tensor<2x7xf32>
  %e = tensor.empty() : tensor<2x7xf32>
  %1 = tensor.insert_slice %a into %e[0, 1] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<2x7xf32>
  %2 = tensor.insert_slice %b into %1[0, 0] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x7xf32>
  %e8 = tensor.empty() : tensor<2x8xf32>
  %3 = tensor.insert_slice %b into %e8[0, 7] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x8xf32>
  %4 = tensor.insert_slice %a into %e[0, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<2x7xf32>
  %5 = tensor.insert_slice %b into %4[0, 6] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x7xf32>
  return %0, %2, %3, %4, %5 : tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x8xf32>, tensor<2x7xf32>, tensor<2x7xf32>
}
