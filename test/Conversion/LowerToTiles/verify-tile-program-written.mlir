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
// nothing of it; a call may write into what is marked as padding.
func.func private @callee(tensor<4x2xf32>) -> tensor<4x2xf32>
func.func @reads_nothing(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, index) attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() : tensor<4x2xf32>
  %c0 = arith.constant 0 : index
  %0 = linalg.exp ins(%x : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %any = tensor.empty() {npu.padding} : tensor<4x2xf32>
  %1 = call @callee(%any) : (tensor<4x2xf32>) -> tensor<4x2xf32>
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

// -----

func.func private @callee(tensor<4xf32>) -> tensor<4xf32>

// A call is given what a store has written, or what is marked as padding.
func.func @call() -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %marked = tensor.empty() {npu.padding} : tensor<4xf32>
  %0 = func.call @callee(%marked) : (tensor<4xf32>) -> tensor<4xf32>
  %stored = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'func.call' reads [0:4] of operand #0, which nobody has written (local coordinates, DDR)}}
  %1 = func.call @callee(%stored) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What a body looks up has been stored before.
func.func @body(%x: tensor<4xi32>) attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xi32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xi32> to tensor<4xi32>
  %table = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x0 : tensor<4xi32>) outs(%e : tensor<4xi32>) attrs = {npu.tile = 0 : i64} {
  ^bb0(%v: i32, %o: i32):
    %at = arith.index_cast %v : i32 to index
    // expected-error@+1 {{'tensor.extract' reads [0:4] of operand #0, which nobody has written (local coordinates, DDR)}}
    %entry = tensor.extract %table[%at] : tensor<4xi32>
    linalg.yield %entry : i32
  } -> tensor<4xi32>
  return
}

// -----

// The loop does not run, so that it gives what it was given.
func.func @loop(%x: tensor<4xi32>) -> tensor<4xi32> attributes {npu.tiles = 1 : i64} {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xi32>
  %x0 = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xi32> to tensor<4xi32>
  // expected-error@+1 {{'scf.for' reads [0:4] of operand #3, which nobody has written (local coordinates, tile 0)}}
  %0 = scf.for %i = %c1 to %c1 step %c1 iter_args(%a = %e) -> tensor<4xi32> {
    scf.yield %x0 : tensor<4xi32>
  }
  %d = tensor.empty() : tensor<4xi32>
  // expected-error@+1 {{'npu.transfer' reads [0:4] of operand #0, which nobody has written (local coordinates, tile 0)}}
  %1 = npu.transfer %0[0] from tile 0 to ddr into %d[0] box [0:4] bytes = 16 : tensor<4xi32> to tensor<4xi32>
  return %1 : tensor<4xi32>
}
