// What npu-print-transfers says of operations that fall back to the host is what their tile
// program moves: each operand is stored once, and nothing is stored of what
// nobody wrote, what nobody reads, or what only the shape is asked of.
//
// RUN: npu-opt %s --npu-print-transfers -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-lower-to-tiles --npu-print-transfers -o %t.program | FileCheck %s --check-prefix=PROGRAM
// RUN: FileCheck %s --check-prefix=IR < %t.program
// RUN: npu-opt %s --npu-print-transfers=format=json -o /dev/null > %t.before.json
// RUN: npu-opt %s --npu-lower-to-tiles --npu-print-transfers=format=json -o /dev/null > %t.after.json
// RUN: %python %S/Inputs/check_totals.py %t.before.json %t.after.json
// RUN: npu-opt %s --npu-lower-to-tiles --remarks-filter=npu --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not="Missed] gather"
// REMARK: gather {{.*}}Function=twice {{.*}} bytes=256
// REMARK: gather {{.*}}Function=in_a_body {{.*}} bytes=128
// REMARK: gather {{.*}}Function=not_read {{.*}} bytes=128
// REMARK: gather {{.*}}Function=padded {{.*}} bytes=160

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#real = #npu.layout<SEGMENTED, compute = [[0:4, 0:4], [4:5, 0:4]]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#ij = affine_map<(i, j) -> (i, j)>

// 128 bytes are stored once, although there are two operands, and 128 loaded; two
// results are one value, which is stored once as well.
// CHECK-LABEL: function @twice
// CHECK-NEXT: tosa.add at {{.*}}host-fallbacks-cost-what-they-move.mlir:[[@LINE+15]]:8, host fallback: it is not known which part of its operands it reads
// CHECK-NEXT: stored 128
// CHECK-NEXT: loaded 128
// CHECK-NEXT: total
// CHECK-NEXT: ddr 512
// CHECK-NEXT: host fallback 256
// CHECK-NEXT: boundary 256
// PROGRAM-LABEL: function @twice
// PROGRAM: npu.transfer at {{.*}}host-fallbacks-cost-what-they-move.mlir:[[@LINE+7]]:8
// PROGRAM-NEXT: 0 -> ddr : [0:4, 0:4], 64 bytes
// PROGRAM-NEXT: 1 -> ddr : [4:8, 0:4], 64 bytes
// PROGRAM-NEXT: ddr -> 1 : [4:8, 0:4], 64 bytes
// PROGRAM-NEXT: ddr -> 0 : [0:4, 0:4], 64 bytes
// PROGRAM: ddr 512
func.func @twice(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) {
  %0 = tosa.add %x, %x : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  return %0, %0 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>
}

// Each tile makes its part of it.
// CHECK-LABEL: function @splat
// CHECK-NEXT: total
// CHECK-NEXT: ddr 128
// CHECK-NEXT: boundary 128
// IR-LABEL: func.func @splat
// IR: tensor.splat %arg0 {npu.tile = 0 : i64} : tensor<4x4xf32>
// IR: tensor.splat %arg0 {npu.tile = 1 : i64} : tensor<4x4xf32>
func.func @splat(%v: f32) -> tensor<8x4xf32, #rows> {
  %0 = tensor.splat %v : tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// The shape is known without the values.
// CHECK-LABEL: function @shape
// CHECK-NEXT: total
// CHECK-NEXT: ddr 128
// CHECK-NEXT: boundary 128
func.func @shape(%x: tensor<8x4xf32, #rows>, %i: index) -> index {
  %0 = tensor.dim %x, %i : tensor<8x4xf32, #rows>
  return %0 : index
}

// Stored in front of the loops, not once for each entry and tile.
// CHECK-LABEL: function @in_a_body
// CHECK-NEXT: tensor.extract at
// CHECK-NEXT: stored 128
// CHECK-NEXT: loaded 0
// IR-LABEL: func.func @in_a_body
// IR: npu.transfer {{.*}} from tile 1 to ddr
// IR: linalg.generic
// IR-NOT: npu.transfer
// IR: tensor.extract
// IR: linalg.generic
// IR-NOT: npu.transfer
// IR: tensor.extract
func.func @in_a_body(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x4xf32, #rows>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c7 = arith.constant 7 : index
    %n = arith.subi %c7, %i : index
    %v = tensor.extract %x[%n, %j] : tensor<8x4xf32, #rows>
    linalg.yield %v : f32
  } -> tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// No box of iterations writes a tile's part alone, so that both outputs
// move: the first one is read and stored (64 bytes), the second one, which
// is overwritten, is not. Both results are used by nobody but the return.
// CHECK-LABEL: function @not_read
// CHECK-NEXT: linalg.generic at {{.*}}, host fallback: no box of iterations writes only what a tile holds of its results
// CHECK-NEXT: stored 64
// CHECK-NEXT: loaded 64
func.func @not_read(%a: tensor<4x4xi32, #rows>, %b: tensor<4x4xi32, #columns>)
    -> tensor<4x4xi32, #rows> {
  %y:2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      outs(%a, %b : tensor<4x4xi32, #rows>, tensor<4x4xi32, #columns>) {
  ^bb0(%o: i32, %p: i32):
    %s = arith.addi %o, %o : i32
    linalg.yield %s, %s : i32, i32
  } -> (tensor<4x4xi32, #rows>, tensor<4x4xi32, #columns>)
  return %y#0 : tensor<4x4xi32, #rows>
}

// Padding does not move: 5 of 8 rows are real.
// CHECK-LABEL: function @padded
// CHECK: stored 80
// CHECK-NEXT: loaded 80
// CHECK: ddr 320
func.func @padded(%x: tensor<8x4xf32, #rows> {npu.padding = [[0, 5, 8]]}) -> tensor<5x4xf32, #real> {
  %0 = tosa.exp %x {npu.padding = [[0, 5, 8]]} : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  %1 = tensor.extract_slice %0[0, 0] [5, 4] [1, 1] : tensor<8x4xf32, #rows> to tensor<5x4xf32, #real>
  return %1 : tensor<5x4xf32, #real>
}

// A constant of several values lies in DDR and is loaded once for both tiles; one
// of a single value is made.
// CHECK-LABEL: function @constants
// CHECK: ddr 24
// CHECK: boundary 24
func.func @constants() -> tensor<2x4xi8, #rows> {
  %0 = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8, #everywhere>
  %1 = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8, #rows>
  %2 = arith.constant dense<7> : tensor<2x4xi8, #rows>
  return %1 : tensor<2x4xi8, #rows>
}

// A redistribution of what nobody wrote has its row, and is in no total.
// CHECK-LABEL: function @nothing
// CHECK: npu.redistribute at
// CHECK-NEXT: nobody has written it: made where it goes, in no total
// CHECK: total
// CHECK-NEXT: ddr 256
func.func @nothing(%x: tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns> {
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %0 = npu.redistribute %e : tensor<8x4xf32, #rows> to tensor<8x4xf32, #columns>
  %1 = linalg.exp ins(%x : tensor<8x4xf32, #columns>) outs(%0 : tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns>
  return %1 : tensor<8x4xf32, #columns>
}

// Entries smaller than a byte are counted together: two bytes go from each tile to
// each other one.
// CHECK-LABEL: function @bits
// CHECK: total
// CHECK-NEXT: received 12
// PROGRAM-LABEL: function @bits
// PROGRAM: total
// PROGRAM-NEXT: received 12
func.func @bits(%x: tensor<6x12xi2, #npu.layout<SEGMENTED, tiles = [3, 1]>>) -> tensor<6x12xi2, #npu.layout<SEGMENTED, tiles = [1, 3]>> {
  %0 = npu.redistribute %x : tensor<6x12xi2, #npu.layout<SEGMENTED, tiles = [3, 1]>> to tensor<6x12xi2, #npu.layout<SEGMENTED, tiles = [1, 3]>>
  return %0 : tensor<6x12xi2, #npu.layout<SEGMENTED, tiles = [1, 3]>>
}
