// tosa.pad becomes a tensor.pad by static numbers: upstream makes operands of them,
// and where tiles are cut, nothing is known of operands, so that every model with
// padding in front of a convolution kept it in DDR.
//
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-lower-tosa))' | FileCheck %s
// RUN: npu-opt %s --npu-compile="compile-to=legal tiles=2 strategy=rows" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty --implicit-check-not=DDR

// CHECK-LABEL: func.func @main
// CHECK: tensor.pad %arg0 low[0, 2, 0] high[1, 0, 0]
// CHECK: tensor.yield
// SILENT-NOT: warning
func.func @main(%x: tensor<4x8x6xf16>) -> tensor<5x10x6xf16> {
  %z = "tosa.const"() <{values = dense<1.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %s = tosa.const_shape {values = dense<[0, 1, 2, 0, 0, 0]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %p = tosa.pad %x, %s, %z : (tensor<4x8x6xf16>, !tosa.shape<6>, tensor<1xf16>) -> tensor<5x10x6xf16>
  %r = tosa.exp %p : (tensor<5x10x6xf16>) -> tensor<5x10x6xf16>
  return %r : tensor<5x10x6xf16>
}
