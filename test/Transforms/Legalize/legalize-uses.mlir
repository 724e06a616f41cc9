// A use whose tiles do not hold what they read is repaired at the least bytes:
// operands come to the tiles, or results leave them.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict \
// RUN:   --verify-diagnostics --remarks-filter-passed=npu --remark-format=emitRemark | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
// CHECK-DAG: #[[ALL:.+]] = #npu.layout<DUPLICATED, tiles = 2>
// CHECK-DAG: #[[HALO:.+]] = #npu.layout<OVERLAPPED, tiles = [2, 1], window = {{\[\[}}0, 3, 1, 1, 1]]>
// CHECK-DAG: #[[COPY:.+]] = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>
// CHECK-DAG: #[[HALF:.+]] = #npu.layout<SEGMENTED, tiles = [2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
#copy = #npu.layout<SEGMENTED|DUPLICATED, tiles = [2, 1]>
#half = #npu.layout<SEGMENTED, tiles = [2]>

// Rows to columns: each tile lacks a quarter of 8x4 f16, 16 bytes.
// CHECK-LABEL: func.func @move_the_operand
func.func @move_the_operand(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: %[[Y:.+]] = linalg.exp ins(%[[X]] : tensor<8x4xf16, #[[COLUMNS]]>) outs(%arg1
  // CHECK-NEXT: return %[[Y]]
  // expected-remark@+1 {{redistribute | Category:npu | Function=move_the_operand | Reason="tiles read parts of operand #0 that they do not hold", bytes=32}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

// A row sum of 8x16 f16 by rows, wanted on both tiles: 8 f16 numbers move, and
// not the 8x16 that they are made from.
// CHECK-LABEL: func.func @move_the_result
func.func @move_the_result(%x: tensor<8x16xf16, #rows>, %e: tensor<8xf16, #everywhere>) -> tensor<8xf16, #everywhere> {
  // CHECK: %[[SUM:.+]] = linalg.reduce
  // CHECK-SAME: ins(%arg0 : tensor<8x16xf16, #[[ROWS]]>) outs(%{{.+}} : tensor<8xf16, #[[HALF]]>)
  // CHECK-NEXT: %[[ALL_SUMS:.+]] = npu.redistribute %[[SUM]] : tensor<8xf16, #[[HALF]]> to tensor<8xf16, #[[ALL]]>
  // CHECK-NEXT: return %[[ALL_SUMS]]
  // expected-remark@+2 {{narrow | Category:npu | Function=move_the_result | Reason="every tile holds what it needs of operand #1", bytes=0}}
  // expected-remark@+1 {{redistribute | Category:npu | Function=move_the_result | Reason="tiles compute result #0 as #npu.layout<SEGMENTED, tiles = [2]>, and its users get #npu.layout<DUPLICATED, tiles = 2>", bytes=16}}
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf16, #rows>) outs(%e : tensor<8xf16, #everywhere>) dimensions = [1]
  return %0 : tensor<8xf16, #everywhere>
}

// The halo of one row on each side: two rows of 4 f16.
// CHECK-LABEL: func.func @promised_halo
func.func @promised_halo(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #halo> {
  // CHECK-NEXT: %[[E:.+]] = tensor.empty() : tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: %[[Y:.+]] = linalg.exp ins(%arg0 : tensor<8x4xf16, #[[ROWS]]>) outs(%[[E]] : tensor<8x4xf16, #[[ROWS]]>)
  // CHECK-NEXT: %[[FILLED:.+]] = npu.redistribute %[[Y]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[HALO]]>
  // CHECK-NEXT: return %[[FILLED]]
  %e = tensor.empty() : tensor<8x4xf16, #halo>
  // expected-remark@+2 {{rematerialize | Category:npu | Function=promised_halo | Reason="operand #1 needs no data and is made again", bytes=0}}
  // expected-remark@+1 {{redistribute | Category:npu | Function=promised_halo | Reason="tiles compute result #0 as #npu.layout<SEGMENTED, tiles = [2, 1]>, and its users get #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>", bytes=16}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo>
  return %0 : tensor<8x4xf16, #halo>
}

// The copy of the other half on each tile: twice 4x4 f16.
// CHECK-LABEL: func.func @promised_copy
func.func @promised_copy(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #copy> {
  // CHECK: %[[Y:.+]] = linalg.exp ins(%arg0 : tensor<8x4xf16, #[[ROWS]]>) outs(%{{.+}} : tensor<8x4xf16, #[[ROWS]]>)
  // CHECK-NEXT: npu.redistribute %[[Y]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COPY]]>
  %e = tensor.empty() : tensor<8x4xf16, #copy>
  // expected-remark@+2 {{rematerialize | Category:npu | Function=promised_copy}}
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=promised_copy | {{.*}}, bytes=64}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #copy>) -> tensor<8x4xf16, #copy>
  return %0 : tensor<8x4xf16, #copy>
}

// An output that is only overwritten is not moved, not even when it is an
// argument: an empty tensor takes its place.
// CHECK-LABEL: func.func @overwritten_output
func.func @overwritten_output(%x: tensor<8x4xf16, #rows>, %out: tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo> {
  // CHECK-NEXT: %[[E:.+]] = tensor.empty() : tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: linalg.exp ins(%arg0 {{.*}} outs(%[[E]]
  // CHECK-NEXT: npu.redistribute
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=overwritten_output | {{.*}}, bytes=16}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%out : tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo>
  return %0 : tensor<8x4xf16, #halo>
}

// An output that is added to is moved, or narrowed where its tiles have it.
// CHECK-LABEL: func.func @accumulating_output
func.func @accumulating_output(%a: tensor<8x4xf16, #rows>, %b: tensor<4x6xf16, #everywhere>, %acc: tensor<8x6xf16, #copy>) -> tensor<8x6xf16, #copy> {
  // CHECK-NEXT: %[[ACC:.+]] = npu.distribution_cast %arg2 : tensor<8x6xf16, #[[COPY]]> to tensor<8x6xf16, #[[ROWS]]>
  // CHECK-NEXT: %[[Y:.+]] = linalg.matmul ins(%arg0, %arg1 {{.*}} outs(%[[ACC]] : tensor<8x6xf16, #[[ROWS]]>)
  // CHECK-NEXT: npu.redistribute %[[Y]] : tensor<8x6xf16, #[[ROWS]]> to tensor<8x6xf16, #[[COPY]]>
  // expected-remark@+2 {{narrow | Category:npu | Function=accumulating_output | Reason="every tile holds what it needs of operand #2", bytes=0}}
  // expected-remark-re@+1 {{redistribute | Category:npu | Function=accumulating_output | {{.*}}, bytes=96}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf16, #rows>, tensor<4x6xf16, #everywhere>)
      outs(%acc : tensor<8x6xf16, #copy>) -> tensor<8x6xf16, #copy>
  return %0 : tensor<8x6xf16, #copy>
}

// CHECK-LABEL: func.func @operand_in_ddr
func.func @operand_in_ddr(%x: tensor<8x4xf16>, %e: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf16> to tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: linalg.exp ins(%[[X]]
  // expected-remark@+1 {{redistribute | Category:npu | Function=operand_in_ddr | Reason="tiles read parts of operand #0 that they do not hold", bytes=64}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16>) outs(%e : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  return %0 : tensor<8x4xf16, #rows>
}

// A result in DDR is computed where its operands are, and stored.
// CHECK-LABEL: func.func @result_in_ddr
func.func @result_in_ddr(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16>) -> tensor<8x4xf16> {
  // CHECK: %[[Y:.+]] = linalg.exp ins(%arg0 {{.*}} -> tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: npu.redistribute %[[Y]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16>
  // expected-remark@+1 {{redistribute | Category:npu | Function=result_in_ddr | Reason="tiles compute result #0 as #npu.layout<SEGMENTED, tiles = [2, 1]>, and it is stored", bytes=64}}
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// Of a slice of what is in DDR only the slice is loaded.
// CHECK-LABEL: func.func @slice_of_ddr
func.func @slice_of_ddr(%x: tensor<800x4xf16>) -> tensor<8x4xf16, #rows> {
  // CHECK-NEXT: %[[S:.+]] = tensor.extract_slice %arg0[16, 0] [8, 4] [1, 1] : tensor<800x4xf16> to tensor<8x4xf16>
  // CHECK-NEXT: npu.redistribute %[[S]] : tensor<8x4xf16> to tensor<8x4xf16, #[[ROWS]]>
  // expected-remark@+1 {{redistribute | Category:npu | Function=slice_of_ddr | Reason="result #0 is made in DDR and loaded as #npu.layout<SEGMENTED, tiles = [2, 1]>", bytes=64}}
  %0 = tensor.extract_slice %x[16, 0] [8, 4] [1, 1] : tensor<800x4xf16> to tensor<8x4xf16, #rows>
  return %0 : tensor<8x4xf16, #rows>
}
