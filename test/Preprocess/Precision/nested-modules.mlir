// An attribute and a line of overrides are heard in functions at any depth: what
// is asked for and not carried out would be a program that only looks changed.
// RUN: npu-opt %s --npu-set-precision | FileCheck %s
// RUN: sed 's/{npu.precision = [^}]*}//' %s > %t.mlir
// RUN: echo '*.mlir:15 accumulation=f32' > %t.precision
// RUN: npu-opt %t.mlir --npu-set-precision=overrides=%t.precision | FileCheck %s

// CHECK: module @inner
// CHECK: linalg.matmul {npu.precision = #npu.precision<storage = f16, accumulation = f32, intermediate = f32>} {{.*}} -> tensor<4x4xf32>
// CHECK: arith.truncf %{{.*}} : f32 to f16
module @outer {
  module @inner {
    func.func @main(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>) -> tensor<4x4xf16> {
      %zero = arith.constant dense<0.0> : tensor<4x4xf16>
      %0 = linalg.matmul {npu.precision = #npu.precision<accumulation = f32>} ins(%x, %w : tensor<4x8xf16>, tensor<8x4xf16>) outs(%zero : tensor<4x4xf16>) -> tensor<4x4xf16>
      return %0 : tensor<4x4xf16>
    }
  }
}
