// Where the prompt's length is known, only what is real is transferred, and the
// figures and their bounds count that alone; in tile programs nobody writes the
// rest, and the results stay the same.
//
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=16 poison split-reductions=false" --npu-verify-distributions=strict -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES
// RUN: npu-opt %t.mlir --npu-lower-to-tiles | FileCheck %s --check-prefix=TILES
// RUN: npu-run %t.mlir --entry=turn --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=largest --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=16 poison side=left" -o %t.left.mlir
// RUN: npu-opt %t.left.mlir --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=LEFT
// RUN: npu-run %t.left.mlir --entry=turn --reference=%s | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-1: 0 different
// EQUAL: {{^}}equal

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#parts = #npu.layout<SEGMENTED, tiles = [4]>

// Of 16 rows 5 are real: tile 0 has four of them, tile 1 one. Each column goes to
// three tiles that lack it: 5 rows of 2 columns for tiles 2 and 3, one for tile 0,
// four for tile 1.
// CHECK-LABEL: func.func @turn
// CHECK: linalg.exp {npu.padding = {{\[\[}}0, 5, 16]]}
// BYTES-LABEL: function @turn
// BYTES: received 120 (at least 120)
// BYTES: max tile received 40 (at least 40)
// BYTES: injected 120 (at least 120)
// BYTES: 0 -> 1 : [0:4, 2:4], 32 bytes
// BYTES: 1 -> 0 : [4:5, 0:2], 8 bytes
// BYTES: 1 -> 2 : [4:5, 4:6], 8 bytes
// BYTES-NOT: 2 ->
// BYTES-NOT: 3 ->
// TILES-LABEL: func.func @turn
// TILES-SAME: npu.paddings = {{\[\[\[}}0, 5, 16]]]
// TILES: tensor.empty() {npu.begin = array<i64: 0, 6>, npu.padding = {{\[\[}}0, 5, 16]], npu.tile = 3 : i64} : tensor<16x2xf32>
// TILES: npu.transfer %{{.*}}[0, 0] from tile 1 to tile 0 {{.*}}box [4:5, 0:2]
// TILES-NOT: from tile 2 to tile
// TILES: return
// LEFT-LABEL: function @turn
// LEFT: received 120 (at least 120)
// LEFT: 2 -> 0 : [11:12, 0:2], 8 bytes
// LEFT: 3 -> 0 : [12:16, 0:2], 32 bytes
func.func @turn(%x: tensor<5x8xf32, #rows> {npu.prompt_dim = 0}) -> tensor<5x8xf32, #columns> {
  %e = tensor.empty() : tensor<5x8xf32, #rows>
  %0 = linalg.exp ins(%x : tensor<5x8xf32, #rows>) outs(%e : tensor<5x8xf32, #rows>) -> tensor<5x8xf32, #rows>
  %1 = npu.redistribute %0 : tensor<5x8xf32, #rows> to tensor<5x8xf32, #columns>
  %f = tensor.empty() : tensor<5x8xf32, #columns>
  %2 = linalg.negf ins(%1 : tensor<5x8xf32, #columns>) outs(%f : tensor<5x8xf32, #columns>) -> tensor<5x8xf32, #columns>
  return %2 : tensor<5x8xf32, #columns>
}

// Padding that an operation relies on does move: the rows after the prompt hold
// what is neutral for the largest of negative numbers, and nothing masks that.
// CHECK-LABEL: func.func @largest
// CHECK: linalg.generic
// CHECK-SAME: npu.padding = {{\[\[}}1, 5, 16]]
// CHECK: npu.redistribute
// BYTES-LABEL: function @largest
// BYTES: 1 -> 0 : [4:8, 0:4], 64 bytes
// BYTES: 2 -> 0 : [8:12, 0:4], 64 bytes
// BYTES: 2 -> 1 : [8:12, 4:5], 16 bytes
// BYTES: 3 -> 0 : [12:16, 0:4], 64 bytes
// BYTES: 3 -> 1 : [12:16, 4:5], 16 bytes
func.func @largest(%scores: tensor<5x5xf32, #rows> {npu.prompt_dim = [0, 1]}, %init: tensor<5xf32, #parts> {npu.prompt_dim = 0}) -> (tensor<5xf32, #parts>, tensor<5x5xf32, #rows>) {
  %e = tensor.empty() : tensor<5x5xf32, #rows>
  %never = arith.constant 0xFF800000 : f32
  %masked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<5x5xf32, #rows>) outs(%e : tensor<5x5xf32, #rows>) {
  ^bb0(%s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %before = arith.cmpi ule, %i, %j : index
    %square = arith.mulf %s, %s : f32
    %low = arith.negf %square : f32
    %r = arith.select %before, %low, %never : f32
    linalg.yield %r : f32
  } -> tensor<5x5xf32, #rows>
  %most = linalg.reduce { arith.maximumf } ins(%masked : tensor<5x5xf32, #rows>) outs(%init : tensor<5xf32, #parts>) dimensions = [0]
  return %most, %masked : tensor<5xf32, #parts>, tensor<5x5xf32, #rows>
}
