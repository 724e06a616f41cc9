// Sums of 64 tiles run and are compared within seconds: the reference adds up in 64 parts
// by one loop, and nothing is written once for each part. 640 columns are parts of 10;
// 650 are parts of 11 and of 10.
//
// RUN: sed 's/COLUMNS/640/g' %s > %t.even.mlir
// RUN: npu-opt %t.even.mlir --npu-legalize-distributions | npu-run - --reference=%t.even.mlir -O0 | FileCheck %s -DTERMS=640
// RUN: sed 's/COLUMNS/650/g' %s > %t.uneven.mlir
// RUN: npu-opt %t.uneven.mlir --npu-legalize-distributions | npu-run - --reference=%t.uneven.mlir -O0 | FileCheck %s -DTERMS=650
// RUN: npu-opt %t.uneven.mlir --npu-legalize-distributions | npu-run - --compare -O0 | FileCheck %s --check-prefix=SAME
//
// CHECK: split reduction: linalg.matmul #0 of 'main' at {{.*}}: [[TERMS]] terms added up in 64 parts
// CHECK: [[N:[1-6]]] of [[N]] different elements have the bits that the reference gives when it adds up in the same parts
// CHECK: equal within what is allowed
// SAME: 0 different
// SAME: {{^}}equal{{$}}

#columns = #npu.layout<SEGMENTED, tiles = [1, 64]>
#rows = #npu.layout<SEGMENTED, tiles = [64, 1]>

func.func @main(%a: tensor<3xCOLUMNSxf32, #columns>, %b: tensor<COLUMNSx2xf32, #rows>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3xCOLUMNSxf32, #columns>, tensor<COLUMNSx2xf32, #rows>) outs(%c : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
