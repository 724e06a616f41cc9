// A cast that was a transpose or a pair of reshapes has their place in the source.
//
// RUN: npu-opt %s --npu-raise-permute-casts --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @transpose
func.func @transpose(%x: tensor<1x28x336xf16>, %e: tensor<28x1x336xf16>) -> tensor<28x1x336xf16> {
  // CHECK-NEXT: npu.permute_cast {{.*}} loc("Transpose_12"("model.mlir":7:3))
  %0 = linalg.transpose ins(%x : tensor<1x28x336xf16>) outs(%e : tensor<28x1x336xf16>) permutation = [1, 0, 2] loc("Transpose_12"("model.mlir":7:3))
  return %0 : tensor<28x1x336xf16>
}

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1]>
#heads_overlapped = #npu.layout<OVERLAPPED, tiles = [4, 1, 1]>

// A label that follows as well.
// CHECK-LABEL: func.func @label
func.func @label(%x: tensor<1x28x336xf16, #heads>, %e: tensor<28x1x336xf16, #heads_overlapped>) -> tensor<28x1x336xf16, #heads_overlapped> {
  // CHECK-NEXT: npu.permute_cast {{.*}} loc("Transpose_13")
  // CHECK-NEXT: npu.distribution_cast {{.*}} loc("Transpose_13")
  %0 = linalg.transpose ins(%x : tensor<1x28x336xf16, #heads>) outs(%e : tensor<28x1x336xf16, #heads_overlapped>) permutation = [1, 0, 2] loc("Transpose_13")
  return %0 : tensor<28x1x336xf16, #heads_overlapped>
}
