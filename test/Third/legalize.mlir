// What third operations lack is moved, and no more: figures by hand.
// RUN: npu-third-opt %s --npu-legalize-distributions | FileCheck %s --implicit-check-not=npu.redistribute
// RUN: npu-third-opt %s --npu-legalize-distributions --npu-print-transfers -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=BYTES

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#one = #npu.layout<SEGMENTED, tiles = [4]>

// Tiles hold 3, 3, 2 and 2 rows. Backwards, tile 0 makes rows 0 to 3 of rows 7
// to 10, of which it holds none: 3 rows; tile 1 rows 4 to 7, of which it holds 2:
// 1 row; tiles 2 and 3 rows 2 to 4 and 0 to 2: 2 rows each. 8 rows of 24 bytes.
// CHECK-LABEL: @reverse
// CHECK: %[[MOVED:.*]] = npu.redistribute %arg0
// CHECK: third.reverse %[[MOVED]]
// BYTES: received {{ *}}192  (at least 192)
func.func @reverse(%x: tensor<10x6xf32, #rows>) -> tensor<10x6xf32, #rows> {
  %r = third.reverse %x along 0 : tensor<10x6xf32, #rows> -> tensor<10x6xf32, #rows>
  return %r : tensor<10x6xf32, #rows>
}

// Tiles make 2 rows each and read 2 more below: [0:4), [2:6), [4:8), [6:10) of
// [0:3), [3:6), [6:8), [8:10). Missing are 1, 1, 2 and 2 rows.
// CHECK-LABEL: @blur
// CHECK: %[[HALO:.*]] = npu.redistribute %arg0
// CHECK: third.blur %[[HALO]]
// BYTES: received {{ *}}144  (at least 144)
func.func @blur(%x: tensor<10x6xf32, #rows>, %y: tensor<8x6xf32, #rows>) -> tensor<8x6xf32, #rows> {
  %b = third.blur %x into %y : tensor<10x6xf32, #rows>, tensor<8x6xf32, #rows> -> tensor<8x6xf32, #rows>
  return %b : tensor<8x6xf32, #rows>
}

// Every tile takes any row: the whole table, 10 rows, less what it holds.
// CHECK-LABEL: @take
// CHECK: %[[TABLE:.*]] = npu.redistribute %arg0
// CHECK: third.take %[[TABLE]]
// BYTES: received {{ *}}720  (at least 720)
func.func @take(%table: tensor<10x6xf32, #rows>, %p: tensor<12xi32, #one>) -> tensor<12x6xf32, #rows> {
  %t = third.take %table[%p] : tensor<10x6xf32, #rows>, tensor<12xi32, #one> -> tensor<12x6xf32, #rows>
  return %t : tensor<12x6xf32, #rows>
}

// What tiles hold suffices.
// CHECK-LABEL: @minmax
// CHECK: third.minmax %arg0
// BYTES-LABEL: function @minmax
// BYTES-NEXT: total
// BYTES-NEXT: ddr
func.func @minmax(%x: tensor<10x6xf32, #rows>) -> (tensor<10xf32, #one>, tensor<10xf32, #one>) {
  %low, %high = third.minmax %x : tensor<10x6xf32, #rows> -> tensor<10xf32, #one>, tensor<10xf32, #one>
  return %low, %high : tensor<10xf32, #one>, tensor<10xf32, #one>
}
