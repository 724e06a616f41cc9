// A tensor.cast between two layouts, as upstream patterns make it, moves data: it
// becomes a redistribution or a cast that says so. What it says of the shape
// is left over.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict \
// RUN:   --verify-diagnostics --remarks-filter-passed=npu --remark-format=emitRemark | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
// CHECK-DAG: #[[OVERLAPPED:.+]] = #npu.layout<OVERLAPPED, tiles = [2, 1]>
// CHECK-DAG: #[[ALL:.+]] = #npu.layout<DUPLICATED, tiles = 2>
// CHECK-DAG: #[[COLUMN_MAJOR:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#overlapped = #npu.layout<OVERLAPPED, tiles = [2, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#column_major = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>
#transposed = #npu.layout<order = [1, 0]>

// CHECK-LABEL: func.func @relations
func.func @relations(%x: tensor<8x4xf16, #rows>, %y: tensor<8x4xf16, #everywhere>)
    -> (tensor<8x4xf16, #columns>, tensor<8x4xf16, #overlapped>, tensor<8x4xf16, #rows>, tensor<8x4xf16, #column_major>) {
  // CHECK-DAG: %[[MOVED:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // expected-remark@+1 {{redistribute | Category:npu | Function=relations | Reason="tiles read parts of operand #0 that they do not hold", bytes=32}}
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
  // CHECK-DAG: %[[LABEL:.+]] = npu.distribution_cast %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[OVERLAPPED]]>
  // expected-remark@+1 {{relabel | Category:npu | Function=relations | Reason="every tile holds what it needs of operand #0", bytes=0}}
  %1 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #overlapped>
  // CHECK-DAG: %[[PART:.+]] = npu.distribution_cast %arg1 : tensor<8x4xf16, #[[ALL]]> to tensor<8x4xf16, #[[ROWS]]>
  // expected-remark@+1 {{narrow | Category:npu | Function=relations | Reason="every tile holds what it needs of operand #0", bytes=0}}
  %2 = tensor.cast %y : tensor<8x4xf16, #everywhere> to tensor<8x4xf16, #rows>
  // CHECK-DAG: %[[RELAID:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMN_MAJOR]]>
  // expected-remark@+1 {{redistribute | Category:npu | Function=relations | Reason="the order of operand #0 changes inside tiles", bytes=0}}
  %3 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #column_major>
  // CHECK: return %[[MOVED]], %[[LABEL]], %[[PART]], %[[RELAID]]
  return %0, %1, %2, %3 : tensor<8x4xf16, #columns>, tensor<8x4xf16, #overlapped>, tensor<8x4xf16, #rows>, tensor<8x4xf16, #column_major>
}

// Stored once, although two casts want it in DDR.
// CHECK-LABEL: func.func @stores
func.func @stores(%x: tensor<8x4xf16, #rows>) -> (tensor<8x4xf16>, tensor<?x4xf16>, tensor<*xf16>) {
  // CHECK-NEXT: %[[STORED:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16>
  // CHECK-NEXT: %[[DYNAMIC:.+]] = tensor.cast %[[STORED]] : tensor<8x4xf16> to tensor<?x4xf16>
  // CHECK-NEXT: %[[UNRANKED:.+]] = tensor.cast %[[STORED]] : tensor<8x4xf16> to tensor<*xf16>
  // CHECK-NEXT: return %[[STORED]], %[[DYNAMIC]], %[[UNRANKED]]
  // expected-remark@+1 {{redistribute | Category:npu | Function=stores | Reason="operand #0 is wanted in DDR", bytes=64}}
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16>
  // expected-remark@+1 {{share}}
  %1 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<?x4xf16>
  // expected-remark@+1 {{share}}
  %2 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<*xf16>
  return %0, %1, %2 : tensor<8x4xf16>, tensor<?x4xf16>, tensor<*xf16>
}

// The shape becomes static before anything is loaded; an order in DDR is kept.
// CHECK-LABEL: func.func @loads
func.func @loads(%x: tensor<?x4xf16>, %y: tensor<*xf16>, %z: tensor<?x4xf16, #transposed>)
    -> (tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>) {
  // CHECK-NEXT: %[[X:.+]] = tensor.cast %arg0 : tensor<?x4xf16> to tensor<8x4xf16>
  // CHECK-NEXT: npu.redistribute %[[X]] : tensor<8x4xf16> to tensor<8x4xf16, #[[ROWS]]>
  // expected-remark@+1 {{redistribute}}
  %0 = tensor.cast %x : tensor<?x4xf16> to tensor<8x4xf16, #rows>
  // CHECK-NEXT: %[[Y:.+]] = tensor.cast %arg1 : tensor<*xf16> to tensor<8x4xf16>
  // CHECK-NEXT: npu.redistribute %[[Y]] : tensor<8x4xf16> to tensor<8x4xf16, #[[ROWS]]>
  // expected-remark@+1 {{redistribute}}
  %1 = tensor.cast %y : tensor<*xf16> to tensor<8x4xf16, #rows>
  // CHECK-NEXT: %[[Z:.+]] = tensor.cast %arg2 : tensor<?x4xf16, #ordered> to tensor<8x4xf16, #ordered>
  // CHECK-NEXT: npu.redistribute %[[Z]] : tensor<8x4xf16, #ordered> to tensor<8x4xf16, #[[ROWS]]>
  // expected-remark@+1 {{redistribute}}
  %2 = tensor.cast %z : tensor<?x4xf16, #transposed> to tensor<8x4xf16, #rows>
  return %0, %1, %2 : tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>
}

// One redistribution for the cast and for the operation that wants the same.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #columns>) -> (tensor<8x4xf16, #columns>, tensor<8x4xf16, #columns>) {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0
  // CHECK-NEXT: %[[Y:.+]] = linalg.softmax dimension(0) ins(%[[X]]
  // CHECK-NEXT: return %[[X]], %[[Y]]
  // expected-remark@+1 {{redistribute}}
  %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
  // expected-remark@+1 {{share}}
  %1 = linalg.softmax dimension(0) ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0, %1 : tensor<8x4xf16, #columns>, tensor<8x4xf16, #columns>
}

// In DDR a tensor.cast is nobody's business here.
// CHECK-LABEL: func.func @in_ddr
func.func @in_ddr(%x: tensor<8x4xf16, #transposed>, %y: tensor<?x4xf16>) -> (tensor<8x4xf16>, tensor<8x4xf16>) {
  // CHECK-NEXT: tensor.cast %arg0 : tensor<8x4xf16, #ordered> to tensor<8x4xf16>
  %0 = tensor.cast %x : tensor<8x4xf16, #transposed> to tensor<8x4xf16>
  // CHECK-NEXT: tensor.cast %arg1 : tensor<?x4xf16> to tensor<8x4xf16>
  %1 = tensor.cast %y : tensor<?x4xf16> to tensor<8x4xf16>
  return %0, %1 : tensor<8x4xf16>, tensor<8x4xf16>
}
