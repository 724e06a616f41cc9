// Where a device moves nothing at positions, and these are known to be inside of a small
// tensor, a reduction compares each of them with all that it may be. A choice stands for
// the product, so that infinities and NaN that are not chosen change nothing; of equal
// positions of a scatter, the last one counts.

// RUN: npu-opt %s --npu-select-kernels --remarks-filter=npu --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-run %t.mlir --entry=rows --reference=%s --inputs=special --seed=1 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=replaced --reference=%s --inputs=special --seed=2 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=pairs --reference=%s --inputs=special --seed=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=rows --inputs=special --seed=1 --compile=tiles=3 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=replaced --inputs=special --seed=1 --compile=tiles=3 | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.like" = "npu4000",
    "npu.kernels" = #npu.kernels<{op = "reduction"}, {op = "elementwise"}>>>} {

// Between -7 and 7: negative ones count from the end of 8 rows.
// SAID: no kernel: no row for 'npu.gather'; chosen by comparing positions, 8 for each entry
// CHECK-LABEL: @rows
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.index 2
// CHECK: arith.select
// CHECK-NOT: npu.gather
func.func @rows(%data: tensor<8x16xf16>, %given: tensor<40x1xi32>) -> tensor<40x16xf16> {
  %c8 = arith.constant dense<8> : tensor<40x1xi32>
  %rows = arith.remsi %given, %c8 : tensor<40x1xi32>
  %r = npu.gather %data at %rows : tensor<8x16xf16>, tensor<40x1xi32> -> tensor<40x16xf16>
  return %r : tensor<40x16xf16>
}

// SAID: no kernel: no row for 'npu.scatter'; chosen by comparing positions, 20 for each entry
// CHECK-LABEL: @replaced
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: npu.scatter
func.func @replaced(%data: tensor<2x5x3xf16>, %given: tensor<2x20x1xi64>, %new: tensor<2x20x3xf16>) -> tensor<2x5x3xf16> {
  %c5 = arith.constant dense<5> : tensor<2x20x1xi64>
  %at = arith.remui %given, %c5 : tensor<2x20x1xi64>
  %r = npu.scatter %new into %data at %at {batch_dims = 1 : i64}
      : tensor<2x20x3xf16>, tensor<2x5x3xf16>, tensor<2x20x1xi64> -> tensor<2x5x3xf16>
  return %r : tensor<2x5x3xf16>
}

// Two coordinates, each with its own dimension.
// SAID: no kernel: no row for 'npu.gather'; chosen by comparing positions, 12 for each entry
// CHECK-LABEL: @pairs
// CHECK: linalg.index 2
// CHECK: linalg.index 3
// CHECK: arith.andi
func.func @pairs(%data: tensor<3x4x5xi8>, %given: tensor<20x2xi32>) -> tensor<20x5xi8> {
  %c3 = arith.constant dense<3> : tensor<20x2xi32>
  %at = arith.remsi %given, %c3 : tensor<20x2xi32>
  %r = npu.gather %data at %at : tensor<3x4x5xi8>, tensor<20x2xi32> -> tensor<20x5xi8>
  return %r : tensor<20x5xi8>
}

// Nothing is known of these, so that they may be outside, which is an error.
// SAID-NOT: chosen
// CHECK-LABEL: @unknown
// CHECK: npu.gather
// CHECK-SAME: npu.host
func.func @unknown(%data: tensor<8x16xf16>, %rows: tensor<40x1xi32>) -> tensor<40x16xf16> {
  %r = npu.gather %data at %rows : tensor<8x16xf16>, tensor<40x1xi32> -> tensor<40x16xf16>
  return %r : tensor<40x16xf16>
}
}
