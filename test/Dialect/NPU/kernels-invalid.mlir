// Bad rows of tables of kernels, each an error where the row is written.

// RUN: npu-opt %s --npu-select-kernels --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown item 'index', expected one of op, inputs, indices, accumulators, results, orders, storage, ranks, extents, attributes}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", index = [i32]}>} {}

// -----

module attributes {test.kernels = #npu.kernels<
  {op = "elementwise"},
  // expected-error@+1 {{expected an item 'op' in the row, got none}}
  {inputs = [i32]}>} {}

// -----

// expected-error@+1 {{unknown operation 'matmul', expected contraction, convolution, pooling, reduction, elementwise, movement, lookup or the name of an operation}}
module attributes {test.kernels = #npu.kernels<{op = "matmul"}>} {}

// -----

// expected-error@+1 {{unknown operation 'npu.matmul'}}
module attributes {test.kernels = #npu.kernels<{op = "npu.matmul"}>} {}

// -----

// expected-error@+1 {{expected 'indices' to be a list of types of integers, as [i32, i16], each once, got [f32]}}
module attributes {test.kernels = #npu.kernels<{op = "npu.gather", indices = [f32]}>} {}

// -----

// expected-error@+1 {{expected 'indices' to be a list of types of integers, as [i32, i16], each once, got [ui8]}}
module attributes {test.kernels = #npu.kernels<{op = "npu.gather", indices = [ui8]}>} {}

// -----

// expected-error@+1 {{expected 'indices' to be a list of types of integers, as [i32, i16], each once, got [i128]}}
module attributes {test.kernels = #npu.kernels<{op = "npu.gather", indices = [i128]}>} {}

// -----

// expected-error@+1 {{expected 'indices' in a row for npu.gather, npu.scatter or lookup, got 'elementwise'}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", indices = [i32]}>} {}

// -----

// expected-error@+1 {{unknown attribute 'axis' of 'npu.gather'}}
module attributes {test.kernels = #npu.kernels<{op = "npu.gather", attributes = ["axis"]}>} {}

// -----

// expected-error@+1 {{expected 'inputs' to be a list of element types, as [f16, i8], each once, got [f16, f16]}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", inputs = [f16, f16]}>} {}

// -----

// expected-error@+1 {{expected 'inputs' to be a list of element types, as [f16, i8], each once, got []}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", inputs = []}>} {}

// -----

// expected-error@+1 {{expected 'ranks' to be the least and the most number of dimensions, as [1, 4], got [4, 1]}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", ranks = [4, 1]}>} {}

// -----

// expected-error@+1 {{expected 'extents' to be a number of at least 1, got 0 : i64}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", extents = 0}>} {}

// -----

// expected-error@+1 {{expected 'orders' to be a list of memory orders, as ["NHWC"], each once, got ["NHWX"]}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", orders = ["NHWX"]}>} {}

// -----

module attributes {test.kernels = #npu.kernels<
  {op = "contraction", inputs = [f16, i8], ranks = [2, 4]},
  {op = "contraction", inputs = [f32]},
  // expected-error@+1 {{expected a row that takes what no row before it takes, but row 1 takes all of this one's}}
  {op = "contraction", inputs = [f16], ranks = [2, 3], extents = 64}>} {}

// -----

// A named operation without 'attributes' has none.
module attributes {test.kernels = #npu.kernels<
  {op = "npu.gather"},
  {op = "npu.gather", attributes = ["batch_dims"]}>} {}

// -----

// expected-error@+1 {{target description: expected a #npu.kernels as "npu.kernels", got 3 : i64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000", "npu.kernels" = 3>>} {}

// -----

// expected-error@+1 {{expected 'storage' to be a list of storage kinds, as ["linear", "tiled2d"], each once, got ["image"]}}
module attributes {test.kernels = #npu.kernels<{op = "elementwise", storage = ["image"]}>} {}
