// Entries that are only moved are moved as a type that the kernel takes: their
// bits are the same afterwards.

// RUN: npu-opt %s --npu-select-kernels --remarks-filter=npu --remark-format=emitRemark 2>&1 >%t.mlir | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-run %s --entry=rows --inputs=normal --output=%t.1.npy
// RUN: npu-run %t.mlir --entry=rows --inputs=normal --output=%t.2.npy
// RUN: cmp %t.1.npy %t.2.npy

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000",
      "npu.kernels" = #npu.kernels<
        {op = "npu.gather", inputs = [i16], indices = [i32]},
        {op = "movement", inputs = [i32, f32]},
        {op = "elementwise"}>>>} {
  // SAID: no kernel: input type f16; moved as i16
  // CHECK-LABEL: @rows
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : tensor<4x8xf16> to tensor<4x8xi16>
  // CHECK: npu.gather %[[BITS]] {{.*}} -> tensor<2x8xi16>
  // CHECK: arith.bitcast %{{.*}} : tensor<2x8xi16> to tensor<2x8xf16>
  func.func @rows(%table: tensor<4x8xf16>) -> tensor<2x8xf16> {
    %at = arith.constant dense<[[3], [1]]> : tensor<2x1xi32>
    %r = npu.gather %table at %at : tensor<4x8xf16>, tensor<2x1xi32> -> tensor<2x8xf16>
    return %r : tensor<2x8xf16>
  }

  // SAID: no kernel: input type i8; moved as i32
  // CHECK-LABEL: @turned
  // CHECK: linalg.transpose ins(%{{.*}} : tensor<4x8xi32>)
  // CHECK: arith.trunci
  func.func @turned(%x: tensor<4x8xi8>) -> tensor<8x4xi8> {
    %e = tensor.empty() : tensor<8x4xi8>
    %r = linalg.transpose ins(%x : tensor<4x8xi8>) outs(%e : tensor<8x4xi8>) permutation = [1, 0]
    return %r : tensor<8x4xi8>
  }

  // A reduction computes with its entries.
  // CHECK-LABEL: @summed
  // CHECK: linalg.reduce
  // CHECK: npu.host = "no kernel: no row for 'linalg.reduce' (reduction)"
  func.func @summed(%x: tensor<4x8xf16>) -> tensor<4xf16> {
    %e = tensor.empty() : tensor<4xf16>
    %r = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf16>) outs(%e : tensor<4xf16>) dimensions = [1]
    return %r : tensor<4xf16>
  }

  // A number beside the entries is no tensor of them.
  // CHECK-LABEL: @beside
  // CHECK: npu.host = "no kernel: input type f16; the row takes i32, f32"
  func.func @beside(%x: tensor<4xf16>, %n: f16) -> tensor<4xf16> {
    %e = tensor.empty() : tensor<4xf16>
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x, %n : tensor<4xf16>, f16) outs(%e : tensor<4xf16>) {
    ^bb0(%a: f16, %b: f16, %o: f16):
      linalg.yield %a : f16
    } -> tensor<4xf16>
    return %r : tensor<4xf16>
  }
}
