// The field's function at 336 and at 304, with an operation before and after the
// cast: padded to 512 the cast is a relabel, nothing moves, and the result is the
// same bit for bit.
//
// RUN: npu-opt %s --npu-legalize-distributions=max-prompt-len=512 --npu-verify-distributions=strict -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES --implicit-check-not=received
// RUN: npu-run -O0 %t.mlir --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: sed 's/336/304/g' %s > %t.304.mlir
// RUN: npu-opt %t.304.mlir --npu-legalize-distributions=max-prompt-len=512 --npu-verify-distributions=strict | npu-run -O0 - --reference=%t.304.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %t.304.mlir --npu-legalize-distributions="max-prompt-len=128,512,320 side=left poison" --npu-verify-distributions=strict -o %t.320.mlir
// RUN: FileCheck %s --check-prefix=BUCKET --implicit-check-not=x512x < %t.320.mlir
// RUN: npu-run -O0 %t.320.mlir --reference=%t.304.mlir | FileCheck %s --check-prefix=EQUAL

// CHECK: npu.permute_cast {{.*}}tensor<1x28x512x128xf16, {{.*}} to tensor<1x128x28x512xf16,
// CHECK: npu.distribution_cast
// CHECK-NOT: npu.redistribute
// CHECK: return %{{.*}} : tensor<1x128x28x336xf16,
// BYTES: moves nothing
// EQUAL: 0 different
// EQUAL: {{^}}equal
// BUCKET: tensor<1x28x320x128xf16

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#rows = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>
func.func @main(%x: tensor<1x28x336x128xf16, #heads> {npu.prompt_dim = 2}) -> tensor<1x128x28x336xf16, #rows> {
  %e = tensor.empty() : tensor<1x28x336x128xf16, #heads>
  %before = linalg.exp ins(%x : tensor<1x28x336x128xf16, #heads>) outs(%e : tensor<1x28x336x128xf16, #heads>) -> tensor<1x28x336x128xf16, #heads>
  %0 = npu.permute_cast %before mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
  %f = tensor.empty() : tensor<1x128x28x336xf16, #rows>
  %after = linalg.negf ins(%0 : tensor<1x128x28x336xf16, #rows>) outs(%f : tensor<1x128x28x336xf16, #rows>) -> tensor<1x128x28x336xf16, #rows>
  return %after : tensor<1x128x28x336xf16, #rows>
}
