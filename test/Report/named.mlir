// Names of layers and the target stay in what a phase writes as text: costs of that
// file name them without another option. Files without names stay without locations.
//
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=legal" -o %t.legal.mlir
// RUN: npu-opt %t.legal.mlir --npu-print-costs -o /dev/null | FileCheck %s
// CHECK: function @main on npu4000
// CHECK: linalg.matmul {{.*}} p2o.MatMul.42 at net.onnx:0:0
// CHECK: linalg.exp {{.*}} p2o.Exp.7
//
// Every phase does so, also from one to the next.
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=assigned" | npu-opt - --npu-compile="compile-from=assigned compile-to=tiles" | npu-opt - --npu-compile="compile-from=tiles" | npu-opt - --npu-print-schedule="rows=0" -o /dev/null | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: function @main on npu4000
// SCHEDULE: linalg.{{[a-z]+}} p2o.MatMul.42 at net.onnx:0:0
//
// The target of an option replaces another one of the module, and its own figures
// where they are not the device's.
// RUN: npu-opt %t.legal.mlir --npu-set-target=target=npu3720 | FileCheck %s --check-prefix=OTHER
// OTHER: "npu.name" = "npu3720">
// RUN: npu-opt %t.legal.mlir --npu-set-target=target=npu4000 | FileCheck %s --check-prefix=SAME
// SAME: "npu.name" = "npu4000">
//
// Who wants no locations says so; what has none stays without.
// RUN: npu-opt %s --mlir-print-debuginfo=false | FileCheck %s --check-prefix=WITHOUT "--implicit-check-not=loc("
// RUN: npu-opt %s --mlir-print-debuginfo=false | npu-opt - | FileCheck %s --check-prefix=WITHOUT "--implicit-check-not=loc("
// WITHOUT: linalg.matmul
// RUN: npu-opt %s | FileCheck %s --check-prefix=WITH
// WITH: loc("p2o.MatMul.42"
//
// RUN: not npu-opt %s --npu-set-target 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: expected either target=NAME or target-file=FILE
// RUN: not npu-opt %s --npu-set-target=target=npu5000 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown target 'npu5000', expected npu3720, npu4000

func.func @main(%x: tensor<64x128xf16>, %w: tensor<128x256xf16>) -> tensor<64x256xf16> {
  %zero = arith.constant 0.0 : f16 loc("zero"("net.onnx":0:0))
  %init = tensor.empty() : tensor<64x256xf16> loc("p2o.MatMul.42"("net.onnx":0:0))
  %filled = linalg.fill ins(%zero : f16) outs(%init : tensor<64x256xf16>) -> tensor<64x256xf16> loc("p2o.MatMul.42"("net.onnx":0:0))
  %0 = linalg.matmul ins(%x, %w : tensor<64x128xf16>, tensor<128x256xf16>)
      outs(%filled : tensor<64x256xf16>) -> tensor<64x256xf16> loc("p2o.MatMul.42"("net.onnx":0:0))
  %1 = linalg.exp ins(%0 : tensor<64x256xf16>) outs(%init : tensor<64x256xf16>)
      -> tensor<64x256xf16> loc("p2o.Exp.7, \"quoted\""("net.onnx":0:0))
  return %1 : tensor<64x256xf16> loc("return"("net.onnx":0:0))
}
