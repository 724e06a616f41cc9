// npu-opt knows what users of mlir-opt know: exported models have operations of
// many dialects around their tensors, and one command takes them from TOSA to
// LLVM, with this project's passes in between.
//
// RUN: npu-opt %s | FileCheck %s --check-prefix=PARSED
// RUN: npu-opt %s --pass-pipeline='builtin.module( \
// RUN:     func.func(tosa-make-broadcastable,tosa-to-linalg-named,tosa-to-linalg), \
// RUN:     npu-assign-distributions{tiles=4},npu-legalize-distributions, \
// RUN:     npu-verify-distributions,npu-strip-layouts, \
// RUN:     one-shot-bufferize{bufferize-function-boundaries},convert-linalg-to-loops, \
// RUN:     lower-affine,convert-scf-to-cf,convert-vector-to-llvm, \
// RUN:     finalize-memref-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | FileCheck %s --check-prefix=LLVM

// PARSED-DAG: affine.for
// PARSED-DAG: tosa.exp
// PARSED-DAG: vector.print
// PARSED-DAG: llvm.func @write
// PARSED-DAG: memref.alloc
// LLVM-NOT: npu.
// LLVM: llvm.func @printF64
// LLVM: llvm.func @write
// LLVM: llvm.func @main
// LLVM-NOT: {{tosa|linalg|memref|vector|affine}}.
llvm.func @write(!llvm.ptr, i64)

func.func @main(%x: tensor<8x16xf32>, %time: f64, %to: !llvm.ptr) -> tensor<8x16xf32> {
  %buffer = memref.alloc() : memref<8xf64>
  affine.for %i = 0 to 8 {
    affine.store %time, %buffer[%i] : memref<8xf64>
  }
  memref.dealloc %buffer : memref<8xf64>
  %size = llvm.mlir.constant(64 : i64) : i64
  llvm.call @write(%to, %size) : (!llvm.ptr, i64) -> ()
  %y = tosa.exp %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  vector.print %time : f64
  return %y : tensor<8x16xf32>
}
