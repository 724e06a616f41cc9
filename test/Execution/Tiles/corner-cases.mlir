// Scalars, empty tensors, operations of ours on plain tensors: what is small
// enough to be forgotten runs on tiles as it does without them.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t
// RUN: npu-run %t --entry=scalars --reference=%s | FileCheck %s
// RUN: npu-run %t --entry=scalar_slices --reference=%s | FileCheck %s
// RUN: npu-run %t --entry=nothing_to_reduce --reference=%s | FileCheck %s
// RUN: npu-run %t --entry=plain_types --reference=%s | FileCheck %s
// CHECK-NOT: {{[1-9][0-9]*}} different
// CHECK: {{^}}equal

// Loaded for all tiles, moved to more tiles, stored again.
func.func @scalars(%x: tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>, %y: tensor<f32>)
    -> (tensor<f32, #npu.layout<DUPLICATED, tiles = 3>>, tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>) {
  %0 = npu.redistribute %x : tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>
      to tensor<f32, #npu.layout<DUPLICATED, tiles = 3>>
  %1 = npu.redistribute %y : tensor<f32> to tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>
  return %0, %1 : tensor<f32, #npu.layout<DUPLICATED, tiles = 3>>, tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>
}

func.func @scalar_slices(%x: tensor<1x4xf32, #npu.layout<DUPLICATED, tiles = 2>>, %y: tensor<f32>)
    -> (tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>, tensor<1x4xf32, #npu.layout<DUPLICATED, tiles = 2>>) {
  %0 = tensor.extract_slice %x[0, 2] [1, 1] [2, 1]
      : tensor<1x4xf32, #npu.layout<DUPLICATED, tiles = 2>> to tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>
  %1 = tensor.insert_slice %y into %x[0, 3] [1, 1] [1, 1]
      : tensor<f32> into tensor<1x4xf32, #npu.layout<DUPLICATED, tiles = 2>>
  return %0, %1 : tensor<f32, #npu.layout<DUPLICATED, tiles = 2>>, tensor<1x4xf32, #npu.layout<DUPLICATED, tiles = 2>>
}

// A sum of nothing is what the output was before.
func.func @nothing_to_reduce(%x: tensor<4x0xf32>, %start: tensor<4xf32, #npu.layout<SEGMENTED, tiles = [2]>>)
    -> tensor<4xf32, #npu.layout<SEGMENTED, tiles = [2]>> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x0xf32>)
      outs(%start : tensor<4xf32, #npu.layout<SEGMENTED, tiles = [2]>>) dimensions = [1]
  return %0 : tensor<4xf32, #npu.layout<SEGMENTED, tiles = [2]>>
}

func.func @plain_types(%x: tensor<1x3xf32>) -> (tensor<3x1xf32>, tensor<1x3xf32>) {
  %0 = npu.permute_cast %x mem_perm = [1, 0] : tensor<1x3xf32> to tensor<3x1xf32>
  %1 = npu.redistribute %x : tensor<1x3xf32> to tensor<1x3xf32>
  return %0, %1 : tensor<3x1xf32>, tensor<1x3xf32>
}
