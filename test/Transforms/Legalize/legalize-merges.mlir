// Where the repair meets a redistribution that was there already, the two become
// one; what it does not meet stays as it is written, however superfluous.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
// CHECK-DAG: #[[ALL:.+]] = #npu.layout<DUPLICATED, tiles = 2>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#copy = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>

// Computed by rows and wanted in full on both tiles, which somebody stores: what
// nobody else looks at is not moved for that.
// CHECK-LABEL: func.func @after
func.func @after(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16> {
  // CHECK: %[[Y:.+]] = linalg.exp {{.*}} -> tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: %[[STORED:.+]] = npu.redistribute %[[Y]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16>
  // CHECK-NEXT: return %[[STORED]]
  %e = tensor.empty() : tensor<8x4xf16, #copy>
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #copy>) -> tensor<8x4xf16, #copy>
  %1 = npu.redistribute %0 : tensor<8x4xf16, #copy> to tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}

// Loaded by rows, read by columns: loaded by columns.
// CHECK-LABEL: func.func @before
func.func @before(%x: tensor<8x4xf16>, %e: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf16> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.softmax dimension(0) ins(%[[X]]
  %0 = npu.redistribute %x : tensor<8x4xf16> to tensor<8x4xf16, #rows>
  %1 = linalg.softmax dimension(0) ins(%0 : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %1 : tensor<8x4xf16, #columns>
}

// Somebody else reads it by rows.
// CHECK-LABEL: func.func @two_users
func.func @two_users(%x: tensor<8x4xf16>, %e: tensor<8x4xf16, #columns>) -> (tensor<8x4xf16, #columns>, tensor<8x4xf16, #rows>) {
  // CHECK-NEXT: %[[R:.+]] = npu.redistribute %arg0 : tensor<8x4xf16> to tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: npu.redistribute %[[R]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  %0 = npu.redistribute %x : tensor<8x4xf16> to tensor<8x4xf16, #rows>
  %1 = linalg.softmax dimension(0) ins(%0 : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %1, %0 : tensor<8x4xf16, #columns>, tensor<8x4xf16, #rows>
}

// Nothing to repair, nothing to touch: npu-canonicalize is for this.
// CHECK-LABEL: func.func @as_written
func.func @as_written(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  // CHECK-NEXT: %[[A:.+]] = npu.redistribute %arg0
  // CHECK-NEXT: %[[B:.+]] = npu.redistribute %[[A]]
  // CHECK-NEXT: return %[[B]]
  %0 = npu.redistribute %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #everywhere>
  %1 = npu.redistribute %0 : tensor<8x4xf16, #everywhere> to tensor<8x4xf16, #rows>
  return %1 : tensor<8x4xf16, #rows>
}
