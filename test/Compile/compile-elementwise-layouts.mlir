// A comparison of tensors with a layout has a result of another type than its
// operands: the tensor that is made for it has the layout as well.

// RUN: npu-opt %s --npu-compile=compile-to=legal | FileCheck %s
// RUN: npu-run %s --compile --inputs=random | FileCheck %s --check-prefix=RAN

// CHECK: tensor.empty() : tensor<64xi1, #[[TWO:.+]]>
// CHECK: linalg.generic
// CHECK: arith.cmpf une
// CHECK: -> tensor<64xi1, #[[TWO]]>
// RAN: equal

#two = #npu.layout<SEGMENTED, tiles = [2]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  func.func @main(%x: tensor<64xf32, #two>, %y: tensor<64xf32, #two>) -> tensor<64xf32, #two> {
    %0 = arith.cmpf une, %x, %y : tensor<64xf32, #two>
    %1 = arith.select %0, %x, %y : tensor<64xi1, #two>, tensor<64xf32, #two>
    return %1 : tensor<64xf32, #two>
  }
}
