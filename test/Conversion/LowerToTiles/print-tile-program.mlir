// What one tile does, holds and exchanges, in order, and a line for every tile.
// Figures are counted by hand.
//
// RUN: npu-opt %s --npu-print-tile-program=tile=1 -o %t.layouts > %t.text
// RUN: FileCheck %s < %t.text
// RUN: FileCheck %s --check-prefix=SAME < %t.layouts
// RUN: npu-opt %s --npu-lower-to-tiles --npu-print-tile-program=tile=1 -o /dev/null | diff - %t.text
// RUN: npu-opt %s --npu-print-tile-program -o /dev/null | FileCheck %s --check-prefix=LINES --implicit-check-not="step by step"
// RUN: npu-opt %s --npu-print-tile-program="tile=0 format=json" -o /dev/null | %python -c "import json, sys; f = json.load(sys.stdin)['functions']; t = f[0]['tiles']; print([x['step'] for x in t[0]['steps']], 'steps' in t[1], t[1]['bytes_held'], t[1]['bytes_sent'], [x['tiles'] for x in t[0]['steps'] if 'tiles' in x], len(f[3]['tiles']))" | FileCheck %s --check-prefix=JSON
// RUN: not npu-opt %s --npu-print-tile-program=tile=64 -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not npu-opt %s --npu-print-tile-program=tile=-2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not npu-opt %s --npu-print-tile-program=format=xml -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-opt %s --npu-lower-to-tiles --npu-to-buffers --npu-print-tile-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS

// SAME: npu.redistribute
// JSON: ['loads', 'computes', 'sends', 'receives', 'computes', 'stores'] False 64 16 {{\[\[1\], \[1\]\]}} 64
// MANY: error: npu-print-tile-program: expected a tile below 64, the number of tiles, got 64
// FEW: error: npu-print-tile-program: expected a tile of at least 0, got -2
// FORMAT: unknown format 'xml', expected text or json
// BUFFERS: error: 'func.func' op expected layouts or a tile program on tensors, got one on buffers; npu-plan-scratchpad=report says what its tiles hold

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// 32 bytes of rows; 32 more of columns, of which 16 are its own and 16 come from
// the neighbour. The exponential is written into what held the columns' output.
// CHECK-LABEL: function @move, 2 tiles
// CHECK-NEXT: {{^}}  tile 0: 2 operations, holds at most 64 bytes, sends 16, receives 16, loads 32, stores 32
// CHECK-NEXT: {{^}}  tile 1: 2 operations, holds at most 64 bytes, sends 16, receives 16, loads 32, stores 32
// CHECK-NEXT: {{^}}tile 1 of @move, step by step
// CHECK-NEXT: {{^}}    1  loads [2:4, 0:4], 32 bytes, at {{.*}}; holds 32 bytes
// CHECK-NEXT: {{^}}    2  tensor.insert_slice at {{.*}}print-tile-program.mlir:[[#@LINE+9]]:8; holds 64 bytes
// CHECK-DAG: {{[34]}}  sends [2:4, 0:2], 16 bytes, to tile 0, at {{.*}}; holds 64 bytes
// CHECK-DAG: {{[34]}}  receives [0:2, 2:4], 16 bytes, from tile 0, at {{.*}}; holds 64 bytes
// CHECK: {{^}}    5  linalg.exp at {{.*}}; holds 64 bytes
// CHECK-NEXT: {{^}}    6  stores [0:4, 2:4], 32 bytes, at {{.*}}; holds 32 bytes
// LINES: function @move, 2 tiles
// LINES-NEXT: tile 0: 2 operations
func.func @move(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #columns> {
  %e = tensor.empty() : tensor<4x4xf32, #columns>
  %0 = npu.redistribute %x : tensor<4x4xf32, #rows> to tensor<4x4xf32, #columns>
  %1 = linalg.exp ins(%0 : tensor<4x4xf32, #columns>) outs(%e : tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns>
  return %1 : tensor<4x4xf32, #columns>
}

// A multicast is sent once and received by each; what is in a loop is indented, and
// what the loop uses is held through it.
#one = #npu.layout<SEGMENTED, tiles = [1]>
#all = #npu.layout<DUPLICATED, tiles = 3>
// CHECK-LABEL: function @in_a_loop, 3 tiles
// CHECK-NEXT: tile 0: 1 operation, holds at most 16 bytes, sends 0, receives 0, loads 8, stores 4
// CHECK: tile 1 of @in_a_loop, step by step
// CHECK-NEXT: {{^}}    1  loads [0:2], 8 bytes, at {{.*}}; holds 8 bytes
// CHECK-NEXT: {{^}}    2  in scf.for at {{.*}}; holds 16 bytes
// CHECK-NEXT: {{^}}    3    linalg.exp at {{.*}}; holds 16 bytes
func.func @in_a_loop(%x: tensor<2xf32, #all>) -> tensor<2xf32, #all> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<2xf32, #all> {
    %e = tensor.empty() : tensor<2xf32, #all>
    %1 = linalg.exp ins(%y : tensor<2xf32, #all>) outs(%e : tensor<2xf32, #all>) -> tensor<2xf32, #all>
    scf.yield %1 : tensor<2xf32, #all>
  }
  return %r : tensor<2xf32, #all>
}

// A function without tiles has a line, and no more.
// CHECK-LABEL: function @nothing, 0 tiles
// CHECK-LABEL: function @many, 64 tiles
func.func @nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// Sixty-four tiles are sixty-four lines.
#many = #npu.layout<SEGMENTED, tiles = [64]>
// LINES: function @many, 64 tiles
// LINES-NEXT: tile 0: 1 operation, holds at most 16 bytes, sends 0, receives 0, loads 8, stores 8
// LINES: tile 63: 1 operation, holds at most 16 bytes, sends 0, receives 0, loads 8, stores 8
// LINES-NOT: tile 64
func.func @many(%x: tensor<128xf32, #many>) -> tensor<128xf32, #many> {
  %e = tensor.empty() : tensor<128xf32, #many>
  %0 = linalg.exp ins(%x : tensor<128xf32, #many>) outs(%e : tensor<128xf32, #many>) -> tensor<128xf32, #many>
  return %0 : tensor<128xf32, #many>
}
