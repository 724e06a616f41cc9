// What npu-print-costs refuses, and what it remarks on.
//
// RUN: npu-opt %s --npu-print-costs=target=npu4000 --split-input-file --verify-diagnostics -o /dev/null
// RUN: not npu-opt %s --npu-print-costs=target=npu400 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not="function @"
// RUN: not npu-opt %s --npu-print-costs --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not="function @"
// UNKNOWN: error: unknown target 'npu400', expected npu3720, npu4000
// NONE: error: expected a target whose figures count (target=, or in the module), got none

func.func @not_legal(%x: tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) -> tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>> {
  %e = tensor.empty() : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>
  // expected-error @+2 {{'linalg.exp' tile 0 reads [0:8, 0:2] of operand #0 (%arg0) to produce [0:8, 0:2], but holds [0:4, 0:4]}}
  // expected-note @+1 {{npu-opt --npu-legalize-distributions repairs it}}
  %r = linalg.exp ins(%x : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>) outs(%e : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>) -> tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>
  return %r : tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [1, 2]>>
}

// -----

func.func @tile_program(%a: tensor<4x4xf16>, %b: tensor<4x4xf16>) {
  // expected-error @+1 {{expected functions with layouts to print costs of, got a tile program}}
  %0 = npu.transfer %a[0, 0] from tile 0 to tile 1 into %b[0, 0] box [0:4, 0:4] bytes = 32 : tensor<4x4xf16> to tensor<4x4xf16>
  return
}

// -----

// One round of each counts.
func.func @unknown_rounds(%x: tensor<8x8xf16>, %n: index, %c: i1) -> tensor<8x8xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{nobody knows how often 'scf.for' runs: its costs are those of one round}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<8x8xf16> {
    %t = arith.addf %y, %y : tensor<8x8xf16>
    scf.yield %t : tensor<8x8xf16>
  }
  cf.br ^again(%r : tensor<8x8xf16>)
^again(%z: tensor<8x8xf16>):
  %s = arith.mulf %z, %z : tensor<8x8xf16>
  // expected-remark @+1 {{nobody knows how often 'cf.cond_br' runs: its costs are those of one round}}
  cf.cond_br %c, ^again(%s : tensor<8x8xf16>), ^done
^done:
  return %s : tensor<8x8xf16>
}

// -----

func.func @dynamic(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  // expected-remark @+1 {{'math.exp' has a result of dynamic shape, the first of 2 such operations: a dynamic extent counts as 1}}
  %0 = math.exp %x : tensor<?x8xf16>
  %1 = math.exp %0 : tensor<?x8xf16>
  return %1 : tensor<?x8xf16>
}

// -----

// No functions, no rows.
module {}
