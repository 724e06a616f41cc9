// Empty, fill, splat, iota and constants are made again in the layout that is
// wanted, and never moved; what was there before is gone when nobody else
// wants it.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict \
// RUN:   --verify-diagnostics --remarks-filter-passed=npu --remark-format=emitRemark | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions --npu-print-transfers=format=json -o /dev/null | FileCheck %s --check-prefix=BYTES --implicit-check-not='"op"'

// No row anywhere.
// BYTES-COUNT-5: "redistributions": []

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#map = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @constants
func.func @constants(%e: tensor<2x4xi8, #columns>) -> tensor<2x4xi8, #columns> {
  // CHECK-NEXT: %[[SPLAT:.+]] = arith.constant dense<7> : tensor<2x4xi8, #[[COLUMNS]]>
  // CHECK-NEXT: %[[LIST:.+]] = arith.constant dense<{{\[\[}}1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.add ins(%[[SPLAT]], %[[LIST]]
  %splat = arith.constant dense<7> : tensor<2x4xi8, #rows>
  %list = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8, #rows>
  // expected-remark@+2 {{rematerialize | Category:npu | Function=constants | Reason="operand #0 needs no data and is made again", bytes=0}}
  // expected-remark@+1 {{rematerialize | Category:npu | Function=constants | Reason="operand #1 needs no data and is made again", bytes=0}}
  %0 = linalg.add ins(%splat, %list : tensor<2x4xi8, #rows>, tensor<2x4xi8, #rows>) outs(%e : tensor<2x4xi8, #columns>) -> tensor<2x4xi8, #columns>
  return %0 : tensor<2x4xi8, #columns>
}

// Weights that are kept beside the IR keep their name.
// CHECK-LABEL: func.func @resource
func.func @resource(%e: tensor<2x4xi8, #columns>) -> tensor<2x4xi8, #columns> {
  // CHECK-NEXT: arith.constant dense_resource<weights> : tensor<2x4xi8, #[[COLUMNS]]>
  %w = arith.constant dense_resource<weights> : tensor<2x4xi8>
  // expected-remark@+1 {{rematerialize}}
  %0 = linalg.copy ins(%w : tensor<2x4xi8>) outs(%e : tensor<2x4xi8, #columns>) -> tensor<2x4xi8, #columns>
  return %0 : tensor<2x4xi8, #columns>
}

// CHECK-LABEL: func.func @fill_and_splat
func.func @fill_and_splat(%v: f16, %e: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: %[[EMPTY:.+]] = tensor.empty() : tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: %[[FILL:.+]] = linalg.fill ins(%arg0 : f16) outs(%[[EMPTY]]
  // CHECK-NEXT: %[[SPLAT:.+]] = tensor.splat %arg0 : tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.add ins(%[[FILL]], %[[SPLAT]]
  %empty = tensor.empty() : tensor<8x4xf16, #rows>
  %fill = linalg.fill ins(%v : f16) outs(%empty : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
  // In DDR, it would have to be loaded.
  %splat = tensor.splat %v : tensor<8x4xf16>
  // expected-remark@+2 {{Reason="operand #0 needs no data and is made again", bytes=0}}
  // expected-remark@+1 {{Reason="operand #1 needs no data and is made again", bytes=0}}
  %0 = linalg.add ins(%fill, %splat : tensor<8x4xf16, #rows>, tensor<8x4xf16>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

// A generic that reads no tensor computes from indices alone; both uses of it
// are served by one.
// CHECK-LABEL: func.func @iota
func.func @iota(%e: tensor<8x4xi32, #columns>) -> tensor<8x4xi32, #columns> {
  // CHECK-NEXT: %[[EMPTY:.+]] = tensor.empty() : tensor<8x4xi32, #[[COLUMNS]]>
  // CHECK-NEXT: %[[IOTA:.+]] = linalg.generic {{.*}} outs(%[[EMPTY]]
  // CHECK: linalg.index 1
  // CHECK: linalg.add ins(%[[IOTA]], %[[IOTA]]
  %empty = tensor.empty() : tensor<8x4xi32, #rows>
  %iota = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<8x4xi32, #rows>) {
    ^bb0(%out: i32):
      %column = linalg.index 1 : index
      %value = arith.index_cast %column : index to i32
      linalg.yield %value : i32
  } -> tensor<8x4xi32, #rows>
  // expected-remark@+2 {{rematerialize | Category:npu | Function=iota | Reason="operand #0 needs no data and is made again", bytes=0}}
  // expected-remark@+1 {{share | Category:npu | Function=iota | Reason="operand #1 is there already as it is read, for another use", bytes=0}}
  %0 = linalg.add ins(%iota, %iota : tensor<8x4xi32, #rows>, tensor<8x4xi32, #rows>) outs(%e : tensor<8x4xi32, #columns>) -> tensor<8x4xi32, #columns>
  return %0 : tensor<8x4xi32, #columns>
}

// Somebody else still wants it as it was.
// CHECK-LABEL: func.func @two_users
func.func @two_users(%e: tensor<2x4xi8, #columns>) -> (tensor<2x4xi8, #columns>, tensor<2x4xi8, #rows>) {
  // CHECK-NEXT: %[[OLD:.+]] = arith.constant dense<7> : tensor<2x4xi8, #[[ROWS]]>
  // CHECK-NEXT: %[[NEW:.+]] = arith.constant dense<7> : tensor<2x4xi8, #[[COLUMNS]]>
  // CHECK-NEXT: %[[COPY:.+]] = linalg.copy ins(%[[NEW]]
  // CHECK-NEXT: return %[[COPY]], %[[OLD]]
  %c = arith.constant dense<7> : tensor<2x4xi8, #rows>
  // expected-remark@+1 {{rematerialize}}
  %0 = linalg.copy ins(%c : tensor<2x4xi8, #rows>) outs(%e : tensor<2x4xi8, #columns>) -> tensor<2x4xi8, #columns>
  return %0, %c : tensor<2x4xi8, #columns>, tensor<2x4xi8, #rows>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x010000000102030405060708"
    }
  }
#-}
