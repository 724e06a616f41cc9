// Whose figures of costs count is never silent: a device that gives its memory alone
// has those of npu4000, with a warning that says so where costs are asked for; one
// that says whom it is like has them without; a target without a name is an error.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: npu-opt memory.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=WARNED
// RUN: npu-opt memory.mlir --npu-compile=compile-to=legal 2>&1 | FileCheck %s --check-prefix=WARNED
// RUN: npu-opt memory.mlir --npu-assign-distributions=target=npu4000 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// RUN: npu-compile memory.mlir -O0 2>&1 | FileCheck %s --check-prefix=WARNED
// RUN: npu-opt like.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// RUN: npu-opt memory.mlir --npu-verify-distributions 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning

// WARNED: memory.mlir:1:1: warning: target 'mine' gives no npu.dma_ports and 59 of 59 figures of costs, so that those of npu4000 count
// WARNED: note: "npu.like" = "npu4000" in the description says so, and takes npu.ddr_bytes_per_second, npu.clock_hz, npu.channel_alignment, which are not known now, from there
// WARNED-NOT: warning:

// Single missing figures are listed; where all are given, there is nothing to say.
//
// RUN: npu-compile none.mlir --target=npu4000 -O0 && npu-inspect none.npub --format=json | %python %S/Inputs/all_figures.py > all.mlir && npu-opt all.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=QUIET --implicit-check-not=warning
// RUN: sed 's/"npu.grid" = [0-9]*,//; s/"npu.vector_overhead" = [0-9]*,//' all.mlir > most.mlir && npu-opt most.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: sed 's/"npu.scratchpad_bytes" = [0-9]*,//' all.mlir > less.mlir && not npu-opt less.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=LESS

// MOST: warning: target 'mine' gives no npu.grid, npu.vector_overhead, so that those of npu4000 count
// LESS: error: target description: expected figures of target 'mine', which is not built in (npu3720, npu4000), got none for npu.scratchpad_bytes
// QUIET: func.func @main

// RUN: npu-compile memory.mlir -O0 --print-device 2>&1 | FileCheck %s --check-prefix=ASSUMED
// RUN: npu-compile like.mlir -O0 --print-device 2>&1 | FileCheck %s --check-prefix=LIKE
// RUN: npu-run like.mlir --print-device 2>&1 | FileCheck %s --check-prefix=LIKE
// RUN: npu-compile like.mlir --target=npu3720 -O0 --print-device 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=given:

// ASSUMED: NPU.0: simulated, mine, which the module describes
// ASSUMED-NEXT: {{^}}    given: npu.tiles, npu.scratchpad_bytes
// ASSUMED-NEXT: {{^}}    follow from the other number of tiles: npu.max_tiles
// ASSUMED-NEXT: {{^}}    of npu4000 (assumed, because nobody says whose they are): npu.dma_ports and 59 of 59 figures of costs
// ASSUMED-NEXT: {{^}}    not known: npu.ddr_bytes_per_second, npu.clock_hz, npu.channel_alignment
// LIKE: {{^}}    given: npu.max_tiles, npu.grid
// LIKE-NEXT: {{^}}    follow from the other number of tiles: npu.tiles
// LIKE-NEXT: {{^}}    of npu4000 (npu.like): npu.scratchpad_bytes, npu.dma_ports, npu.ddr_bytes_per_second, npu.clock_hz, npu.channel_alignment, npu.channels_innermost and 58 of 59 figures of costs
// OTHER: NPU.0: simulated, npu3720

// RUN: not npu-compile memory.mlir --target= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-run memory.mlir --target= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-compile="target= tiles=2" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-assign-distributions="target= tiles=2" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-explain-assignment="tiles=2 target=" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-verify-distributions="target=" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-print-costs="target=" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-plan-scratchpad="target=" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-opt none.mlir --npu-print-largest-prompt-len="target=" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not npu-compile none.mlir --target=mychip 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// EMPTY: expected the name of a target{{.*}}, got none; there are npu3720, npu4000 and the module's own
// UNKNOWN: error: unknown target 'mychip', expected npu3720, npu4000

//--- memory.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.tiles" = 2, "npu.scratchpad_bytes" = 65536>>} {
  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

//--- like.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.like" = "npu4000", "npu.max_tiles" = 2, "npu.grid" = 64>>} {
  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

//--- none.mlir
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
