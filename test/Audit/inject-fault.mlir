// A fault of each kind is put into one operation, which is named, and the
// function gives another result; without the fault it gives the same.
//
// RUN: npu-opt %s --npu-inject-fault=fault=wrong-scale@1 -o %t.scale.mlir 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: not npu-run %t.scale.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// SCALE: inject-fault.mlir:[[#@LINE+51]]:8: remark: wrong-scale in 'linalg.conv_2d_nhwc_hwcf' #1: each term is multiplied by
//
// RUN: npu-opt %s --npu-inject-fault=fault=dropped-row@product#3 -o %t.row.mlir 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not npu-run %t.row.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// ROW: loc("product"): dropped-row in 'linalg.matmul' #6: row {{[0-9]+}} of dimension {{[01]}} is what it began with
//
// RUN: npu-opt %s --npu-inject-fault=fault=swapped-operands@product -o %t.swap.mlir 2>&1 | FileCheck %s --check-prefix=SWAP
// RUN: not npu-run %t.swap.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// SWAP: loc("product"): swapped-operands in 'linalg.matmul' #6: its two matrices are swapped
// RUN: npu-opt %s --npu-inject-fault=fault=swapped-operands@4 -o %t.sub.mlir 2>&1 | FileCheck %s --check-prefix=SUB
// RUN: not npu-run %t.sub.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// SUB: remark: swapped-operands in 'linalg.sub' #4: the operands of arith.subf are swapped
//
// RUN: npu-opt %s --npu-inject-fault=fault=off-by-one-window -o %t.window.mlir 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not npu-run %t.window.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// WINDOW: remark: off-by-one-window in 'linalg.{{conv_2d_nhwc_hwcf|pooling_nhwc_max}}' #{{[12]}}: the window over dimension {{[12]}} of operand #0 is one beside
//
// RUN: npu-opt %s --npu-inject-fault=fault=wrong-broadcast@inject-fault.mlir:63:8 -o %t.broadcast.mlir 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not npu-run %t.broadcast.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// BROADCAST: remark: wrong-broadcast in 'linalg.broadcast' #3: dimension 0 of operand #0 is read along loop 0 instead of loop 1
//
// The same text means the same fault, and other numbers mean others.
// RUN: npu-opt %s --npu-inject-fault=fault=random:7 -o %t.seven.mlir 2> %t.seven.txt
// RUN: npu-opt %s --npu-inject-fault=fault=random:7 -o %t.again.mlir 2> %t.again.txt
// RUN: diff %t.seven.txt %t.again.txt && diff %t.seven.mlir %t.again.mlir
// RUN: not npu-run %t.seven.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
//
// One operation has changed: the others are what they were.
// RUN: npu-opt %s --mlir-print-local-scope -o %t.plain.mlir
// RUN: FileCheck %s --check-prefix=REST --input-file=%t.row.mlir
// REST: linalg.conv_2d_nhwc_hwcf
// REST: linalg.pooling_nhwc_max
// REST: linalg.broadcast
// REST: linalg.sub
// REST: linalg.square
// REST: linalg.generic
// REST: arith.select
//
// RUN: npu-run %t.plain.mlir --reference=%s | FileCheck %s --check-prefix=EQUAL
//
// Operations on tensors with layouts can have faults, too.
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=assigned" -o %t.assigned.mlir
// RUN: npu-opt %t.assigned.mlir --npu-inject-fault=fault=dropped-row#5 -o %t.faulty.mlir
// RUN: npu-opt %t.faulty.mlir --npu-compile="target=npu4000 compile-from=assigned" -o %t.program.mlir
// RUN: not npu-run %t.program.mlir --reference=%s | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: different
// EQUAL: equal
func.func @main(%x: tensor<1x8x8x2xf32>, %f: tensor<3x3x2x4xf32>, %b: tensor<4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) outs(%z : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1x4x4x4xf32>
  %1 = linalg.pooling_nhwc_max ins(%0, %window : tensor<1x6x6x4xf32>, tensor<3x3xf32>) outs(%low : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = tensor.extract_slice %1[0, 0, 0, 0] [1, 1, 4, 4] [1, 1, 1, 1] : tensor<1x4x4x4xf32> to tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %3 = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e2 : tensor<4x4xf32>) dimensions = [0]
  %4 = linalg.sub ins(%2, %3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = linalg.square ins(%2 : tensor<4x4xf32>) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = linalg.matmul ins(%4, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%5 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("product")
  return %6 : tensor<4x4xf32>
}
