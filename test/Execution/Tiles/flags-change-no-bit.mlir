// Fast-math flags let LLVM add up in an order that depends on how long a loop is,
// which is another one on a tile; overflow flags promise of the whole what need
// not hold of a part. Neither changes a bit of what runs.
// RUN: npu-opt %s --npu-legalize-distributions -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s --entry=reassociated -O2 | FileCheck %s
// RUN: npu-run %t.mlir --reference=%s --entry=shared --inputs=integers | FileCheck %s
// RUN: FileCheck %s --check-prefix=PARTS < %t.mlir

// CHECK: 0 different
// CHECK: {{^}}equal

#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

func.func @reassociated(%a: tensor<64x7xf32, #columns>, %init: tensor<7xf32>) -> tensor<7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<64x7xf32, #columns>) outs(%init : tensor<7xf32>) {
  ^bb0(%x: f32, %old: f32):
    %sum = arith.addf %old, %x fastmath<reassoc> : f32
    linalg.yield %sum : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// The sum is shared by tiles, without the flag.
// PARTS-LABEL: func.func @shared
// PARTS: arith.addi %{{.*}}, %{{.*}} : i8
// PARTS: arith.addi %{{.*}}, %{{.*}} : i8
// PARTS: return
func.func @shared(%a: tensor<2x64xi8, #columns>, %init: tensor<2xi8>) -> tensor<2xi8> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x64xi8, #columns>) outs(%init : tensor<2xi8>) {
  ^bb0(%x: i8, %old: i8):
    %sum = arith.addi %old, %x overflow<nsw> : i8
    linalg.yield %sum : i8
  } -> tensor<2xi8>
  return %0 : tensor<2xi8>
}
