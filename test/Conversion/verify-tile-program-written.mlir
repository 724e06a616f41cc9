// What an operation in DDR reads has been written, as well: a lost store in front
// of it is found, also where an insertion with strides wrote some entries.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics --npu-verify-tile-program

func.func @only_store(%x: tensor<4x2xf32>, %i: tensor<4x1xi32>) -> tensor<4x2xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() : tensor<4x2xf32>
  // expected-error@+1 {{'tensor.gather' reads [0:4, 0:2] of operand #0, which nobody has written (local coordinates, DDR)}}
  %0 = tensor.gather %e[%i] gather_dims([0]) : (tensor<4x2xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// An operation that overwrites an output, and one that asks for its shape, read
// nothing of it; a call may write into what it is given.
func.func private @callee(tensor<4x2xf32>) -> tensor<4x2xf32>
func.func @reads_nothing(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, index) attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() : tensor<4x2xf32>
  %c0 = arith.constant 0 : index
  %0 = linalg.exp ins(%x : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = call @callee(%e) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = tensor.dim %e, %c0 : tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, index
}

// -----

func.func @before_strided(%x: tensor<2x6xf32>, %s: tensor<2x3xf32>) -> tensor<4x6xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2x6xf32>
  %x0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:6] bytes = 48
      : tensor<2x6xf32> to tensor<2x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = npu.transfer %x0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:6] bytes = 48
      : tensor<2x6xf32> to tensor<4x6xf32>
  %1 = tensor.insert_slice %s into %0[2, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<4x6xf32>
  // expected-error@+1 {{'func.return' reads [2:4, 1:2] of operand #0, which nobody has written (local coordinates, DDR)}}
  return %1 : tensor<4x6xf32>
}

// -----

// Even and odd columns are all columns.
func.func @woven(%x: tensor<2x3xf32>) -> tensor<2x6xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() : tensor<2x6xf32>
  %0 = tensor.insert_slice %x into %e[0, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<2x6xf32>
  %1 = tensor.insert_slice %x into %0[0, 1] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// -----

// One entry is not all of them.
func.func @one_entry(%x: tensor<4xf32>, %v: f32) -> tensor<8xf32> attributes {npu.tiles = 1 : i64} {
  %c1 = arith.constant 1 : index
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<8xf32>
  %0 = npu.transfer %x0[0] from tile 0 to ddr into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<8xf32>
  %1 = tensor.insert %v into %0[%c1] : tensor<8xf32>
  // expected-error@+1 {{'func.return' reads [4:8] of operand #0, which nobody has written (local coordinates, DDR)}}
  return %1 : tensor<8xf32>
}
