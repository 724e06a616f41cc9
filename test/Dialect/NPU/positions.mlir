// npu.gather and npu.scatter as they are written, and every constraint of theirs (the
// numbers are those of NPUOps.td).
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics | npu-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @valid
func.func @valid(%table: tensor<2x4x8xf16>, %rows: tensor<2x3x1xi32>, %point: tensor<?x3xi64>, %one: tensor<2xindex>, %new: tensor<2x3x8xf16>) {
  // CHECK: npu.gather %{{.*}} at %{{.*}} {batch_dims = 1 : i64} : tensor<2x4x8xf16>, tensor<2x3x1xi32> -> tensor<2x3x8xf16>
  %0 = npu.gather %table at %rows {batch_dims = 1 : i64} : tensor<2x4x8xf16>, tensor<2x3x1xi32> -> tensor<2x3x8xf16>
  // CHECK: npu.gather %{{.*}} at %{{.*}} : tensor<2x4x8xf16>, tensor<?x3xi64> -> tensor<?xf16>
  %1 = npu.gather %table at %point : tensor<2x4x8xf16>, tensor<?x3xi64> -> tensor<?xf16>
  // CHECK: npu.gather %{{.*}} at %{{.*}} : tensor<2x4x8xf16>, tensor<2xindex> -> tensor<8xf16>
  %2 = npu.gather %table at %one : tensor<2x4x8xf16>, tensor<2xindex> -> tensor<8xf16>
  // CHECK: npu.scatter %{{.*}} into %{{.*}} at %{{.*}} {batch_dims = 1 : i64} : tensor<2x3x8xf16>, tensor<2x4x8xf16>, tensor<2x3x1xi32> -> tensor<2x4x8xf16>
  %3 = npu.scatter %new into %table at %rows {batch_dims = 1 : i64} : tensor<2x3x8xf16>, tensor<2x4x8xf16>, tensor<2x3x1xi32> -> tensor<2x4x8xf16>
  // CHECK: origin = array<i64: 4>, whole = array<i64: 8>
  %4 = npu.scatter %new into %table at %rows {batch_dims = 1 : i64, origin = array<i64: 4>, whole = array<i64: 8>} : tensor<2x3x8xf16>, tensor<2x4x8xf16>, tensor<2x3x1xi32> -> tensor<2x4x8xf16>
  return
}

// -----

// Constraint 1.
func.func @no_tuple(%x: tensor<4xf32>, %at: tensor<i32>) {
  // expected-error@+1 {{expected indices whose last dimension is the number of coordinates of a position, at least 1, got 'tensor<i32>'}}
  %0 = npu.gather %x at %at : tensor<4xf32>, tensor<i32> -> tensor<f32>
  return
}

// -----

func.func @unknown_depth(%x: tensor<4xf32>, %at: tensor<3x?xi32>) {
  // expected-error@+1 {{expected indices whose last dimension is the number of coordinates}}
  %0 = npu.gather %x at %at : tensor<4xf32>, tensor<3x?xi32> -> tensor<3xf32>
  return
}

// -----

func.func @too_deep(%x: tensor<4xf32>, %at: tensor<3x2xi32>) {
  // expected-error@+1 {{expected batch dimensions and coordinates within the 1 dimensions of 'tensor<4xf32>' and the 1 of the indices, got 0 batch dimensions and 2 coordinates}}
  %0 = npu.gather %x at %at : tensor<4xf32>, tensor<3x2xi32> -> tensor<3xf32>
  return
}

// -----

func.func @batch_is_all(%x: tensor<3xf32>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{got 1 batch dimensions and 1 coordinates}}
  %0 = npu.gather %x at %at {batch_dims = 1 : i64} : tensor<3xf32>, tensor<3x1xi32> -> tensor<3xf32>
  return
}

// -----

// Constraint 2.
func.func @other_batch(%x: tensor<2x4xf32>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{expected the same batch dimensions of data and indices, got 'tensor<2x4xf32>' and 'tensor<3x1xi32>'}}
  %0 = npu.gather %x at %at {batch_dims = 1 : i64} : tensor<2x4xf32>, tensor<3x1xi32> -> tensor<3xf32>
  return
}

// -----

// Constraint 3.
func.func @other_result(%x: tensor<4x8xf32>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{expected a result of type 'tensor<3x8xf32>', got 'tensor<3x4xf32>'}}
  %0 = npu.gather %x at %at : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3x4xf32>
  return
}

// -----

func.func @other_updates(%x: tensor<4x8xf32>, %new: tensor<3x8xf16>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{expected updates of type 'tensor<3x8xf32>', got 'tensor<3x8xf16>'}}
  %0 = npu.scatter %new into %x at %at : tensor<3x8xf16>, tensor<4x8xf32>, tensor<3x1xi32> -> tensor<4x8xf32>
  return
}

// -----

// Constraint 4.
func.func @grows(%x: tensor<4x8xf32>, %new: tensor<3x8xf32>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{expected a result of the shape and the element type of its data, got 'tensor<4x8xf32>' and 'tensor<5x8xf32>'}}
  %0 = npu.scatter %new into %x at %at : tensor<3x8xf32>, tensor<4x8xf32>, tensor<3x1xi32> -> tensor<5x8xf32>
  return
}

// -----

// Constraint 5.
func.func @beyond(%x: tensor<4x8xf32>, %new: tensor<3x8xf32>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{expected 'origin' and 'whole' to say where 'tensor<4x8xf32>' lies in a tensor that it is inside of, with 1 numbers each}}
  %0 = npu.scatter %new into %x at %at {origin = array<i64: 5>, whole = array<i64: 8>} : tensor<3x8xf32>, tensor<4x8xf32>, tensor<3x1xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @half(%x: tensor<4x8xf32>, %new: tensor<3x8xf32>, %at: tensor<3x1xi32>) {
  // expected-error@+1 {{expected 'origin' and 'whole' to say where}}
  %0 = npu.scatter %new into %x at %at {whole = array<i64: 8>} : tensor<3x8xf32>, tensor<4x8xf32>, tensor<3x1xi32> -> tensor<4x8xf32>
  return
}
