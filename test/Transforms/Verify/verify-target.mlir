// A single value that no plan could place: on more tiles than there are, or
// larger than a scratchpad. Without a target nothing is checked.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/described.mlir --split-input-file --npu-verify-distributions --verify-diagnostics
// RUN: npu-opt %t/plain.mlir --npu-verify-distributions -o /dev/null
// RUN: not npu-opt %t/plain.mlir --npu-verify-distributions=target=npu4000 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: npu-opt %t/plain.mlir --npu-verify-distributions=target=npu3720 -o /dev/null
// RUN: not npu-opt %t/plain.mlir --npu-verify-distributions="strict target=none" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-opt %t/own.mlir --npu-verify-distributions=target=none 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: npu-opt %t/own.mlir --npu-verify-distributions=target=npu4000 -o /dev/null
// RUN: not npu-opt %t/own.mlir --npu-verify-distributions=target=mine 2>&1 | FileCheck %s --check-prefix=MINE
// RUN: not npu-opt %t/many.mlir --npu-verify-distributions=target=npu4000 2>&1 | FileCheck %s --check-prefix=MANY
// OPTION: error: expected %arg0 on tile 0 to fit the scratchpad of npu4000, 1474560 bytes, got 1505280 bytes in [0:1, 0:7, 0:840, 0:128]
// UNKNOWN: error: unknown target 'none', expected npu3720, npu4000
// OWN: error: unknown target 'none', expected npu3720, npu4000 or the module's own mine
// MINE: error: expected %arg0 on at most 1 tiles, which mine has, got 2
// MANY-COUNT-20: on at most 6 tiles
// MANY: error: 2 more values are beyond what npu4000 has

//--- plain.mlir
#heads = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
func.func @large(%x: tensor<1x14x840x128xf16, #heads>) {
  return
}

//--- own.mlir
#half = #npu.layout<SEGMENTED, tiles = [2]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.tiles" = 1, "npu.scratchpad_bytes" = 2097152, "npu.dma_ports" = 4,
    "npu.ddr_bytes_per_second" = 60000000000, "npu.clock_hz" = 2000000000, "npu.channel_alignment" = 32>>} {
  func.func @main(%x: tensor<4xf32, #half>) {
    return
  }
}

//--- many.mlir
#seven = #npu.layout<SEGMENTED, tiles = [7]>
!t = tensor<7xf32, #seven>
func.func @main(%0: !t, %1: !t, %2: !t, %3: !t, %4: !t, %5: !t, %6: !t, %7: !t, %8: !t, %9: !t, %10: !t,
                %11: !t, %12: !t, %13: !t, %14: !t, %15: !t, %16: !t, %17: !t, %18: !t, %19: !t, %20: !t, %21: !t) {
  return
}

//--- described.mlir
#device = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>
#heads = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
module attributes {dlti.target_system_spec = #device} {
  // expected-error @+1 {{expected %arg0 on tile 0 to fit the scratchpad of npu4000, 1474560 bytes, got 1505280 bytes in [0:1, 0:7, 0:840, 0:128]}}
  func.func @large(%x: tensor<1x14x840x128xf16, #heads>) {
    return
  }
}

// -----

// 737280 bytes fit to the byte, one row more does not.
#heads = #npu.layout<SEGMENTED, tiles = [1, 2, 1, 1]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "npu4000", "npu.scratchpad_bytes" = 737280 : i64>>} {
  func.func @fits(%x: tensor<1x4x1440x256xi8, #heads>) {
    return
  }
  // expected-error @+1 {{expected %arg0 on tile 0 to fit the scratchpad of npu4000, 737280 bytes, got 737792 bytes in [0:1, 0:2, 0:1441, 0:256]}}
  func.func @one_row_more(%x: tensor<1x4x1441x256xi8, #heads>) {
    return
  }
}

// -----

#seven = #npu.layout<SEGMENTED, tiles = [7]>
#six = #npu.layout<SEGMENTED, tiles = [6]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  func.func @tiles(%x: tensor<42xf32, #six>) -> tensor<42xf32, #seven> {
    // expected-error @+1 {{expected %0 on at most 6 tiles, which npu4000 has, got 7}}
    %0 = npu.redistribute %x : tensor<42xf32, #six> to tensor<42xf32, #seven>
    return %0 : tensor<42xf32, #seven>
  }
}

// -----

// A device of one's own, with sixteen tiles.
#sixteen = #npu.layout<SEGMENTED, tiles = [16]>
#seventeen = #npu.layout<SEGMENTED, tiles = [17]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 4096 : ui32>,
    "NPU" = #dlti.target_device_spec<
      "npu.name" = "mine", "npu.tiles" = 16, "npu.scratchpad_bytes" = 2097152, "npu.dma_ports" = 4,
      "npu.ddr_bytes_per_second" = 60000000000, "npu.clock_hz" = 2000000000, "npu.channel_alignment" = 32>>} {
  func.func @mine(%x: tensor<68xf32, #sixteen>) {
    return
  }
  // expected-error @+1 {{expected %arg0 on at most 16 tiles, which mine has, got 17}}
  func.func @not_mine(%x: tensor<68xf32, #seventeen>) {
    return
  }
}

// -----

// Figures that decide nothing need not be given, and either number of tiles follows
// from the other.
#sixteen = #npu.layout<SEGMENTED, tiles = [16]>
#seventeen = #npu.layout<SEGMENTED, tiles = [17]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.max_tiles" = 16, "npu.scratchpad_bytes" = 2097152>>} {
  func.func @short(%x: tensor<68xf32, #sixteen>) {
    return
  }
  // expected-error @+1 {{expected %arg0 on at most 16 tiles, which mine has, got 17}}
  func.func @not_short(%x: tensor<68xf32, #seventeen>) {
    return
  }
}
