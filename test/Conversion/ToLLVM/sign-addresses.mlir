// Addresses of a view that runs backwards wrap around as numbers without a sign, and
// so may those of a view whose stride is not known. Others do not.
//
// RUN: npu-opt %s --finalize-memref-to-llvm --npu-sign-addresses | FileCheck %s
// RUN: npu-run %s --entry=main --inputs=iota | FileCheck %s --check-prefix=REVERSED
// RUN: npu-run %s --entry=main --inputs=iota -O0 | FileCheck %s --check-prefix=REVERSED

// CHECK-LABEL: func.func @backwards
// CHECK: llvm.mul %{{.*}} overflow<nsw> : i64
// CHECK: llvm.getelementptr inbounds %
func.func @backwards(%x: memref<2xi8, strided<[-1], offset: 1>>, %i: index) -> i8 {
  %0 = memref.load %x[%i] : memref<2xi8, strided<[-1], offset: 1>>
  return %0 : i8
}

// CHECK-LABEL: func.func @unknown
// CHECK: llvm.mul %{{.*}} overflow<nsw> : i64
// CHECK: llvm.add %{{.*}} overflow<nsw> : i64
// CHECK: llvm.getelementptr inbounds %
func.func @unknown(%x: memref<2x2xi8, strided<[?, 1]>>, %i: index) -> i8 {
  %0 = memref.load %x[%i, %i] : memref<2x2xi8, strided<[?, 1]>>
  return %0 : i8
}

// CHECK-LABEL: func.func @forwards
// CHECK: llvm.mul %{{.*}} overflow<nsw, nuw> : i64
// CHECK: llvm.getelementptr inbounds|nuw %
func.func @forwards(%x: memref<2xi8, strided<[3]>>, %i: index) -> i8 {
  %0 = memref.load %x[%i] : memref<2xi8, strided<[3]>>
  return %0 : i8
}

// REVERSED: result #0 2xi8: 2 0
func.func @main(%x: tensor<2xi8>) -> tensor<2xi8> {
  %n = tensor.extract_slice %x[1] [2] [-1] : tensor<2xi8> to tensor<2xi8>
  %e = tensor.empty() : tensor<2xi8>
  %r = linalg.add ins(%n, %n : tensor<2xi8>, tensor<2xi8>) outs(%e : tensor<2xi8>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}
