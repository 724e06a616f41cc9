// Every constraint of the operations (the numbers are those of NPUOps.td).
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics

// permute_cast, constraint 1.
func.func @ranks(%x: tensor<4x8xf16>) -> tensor<4x8x1xf16> {
  // expected-error@+1 {{expected one rank on both sides, got 2 and 3}}
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16> to tensor<4x8x1xf16>
  return %0 : tensor<4x8x1xf16>
}

// -----

func.func @not_a_permutation(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error@+1 {{expected mem_perm to be a permutation of rank 2, got [0, 0]}}
  %0 = npu.permute_cast %x mem_perm = [0, 0] : tensor<4x8xf16> to tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

func.func @permutation_rank(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error@+1 {{expected mem_perm to be a permutation of rank 2, got [0, 1, 2]}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2] : tensor<4x8xf16> to tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

func.func @rank9(%x: tensor<1x1x1x1x1x1x1x1x2xf16>) -> tensor<1x1x1x1x1x1x1x1x2xf16> {
  // expected-error@+1 {{expected rank at most 8, got 9}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3, 4, 5, 6, 7, 8]
      : tensor<1x1x1x1x1x1x1x1x2xf16> to tensor<1x1x1x1x1x1x1x1x2xf16>
  return %0 : tensor<1x1x1x1x1x1x1x1x2xf16>
}

// -----

// Constraint 2.
func.func @shape(%x: tensor<1x28x336x128xf16>) -> tensor<1x28x128x336xf16, #npu.layout<order = NHWC>> {
  // expected-error@+1 {{expected a result of shape 'tensor<1x128x28x336xf16>' (input order NCHW, mem_perm [0, 1, 2, 3], result order NHWC), got}}
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16> to tensor<1x28x128x336xf16, #npu.layout<order = NHWC>>
  return %0 : tensor<1x28x128x336xf16, #npu.layout<order = NHWC>>
}

// -----

// Constraint 3.
func.func @moves_bytes(%x: tensor<4x8xf16>) -> tensor<8x4xf16> {
  // expected-error@+1 {{expected a mem_perm that moves no byte (dimensions of extent other than 1 keep their order), got [1, 0] on memory of shape [4, 8]}}
  %0 = npu.permute_cast %x mem_perm = [1, 0] : tensor<4x8xf16> to tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// -----

// Constraint 4.
func.func @element_type(%x: tensor<4x8xf16>) -> tensor<4x8xbf16> {
  // expected-error@+1 {{expected one element type on both sides, got 'f16' and 'bf16'}}
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x8xf16> to tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// distribution_cast, constraint 1.
func.func @cast_shape(%x: tensor<4x8xf16, #rows>) -> tensor<8x4xf16, #rows> {
  // expected-error@+1 {{expected one shape on both sides}}
  %0 = npu.distribution_cast %x : tensor<4x8xf16, #rows> to tensor<8x4xf16, #rows>
  return %0 : tensor<8x4xf16, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#rows_transposed = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>

func.func @cast_order(%x: tensor<4x8xf16, #rows>) -> tensor<4x8xf16, #rows_transposed> {
  // expected-error@+1 {{expected one order on both sides, got [0, 1] and [1, 0]; npu.redistribute changes orders}}
  %0 = npu.distribution_cast %x : tensor<4x8xf16, #rows> to tensor<4x8xf16, #rows_transposed>
  return %0 : tensor<4x8xf16, #rows_transposed>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// Constraint 2.
func.func @cast_load(%x: tensor<4x8xf16>) -> tensor<4x8xf16, #rows> {
  // expected-error@+1 {{expected distributed tensors on both sides, got 'tensor<4x8xf16>'; npu.redistribute loads and stores}}
  %0 = npu.distribution_cast %x : tensor<4x8xf16> to tensor<4x8xf16, #rows>
  return %0 : tensor<4x8xf16, #rows>
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// Constraint 3.
func.func @cast_moves(%x: tensor<4x8xf16, #rows>) -> tensor<4x8xf16, #columns> {
  // expected-error@+2 {{expected every tile's target memory box inside its source memory box, but tile 0 holds [0:2, 0:8] and the target wants [0:4, 0:4]}}
  // expected-note@+1 {{npu.redistribute moves data}}
  %0 = npu.distribution_cast %x : tensor<4x8xf16, #rows> to tensor<4x8xf16, #columns>
  return %0 : tensor<4x8xf16, #columns>
}

// -----

// redistribute, constraint 1.
func.func @redistribute_shape(%x: tensor<4x8xf16>) -> tensor<8x4xf16> {
  // expected-error@+1 {{expected one shape on both sides}}
  %0 = npu.redistribute %x : tensor<4x8xf16> to tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// -----

func.func @redistribute_element(%x: tensor<4x8xf16>) -> tensor<4x8xf32> {
  // expected-error@+1 {{expected one element type on both sides, got 'f16' and 'f32'}}
  %0 = npu.redistribute %x : tensor<4x8xf16> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @padding_form(%x: tensor<4x8xf16>) {
  // expected-error@+1 {{with 'npu.padding': expected a list of [dimension, begin, end], such as [[2, 336, 512]]}}
  %0 = npu.redistribute %x {npu.padding = [2, 336, 512]} : tensor<4x8xf16> to tensor<4x8xf16>
  return
}

// -----

func.func @padding_word(%x: tensor<4x8xf16>) {
  // expected-error@+1 {{with 'npu.padding': expected a list of [dimension, begin, end], such as [[2, 336, 512]]; only all of a tensor.empty is padding}}
  %0 = npu.redistribute %x {npu.padding} : tensor<4x8xf16> to tensor<4x8xf16>
  return
}

// -----

func.func @padding_outside(%x: tensor<4x8xf16>) {
  // expected-error@+1 {{with 'npu.padding': expected padding inside dimension 1 of extent 8, got 6:9}}
  %0 = npu.redistribute %x {npu.padding = [[1, 6, 9]]} : tensor<4x8xf16> to tensor<4x8xf16>
  return
}

// -----

func.func @padding_dimension(%x: tensor<4x8xf16>) {
  // expected-error@+1 {{with 'npu.padding': expected padding of a dimension below 2, got dimension}}
  %0 = npu.redistribute %x {npu.padding = [[-1, 0, 1]]} : tensor<4x8xf16> to tensor<4x8xf16>
  return
}

// -----

func.func @padding_dynamic(%x: tensor<?x8xf16>) {
  // expected-error@+1 {{with 'npu.padding': expected a tensor of static shape and of rank at most 8 to have padding, got 'tensor<?x8xf16>'}}
  %0 = npu.redistribute %x {npu.padding = [[0, 6, 9]]} : tensor<?x8xf16> to tensor<?x8xf16>
  return
}

// -----

func.func @padding_results(%x: tensor<4xf16>) {
  // expected-error@+1 {{with 'npu.padding': expected 2 lists, one for each result}}
  %0:2 = scf.execute_region -> (tensor<4xf16>, tensor<4xf16>) {
    scf.yield %x, %x : tensor<4xf16>, tensor<4xf16>
  } {npu.padding = [[0, 1, 4]]}
  return
}

// -----

// expected-error@+1 {{with 'npu.padding' on an argument: expected padding inside dimension 0 of extent 4, got 3:5}}
func.func @padding_argument(%x: tensor<4xf16> {npu.padding = [[0, 3, 5]]}) {
  return
}

// -----

// npu.transfer, constraint 2: tensors or buffers.
func.func @from_tensor_to_buffer(%a: tensor<4xi32>, %b: memref<4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op expected tensors or memrefs on all sides, got 'tensor<4xi32>' and 'memref<4xi32, 1>'}}
  npu.transfer %a[0] from ddr to tile 0 into %b[0] box [0:4] bytes = 16 : tensor<4xi32> to memref<4xi32, 1>
  return
}

// -----

func.func @from_buffer_to_tensor(%a: memref<4xi32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'npu.transfer' op expected tensors or memrefs on all sides, got 'memref<4xi32>' and 'tensor<4xi32>'}}
  %0 = npu.transfer %a[0] from ddr to tile 0 into %b[0] box [0:4] bytes = 16 : memref<4xi32> to tensor<4xi32>
  return
}

// -----

// Of a buffer nothing is made; a tensor is written into another one.
func.func @result_of_buffer(%a: memref<4xi32>, %b: memref<4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op expected one result for each destination that is a tensor, 0 in all, got 1}}
  %0 = "npu.transfer"(%a, %b) <{from = -1 : i64, to = array<i64: 0>, source_offset = array<i64: 0>, dest_offsets = array<i64: 0>, offset = array<i64: 0>, size = array<i64: 4>, bytes = 16 : i64}> : (memref<4xi32>, memref<4xi32, 1>) -> tensor<4xi32>
  return
}

// -----

// The same rules as on tensors.
func.func @outside_buffer(%a: memref<4xi32>, %b: memref<4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op expected box [0:4] at [1] inside destination #0, 'memref<4xi32, 1>'}}
  npu.transfer %a[0] from ddr to tile 0 into %b[1] box [0:4] bytes = 16 : memref<4xi32> to memref<4xi32, 1>
  return
}

// -----

func.func @run_time_extent(%a: memref<?xi32>, %b: memref<4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op operand #0 must be statically shaped tensor or memref, but got 'memref<?xi32>'}}
  npu.transfer %a[0] from ddr to tile 0 into %b[0] box [0:4] bytes = 16 : memref<?xi32> to memref<4xi32, 1>
  return
}

// -----

// npu.transfer, constraint 1: of a tile's number other passes make a memory space.
func.func @no_such_tile(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{custom op 'npu.transfer' expected a tile number of 0 to 4095, got 9223372036854775807}}
  %t = npu.transfer %a[0] from ddr to tile 9223372036854775807 into %b[0] box [0:4] bytes = 16 : tensor<4xi32> to tensor<4xi32>
  return %t : tensor<4xi32>
}

// -----

func.func @no_such_owner() -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.empty' op expected 'npu.tile' to be an i64 from 0 to 4095, got 9223372036854775807 : i64}}
  %0 = tensor.empty() {npu.tile = 9223372036854775807 : i64} : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// expected-error@+1 {{'func.func' op expected 'npu.tiles' to be an i64 from 1 to 4096, got "four"}}
func.func @no_such_count() attributes {npu.tiles = "four"} {
  return
}

// -----

// Constraint 5: the box is somewhere in a tensor.
func.func @box_below_zero(%a: memref<8xi32>, %b: memref<8xi32>) {
  // expected-error@+1 {{'npu.transfer' op expected a box that begins at 0 or above and has an end, got offset [-5] and size [8]}}
  "npu.transfer"(%a, %b) <{source_offset = array<i64: 0>, from = -1 : i64, to = array<i64: -1>, dest_offsets = array<i64: 0>, offset = array<i64: -5>, size = array<i64: 8>, bytes = 32 : i64}> : (memref<8xi32>, memref<8xi32>) -> ()
  return
}

// -----

func.func @box_without_end(%a: memref<8xi32>, %b: memref<8xi32>) {
  // expected-error@+1 {{'npu.transfer' op expected a box that begins at 0 or above and has an end, got offset [9223372036854775807] and size [8]}}
  "npu.transfer"(%a, %b) <{source_offset = array<i64: 0>, from = -1 : i64, to = array<i64: -1>, dest_offsets = array<i64: 0>, offset = array<i64: 9223372036854775807>, size = array<i64: 8>, bytes = 0 : i64}> : (memref<8xi32>, memref<8xi32>) -> ()
  return
}

// -----

// Constraint 6: bytes can be counted.
func.func @more_bytes_than_a_number(%a: memref<4294967296x4294967296xi32>, %b: memref<4294967296x4294967296xi32>) {
  // expected-error@+1 {{'npu.transfer' op expected a box whose size in bits is known and fits in 63 bits, got [0:4294967296, 0:4294967296] of 'i32'}}
  npu.transfer %a[0, 0] from ddr to ddr into %b[0, 0] box [0:4294967296, 0:4294967296] bytes = 0 : memref<4294967296x4294967296xi32> to memref<4294967296x4294967296xi32>
  return
}

// -----

func.func @elements_without_size(%a: memref<4xmemref<2xi32>>, %b: memref<4xmemref<2xi32>>) {
  // expected-error@+1 {{'npu.transfer' op expected a box whose size in bits is known and fits in 63 bits, got [0:4] of 'memref<2xi32>'}}
  npu.transfer %a[0] from ddr to ddr into %b[0] box [0:4] bytes = -1 : memref<4xmemref<2xi32>> to memref<4xmemref<2xi32>>
  return
}

// -----

// Constraint 7: a place has its own memory.
func.func @source_elsewhere(%a: memref<4xi32>, %b: memref<4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op expected a buffer of tile 3 in memory space 4, got 'memref<4xi32>'}}
  npu.transfer %a[0] from tile 3 to tile 0 into %b[0] box [0:4] bytes = 16 : memref<4xi32> to memref<4xi32, 1>
  return
}

// -----

func.func @destination_elsewhere(%a: memref<4xi32, 0>, %b: memref<4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op expected a buffer of ddr in memory space 0, got 'memref<4xi32, 1>'}}
  npu.transfer %a[0] from ddr to ddr into %b[0] box [0:4] bytes = 16 : memref<4xi32, 0> to memref<4xi32, 1>
  return
}

// -----

// Constraint 8: nothing is written that is still to be read.
func.func @parts_overlap(%a: memref<4x4xi32, 1>) {
  // expected-error@+1 {{'npu.transfer' op expected parts of one buffer that lie apart or are the same in the same order, got [0:3, 0:3] and [1:4, 1:4]}}
  npu.transfer %a[0, 0] from tile 0 to tile 0 into %a[1, 1] box [0:3, 0:3] bytes = 36 : memref<4x4xi32, 1> to memref<4x4xi32, 1>
  return
}

// -----

func.func @transposed_over_itself(%a: memref<2x2xi32, 1>) {
  // The same part in the same order is no harm, and neither are parts apart.
  npu.transfer %a[0, 0] from tile 0 to tile 0 into %a[0, 0] box [0:2, 0:2] bytes = 16 : memref<2x2xi32, 1> to memref<2x2xi32, 1>
  npu.transfer %a[0, 0] from tile 0 to tile 0 into %a[0, 1] box [0:2, 0:1] bytes = 8 : memref<2x2xi32, 1> to memref<2x2xi32, 1>
  // expected-error@+1 {{'npu.transfer' op expected parts of one buffer that lie apart or are the same in the same order, got [0:2, 0:2] and [0:2, 0:2]}}
  npu.transfer %a[0, 0] from tile 0 to tile 0 into %a[0, 0] box [0:2, 0:2] bytes = 16 {dest_order = array<i64: 1, 0>} : memref<2x2xi32, 1> to memref<2x2xi32, 1>
  return
}

// -----

// Constraint 2: a tensor of a tile program is a part, not a tensor on tiles.
#rows = #npu.layout<SEGMENTED, tiles = [2]>
func.func @part_with_a_layout(%a: tensor<4xi32, #rows>, %b: tensor<4xi32, #rows>) {
  // expected-error@+1 {{'npu.transfer' op expected tensors without a layout, each of them a part that one tile or DDR has, got}}
  %0 = npu.transfer %a[0] from tile 0 to ddr into %b[0] box [0:4] bytes = 16 : tensor<4xi32, #rows> to tensor<4xi32, #rows>
  return
}
