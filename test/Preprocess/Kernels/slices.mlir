// Positions that are computed of loops alone are constants, and form a slice; at few constant
// positions, a device without a kernel moves slice by slice.

// RUN: npu-opt %s --npu-select-kernels --remarks-filter=npu --remark-format=emitRemark 2>&1 >%t.mlir | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir --implicit-check-not=npu.gather --implicit-check-not=npu.scatter
// RUN: npu-run %s --entry=affine --compile="device=NPU function=affine" | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=backwards --compile="device=NPU function=backwards" | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=twice --compile="device=NPU function=twice" | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --entry=scalars --compile="device=NPU function=scalars" | FileCheck %s --check-prefix=EQUAL

// EQUAL: {{^}}equal
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.like" = "npu4000",
      "npu.kernels" = #npu.kernels<{op = "movement"}, {op = "elementwise"}>>>} {
  // Rows 3, 5, ... 17 of a model that computes them.
  // CHECK-LABEL: @affine
  // CHECK: tensor.extract_slice %arg0[3, 0] [8, 4] [2, 1] : tensor<20x4xf16> to tensor<8x4xf16>
  func.func @affine(%x: tensor<20x4xf16>) -> tensor<8x4xf16> {
    %e = tensor.empty() : tensor<8x1xi64>
    %at = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        outs(%e : tensor<8x1xi64>) {
    ^bb0(%out: i64):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i64
      %two = arith.constant 2 : i64
      %three = arith.constant 3 : i64
      %twice = arith.muli %n, %two : i64
      %row = arith.addi %twice, %three : i64
      linalg.yield %row : i64
    } -> tensor<8x1xi64>
    %r = npu.gather %x at %at : tensor<20x4xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
    return %r : tensor<8x4xf16>
  }

  // SAID: no kernel: no row for 'npu.gather'; moved slice by slice (3 slices)
  // CHECK-LABEL: @backwards
  // CHECK: tensor.extract_slice %arg0[4, 0] [1, 4] [1, 1] : tensor<5x4xf16> to tensor<4xf16>
  // CHECK: tensor.insert_slice {{.*}}[0, 0] [1, 4] [1, 1]
  // CHECK: tensor.extract_slice %arg0[2, 0]
  // CHECK: tensor.extract_slice %arg0[0, 0]
  func.func @backwards(%x: tensor<5x4xf16>) -> tensor<3x4xf16> {
    %at = arith.constant dense<[[-1], [2], [0]]> : tensor<3x1xi64>
    %r = npu.gather %x at %at : tensor<5x4xf16>, tensor<3x1xi64> -> tensor<3x4xf16>
    return %r : tensor<3x4xf16>
  }

  // The later one of two counts.
  // SAID: no kernel: no row for 'npu.scatter'; moved slice by slice (4 slices)
  // CHECK-LABEL: @twice
  // CHECK-COUNT-4: tensor.insert_slice
  func.func @twice(%x: tensor<5x2x4xf16>, %new: tensor<2x2x4xf16>) -> tensor<5x2x4xf16> {
    %at = arith.constant dense<[[[3, 1], [0, 0]], [[3, 1], [4, 1]]]> : tensor<2x2x2xi32>
    %r = npu.scatter %new into %x at %at : tensor<2x2x4xf16>, tensor<5x2x4xf16>, tensor<2x2x2xi32> -> tensor<5x2x4xf16>
    return %r : tensor<5x2x4xf16>
  }

  // CHECK-LABEL: @scalars
  // CHECK-COUNT-3: tensor.insert_slice
  func.func @scalars(%x: tensor<5x4xf16>) -> tensor<3xf16> {
    %at = arith.constant dense<[[1, 2], [0, 0], [4, 3]]> : tensor<3x2xi64>
    %r = npu.gather %x at %at : tensor<5x4xf16>, tensor<3x2xi64> -> tensor<3xf16>
    return %r : tensor<3xf16>
  }
}
