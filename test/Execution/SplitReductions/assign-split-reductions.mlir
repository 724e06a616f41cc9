// Reductions that an assignment splits: the cost of its solution is what
// npu-print-costs adds up, legalization finds nothing to repair, all of it fits the
// scratchpads that it says, and results are those of the original: the bits where
// nothing rounds, and those of a reference that adds up in the same parts.
//
// RUN: npu-opt %s --npu-assign-distributions="split-reductions report=%t.json" -o %t.mlir
// RUN: %python %S/Inputs/candidates_in_parts.py %t.json | FileCheck %s --check-prefix=WAYS
// RUN: npu-opt %t.mlir --npu-verify-distributions=strict -o %t.verified.mlir
// RUN: npu-opt %t.mlir --npu-legalize-distributions -o %t.legal.mlir
// RUN: diff %t.verified.mlir %t.legal.mlir
// RUN: %python %S/../../Inputs/check_assigned_costs.py npu-opt %s %t.costs summing
// RUN: npu-opt %t.mlir --npu-compile=compile-from=assigned -o %t.program.mlir
//
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=even --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=uneven --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=fewer_than_tiles --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=largest --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=two_loops --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=batches --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=convolution --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=groups --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=positions --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=padded --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=loop --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=chain --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=pinned_grid --inputs=integers | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.program.mlir --reference=%s --entry=even | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.program.mlir --reference=%s --entry=uneven | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.program.mlir --reference=%s --entry=convolution | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.program.mlir --reference=%s --entry=loop | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.program.mlir --reference=%s --entry=chain | FileCheck %s --check-prefix=SAME
// RUN: npu-run -O0 %t.program.mlir --reference=%s --entry=pinned_grid | FileCheck %s --check-prefix=SAME
//
// Integers and extrema have nothing to remember for a comparison.
// RUN: npu-opt %t.mlir | FileCheck %s
// CHECK-LABEL: func.func @largest
// CHECK-NOT: npu.split_reduction
// CHECK-LABEL: func.func @two_loops
// CHECK: npu.split_reduction = {loops = array<i64: 1>, number = 0 : i64, op = "linalg.reduce", parts = 4 : i64
// CHECK-LABEL: func.func @batches
// CHECK-NOT: npu.split_reduction
// CHECK-LABEL: func.func @convolution
// CHECK-LABEL: func.func @chain
// CHECK: npu.split_reduction = {loops = array<i64: 2>, number = 1 : i64, op = "linalg.matmul", parts = 4 : i64
//
// SAME: {{^equal}}
//
#spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "summing", "npu.tiles" = 4 : i64, "npu.max_tiles" = 8 : i64,
    "npu.like" = "npu4000", "npu.scratchpad_bytes" = 1048576 : i64, "npu.vector_overhead" = 0 : i64,
    "npu.contraction_overhead_f16" = 0 : i64, "npu.contraction_overhead_i8" = 0 : i64, "npu.tile_to_tile_latency" = 0 : i64,
    "npu.ddr_to_tile_latency" = 0 : i64, "npu.ddr_to_tile_rate" = 10 : i64>>
module attributes {dlti.target_system_spec = #spec} {

// WAYS: even: linalg.matmul split d2 over 4, combined as split d1 over 4
func.func @even(%a: tensor<3x64xf32>, %b: tensor<64x2xf32>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x64xf32>, tensor<64x2xf32>) outs(%c : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// 66 terms are 17, 17, 16 and 16: two series. The result is made of nothing.
// WAYS-NEXT: uneven: linalg.matmul split d2 over 4, combined as split d1 over 4
func.func @uneven(%a: tensor<3x66xf16>, %b: tensor<66x2xf16>) -> tensor<3x2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x66xf16>, tensor<66x2xf16>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Three terms on four tiles.
// WAYS-NEXT: fewer_than_tiles: linalg.matmul split d2 over 4, combined as one tile{{$}}
func.func @fewer_than_tiles(%a: tensor<1x3xf32>, %b: tensor<3x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x3xf32>, tensor<3x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// WAYS-NEXT: largest: linalg.reduce split d0 over 4, combined as duplicated
func.func @largest(%a: tensor<40xbf16>, %c: tensor<bf16>) -> tensor<bf16> {
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<40xbf16>) outs(%c : tensor<bf16>) dimensions = [0]
  return %0 : tensor<bf16>
}

// Either loop may be cut; the shorter one is less to load.
// WAYS-NEXT: two_loops: linalg.reduce split d1 over 4, combined as duplicated
func.func @two_loops(%a: tensor<1x6x9xf32>, %c: tensor<1xf32>) -> tensor<1xf32> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<1x6x9xf32>) outs(%c : tensor<1xf32>) dimensions = [1, 2]
  return %0 : tensor<1xf32>
}

// WAYS-NEXT: batches: linalg.batch_matmul split d3 over 4, combined as split d0 over 4
func.func @batches(%a: tensor<2x3x256xi8, #npu.layout<SEGMENTED, tiles = [1, 1, 4]>>, %b: tensor<2x256x2xi8>, %c: tensor<2x3x2xi32>) -> tensor<2x3x2xi32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x3x256xi8, #npu.layout<SEGMENTED, tiles = [1, 1, 4]>>, tensor<2x256x2xi8>) outs(%c : tensor<2x3x2xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}

// Over input channels, not over a window.
// WAYS-NEXT: convolution: linalg.conv_2d_nhwc_hwcf split d6 over 4, combined as split d1 over 4
func.func @convolution(%x: tensor<1x4x4x24xf32>, %w: tensor<3x3x24x2xf32>, %c: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x4x24xf32>, tensor<3x3x24x2xf32>) outs(%c : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// WAYS-NEXT: groups: linalg.conv_2d_ngchw_gfchw split d5 over 4, combined as split d1 over 4
func.func @groups(%x: tensor<1x2x64x3x3xf32>, %w: tensor<2x1x64x2x2xf32>, %c: tensor<1x2x1x2x2xf32>) -> tensor<1x2x1x2x2xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x2x64x3x3xf32>, tensor<2x1x64x2x2xf32>) outs(%c : tensor<1x2x1x2x2xf32>) -> tensor<1x2x1x2x2xf32>
  return %0 : tensor<1x2x1x2x2xf32>
}

// What a tile adds knows where it is in the whole.
// WAYS-NEXT: positions: linalg.generic split d0 over 4, combined as duplicated
func.func @positions(%a: tensor<50xi32>, %c: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<50xi32>) outs(%c : tensor<i32>) {
  ^bb0(%x: i32, %s: i32):
    %i = linalg.index 0 : index
    %p = arith.index_cast %i : index to i32
    %t = arith.muli %x, %p : i32
    %n = arith.addi %s, %t : i32
    linalg.yield %n : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// Rows 2 and 3 are padding, which does not move.
// WAYS-NEXT: padded: linalg.matmul split d2 over 4, combined as split d0 over 4
func.func @padded(%a: tensor<4x64xf32> {npu.padding = [[0, 2, 4]]}, %b: tensor<64x2xf32>, %c: tensor<4x2xf32> {npu.padding = [[0, 2, 4]]}) -> tensor<2x2xf32> {
  %0 = linalg.matmul {npu.padding = [[0, 2, 4]]} ins(%a, %b : tensor<4x64xf32>, tensor<64x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = tensor.extract_slice %0[0, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// WAYS-NEXT: loop: linalg.matmul split d2 over 4, combined as split d0 over 4
func.func @loop(%a: tensor<2x64xf32>, %b: tensor<64x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %c) -> tensor<2x2xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<2x64xf32>, tensor<64x2xf32>) outs(%s : tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %0 : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}

// The second product reads the first one where it lies, a grid.
// WAYS-NEXT: chain: linalg.matmul split d2 over 4, combined as split d0 over 4
func.func @chain(%x: tensor<2x4xf32>, %w1: tensor<4x64xf32>, %w2: tensor<64x4xf32>) -> tensor<2x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x64xf32>) -> tensor<2x64xf32>
  %0 = linalg.matmul ins(%x, %w1 : tensor<2x4xf32>, tensor<4x64xf32>) outs(%f : tensor<2x64xf32>) -> tensor<2x64xf32>
  %1 = linalg.exp ins(%0 : tensor<2x64xf32>) outs(%e : tensor<2x64xf32>) -> tensor<2x64xf32>
  %e2 = tensor.empty() : tensor<2x4xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = linalg.matmul ins(%1, %w2 : tensor<2x64xf32>, tensor<64x4xf32>) outs(%f2 : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// WAYS-NEXT: pinned_grid: linalg.matmul in parts as operand #0 lies, combined as split d1 over 4
func.func @pinned_grid(%a: tensor<6x64xf32, #npu.layout<SEGMENTED, tiles = [2, 2]>>, %b: tensor<64x2xf32>, %c: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<6x64xf32, #npu.layout<SEGMENTED, tiles = [2, 2]>>, tensor<64x2xf32>) outs(%c : tensor<6x2xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
}
