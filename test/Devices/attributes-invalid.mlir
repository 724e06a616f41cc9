// The attributes that say devices are verified where they stand: npu.device by
// the grammar of device strings and the module's own description.
//
// RUN: npu-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{device of the file (npu.device): unknown device 'GPU', expected NPU (NPU.0, 0), CPU, npu3720, npu4000, HETERO:LIST, AUTO, AUTO:LIST or a LIST as NPU,CPU}}
module attributes {npu.device = "GPU"} {
}

// -----

// expected-error@+1 {{device of the file (npu.device): expected a device between commas, got nothing as element 2 of 'NPU,'}}
module attributes {npu.device = "NPU,"} {
}

// -----

// expected-error@+1 {{expected 'npu.device' to be a string, got 0 : i64}}
module attributes {npu.device = 0 : i64} {
}

// -----

// The name of the module's own device may stand there, and no other target's.
module attributes {npu.device = "HETERO:mine,CPU", dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.tiles" = 2 : i64, "npu.scratchpad_bytes" = 4096 : i64>>} {
}

// -----

// expected-error@+1 {{device of the file (npu.device): 'npu3720' names the target 'npu3720', which contradicts target 'npu4000' that the module describes}}
module attributes {npu.device = "npu3720", dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
}

// -----

// expected-error@+1 {{expected 'npu.device' on a module}}
func.func @on_a_function() attributes {npu.device = "NPU"} {
  return
}

// -----

func.func @reason(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 'npu.host' to be a string, got 3 : i64}}
  %y = math.exp %x {npu.host = 3 : i64} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{expected 'npu.host' on an operation in a function}}
func.func @reason_of_a_function() attributes {npu.host = "none"} {
  return
}
