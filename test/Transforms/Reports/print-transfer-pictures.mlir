// Transfers as a table of tiles that send and tiles that receive, in lines of at most 80
// columns; the same for a tile program.
//
// RUN: npu-opt %s --npu-print-transfers=format=picture -o /dev/null > %t.txt
// RUN: FileCheck %s --strict-whitespace --match-full-lines < %t.txt
// RUN: not grep -E '^.{81}' %t.txt
// RUN: npu-opt %s --npu-print-transfers="format=picture tiles=0" -o /dev/null > %t.all.txt
// RUN: FileCheck %s --check-prefix=ALL < %t.all.txt
// RUN: not grep -E '^.{81}' %t.all.txt
// RUN: npu-opt %s --npu-lower-to-tiles --npu-print-transfers=format=picture -o /dev/null | FileCheck %s --check-prefix=PROGRAM

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#many = #npu.layout<SEGMENTED, tiles = [20, 1]>
#other = #npu.layout<SEGMENTED, tiles = [1, 20]>

// A name that is longer than a line goes on in the next one.
// CHECK:function @move
// CHECK-NEXT:  npu.redistribute at
// CHECK-NEXT:      a.layer.with.a.name.that.is.longer.than.what.is.left.of.a.line.of.a.termin
// CHECK-NEXT:      al
// CHECK:    from    to 0    to 1
// CHECK-NEXT:    0          .      16
// CHECK-NEXT:    1         16       .
func.func @move(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #columns> {
  %0 = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32, #columns>
      loc("a.layer.with.a.name.that.is.longer.than.what.is.left.of.a.line.of.a.terminal")
  return %0 : tensor<4x4xf32, #columns>
}

// From DDR, to both tiles at one time: each of them gets all of it.
// CHECK:function @load
// CHECK:    from    to 0    to 1
// CHECK-NEXT:    DDR       64      64
func.func @load(%x: tensor<4x4xf32>) -> tensor<4x4xf32, #everywhere> {
  %0 = npu.redistribute %x : tensor<4x4xf32> to tensor<4x4xf32, #everywhere>
  return %0 : tensor<4x4xf32, #everywhere>
}

// CHECK:function @store
// CHECK:    from  to DDR
// CHECK-NEXT:    0         32
// CHECK-NEXT:    1         32
func.func @store(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32> {
  %0 = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A table that is wider than a line goes on below.
// CHECK:function @many
// CHECK:    from    to 0    to 1    to 2    to 3    to 4    to 5    to 6    to 7    to 8
// CHECK:    15        16      16      16      16      16      16      16      16      16
// CHECK-NEXT:    from    to 9   to 10   to 11   to 12   to 13   to 14   to 15
// CHECK:    ... 4 more senders; all with tiles=0
// CHECK-NEXT:    ... 4 more receivers; all with tiles=0
// ALL: function @many
// ALL: from to 18 to 19
// ALL-NOT: more
func.func @many(%x: tensor<40x40xf32, #many>) -> tensor<40x40xf32, #other> {
  %0 = npu.redistribute %x : tensor<40x40xf32, #many> to tensor<40x40xf32, #other>
  return %0 : tensor<40x40xf32, #other>
}

// PROGRAM: function @move
// PROGRAM: a.layer
// PROGRAM: from to 0 to 1
// PROGRAM-NEXT: 0 . 16
// PROGRAM-NEXT: 1 16 .
