// What the pipelines print can be read: by npu-opt, and so by whoever goes on
// from there.
//
// RUN: npu-opt %s --npu-to-llvm | npu-opt | FileCheck %s
// RUN: npu-opt %s --npu-to-llvm=parallel | npu-opt | FileCheck %s
// RUN: npu-opt %s --npu-to-buffers --npu-run-tiles-in-parallel | npu-opt | FileCheck %s --check-prefix=PHASES
//
// CHECK: llvm.func @main
// PHASES: async.execute

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.tile = 0 : i64} : tensor<2xf32>
  %e1 = tensor.empty() {npu.tile = 1 : i64} : tensor<2xf32>
  %t0 = npu.transfer %x[0] from ddr to tile 0 into %e0[0] box [0:2] bytes = 8 : tensor<4xf32> to tensor<2xf32>
  %t1 = npu.transfer %x[2] from ddr to tile 1 into %e1[0] box [2:4] bytes = 8 : tensor<4xf32> to tensor<2xf32>
  %n0 = arith.negf %t0 {npu.tile = 0 : i64} : tensor<2xf32>
  %n1 = arith.negf %t1 {npu.tile = 1 : i64} : tensor<2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %d0 = npu.transfer %n0[0] from tile 0 to ddr into %e[0] box [0:2] bytes = 8 : tensor<2xf32> to tensor<4xf32>
  %d1 = npu.transfer %n1[0] from tile 1 to ddr into %d0[2] box [2:4] bytes = 8 : tensor<2xf32> to tensor<4xf32>
  return %d1 : tensor<4xf32>
}
