// Functions of scalars alone, and operations for which upstream has no lowering
// of its own or one that kills the process.
//
// RUN: split-file %s %t
// RUN: npu-run %t/scalar.mlir | FileCheck %s --check-prefix=SCALAR
// RUN: npu-run %t/scalar.mlir --compare | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t/rare.mlir --inputs=iota | FileCheck %s --check-prefix=RARE
// RUN: npu-run %t/distributed.mlir --compare --inputs=integers | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t/packed.mlir --compare | FileCheck %s --check-prefix=EQUAL

// SCALAR: 'main' ran: (f32) -> (f32)
// EQUAL: {{^}}equal

// RARE: result #0 4xi32: 0 1065353216 1073741824 1077936128
// 0^-1 is not defined, 1^-1 is 1, 2^3, (-1)^-1, 7^0.
// RARE-NEXT: result #1 5xi32: 1 1 8 -1 1
// RARE-NEXT: result #2 2x1x2x2xf32: 0 1 2 3 4 5 9 9
// RARE-NEXT: result #3 3x2xf32: 0 1 2 3 4 5
// RARE-NEXT: result #4 2xf32:

//--- scalar.mlir
func.func @main(%f: f32) -> f32 {
  return %f : f32
}

//--- rare.mlir
func.func @main(%x: tensor<4xf32>, %p: tensor<3x2xf32>, %u: tensor<2xui32>)
    -> (tensor<4xi32>, tensor<5xi32>, tensor<2x1x2x2xf32>, tensor<3x2xf32>, tensor<2xf32>) {
  %0 = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %base = arith.constant dense<[0, 1, 2, -1, 7]> : tensor<5xi32>
  %exponent = arith.constant dense<[-1, -1, 3, -1, 0]> : tensor<5xi32>
  %1 = math.ipowi %base, %exponent : tensor<5xi32>
  %nine = arith.constant 9.0 : f32
  %e = tensor.empty() : tensor<2x1x2x2xf32>
  %2 = linalg.pack %p padding_value(%nine : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e
      : tensor<3x2xf32> -> tensor<2x1x2x2xf32>
  %e2 = tensor.empty() : tensor<3x2xf32>
  %3 = linalg.unpack %2 inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e2
      : tensor<2x1x2x2xf32> -> tensor<3x2xf32>
  %4 = tensor.bitcast %u : tensor<2xui32> to tensor<2xf32>
  return %0, %1, %2, %3, %4
      : tensor<4xi32>, tensor<5xi32>, tensor<2x1x2x2xf32>, tensor<3x2xf32>, tensor<2xf32>
}

//--- distributed.mlir
#s = #npu.layout<SEGMENTED, tiles = [2]>
func.func @main(%x: tensor<8xf32, #s>, %a: tensor<8xi32, #s>, %b: tensor<8xi32, #s>) -> (tensor<8xi32, #s>, tensor<8xi32, #s>) {
  %0 = tensor.bitcast %x : tensor<8xf32, #s> to tensor<8xi32, #s>
  %1 = math.ipowi %a, %b : tensor<8xi32, #s>
  return %0, %1 : tensor<8xi32, #s>, tensor<8xi32, #s>
}

//--- packed.mlir
#s = #npu.layout<SEGMENTED, tiles = [2, 1]>
#p = #npu.layout<SEGMENTED, tiles = [2, 1, 1, 1]>
func.func @main(%p: tensor<8x10xf32, #s>) -> (tensor<2x5x4x2xf32, #p>, tensor<8x10xf32, #s>) {
  %e = tensor.empty() : tensor<2x5x4x2xf32, #p>
  %2 = linalg.pack %p inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<8x10xf32, #s> -> tensor<2x5x4x2xf32, #p>
  %e2 = tensor.empty() : tensor<8x10xf32, #s>
  %3 = linalg.unpack %2 inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e2 : tensor<2x5x4x2xf32, #p> -> tensor<8x10xf32, #s>
  return %2, %3 : tensor<2x5x4x2xf32, #p>, tensor<8x10xf32, #s>
}
