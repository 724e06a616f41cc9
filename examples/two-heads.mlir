// Scores of two heads on two tiles, and a device of its own that is too small for
// them (docs/memory.md).
#heads = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>
!q = tensor<2x64x32xf32, #heads>
!kt = tensor<2x32x64xf32, #heads>
!s = tensor<2x64x64xf32, #heads>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "small", "npu.tiles" = 2, "npu.scratchpad_bytes" = 24576,
    "npu.dma_ports" = 1, "npu.ddr_bytes_per_second" = 10000000000, "npu.clock_hz" = 1000000000,
    "npu.channel_alignment" = 16>>} {
  func.func @main(%q: !q, %k: !kt, %v: !q) -> !q {
    %zero = arith.constant 0.0 : f32
    %room = tensor.empty() : !s
    %zeros = linalg.fill ins(%zero : f32) outs(%room : !s) -> !s
    %scores = linalg.batch_matmul ins(%q, %k : !q, !kt) outs(%zeros : !s) -> !s
    %weights = linalg.exp ins(%scores : !s) outs(%room : !s) -> !s
    %more = tensor.empty() : !q
    %none = linalg.fill ins(%zero : f32) outs(%more : !q) -> !q
    %out = linalg.batch_matmul ins(%weights, %v : !s, !q) outs(%none : !q) -> !q
    return %out : !q
  }
}
