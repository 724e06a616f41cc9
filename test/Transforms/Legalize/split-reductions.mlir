// A reduction whose operands are split along what it reduces runs where they lie:
// partial results on their tiles, rows of one tensor, which a reduction over these
// rows combines in the order of the parts, when that is fewer bytes than bringing
// the operands together.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s
// RUN: npu-opt %s --npu-legalize-distributions | npu-opt --npu-legalize-distributions --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES
// RUN: npu-opt %s --npu-legalize-distributions=split-reductions=false --npu-verify-distributions=strict | FileCheck %s --check-prefix=WHOLE --implicit-check-not=npu.split_reduction
// RUN: npu-opt %s --npu-legalize-distributions --remarks-filter=npu -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#k_columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#k_rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#both = #npu.layout<DUPLICATED, tiles = 2>

// Half of a and of b would have to move to each tile, 240 bytes; each partial
// result of 8 elements goes to the other tile instead.
// WHOLE-LABEL: func.func @matmul
// WHOLE-COUNT-2: npu.redistribute
// WHOLE: linalg.matmul
// WHOLE: return
// REMARK: split-reduction | {{.*}}Function=matmul | Reason="'linalg.matmul' makes 2 partial results where its operands lie, combined as #npu.layout<DUPLICATED, tiles = 2>, for 64 bytes; bringing the operands together would move 240 bytes; f32 rounds otherwise in parts, and a part may overflow where the whole does not", bytes=0
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0 * 5 + d3)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 5 + d3, d2)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[ROWS:.*]] = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[THREE:.*]] = affine_map<(d0, d1, d2) -> (d1, d0 * 3 + d2)>
// CHECK-DAG: #[[TWO_AND_TWO:.*]] = affine_map<(d0, d1, d2) -> (d1, d0 * 2 + d2 + 3)>
// CHECK-DAG: #[[GRID:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, (d0 floordiv 2) * 2 + d2, (d0 mod 2) * 3 + d3)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: slice
// CHECK: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[NEUTRAL]] : f32) {{.*}} -> tensor<2x4x2xf32, #[[ROWS]]>
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[K]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1, %{{.*}} : {{.*}}, tensor<5xi1>)
// CHECK: } -> tensor<2x4x2xf32, #[[ROWS]]>
// CHECK: npu.redistribute %{{.*}} to tensor<2x4x2xf32, #[[BOTH:.*]]>
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[SUM]]], iterator_types = ["reduction", "parallel", "parallel"]} {{.*}} outs(%arg2 {{.*}}npu.split_reduction = {loops = array<i64: 2>, number = 0 : i64, op = "linalg.matmul", parts = 2 : i64, ranges = array<i64: 0, 5, 5, 10>, terms = 10 : i64}
// CHECK: arith.addf %out, %in
// CHECK-NOT: npu.redistribute
// CHECK-NOT: linalg.generic
// CHECK: return
// BYTES-LABEL: function @matmul
// BYTES: {{^ *}}received 64 (at least 64)
// BYTES: {{^ *}}total
// BYTES-NEXT: {{^ *}}received 64{{$}}
func.func @matmul(%a: tensor<4x10xf32, #k_columns>, %b: tensor<10x2xf32, #k_rows>, %c: tensor<4x2xf32, #both>) -> tensor<4x2xf32, #both> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x10xf32, #k_columns>, tensor<10x2xf32, #k_rows>) outs(%c : tensor<4x2xf32, #both>) -> tensor<4x2xf32, #both>
  return %0 : tensor<4x2xf32, #both>
}

// Four tiles: rows of the result are combined on one tile each, then shared.
// CHECK-LABEL: func.func @share_afterwards
// CHECK: npu.redistribute %{{.*}} to tensor<4x4x2xf32, #{{.*}}>
// CHECK: npu.redistribute %{{.*}} : tensor<4x2xf32, #{{.*}}> to tensor<4x2xf32, #duplicated{{.*}}>
// BYTES-LABEL: function @share_afterwards
// BYTES: {{^ *}}received 96 (at least 96)
// BYTES: {{^ *}}received 96 (at least 96)
func.func @share_afterwards(%x: tensor<4x2x12xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 4]>>, %c: tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>>) -> tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x2x12xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 4]>>) outs(%c : tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>>) dimensions = [2]
  return %0 : tensor<4x2xf32, #npu.layout<DUPLICATED, tiles = 4>>
}

// The largest of all is the same in any order: nothing to remember for a
// comparison. Uneven parts: 3, 2 and 2 of 7 are two series, whose rows stand in one
// tensor on the tiles that made them.
// CHECK-LABEL: func.func @exact
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: linalg.generic {indexing_maps = [#[[THREE]], {{.*}} ins(%arg0, %{{.*}} : {{.*}}, tensor<3xi1>)
// CHECK: } -> tensor<1x5xf32,
// CHECK: linalg.generic {indexing_maps = [#[[TWO_AND_TWO]], {{.*}} ins(%arg0, %{{.*}} : {{.*}}, tensor<2xi1>)
// CHECK: } -> tensor<2x5xf32,
// CHECK: tensor.concat dim(0) %{{.*}} -> tensor<3x5xf32, #[[PARTS:.*]]>
// CHECK: npu.redistribute %concat : tensor<3x5xf32, #[[PARTS]]>
// CHECK-NOT: npu.split_reduction
// BYTES-LABEL: function @exact
// BYTES: {{^ *}}received 0 (at least 0)
// BYTES: {{^ *}}received 40 (at least 40)
// BYTES: {{^ *}}received 0 (at least 0)
func.func @exact(%x: tensor<5x7xf32, #npu.layout<SEGMENTED, tiles = [1, 3]>>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<5x7xf32, #npu.layout<SEGMENTED, tiles = [1, 3]>>) outs(%e : tensor<5xf32>) dimensions = [1]
  return %0 : tensor<5xf32>
}

// Positions count from the whole tensor's front.
// CHECK-LABEL: func.func @index
// CHECK: %[[INDEX:.*]] = linalg.index 1
// CHECK: %[[PART:.*]] = linalg.index 0
// CHECK: %[[SIZE:.*]] = arith.constant 4 : index
// CHECK: %[[BEGIN:.*]] = arith.muli %[[PART]], %[[SIZE]]
// CHECK: arith.addi %[[BEGIN]], %[[INDEX]]
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

// A grid of two cut loops is one series: the last loop's range changes from one part
// to the next.
// CHECK-LABEL: func.func @grid
// CHECK: linalg.generic {indexing_maps = [#[[GRID]], #[[WINDOW]], {{.*}}], {{.*}}, tensor<2x3xi1>)
// CHECK: } -> tensor<4x5xf32,
// CHECK: npu.redistribute %{{.*}} : tensor<4x5xf32,
// CHECK: loops = array<i64: 1, 2>, {{.*}}, ranges = array<i64: 0, 2, 0, 3, 0, 2, 3, 6, 2, 4, 0, 3, 2, 4, 3, 6>
func.func @grid(%x: tensor<5x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 2]>>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<5x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 2]>>) outs(%e : tensor<5xf32>) dimensions = [1, 2]
  return %0 : tensor<5xf32>
}

// A result of eight dimensions: there is no ninth for its partial results.
// CHECK-LABEL: func.func @rank_eight
// CHECK: npu.redistribute %arg0
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rank_eight(%x: tensor<6xf32, #npu.layout<SEGMENTED, tiles = [2]>>, %c: tensor<1x1x1x1x1x1x1x1xf32, #npu.layout<DUPLICATED, tiles = 2>>) -> tensor<1x1x1x1x1x1x1x1xf32, #npu.layout<DUPLICATED, tiles = 2>> {
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e, f, g, h, k) -> (k)>, affine_map<(a, b, c, d, e, f, g, h, k) -> (a, b, c, d, e, f, g, h)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<6xf32, #npu.layout<SEGMENTED, tiles = [2]>>) outs(%c : tensor<1x1x1x1x1x1x1x1xf32, #npu.layout<DUPLICATED, tiles = 2>>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<1x1x1x1x1x1x1x1xf32, #npu.layout<DUPLICATED, tiles = 2>>
  return %0 : tensor<1x1x1x1x1x1x1x1xf32, #npu.layout<DUPLICATED, tiles = 2>>
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
