// What a module may say about its device, and what is refused.
//
// RUN: npu-opt %s --split-input-file --npu-verify-distributions --verify-diagnostics

// No NPU in it, nothing to check.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"L1" = 4096 : ui32>>} {}

// -----

// expected-error @+1 {{target description: expected "npu.name" in the device "NPU", got device "npu"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"npu" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {}

// -----

// expected-error @+1 {{target description: expected an entry "npu.name", got none}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.tiles" = 2>>} {}

// -----

// expected-error @+1 {{target description: expected a string as "npu.name", got 4000 : i64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = 4000>>} {}

// -----

// expected-error @+1 {{target description: unknown entry "npu.tile", expected one of npu.name, npu.like, npu.kernels, npu.storage_kinds, npu.image_extent, npu.tiles, npu.max_tiles, npu.scratchpad_bytes, npu.dma_ports, npu.ddr_bytes_per_second, npu.clock_hz, npu.channel_alignment, npu.channels_innermost, npu.ddr_bytes, npu.machine_tiles, npu.machine_link_latency, npu.machine_link_rate, or a figure of costs}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.tile" = 2>>} {}

// -----

// expected-error @+1 {{target description: expected an integer as "npu.tiles", got "2"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.tiles" = "2">>} {}

// -----

// expected-error @+1 {{target description: expected "npu.tiles" to fit 63 bits, got 18446744073709551615 : ui64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.tiles" = 18446744073709551615 : ui64>>} {}

// -----

// expected-error @+1 {{target description: target 'npu4000': expected 'tiles' from 1 to 4096, got 0}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.tiles" = 0>>} {}

// -----

// expected-error @+1 {{target description: target 'npu4000': expected 'tiles' of at most 'max_tiles' (6), got 8}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.tiles" = 8>>} {}

// -----

// expected-error @+1 {{target description: expected figures of target 'npu400', which is not built in (npu3720, npu4000), got none for npu.tiles, npu.max_tiles}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu400", "npu.scratchpad_bytes" = 4096>>} {}

// -----

// expected-error @+1 {{target description: expected figures of target 'npu400', which is not built in (npu3720, npu4000), got none for npu.scratchpad_bytes}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu400", "npu.tiles" = 4>>} {}

// -----

// Of several machines all figures are known, or none.
// expected-error @+1 {{target description: target 'npu4000': expected all figures of several machines ('machine_tiles', 'machine_link_latency', 'machine_link_rate') or none, got none for 'machine_link_latency', 'machine_link_rate'}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.machine_tiles" = 2>>} {}

// -----

// expected-error @+1 {{target description: target 'npu4000': expected 'machine_link_rate' from 1 to 1125899906842624, got 0}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.machine_tiles" = 2, "npu.machine_link_latency" = 9, "npu.machine_link_rate" = 0>>} {}

// -----

// The last machine may have fewer tiles, and one machine all of them.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.machine_tiles" = 5, "npu.machine_link_latency" = 9, "npu.machine_link_rate" = 1>>} {}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.machine_tiles" = 4096, "npu.machine_link_latency" = 9, "npu.machine_link_rate" = 1>>} {}

// -----

// A figure that decides nothing may be left out, but not be wrong.
// expected-error @+1 {{target description: target 'npu400': expected 'dma_ports' from 1 to 4096, got 0}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu400", "npu.tiles" = 4, "npu.scratchpad_bytes" = 4096, "npu.dma_ports" = 0>>} {}

// -----

// Figures of costs belong to the description as the others do, where it says
// which device has those that are not given.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.like" = "npu3720", "npu.tiles" = 4, "npu.scratchpad_bytes" = 4096,
    "npu.macs_per_cycle_f16" = 4096, "npu.contraction_overhead_i8" = 0, "npu.ddr_to_tile_rate" = 64000 : ui64>>} {}

// -----

// Without that, only what asks for costs warns (test/Devices/figures.mlir).
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 4096,
    "npu.macs_per_cycle_f16" = 4096, "npu.contraction_overhead_i8" = 0, "npu.ddr_to_tile_rate" = 64000 : ui64>>} {}

// -----

// Like a device, a name alone is one.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000">>} {}

// -----

// Either number of tiles follows from the other, not from the device that it is like.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu4000", "npu.tiles" = 16>>} {}

// -----

// expected-error @+1 {{target description: expected figures of target 'mychip', which is not built in (npu3720, npu4000), got none for npu.tiles, npu.max_tiles, npu.scratchpad_bytes; "npu.like" = "npu4000" takes what is not given from there}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mychip">>} {}

// -----

// expected-error @+1 {{target description: unknown target 'npu5000' as "npu.like", expected npu3720, npu4000}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = "npu5000">>} {}

// -----

// expected-error @+1 {{target description: expected no "npu.like" beside the name 'npu3720', which has figures of its own}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu3720", "npu.like" = "npu4000">>} {}

// -----

// expected-error @+1 {{target description: expected a string as "npu.like", got 4000 : i64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "mychip", "npu.like" = 4000>>} {}

// -----

// expected-error @+1 {{target description: target 'npu4000': expected 'ddr_to_tile_rate' from 1 to 1125899906842624, got 0}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.ddr_to_tile_rate" = 0>>} {}

// -----

// expected-error @+1 {{target description: target 'npu4000': expected 'channels_innermost' from 0 to 1, got 2}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.channels_innermost" = 2>>} {}

// -----

// expected-error @+1 {{target description: target 'npu4000': expected 'channels_innermost' from 0 to 1, got -1}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.channels_innermost" = -1>>} {}

// -----

// expected-error @+1 {{target description: expected an integer as "npu.grid", got "128"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.grid" = "128">>} {}

// -----

// expected-error @+1 {{npu.machine_link_rate, or a figure of costs}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.vector_rate" = 2>>} {}
