// What nobody distributes stays in DDR, with a warning that has the operation, the
// reason and the bytes, and the model compiles, runs and computes the same: a call of a
// function that may not be inlined, loops around tensors. A gather that nobody has made
// npu.gather is one more where a file is taken up later.
//
// RUN: npu-opt %s --npu-compile="target=npu4000 split-reductions=false" -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning
// RUN: npu-run %t.mlir --reference=%s | FileCheck %s --check-prefix=EQUAL
//
// A file in which no tensor has a layout is in DDR as a whole, and only what could not
// be elsewhere is said.
//
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-to=input" \
// RUN:   | npu-opt --npu-compile="target=npu4000 compile-from=assigned" -o %t.ddr.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LATE --implicit-check-not=warning
// RUN: npu-run %t.ddr.mlir --reference=%s | FileCheck %s --check-prefix=EQUAL
//
// RUN: not npu-opt %s --npu-compile="target=npu4000 gather=error" 2>&1 | FileCheck %s --check-prefix=ERROR
//
// CHECK: warning: 'func.call' falls back to the host: what it calls takes and gives whole tensors; its tensors have 1024 bytes
// CHECK: warning: 'scf.for' falls back to the host: the tensors that it hands from one region to the next have no layouts; its tensors have 1024 bytes
// CHECK: warning: 'scf.while' falls back to the host: the tensors that it hands from one region to the next have no layouts; its tensors have 1024 bytes
// LATE: warning: 'tensor.gather' falls back to the host: it is not known which part of its operands it reads; its tensors have 768 bytes
// EQUAL: result #0 8x16xf32: 128 elements, 0 different
// EQUAL: result #1 4x16xf32: 64 elements, 0 different
// EQUAL: equal
// ERROR: error: 'func.call' falls back to the host
// ERROR: note: a module of phase 'legal' of npu-compile has to hold this

func.func private @custom(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {no_inline} {
  %empty = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.exp ins(%x : tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

func.func private @helper(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = math.absf %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<4x16xf32>) {
  %rows = arith.constant dense<[[3], [0], [7], [2]]> : tensor<4x1xindex>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x16xf32>)
      outs(%zeros : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = func.call @custom(%0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %1) -> tensor<8x16xf32> {
    %scale = tensor.splat %half : tensor<8x16xf32>
    %scaled = arith.mulf %a, %scale : tensor<8x16xf32>
    %positive = func.call @helper(%scaled) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    scf.yield %positive : tensor<8x16xf32>
  }
  %3:2 = scf.while (%a = %2, %n = %c0) : (tensor<8x16xf32>, index) -> (tensor<8x16xf32>, index) {
    %more = arith.cmpi slt, %n, %c3 : index
    scf.condition(%more) %a, %n : tensor<8x16xf32>, index
  } do {
  ^bb0(%a: tensor<8x16xf32>, %n: index):
    %sum = arith.addf %a, %x : tensor<8x16xf32>
    %next = arith.addi %n, %c1 : index
    scf.yield %sum, %next : tensor<8x16xf32>, index
  }
  %4 = tensor.gather %3#0[%rows] gather_dims([0]) unique
      : (tensor<8x16xf32>, tensor<4x1xindex>) -> tensor<4x16xf32>
  return %3#0, %4 : tensor<8x16xf32>, tensor<4x16xf32>
}
