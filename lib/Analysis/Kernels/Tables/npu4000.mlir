// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of npu4000. Programs of it run simulated, where every structured
// operation runs on tiles in all element types; positions are the exception,
// of which the vendor's kernels take no 64-bit ones.

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "NPU" = #dlti.target_device_spec<
    "npu.name" = "npu4000",
    "npu.kernels" = #npu.kernels<
      {op = "contraction"},
      {op = "convolution"},
      {op = "pooling"},
      {op = "reduction"},
      {op = "elementwise"},
      {op = "movement"},
      {op = "lookup", indices = [i32, i16, i8]},
      {op = "npu.gather", indices = [i32, i16, i8], attributes = ["batch_dims"]},
      {op = "npu.scatter", indices = [i32, i16, i8], attributes = ["batch_dims"]}>>>} {
}
