// Gathers of rows from a table in DDR become lookups, of which tiles load the rows that
// positions name. Tables stay npu.gather where tiles hold them, and single entries of a table
// that no scratchpad holds are read by the host, which is said.

// RUN: npu-opt %s --npu-select-kernels=target=npu4000 --remarks-filter=npu --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=legal gather=allow" -o %t.legal.mlir
// RUN: npu-opt %t.legal.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-run %t.mlir --reference=%s --entry=tuples --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --reference=%s --entry=upstream --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=tuples --compile="target=npu4000 device=NPU function=tuples" --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=upstream --compile="target=npu4000 device=NPU function=upstream" --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal

// The bytes of 128 rows from a table of 467 MB, and each twice: loaded, and stored as the result.
// SAID-DAG: rows that positions name are loaded from DDR", bytes=393216
// SAID-DAG: no kernel: index type i64; narrowed to i32 (largest index 151935, bounded)
// CHECK-LABEL: @embedding
// CHECK: %[[AT:.*]] = linalg.generic
// CHECK-SAME: ins(%arg1 : tensor<128x1xi64>) outs(%{{.*}} : tensor<128xi32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[AT]] : tensor<128xi32>) outs(%{{.*}} : tensor<128x1536xf16>)
// CHECK: tensor.extract %arg0[
// COSTS-LABEL: function @embedding
// COSTS: 54784 operation linalg.generic {{[0-9]+}} 393216
// COSTS: 787456 bytes from and to DDR, at least 787456
func.func @embedding(%table: tensor<151936x1536xf16>, %at: tensor<128x1xi64>) -> tensor<128x1536xf16> {
  %0 = npu.gather %table at %at : tensor<151936x1536xf16>, tensor<128x1xi64> -> tensor<128x1536xf16>
  return %0 : tensor<128x1536xf16>
}

// Tuples of two coordinates after a batch dimension: each has a row, and each coordinate is
// read as a slice of its own. Negative ones count from the end.
// CHECK-LABEL: @tuples
// CHECK-DAG: tensor.extract_slice %arg1[0, 0, 0] [2, 5, 1]
// CHECK-DAG: tensor.extract_slice %arg1[0, 0, 1] [2, 5, 1]
// CHECK-NOT: npu.gather
// CHECK: tensor.extract %arg0[
// COSTS-LABEL: function @tuples
// COSTS: operation linalg.generic {{[0-9]+}} 1280
func.func @tuples(%table: tensor<2x300x20x64xf16>, %at: tensor<2x5x2xi32>) -> tensor<2x5x64xf16> {
  %0 = npu.gather %table at %at {batch_dims = 1 : i64} : tensor<2x300x20x64xf16>, tensor<2x5x2xi32> -> tensor<2x5x64xf16>
  return %0 : tensor<2x5x64xf16>
}

// Upstream's gather clamps its positions, and keeps the dimension.
// CHECK-LABEL: @upstream
// CHECK-NOT: npu.host
// CHECK: tensor.extract %arg0[
// COSTS-LABEL: function @upstream
// COSTS: operation linalg.generic {{[0-9]+}} 40960
func.func @upstream(%table: tensor<4000x256xf16>, %at: tensor<80x1xindex>) -> tensor<80x1x256xf16> {
  %0 = tensor.gather %table[%at] gather_dims([0]) : (tensor<4000x256xf16>, tensor<80x1xindex>) -> tensor<80x1x256xf16>
  return %0 : tensor<80x1x256xf16>
}

// A small table is loaded in fewer cycles than many rows of it, and in more than few.
// CHECK-LABEL: @many
// CHECK: npu.gather
// CHECK-LABEL: @few
// CHECK-NOT: npu.gather
// CHECK: tensor.extract %arg0[
func.func @many(%table: tensor<1000x64xf16>, %at: tensor<500x1xi32>) -> tensor<500x64xf16> {
  %0 = npu.gather %table at %at : tensor<1000x64xf16>, tensor<500x1xi32> -> tensor<500x64xf16>
  return %0 : tensor<500x64xf16>
}
func.func @few(%table: tensor<1000x64xf16>, %at: tensor<4x1xi32>) -> tensor<4x64xf16> {
  %0 = npu.gather %table at %at : tensor<1000x64xf16>, tensor<4x1xi32> -> tensor<4x64xf16>
  return %0 : tensor<4x64xf16>
}

// What tiles have made stays on them.
// CHECK-LABEL: @made
// CHECK: npu.gather
func.func @made(%x: tensor<1000x64xf16>, %at: tensor<4x1xi32>) -> tensor<4x64xf16> {
  %table = arith.negf %x : tensor<1000x64xf16>
  %0 = npu.gather %table at %at : tensor<1000x64xf16>, tensor<4x1xi32> -> tensor<4x64xf16>
  return %0 : tensor<4x64xf16>
}

// Single entries are no rows.
// CHECK-LABEL: @entries
// CHECK: npu.gather
// CHECK-SAME: npu.host = "each tile would hold 8000000 bytes that positions are in, of 1474560 of its scratchpad, and single entries are no rows that it could load"
func.func @entries(%table: tensor<4000000xf16>, %at: tensor<4x1xi32>) -> tensor<4xf16> {
  %0 = npu.gather %table at %at : tensor<4000000xf16>, tensor<4x1xi32> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
