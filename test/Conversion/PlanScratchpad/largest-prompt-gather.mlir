// The largest prompt compiles with npu-compile, and one more token does not: both choose kernels and
// fuse elementwise operations before they assign layouts.
//
// RUN: npu-opt %s --npu-print-largest-prompt-len -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-compile="compile-to=scratchpad max-prompt-len=546 static-signature" -o /dev/null
// RUN: not npu-opt %s --npu-compile="compile-to=scratchpad max-prompt-len=547 static-signature" -o /dev/null
// CHECK: the largest prompt that fits the scratchpads of small has 546 tokens

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.tiles" = 2 : i64, "npu.scratchpad_bytes" = 2048 : i64, "npu.ddr_bytes" = 20000 : i64>>} {
func.func @main(%table: tensor<10x16xf16>, %at: tensor<?xi32> {npu.prompt_dim = 0}) -> tensor<?x16xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %at, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x16xf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel","parallel"]} ins(%at : tensor<?xi32>) outs(%e : tensor<?x16xf16>) {
  ^bb0(%x: i32, %o: f16):
    %r = arith.index_cast %x : i32 to index
    %c = linalg.index 1 : index
    %t = tensor.extract %table[%r, %c] : tensor<10x16xf16>
    linalg.yield %t : f16
  } -> tensor<?x16xf16>
  return %v : tensor<?x16xf16>
}
}
