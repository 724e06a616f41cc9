// Lookups, structured operations that read entries of whole tensors: the types of their
// positions are asked and narrowed in front of them, and those in a small table are gathers.

// RUN: npu-opt %s --npu-select-kernels=target=npu4000 --remarks-filter=npu --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-run %t.mlir --entry=embed --reference=%s --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=known --reference=%s --inputs=random --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=two --reference=%s --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=rows --reference=%s --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal

// A large table is read in DDR by the kernel of the lookup: nothing falls back to the host.
// RUN: npu-opt %s --npu-compile="target=npu4000 device=NPU compile-to=tiles" -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=ON-TILES
// ON-TILES-NOT: host

// A table of 4 MB stays in DDR. As in ONNX, negative positions count from its end; the
// arithmetic stays in 64 bits, and what the lookup reads has 32.
// SAID-DAG: no kernel: index type i64; narrowed to i32 (largest index 31999, bounded)
// CHECK-LABEL: @embed
// CHECK: %[[AT:.*]] = linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<1x16xi64>) outs(%{{.*}} : tensor<1x16xi32>)
// CHECK: arith.select
// CHECK: arith.minui
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[AT]] : tensor<1x16xi32>)
// CHECK: arith.index_cast %{{.*}} : i32 to index
// CHECK-NOT: arith.select
// CHECK: tensor.extract
func.func @embed(%table: tensor<32000x64xf16>, %ids: tensor<1x16xi64>) -> tensor<1x16x64xf16> {
  %empty = tensor.empty() : tensor<1x16x64xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<1x16xi64>) outs(%empty : tensor<1x16x64xf16>) {
  ^bb0(%id: i64, %out: f16):
    %c0 = arith.constant 0 : i64
    %rows = arith.constant 32000 : i64
    %isNegative = arith.cmpi slt, %id, %c0 : i64
    %fromEnd = arith.addi %id, %rows : i64
    %row = arith.select %isNegative, %fromEnd, %id : i64
    %at = arith.index_cast %row : i64 to index
    %column = linalg.index 2 : index
    %entry = tensor.extract %table[%at, %column] : tensor<32000x64xf16>
    linalg.yield %entry : f16
  } -> tensor<1x16x64xf16>
  return %0 : tensor<1x16x64xf16>
}

// Constant positions are constants of the other type. What the body yields of them besides
// has the old one.
// SAID-DAG: no kernel: index type i64; narrowed to i32 (largest index 31999)
// CHECK-LABEL: @known
// CHECK: arith.constant dense<[7, 31999, 0]> : tensor<3xi32>
// CHECK: ^bb0(%[[IN:.*]]: i32,
// CHECK: %[[WIDE:.*]] = arith.extsi %[[IN]] : i32 to i64
// CHECK: arith.index_cast %[[WIDE]]
func.func @known(%table: tensor<32000x64xf16>) -> (tensor<3x64xf16>, tensor<3x64xi64>) {
  %rows = arith.constant dense<[7, 31999, 0]> : tensor<3xi64>
  %empty = tensor.empty() : tensor<3x64xf16>
  %numbers = tensor.empty() : tensor<3x64xi64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<3xi64>) outs(%empty, %numbers : tensor<3x64xf16>, tensor<3x64xi64>) {
  ^bb0(%row: i64, %out: f16, %number: i64):
    %at = arith.index_cast %row : i64 to index
    %column = linalg.index 1 : index
    %entry = tensor.extract %table[%at, %column] : tensor<32000x64xf16>
    linalg.yield %entry, %row : f16, i64
  } -> (tensor<3x64xf16>, tensor<3x64xi64>)
  return %0#0, %0#1 : tensor<3x64xf16>, tensor<3x64xi64>
}

// Scratchpads hold the tables.
// SAID-DAG: a lookup in a table that scratchpads hold: gathered, at positions of i32
// CHECK-LABEL: @rows
// CHECK: %[[AT:.*]] = linalg.generic
// CHECK: arith.minui
// CHECK: npu.gather %{{.*}} at %[[AT]] {batch_dims = 1 : i64} : tensor<4x50x8xf16>, tensor<4x128x1xi32> -> tensor<4x128x8xf16>
func.func @rows(%table: tensor<4x50x8xf16>, %ids: tensor<4x128xi64>) -> tensor<4x128x8xf16> {
  %empty = tensor.empty() : tensor<4x128x8xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, b, c) -> (n, b)>, affine_map<(n, b, c) -> (n, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<4x128xi64>) outs(%empty : tensor<4x128x8xf16>) {
  ^bb0(%id: i64, %out: f16):
    %n = linalg.index 0 : index
    %c50 = arith.constant 50 : i64
    %inside = arith.remui %id, %c50 : i64
    %at = arith.index_cast %inside : i64 to index
    %column = linalg.index 2 : index
    %entry = tensor.extract %table[%n, %at, %column] : tensor<4x50x8xf16>
    linalg.yield %entry : f16
  } -> tensor<4x128x8xf16>
  return %0 : tensor<4x128x8xf16>
}

// A value that is a position in two tables is bounded by the larger one, and by none where
// something else looks at it; what has side effects stays.
// SAID-DAG: no kernel: index type i64; narrowed to i32 (largest index 299999, bounded)
// CHECK-LABEL: @two
// CHECK: arith.constant 300000 : index
// CHECK-NEXT: arith.minui
// CHECK: cf.assert
// CHECK: arith.cmpi ult
func.func @two(%small: tensor<4xf32>, %large: tensor<300000xf32>, %ids: tensor<16xi64>) -> tensor<16xf32> {
  %empty = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%ids : tensor<16xi64>) outs(%empty : tensor<16xf32>) {
  ^bb0(%id: i64, %out: f32):
    %loop = linalg.index 0 : index
    %number = arith.index_cast %loop : index to i64
    %c17 = arith.constant 17 : i64
    %step = arith.muli %number, %c17 : i64
    %three = arith.constant 3 : i64
    %low = arith.andi %id, %three : i64
    %sum = arith.addi %step, %low : i64
    %at = arith.index_cast %sum : i64 to index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : i64
    %isThere = arith.cmpi sge, %sum, %c0 : i64
    cf.assert %isThere, "negative"
    %isSmall = arith.cmpi ult, %at, %c4 : index
    %v = scf.if %isSmall -> f32 {
      %x = tensor.extract %small[%at] : tensor<4xf32>
      scf.yield %x : f32
    } else {
      %x = tensor.extract %large[%at] : tensor<300000xf32>
      scf.yield %x : f32
    }
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// The loop of a window has its extent from an input that the body does not read.
// CHECK-LABEL: @window
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<3xf32>, tensor<16xi32>)
func.func @window(%table: tensor<400000xf32>, %ids: tensor<16xi64>, %window: tensor<3xf32>, %before: tensor<16xf32>) -> tensor<16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(a, k) -> (a)>, affine_map<(a, k) -> (k)>, affine_map<(a, k) -> (a)>], iterator_types = ["parallel", "reduction"]} ins(%ids, %window : tensor<16xi64>, tensor<3xf32>) outs(%before : tensor<16xf32>) {
  ^bb0(%id: i64, %unread: f32, %out: f32):
    %at = arith.index_cast %id : i64 to index
    %entry = tensor.extract %table[%at] : tensor<400000xf32>
    %sum = arith.addf %out, %entry : f32
    linalg.yield %sum : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// What the body asserts besides is not gathered away.
// CHECK-LABEL: @asserts
// CHECK: cf.assert
// CHECK-NOT: npu.gather
func.func @asserts(%table: tensor<4xf32>, %ids: tensor<16xi32>) -> tensor<16xf32> {
  %empty = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%ids : tensor<16xi32>) outs(%empty : tensor<16xf32>) {
  ^bb0(%id: i32, %out: f32):
    %c2 = arith.constant 2 : i32
    %isSmall = arith.cmpi ult, %id, %c2 : i32
    cf.assert %isSmall, "too large"
    %at = arith.index_cast %id : i32 to index
    %entry = tensor.extract %table[%at] : tensor<4xf32>
    linalg.yield %entry : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
