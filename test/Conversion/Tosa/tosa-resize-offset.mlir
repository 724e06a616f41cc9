// A bilinear resize whose offset is negative begins at a row or a column that is
// there: upstream rounds places before the first entry towards it, and weighs
// entries with negative numbers. The first row stands twice, and the offset is
// larger by the scale's numerator.
//
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-prepare-tosa))' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @both
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [1, 1, 4, 1] [1, 1, 1, 1]
// CHECK: %[[ROWS:.*]] = tosa.concat %[[FIRST]], %arg0 {axis = 1 : i32}
// CHECK: %[[COLUMN:.*]] = tensor.extract_slice %[[ROWS]][0, 0, 0, 0] [1, 5, 1, 1] [1, 1, 1, 1]
// CHECK: %[[ALL:.*]] = tosa.concat %[[COLUMN]], %[[ROWS]] {axis = 2 : i32}
// CHECK: %[[OFFSET:.*]] = tosa.const_shape {values = dense<[3, 1]> : tensor<2xindex>}
// CHECK: tosa.resize %[[ALL]], {{.*}}, %[[OFFSET]], {{.*}} {mode = BILINEAR}
func.func @both(%x: tensor<1x4x4x1xi16>) -> tensor<1x8x8x1xi48> {
  %a = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = tosa.const_shape {values = dense<[-1, -3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.const_shape {values = dense<[1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %a, %b, %c {mode = BILINEAR} : (tensor<1x4x4x1xi16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x1xi48>
  return %r : tensor<1x8x8x1xi48>
}

// -----

// What is nearest is clamped to the image, wherever it begins.
// CHECK-LABEL: func.func @nearest
// CHECK-NOT: tosa.concat
// CHECK: return
func.func @nearest(%x: tensor<1x4x4x1xi8>) -> tensor<1x8x8x1xi8> {
  %a = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %a, %b, %c {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x1xi8>
  return %r : tensor<1x8x8x1xi8>
}

// -----

func.func @too_far(%x: tensor<1x4x4x1xi8>) -> tensor<1x11x8x1xi32> {
  %a = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = tosa.const_shape {values = dense<[-9, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.const_shape {values = dense<[-1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.resize' op expected an offset of at least -4 in dimension 1, the scale's numerator, got -9}}
  %r = tosa.resize %x, %a, %b, %c {mode = BILINEAR} : (tensor<1x4x4x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x11x8x1xi32>
  return %r : tensor<1x11x8x1xi32>
}
