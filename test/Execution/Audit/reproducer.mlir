// The smallest function that shows the worst operation: the audit of what was
// written finds the same. Small operands are constants, large ones files.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: not npu-run %s --audit --inputs=positive --emit-reproducer=%t/small.mlir | FileCheck %s --check-prefix=SMALL
// RUN: FileCheck %s --check-prefix=FUNCTION --input-file=%t/small.mlir
// RUN: not npu-run %t/small.mlir --audit | FileCheck %s --check-prefix=AGAIN
// RUN: not npu-run %s --audit --inputs=positive --entry=large --emit-reproducer=%t/large.mlir | FileCheck %s --check-prefix=LARGE
// RUN: not npu-run %t/large.mlir --audit --inputs=%t/large.0.npy | FileCheck %s --check-prefix=AGAIN
// RUN: not npu-run %s --audit --inputs=positive --format=json | FileCheck %s --check-prefix=JSON

// SMALL: reproducer: npu-run {{.*}}small.mlir --audit{{$}}
// SMALL-NEXT: verdict: OVERFLOW at arith.mulf ({{.*}}reproducer.mlir:[[#@LINE+20]]:8)
// FUNCTION: func.func @main() -> tensor<4xf16>
// FUNCTION-NEXT: arith.constant dense<{{.*}}> : tensor<4xf16>
// FUNCTION: arith.mulf
// FUNCTION-NOT: math.exp
// AGAIN: 1 OVERFLOW
// LARGE: reproducer: npu-run {{.*}}large.mlir --audit --inputs={{.*}}large.0.npy

// JSON: "function": "main",
// JSON: "findings": [
// JSON-NEXT: {
// JSON-NEXT: "class": "OVERFLOW",
// JSON: "op": "arith.mulf",
// JSON: "type": "f16",
// JSON: "overflowed": 4,
// JSON: "class": "OVERFLOW",
// JSON-NEXT: "verdict": "OVERFLOW at arith.mulf
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %large = arith.constant dense<60000.0> : tensor<4xf16>
  %0 = math.exp %x : tensor<4xf16>
  %1 = arith.mulf %0, %large : tensor<4xf16>
  return %1 : tensor<4xf16>
}

func.func @large(%x: tensor<65536xf16>) -> tensor<65536xf16> {
  %large = arith.constant dense<60000.0> : tensor<65536xf16>
  %0 = math.exp %x : tensor<65536xf16>
  %1 = arith.addf %0, %large : tensor<65536xf16>
  %2 = arith.mulf %1, %large : tensor<65536xf16>
  return %2 : tensor<65536xf16>
}
