// A function that fits no scratchpad is refused with the bytes of its smallest program. Of
// a function of more than 32 operations the search may miss a smaller one, as of this one
// where its line with "again" stands 36 times.
//
// RUN: not npu-opt %s --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: sed -e '/again/{p;p;p;p;p;p;p;p;p;p;p}' %s | sed -e '/again/{p;p}' > %t.mlir
// RUN: not npu-opt %t.mlir --npu-assign-distributions 2>&1 | FileCheck %s --check-prefix=MANY
//
// FEW: error: no assignment of layouts was found that fits the scratchpads of mine, 2304 bytes each: 'called' takes 2560 bytes of one in the smallest program that was found
// FEW: note: what would help: scratchpads of 2560 bytes
// MANY: error: no assignment of layouts was found that fits the scratchpads of mine, 2304 bytes each: 'called' takes 2560 bytes of one in the smallest program that was found
// MANY: note: what would help: scratchpads of 2560 bytes

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "mine", "npu.like" = "npu4000", "npu.tiles" = 2, "npu.scratchpad_bytes" = 2304>>} {
func.func private @squared(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {no_inline} {
  %e = tensor.empty() : tensor<16x16xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.matmul ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %b : tensor<16x16xf32>
}
func.func @called(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = math.exp %x : tensor<16x16xf32>
  %c = func.call @squared(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = arith.addf %a, %c : tensor<16x16xf32>
  math.exp %r : tensor<16x16xf32> // again
  return %r : tensor<16x16xf32>
}
}
