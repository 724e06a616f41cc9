// The smallest function that shows the worst operation: the audit of what was
// written finds the same. Small operands are constants, large ones files.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: not npu-run %s --audit --inputs=positive --emit-reproducer=%t/small.mlir | FileCheck %s --check-prefix=SMALL
// RUN: FileCheck %s --check-prefix=FUNCTION --input-file=%t/small.mlir
// RUN: not npu-run %t/small.mlir --audit | FileCheck %s --check-prefix=AGAIN
// RUN: not npu-run %s --audit --inputs=positive --entry=large --emit-reproducer=%t/large.mlir | FileCheck %s --check-prefix=LARGE
// RUN: not npu-run %t/large.mlir --audit --inputs=%t/large.0.npy | FileCheck %s --check-prefix=AGAIN
// RUN: not npu-run %s --audit --inputs=positive --entry=product --emit-reproducer=%t/product.mlir | FileCheck %s --check-prefix=PRODUCT
// RUN: FileCheck %s --check-prefix=ELEMENT --input-file=%t/product.mlir
// RUN: not npu-run %t/product.mlir --audit | FileCheck %s --check-prefix=AGAIN
// RUN: not npu-run %s --audit --inputs=positive --format=json | FileCheck %s --check-prefix=JSON

// SMALL: reproducer: npu-run {{.*}}small.mlir --audit{{$}}
// SMALL-NEXT: verdict: OVERFLOW at arith.mulf ({{.*}}reproducer.mlir:[[#@LINE+26]]:8)
// FUNCTION: func.func @main() -> tensor<4xf16>
// FUNCTION-NEXT: arith.constant dense<{{.*}}> : tensor<4xf16>
// FUNCTION: arith.mulf
// FUNCTION-NOT: math.exp
// AGAIN: 1 OVERFLOW
// LARGE: reproducer: npu-run {{.*}}large.mlir --audit --inputs={{.*}}large.0.npy

// Of a product, one row and one column are enough for its worst element.
// PRODUCT: reproducer: npu-run {{.*}}product.mlir --audit{{$}}
// ELEMENT: arith.constant dense<{{.*}}> : tensor<1x2048xf16>
// ELEMENT-NEXT: arith.constant dense<{{.*}}> : tensor<2048x1xf16>
// ELEMENT: linalg.matmul {{.*}} -> tensor<1x1xf16>

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

func.func @product(%x: tensor<8x2048xf16>, %y: tensor<2048x8xf16>) -> tensor<8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %large = arith.constant dense<10000.0> : tensor<8x2048xf16>
  %e = tensor.empty() : tensor<8x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %0 = arith.addf %x, %large : tensor<8x2048xf16>
  %c = arith.constant dense<1.0> : tensor<2048x8xf16>
  %1 = arith.addf %y, %c : tensor<2048x8xf16>
  %2 = linalg.matmul ins(%0, %1 : tensor<8x2048xf16>, tensor<2048x8xf16>) outs(%f : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %2 : tensor<8x8xf16>
}
