// Integers of 2 and 4 bits are packed in buffers, constants and resources, also where
// rows begin inside of bytes, and runs on tiles give the same bits.
//
// RUN: npu-run %s --inputs=iota | FileCheck %s
// RUN: npu-run %s --compile=target=npu4000 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %s --compile=target=npu3720 -O0 --tiles=parallel | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal
//
// RUN: npu-run %s --inputs=iota --output=%t.npy
// RUN: od -An -tx1 -j128 %t.1.npy | FileCheck %s --check-prefix=FILE
// In a file, each has a byte, with its sign.
// FILE: 00 07 06 05 04
//
// RUN: npu-opt %s --npu-to-buffers --npu-to-llvm | FileCheck %s --check-prefix=LLVM
// A constant of 35 elements has 18 bytes.
// LLVM-COUNT-3: llvm.mlir.global private constant @{{.*}} tensor<18xi8>

// 4 bits of 0 to 7, as iota counts, -8 to 6 of the constant, -3, and a resource.
// CHECK: result #0 5x7xi32: 1 -1 4 -2 7 -3 10 -4
// CHECK: result #1 7x5xi4: 0 7 6 5 4 1 0 7 6 5
// CHECK: result #2 5x7xi2:
// CHECK: result #3 3x3xi4: 2 3 4 1 2 3 0 1 2
func.func @main(%w: tensor<5x7xi4>, %v: tensor<5x7xi2>) -> (tensor<5x7xi32>, tensor<7x5xi4>, tensor<5x7xi2>, tensor<3x3xi4>) {
  %wide = arith.extsi %w : tensor<5x7xi4> to tensor<5x7xi32>
  %constant = arith.constant dense<[[1,-2,3,-4,5,-6,7],[-8,1,2,3,4,5,6],[0,1,2,3,4,5,6],[0,-1,-2,-3,4,5,6],[7,6,5,4,3,2,1]]> : tensor<5x7xi4>
  %splat = arith.constant dense<-3> : tensor<5x7xi4>
  %resource = arith.constant dense_resource<r> : tensor<5x7xi4>
  %a = arith.extsi %constant : tensor<5x7xi4> to tensor<5x7xi32>
  %b = arith.extsi %splat : tensor<5x7xi4> to tensor<5x7xi32>
  %c = arith.extui %resource : tensor<5x7xi4> to tensor<5x7xi32>
  %ab = arith.addi %a, %b : tensor<5x7xi32>
  %abc = arith.addi %ab, %c : tensor<5x7xi32>
  %sum = arith.addi %wide, %abc : tensor<5x7xi32>
  %e = tensor.empty() : tensor<7x5xi4>
  %turned = linalg.transpose ins(%w : tensor<5x7xi4>) outs(%e : tensor<7x5xi4>) permutation = [1, 0]
  %twice = arith.addi %v, %v : tensor<5x7xi2>
  %slice = tensor.extract_slice %w[1, 3] [3, 3] [1, 1] : tensor<5x7xi4> to tensor<3x3xi4>
  return %sum, %turned, %twice, %slice : tensor<5x7xi32>, tensor<7x5xi4>, tensor<5x7xi2>, tensor<3x3xi4>
}

{-#
  dialect_resources: {
    builtin: {
      r: "0x0400000033221100FFEEDDCCBBAA998877665544330F"
    }
  }
#-}
