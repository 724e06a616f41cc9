// Reductions in parts are ways of an assignment where they are asked for: chosen
// where they cost less, told in words, and no rows.
//
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000 split-reductions" | FileCheck %s
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000" | FileCheck %s --check-prefix=WHOLE --implicit-check-not=npu.split_reduction
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000 split-reductions" -o /dev/null \
// RUN:   --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: npu-opt %s --npu-explain-assignment="target=npu4000 split-reductions value=%%2" -o /dev/null | FileCheck %s --check-prefix=MADE
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000 split-reductions strategy=rows" | FileCheck %s --check-prefix=OUTER
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000 split-reductions byte-price=1000000" | FileCheck %s --check-prefix=PRICE

#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>

// CHECK-DAG: #[[COLUMNS:.*]] = #npu.layout<SEGMENTED, tiles = [1, 4]>
// CHECK-DAG: #[[PARTS:.*]] = #npu.layout<SEGMENTED, tiles = [4, 1, 1]>
// CHECK-DAG: #[[COMBINED:.*]] = #npu.layout<SEGMENTED, tiles = [1, 1, 4]>
// CHECK-LABEL: func.func @decode
// CHECK-DAG: %[[INIT:.*]] = linalg.fill ins(%{{.*}}) outs({{.*}}) -> tensor<1x64xf16, #[[COLUMNS]]>
// CHECK-DAG: %[[NEUTRAL:.*]] = linalg.fill ins(%{{.*}}) outs({{.*}}) -> tensor<4x1x64xf16, #[[PARTS]]>
// CHECK: %[[PARTIAL:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1, %{{.*}} : {{.*}}, tensor<1024xi1>) outs(%[[NEUTRAL]]
// CHECK: %[[ROWS:.*]] = npu.redistribute %[[PARTIAL]] : tensor<4x1x64xf16, #[[PARTS]]> to tensor<4x1x64xf16, #[[COMBINED]]>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[ROWS]] {{.*}} outs(%[[INIT]] {{.*}}npu.split_reduction = {loops = array<i64: 2>, number = 0 : i64, op = "linalg.matmul", parts = 4 : i64, ranges = array<i64: 0, 1024, 1024, 2048, 2048, 3072, 3072, 4096>, terms = 4096 : i64}
// CHECK: npu.redistribute %[[SUM]] : tensor<1x64xf16, #[[COLUMNS]]> to tensor<1x64xf16>
// CHECK-NOT: npu.redistribute
// CHECK: return

// WHOLE-LABEL: func.func @decode
// WHOLE: linalg.matmul

// REMARK: 'linalg.matmul' runs as 'split d2 over 4, combined as split d1 over 4' at [[#]] cycles; the next best, '{{.*}}', would cost [[#]] more in all{{.*}}; f16 rounds otherwise in parts, and a part may overflow where the whole does not

// MADE: made by 'linalg.matmul' at
// MADE-NEXT: split d1 over 4: [[#]] cycles, makes #npu.layout<SEGMENTED, tiles = [1, 4]>; +[[#]] cycles in all
// MADE: split d2 over 4, combined as split d1 over 4: [[#]] cycles, makes #npu.layout<SEGMENTED, tiles = [1, 4]>; chosen
// MADE-NEXT: split d2 over 4, combined as duplicated: [[#]] cycles, makes #npu.layout<DUPLICATED, tiles = 4>; +[[#]] cycles in all

// Rows are those of a result: here its columns, since there is but one row.
// OUTER-LABEL: func.func @decode
// OUTER: linalg.matmul

// Of bytes between tiles, 384 for partial results are the least.
// PRICE-LABEL: func.func @decode
// PRICE: npu.redistribute %{{.*}} : tensor<4x1x64xf16,
func.func @decode(%x: tensor<1x4096xf16, #columns>, %w: tensor<4096x64xf16, #rows>) -> tensor<1x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x64xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x64xf16>) -> tensor<1x64xf16>
  %r = linalg.matmul ins(%x, %w : tensor<1x4096xf16, #columns>, tensor<4096x64xf16, #rows>) outs(%f : tensor<1x64xf16>) -> tensor<1x64xf16>
  return %r : tensor<1x64xf16>
}
