// Operations whose slices are made in the steps of their reader: nothing between
// the first product and the last operation goes to DDR, and every bit stays.

// RUN: npu-opt %s --npu-run-in-steps | FileCheck %s
// RUN: npu-opt %s --npu-run-in-steps --npu-legalize-distributions -o %t.mlir
// RUN: npu-run -O0 %t.mlir --entry=attention --reference=%s | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --entry=sums --reference=%s | FileCheck %s --check-prefix=SAME
// SAME: {{^}}equal
//
// Costs before and after are the same.
// RUN: npu-opt %s --npu-legalize-distributions --npu-print-costs=target=npu4000 -o /dev/null | grep "total" > %t.before
// RUN: npu-opt %t.mlir --npu-print-costs=target=npu4000 -o /dev/null | grep "total" | diff %t.before -

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#of = #npu.layout<SEGMENTED, tiles = [4]>
#all = #npu.layout<DUPLICATED, tiles = 4>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>

// Rows of scores and of everything between stay whole, and the values, which no
// step changes, are loaded once.
// CHECK-LABEL: func.func @attention
// CHECK: %[[KEYS:.*]] = npu.redistribute %arg1
// CHECK: %[[VALUES:.*]] = npu.redistribute %arg2
// CHECK: scf.for
// CHECK:   %[[Q:.*]] = tensor.extract_slice %arg0[%{{.*}}, 0] [16, 8] [1, 1]
// CHECK:   npu.redistribute %[[Q]]
// CHECK:   %[[SCORES:.*]] = linalg.matmul ins(%{{.*}}, %[[KEYS]] {{.*}} -> tensor<16x48xf32, #{{.*}}>
// CHECK:   linalg.generic {{.*}} ins(%[[SCORES]] : {{.*}} outs({{.*}} : tensor<16xf32, #{{.*}}>)
// CHECK:   linalg.matmul ins(%{{.*}}, %[[VALUES]]
// CHECK:   npu.redistribute {{.*}} to tensor<16x12xf32>
// CHECK:   tensor.insert_slice
func.func @attention(%q: tensor<70x8xf32>, %k: tensor<8x48xf32>, %v: tensor<48x12xf32>) -> tensor<70x12xf32> {
  %z = arith.constant 0.0 : f32
  %least = arith.constant -1.0e+30 : f32
  %e = tensor.empty() : tensor<70x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<70x48xf32>) -> tensor<70x48xf32>
  %s = linalg.matmul {npu.steps = {layouts = [#rows, #all, #rows]}}
      ins(%q, %k : tensor<70x8xf32>, tensor<8x48xf32>) outs(%f : tensor<70x48xf32>) -> tensor<70x48xf32>
  %em = tensor.empty() : tensor<70xf32>
  %fm = linalg.fill ins(%least : f32) outs(%em : tensor<70xf32>) -> tensor<70xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"], npu.steps = {layouts = [#rows, #of]}}
      ins(%s : tensor<70x48xf32>) outs(%fm : tensor<70xf32>) {
  ^bb0(%i: f32, %o: f32):
    %x = arith.maximumf %o, %i : f32
    linalg.yield %x : f32
  } -> tensor<70xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], npu.steps = {layouts = [#rows, #of, #rows]}}
      ins(%s, %m : tensor<70x48xf32>, tensor<70xf32>) outs(%e : tensor<70x48xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %x = arith.subf %i, %j : f32
    linalg.yield %x : f32
  } -> tensor<70x48xf32>
  %er = tensor.empty() : tensor<70x12xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<70x12xf32>) -> tensor<70x12xf32>
  %r = linalg.matmul {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 16>, slots = array<i64: 2>, layouts = [#rows, #all, #rows]}}
      ins(%p, %v : tensor<70x48xf32>, tensor<48x12xf32>) outs(%fr : tensor<70x12xf32>) -> tensor<70x12xf32>
  return %r : tensor<70x12xf32>
}

// Terms of the last sum are columns of the product before it, which is on tiles
// by columns and read by rows.
// CHECK-LABEL: func.func @sums
// CHECK: scf.for
// CHECK:   %[[MADE:.*]] = linalg.matmul {{.*}} -> tensor<24x10xf32, #[[COLUMNS:.*]]>
// CHECK:   npu.redistribute %[[MADE]] : tensor<24x10xf32, #[[COLUMNS]]> to tensor<24x10xf32, #{{.*}}>
func.func @sums(%x: tensor<24x8xf32>, %a: tensor<8x45xf32>, %b: tensor<45x12xf32>) -> tensor<24x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x45xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x45xf32>) -> tensor<24x45xf32>
  %m = linalg.matmul {npu.steps = {layouts = [#all, #columns, #columns]}}
      ins(%x, %a : tensor<24x8xf32>, tensor<8x45xf32>) outs(%f : tensor<24x45xf32>) -> tensor<24x45xf32>
  %er = tensor.empty() : tensor<24x12xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<24x12xf32>) -> tensor<24x12xf32>
  %r = linalg.matmul {npu.steps = {loops = array<i64: 2>, sizes = array<i64: 10>, layouts = [#rows, #all, #rows]}}
      ins(%m, %b : tensor<24x45xf32>, tensor<45x12xf32>) outs(%fr : tensor<24x12xf32>) -> tensor<24x12xf32>
  return %r : tensor<24x12xf32>
}

// What is added to may be read by others: each step adds to a slice of it, and
// stores to another tensor.
// CHECK-LABEL: func.func @reads_output
// CHECK: tensor.empty() : tensor<24x8xf32>
// CHECK: scf.for
// CHECK:   tensor.extract_slice %arg0
// CHECK:   tensor.extract_slice %arg0
// RUN: npu-run -O0 %t.mlir --entry=reads_output --reference=%s | FileCheck %s --check-prefix=SAME
func.func @reads_output(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], npu.steps = {loops = array<i64: 0>, sizes = array<i64: 7>, layouts = [#rows, #rows]}}
      ins(%x : tensor<24x8xf32>) outs(%x : tensor<24x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.mulf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<24x8xf32>
  return %r : tensor<24x8xf32>
}

// What the last operation adds to is loaded before the one in its steps runs.
// CHECK-LABEL: func.func @loads_first
// CHECK: scf.for
// CHECK: npu.redistribute
// CHECK: npu.redistribute
// CHECK: linalg.exp
// RUN: npu-run -O0 %t.mlir --entry=loads_first --reference=%s | FileCheck %s --check-prefix=SAME
func.func @loads_first(%x: tensor<24x8xf32>, %y: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %e = tensor.empty() : tensor<24x8xf32>
  %m = linalg.exp {npu.steps = {layouts = [#rows, #rows]}} ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], npu.steps = {loops = array<i64: 0>, sizes = array<i64: 8>, slots = array<i64: 2>, layouts = [#rows, #rows]}}
      ins(%m : tensor<24x8xf32>) outs(%y : tensor<24x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<24x8xf32>
  return %r : tensor<24x8xf32>
}

// A position of two loops that were one takes no time, where a step begins
// somewhere either.
// CHECK-LABEL: func.func @positions
// RUN: npu-run -O0 %t.mlir --entry=positions --reference=%s | FileCheck %s --check-prefix=SAME
func.func @positions(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %e = tensor.empty() : tensor<24x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], npu.steps = {loops = array<i64: 0>, sizes = array<i64: 7>, layouts = [#rows, #rows]}}
      ins(%x : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%a, %b)
    %d = arith.index_cast %c : index to i32
    %f = arith.sitofp %d : i32 to f32
    %y = arith.mulf %f, %i : f32
    linalg.yield %y : f32
  } -> tensor<24x8xf32>
  return %r : tensor<24x8xf32>
}

// Two operations read one tensor along other loops: where steps cut none of these,
// it is one slice, which is loaded once.
// CHECK-LABEL: func.func @same_slice
// CHECK: scf.for
// CHECK: npu.redistribute
// CHECK-NOT: npu.redistribute
// CHECK: linalg.matmul
// CHECK: npu.redistribute {{.*}} to tensor<6x5xf32>
// RUN: npu-run -O0 %t.mlir --entry=same_slice --reference=%s | FileCheck %s --check-prefix=SAME
func.func @same_slice(%x: tensor<24x8xf32>, %w: tensor<8x5xf32>) -> tensor<24x5xf32> {
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<24xf32>
  %fm = linalg.fill ins(%z : f32) outs(%em : tensor<24xf32>) -> tensor<24xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"], npu.steps = {layouts = [#rows, #of]}}
      ins(%x : tensor<24x8xf32>) outs(%fm : tensor<24xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<24xf32>
  %e = tensor.empty() : tensor<24x8xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"], npu.steps = {layouts = [#rows, #of, #rows]}}
      ins(%x, %s : tensor<24x8xf32>, tensor<24xf32>) outs(%e : tensor<24x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %y = arith.subf %i, %j : f32
    linalg.yield %y : f32
  } -> tensor<24x8xf32>
  %er = tensor.empty() : tensor<24x5xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<24x5xf32>) -> tensor<24x5xf32>
  %r = linalg.matmul {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 6>, layouts = [#rows, #all, #rows]}}
      ins(%d, %w : tensor<24x8xf32>, tensor<8x5xf32>) outs(%fr : tensor<24x5xf32>) -> tensor<24x5xf32>
  return %r : tensor<24x5xf32>
}
