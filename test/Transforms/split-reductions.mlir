// A reduction whose operands are split along what it reduces runs where they lie:
// partial results on their tiles, combined in the order of the parts, when that is
// fewer bytes than bringing the operands together.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions | npu-opt --npu-legalize-distributions --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES
// RUN: npu-opt %s --npu-legalize-distributions=split-reductions=false --npu-verify-distributions=strict | FileCheck %s --check-prefix=WHOLE
// RUN: npu-opt %s --npu-legalize-distributions --remarks-filter=npu -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#k_columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#k_rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#both = #npu.layout<DUPLICATED, tiles = 2>

// Half of a and of b would have to move to each tile, 240 bytes; each partial
// result of 8 elements goes to the other tile instead.
// WHOLE-NOT: npu.split_reduction
// REMARK: split-reduction | {{.*}}Function=matmul | Reason="'linalg.matmul' makes 2 partial results where its operands lie, combined as #npu.layout<DUPLICATED, tiles = 2>; bringing the operands together would move 240 bytes; f32 rounds otherwise in parts, and a part may overflow where the whole does not", bytes=64
// CHECK-DAG: #[[FIRST:.*]] = #npu.layout<SEGMENTED, compute = {{\[\[}}0:4, 0:2], [0:0, 0:0]]>
// CHECK-DAG: #[[SECOND:.*]] = #npu.layout<SEGMENTED, compute = {{\[\[}}0:0, 0:0], [0:4, 0:2]]>
// CHECK-LABEL: func.func @matmul
// CHECK: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: tensor.extract_slice %arg0[0, 0] [4, 5]
// CHECK: tensor.extract_slice %arg1[0, 0] [5, 2]
// CHECK: linalg.fill ins(%[[NEUTRAL]] : f32) {{.*}} -> tensor<4x2xf32, #[[FIRST]]>
// CHECK: linalg.matmul {{.*}} -> tensor<4x2xf32, #[[FIRST]]>
// CHECK: npu.redistribute %{{.*}} to tensor<4x2xf32, #[[BOTH:.*]]>
// CHECK: linalg.generic {{.*}}npu.split_reduction = {loops = array<i64: 2>, number = 0 : i64, op = "linalg.matmul", parts = 2 : i64, ranges = array<i64: 0, 5, 5, 10>, terms = 10 : i64}
// CHECK: arith.addf %out, %in
// CHECK: tensor.extract_slice %arg0[0, 5] [4, 5]
// CHECK: tensor.extract_slice %arg1[5, 0] [5, 2]
// CHECK: linalg.matmul {{.*}} -> tensor<4x2xf32, #[[SECOND]]>
// CHECK: linalg.generic {{.*}}npu.split_reduction
// CHECK-NOT: npu.redistribute
// CHECK: return
// BYTES-LABEL: function @matmul
// BYTES-COUNT-2: {{^ *}}received 32 (at least 32)
func.func @matmul(%a: tensor<4x10xf32, #k_columns>, %b: tensor<10x2xf32, #k_rows>, %c: tensor<4x2xf32, #both>) -> tensor<4x2xf32, #both> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x10xf32, #k_columns>, tensor<10x2xf32, #k_rows>) outs(%c : tensor<4x2xf32, #both>) -> tensor<4x2xf32, #both>
  return %0 : tensor<4x2xf32, #both>
}

// Four tiles: rows of the result are combined on one tile each, then shared.
// CHECK-LABEL: func.func @share_afterwards
// CHECK-COUNT-4: npu.redistribute %{{.*}} to tensor<4x2xf32, #[[ROWS:.*]]>
// CHECK: npu.redistribute %{{.*}} : tensor<4x2xf32, #[[ROWS]]> to tensor<4x2xf32, #duplicated{{.*}}>
// BYTES-LABEL: function @share_afterwards
// BYTES-COUNT-4: {{^ *}}received 24 (at least 24)
// BYTES: {{^ *}}received 96 (at least 96)
func.func @share_afterwards(%x: tensor<4x2x12xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 4]>>, %c: tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>>) -> tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x2x12xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 4]>>) outs(%c : tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>>) dimensions = [2]
  return %0 : tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>>
}

// The largest of all is the same in any order: nothing to remember for a
// comparison. Uneven parts: 3, 2 and 2 of 7.
// CHECK-LABEL: func.func @exact
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: tensor.extract_slice %arg0[0, 0] [5, 3]
// CHECK: tensor.extract_slice %arg0[0, 3] [5, 2]
// CHECK: tensor.extract_slice %arg0[0, 5] [5, 2]
// CHECK-NOT: npu.split_reduction
func.func @exact(%x: tensor<5x7xf32, #npu.layout<SEGMENTED, tiles = [1, 3]>>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<5x7xf32, #npu.layout<SEGMENTED, tiles = [1, 3]>>) outs(%e : tensor<5xf32>) dimensions = [1]
  return %0 : tensor<5xf32>
}

// Positions count from the whole tensor's front.
// CHECK-LABEL: func.func @index
// CHECK: linalg.index 0
// CHECK-NOT: arith.constant
// CHECK: linalg.yield
// CHECK: %[[INDEX:.*]] = linalg.index 0
// CHECK: %[[BEGIN:.*]] = arith.constant 4 : index
// CHECK: arith.addi %[[INDEX]], %[[BEGIN]]
func.func @index(%x: tensor<8xi64, #npu.layout<SEGMENTED, tiles = [2]>>, %e: tensor<i64, #both>) -> tensor<i64, #both> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xi64, #npu.layout<SEGMENTED, tiles = [2]>>) outs(%e : tensor<i64, #both>) {
  ^bb0(%in: i64, %out: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %weighted = arith.muli %in, %j : i64
    %sum = arith.addi %out, %weighted : i64
    linalg.yield %sum : i64
  } -> tensor<i64, #both>
  return %0 : tensor<i64, #both>
}

// One row is less to bring together than a whole partial result to combine.
// CHECK-LABEL: func.func @more_to_combine
// CHECK-COUNT-2: npu.redistribute %arg
// CHECK: linalg.matmul
// CHECK-NOT: npu.redistribute
// CHECK: return
func.func @more_to_combine(%a: tensor<9x2xf32, #k_columns>, %b: tensor<2x9xf32, #k_rows>, %c: tensor<9x9xf32, #both>) -> tensor<9x9xf32, #both> {
  %0 = linalg.matmul ins(%a, %b : tensor<9x2xf32, #k_columns>, tensor<2x9xf32, #k_rows>) outs(%c : tensor<9x9xf32, #both>) -> tensor<9x9xf32, #both>
  return %0 : tensor<9x9xf32, #both>
}

// Two results that are combined together (the largest and where it is) are not
// parts of one sum.
// CHECK-LABEL: func.func @two_results
// CHECK: npu.redistribute %arg0
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @two_results(%x: tensor<8xf32, #npu.layout<SEGMENTED, tiles = [2]>>, %m: tensor<f32, #both>, %p: tensor<i64, #both>) -> (tensor<f32, #both>, tensor<i64, #both>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32, #npu.layout<SEGMENTED, tiles = [2]>>) outs(%m, %p : tensor<f32, #both>, tensor<i64, #both>) {
  ^bb0(%in: f32, %best: f32, %where: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %larger = arith.cmpf ogt, %in, %best : f32
    %a = arith.select %larger, %in, %best : f32
    %b = arith.select %larger, %j, %where : i64
    linalg.yield %a, %b : f32, i64
  } -> (tensor<f32, #both>, tensor<i64, #both>)
  return %0#0, %0#1 : tensor<f32, #both>, tensor<i64, #both>
}
