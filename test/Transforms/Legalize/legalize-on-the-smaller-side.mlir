// A redistribution sits where it moves least: across an element-type cast, a
// slice or a broadcast, on the smaller side of it.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict \
// RUN:   --verify-diagnostics --remarks-filter-passed=npu --remark-format=emitRemark | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
// CHECK-DAG: #[[HALF:.+]] = #npu.layout<SEGMENTED, tiles = [2]>
// CHECK-DAG: #[[ALL:.+]] = #npu.layout<DUPLICATED, tiles = 2>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#half = #npu.layout<SEGMENTED, tiles = [2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>

// f16 is widened to f32: half of 8x4 moves as f16, before it.
// CHECK-LABEL: func.func @before_it_is_widened
func.func @before_it_is_widened(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: %[[W:.+]] = arith.extf %[[X]] : tensor<8x4xf16, #[[COLUMNS]]> to tensor<8x4xf32, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.exp ins(%[[W]]
  // expected-remark@+1 {{redistribute | Category:npu | Function=before_it_is_widened | Reason="tiles read parts of operand #0 that they do not hold", bytes=32}}
  %w = arith.extf %x : tensor<8x4xf16, #rows> to tensor<8x4xf32, #rows>
  // expected-remark@+1 {{recompute | Category:npu | Function=before_it_is_widened | Reason="'arith.extf' is computed where its result is wanted: what it is made from is less to move", bytes=0}}
  %0 = linalg.exp ins(%w : tensor<8x4xf32, #rows>) outs(%e : tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns>
  return %0 : tensor<8x4xf32, #columns>
}

// f32 is narrowed to f16: as many bytes move after it.
// CHECK-LABEL: func.func @after_it_is_narrowed
func.func @after_it_is_narrowed(%x: tensor<8x4xf32, #rows>, %e: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: %[[N:.+]] = arith.truncf %arg0 : tensor<8x4xf32, #[[ROWS]]> to tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %[[N]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.exp ins(%[[X]]
  %n = arith.truncf %x : tensor<8x4xf32, #rows> to tensor<8x4xf16, #rows>
  // expected-remark-re@+1 {{redistribute | {{.*}}, bytes=32}}
  %0 = linalg.exp ins(%n : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

// The same where the cast itself is between the two layouts.
// CHECK-LABEL: func.func @the_cast_is_the_use
func.func @the_cast_is_the_use(%x: tensor<8x4xf16, #rows>, %y: tensor<8x4xf32, #rows>, %e: tensor<8x4xf32, #columns>, %f: tensor<8x4xf16, #columns>) -> (tensor<8x4xf32, #columns>, tensor<8x4xf16, #columns>) {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.copy ins(%[[X]] : tensor<8x4xf16, #[[COLUMNS]]>) outs(%arg2 : tensor<8x4xf32, #[[COLUMNS]]>)
  // expected-remark-re@+1 {{redistribute | {{.*}}, bytes=32}}
  %0 = linalg.copy ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns>
  // CHECK: %[[N:.+]] = linalg.copy ins(%arg1 : tensor<8x4xf32, #[[ROWS]]>) outs(%{{.+}} : tensor<8x4xf16, #[[ROWS]]>)
  // CHECK-NEXT: npu.redistribute %[[N]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // expected-remark-re@+1 {{redistribute | {{.*}}, bytes=32}}
  %1 = linalg.copy ins(%y : tensor<8x4xf32, #rows>) outs(%f : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0, %1 : tensor<8x4xf32, #columns>, tensor<8x4xf16, #columns>
}

// Two columns of eight: half of 8x2 f16 moves, after the slice. It is not
// taken of more than it needs.
// CHECK-LABEL: func.func @after_the_slice
func.func @after_the_slice(%x: tensor<8x8xf16, #rows>) -> tensor<8x2xf16, #columns> {
  // CHECK-NEXT: %[[S:.+]] = tensor.extract_slice %arg0[0, 2] [8, 2] [1, 1] : tensor<8x8xf16, #[[ROWS]]> to tensor<8x2xf16, #[[ROWS]]>
  // CHECK-NEXT: npu.redistribute %[[S]] : tensor<8x2xf16, #[[ROWS]]> to tensor<8x2xf16, #[[COLUMNS]]>
  // expected-remark-re@+1 {{redistribute | {{.*}}, bytes=16}}
  %0 = tensor.extract_slice %x[0, 2] [8, 2] [1, 1] : tensor<8x8xf16, #rows> to tensor<8x2xf16, #columns>
  return %0 : tensor<8x2xf16, #columns>
}

// A vector broadcast along columns: the other half of 8 f16 to each of two
// tiles is 16 bytes, of the 8x4 it would be 32.
// CHECK-LABEL: func.func @before_the_broadcast
func.func @before_the_broadcast(%x: tensor<8xf16, #half>, %e: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8xf16, #[[HALF]]> to tensor<8xf16, #[[ALL]]>
  // CHECK: %[[B:.+]] = linalg.broadcast ins(%[[X]] : tensor<8xf16, #[[ALL]]>) outs(%{{.+}} : tensor<8x4xf16, #[[COLUMNS]]>)
  // CHECK: linalg.exp ins(%[[B]]
  %r = tensor.empty() : tensor<8x4xf16, #rows>
  // expected-remark-re@+2 {{redistribute | {{.*}}, bytes=16}}
  // expected-remark@+1 {{rematerialize}}
  %b = linalg.broadcast ins(%x : tensor<8xf16, #half>) outs(%r : tensor<8x4xf16, #rows>) dimensions = [1]
  // expected-remark@+1 {{recompute}}
  %0 = linalg.exp ins(%b : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

// Somebody else wants the wide one where it is: it is not computed twice.
// CHECK-LABEL: func.func @another_user
func.func @another_user(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf32, #columns>) -> (tensor<8x4xf32, #columns>, tensor<8x4xf32, #rows>) {
  // CHECK-NEXT: %[[W:.+]] = arith.extf %arg0 : tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: npu.redistribute %[[W]] : tensor<8x4xf32, #[[ROWS]]> to tensor<8x4xf32, #[[COLUMNS]]>
  %w = arith.extf %x : tensor<8x4xf16, #rows> to tensor<8x4xf32, #rows>
  // expected-remark-re@+1 {{redistribute | {{.*}}, bytes=64}}
  %0 = linalg.exp ins(%w : tensor<8x4xf32, #rows>) outs(%e : tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns>
  return %0, %w : tensor<8x4xf32, #columns>, tensor<8x4xf32, #rows>
}
