// Integers of more than 64 bits have as much memory as this machine's loads and stores
// take, whatever LLVM's default is; arguments and results of such types cannot be
// passed, and are refused with the type.
//
// RUN: split-file %s %t
// RUN: npu-run %t/inside.mlir --reference=%t/plain.mlir | FileCheck %s
// RUN: npu-run %t/inside.mlir --reference=%t/plain.mlir -O0 --tiles=parallel | FileCheck %s
// RUN: npu-compile %t/inside.mlir --target=npu4000 -o %t/inside.npub
// RUN: npu-run %t/inside.npub --reference=%t/plain.mlir | FileCheck %s
// RUN: not npu-run %t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not npu-compile %t/argument.mlir --target=npu4000 -o %t/argument.npub 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not npu-run %t/result.mlir 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not npu-run %t/scalar.mlir 2>&1 | FileCheck %s --check-prefix=SCALAR

// CHECK: result #0 64x64xi32: 4096 elements, 0 different
// CHECK: result #1 64xi32: 64 elements, 0 different
// CHECK: {{^}}equal

//--- inside.mlir
func.func @main(%x: tensor<64x64xi32>, %y: tensor<64xi32>) -> (tensor<64x64xi32>, tensor<64xi32>) {
  %a = arith.extsi %x : tensor<64x64xi32> to tensor<64x64xi65>
  %te = tensor.empty() : tensor<64x64xi65>
  %t = linalg.transpose ins(%a : tensor<64x64xi65>) outs(%te : tensor<64x64xi65>) permutation = [1, 0]
  %r = arith.trunci %t : tensor<64x64xi65> to tensor<64x64xi32>
  %b = arith.extsi %y : tensor<64xi32> to tensor<64xi200>
  %c = arith.muli %b, %b : tensor<64xi200>
  %s = arith.trunci %c : tensor<64xi200> to tensor<64xi32>
  return %r, %s : tensor<64x64xi32>, tensor<64xi32>
}

//--- plain.mlir
func.func @main(%x: tensor<64x64xi32>, %y: tensor<64xi32>) -> (tensor<64x64xi32>, tensor<64xi32>) {
  %te = tensor.empty() : tensor<64x64xi32>
  %t = linalg.transpose ins(%x : tensor<64x64xi32>) outs(%te : tensor<64x64xi32>) permutation = [1, 0]
  %s = arith.muli %y, %y : tensor<64xi32>
  return %t, %s : tensor<64x64xi32>, tensor<64xi32>
}

//--- argument.mlir
// ARGUMENT: argument.mlir:2:1: error: {{.*}}expected tensors of static shape whose elements are f16, bf16, f32, f64, index or integers of 1, 2, 4, 8, 16, 32 or 64 bits, got 'tensor<4xi65>' as argument #0 of 'main'
func.func @main(%x: tensor<4xi65>) -> tensor<4xi32> {
  %r = arith.trunci %x : tensor<4xi65> to tensor<4xi32>
  return %r : tensor<4xi32>
}

//--- result.mlir
// RESULT: result.mlir:2:1: error: {{.*}}got 'tensor<4xi128>' as result #0 of 'main'
func.func @main(%x: tensor<4xi32>) -> tensor<4xi128> {
  %r = arith.extsi %x : tensor<4xi32> to tensor<4xi128>
  return %r : tensor<4xi128>
}

//--- scalar.mlir
// SCALAR: scalar.mlir:2:1: error: {{.*}}got 'i65' as argument #0 of 'main'
func.func @main(%x: i65) -> i32 {
  %r = arith.trunci %x : i65 to i32
  return %r : i32
}
