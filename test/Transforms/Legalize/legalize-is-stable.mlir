// A second run changes nothing, threads change nothing, and neither does where
// in a pipeline the pass stands.
//
// RUN: npu-opt %s --npu-legalize-distributions > %t.once
// RUN: npu-opt %t.once --npu-legalize-distributions > %t.twice
// RUN: diff %t.once %t.twice
// RUN: npu-opt %s --npu-legalize-distributions --npu-legalize-distributions > %t.both
// RUN: diff %t.once %t.both
// RUN: npu-opt %s --npu-legalize-distributions --mlir-disable-threading > %t.alone
// RUN: diff %t.once %t.alone
// RUN: npu-opt %s --pass-pipeline='builtin.module(npu-legalize-distributions)' > %t.module
// RUN: diff %t.once %t.module
// On functions, several at a time.
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-legalize-distributions))' > %t.functions
// RUN: diff %t.once %t.functions
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-legalize-distributions))' --mlir-disable-threading > %t.functions
// RUN: diff %t.once %t.functions
// RUN: npu-opt %s --pass-pipeline='any(npu-legalize-distributions,npu-verify-distributions{strict})' > %t.any
// RUN: diff %t.once %t.any
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-insert-redistributions))' > %t.half
// RUN: diff %t.once %t.half
//
// And strict verification accepts it, on functions as well.
// RUN: npu-opt %t.once --pass-pipeline='builtin.module(func.func(npu-verify-distributions{strict}))' -o /dev/null

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>
#transposed = #npu.layout<OVERLAPPED, tiles = [1, 2], order = [1, 0]>

func.func @label(%x: tensor<8x4xf16, #rows>) -> tensor<4x8xf16, #transposed> {
  %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<8x4xf16, #rows> to tensor<4x8xf16, #transposed>
  return %0 : tensor<4x8xf16, #transposed>
}

func.func @chain(%x: tensor<8x4xf16, #rows>, %w: tensor<4x4xf16>) -> tensor<8x4xf32, #halo> {
  %e = tensor.empty() : tensor<8x4xf16, #columns>
  %f = arith.constant dense<0.0> : tensor<8x4xf16, #halo>
  %0 = linalg.softmax dimension(0) ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  %1 = linalg.matmul ins(%0, %w : tensor<8x4xf16, #columns>, tensor<4x4xf16>) outs(%f : tensor<8x4xf16, #halo>) -> tensor<8x4xf16, #halo>
  %2 = arith.extf %1 : tensor<8x4xf16, #halo> to tensor<8x4xf32, #halo>
  return %2 : tensor<8x4xf32, #halo>
}

func.func @slices(%x: tensor<9x4xf16, #rows>) -> (tensor<3x4xf16, #rows>, tensor<3x4xf16, #everywhere>) {
  %0 = tensor.extract_slice %x[1, 0] [3, 4] [3, 1] : tensor<9x4xf16, #rows> to tensor<3x4xf16, #rows>
  %1 = tensor.extract_slice %x[2, 0] [3, 4] [3, 1] : tensor<9x4xf16, #rows> to tensor<3x4xf16, #everywhere>
  return %0, %1 : tensor<3x4xf16, #rows>, tensor<3x4xf16, #everywhere>
}

func.func @to_ddr(%x: tensor<8x4xf16, #rows>, %y: tensor<8x4xf16, #columns>, %e: tensor<8x4xf16>) -> tensor<8x4xf16> {
  %0 = linalg.add ins(%x, %y : tensor<8x4xf16, #rows>, tensor<8x4xf16, #columns>) outs(%e : tensor<8x4xf16>) -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}
