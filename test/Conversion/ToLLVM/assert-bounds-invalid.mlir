// A part that is outside of its buffer in every run is an error where it stands;
// upstream's verifier lets negative strides pass.
//
// RUN: npu-opt %s --npu-assert-bounds --split-input-file --verify-diagnostics

func.func @far_in_front(%x: memref<4x4xf32>) {
  // expected-error@+1 {{expected a slice inside the 4 entries of dimension 0, got 2 entries from 0 in steps of -1000000000}}
  %0 = memref.subview %x[0, 0] [2, 2] [-1000000000, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[-4000000000, 1]>>
  return
}

// -----

func.func @just_in_front(%x: memref<4x4xf32>) {
  // expected-error@+1 {{expected a slice inside the 4 entries of dimension 1, got 3 entries from 1 in steps of -1}}
  %0 = memref.subview %x[0, 1] [2, 3] [1, -1] : memref<4x4xf32> to memref<2x3xf32, strided<[4, -1], offset: 1>>
  return
}
