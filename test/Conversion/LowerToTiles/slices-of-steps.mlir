// Slices of steps at offsets that only a run knows: tiles that hold all of the dimension do
// them, and where one holds a part, the host inserts.
//
// RUN: npu-opt %s --npu-lower-to-tiles -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: FileCheck %s < %t.mlir
// RUN: npu-run %s --entry=whole --compare | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=cut --compare 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=plain | FileCheck %s --check-prefix=PLAIN

// EQUAL: equal
// PLAIN: result #0 8xf32

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// CHECK-LABEL: func.func @whole
// CHECK: tensor.extract_slice %{{.*}}[0, %[[AT:[a-z0-9_]+]]] [2, 2] [1, 1] {{{.*}}npu.steps
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[AT]]] [2, 2] [1, 1] {{{.*}}npu.steps
func.func @whole(%x: tensor<4x6xf32, #rows>, %y: tensor<4x6xf32, #rows>, %at: tensor<i32>) -> tensor<4x6xf32, #rows> {
  %number = tensor.extract %at[] : tensor<i32>
  %three = arith.constant 3 : i32
  %masked = arith.andi %number, %three : i32
  %offset = arith.index_cast %masked : i32 to index
  %0 = tensor.extract_slice %x[0, %offset] [4, 2] [1, 1] {npu.steps} : tensor<4x6xf32, #rows> to tensor<4x2xf32, #rows>
  %1 = tensor.insert_slice %0 into %y[0, %offset] [4, 2] [1, 1] {npu.steps} : tensor<4x2xf32, #rows> into tensor<4x6xf32, #rows>
  return %1 : tensor<4x6xf32, #rows>
}

// WARN: 'tensor.insert_slice' falls back to the host: only a run knows which tile it writes to
func.func @cut(%x: tensor<4x2xf32, #columns>, %y: tensor<4x6xf32, #columns>, %at: tensor<i32>) -> tensor<4x6xf32, #columns> {
  %number = tensor.extract %at[] : tensor<i32>
  %three = arith.constant 3 : i32
  %masked = arith.andi %number, %three : i32
  %offset = arith.index_cast %masked : i32 to index
  %all = npu.redistribute %x : tensor<4x2xf32, #columns> to tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 2>>
  %1 = tensor.insert_slice %all into %y[0, %offset] [4, 2] [1, 1] {npu.steps} : tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 2>> into tensor<4x6xf32, #columns>
  return %1 : tensor<4x6xf32, #columns>
}

func.func @plain(%x: tensor<8xf32>, %y: tensor<4xf32>, %at: tensor<i32>) -> tensor<8xf32> {
  %number = tensor.extract %at[] : tensor<i32>
  %three = arith.constant 3 : i32
  %masked = arith.andi %number, %three : i32
  %offset = arith.index_cast %masked : i32 to index
  %0 = tensor.insert_slice %y into %x[%offset] [4] [1] {npu.steps} : tensor<4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}
