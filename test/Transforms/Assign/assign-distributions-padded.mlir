// A function whose prompt has been padded still takes and gives the real part,
// which is dynamic and stays in DDR. What is computed on gets layouts, and one
// compiled function is right at every length.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=16 --npu-assign-distributions="strategy=rows tiles=4" --mlir-print-local-scope | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=16 poison" --npu-assign-distributions="strategy=rows tiles=4" \
// RUN:   --npu-legalize-distributions=gather=allow | npu-run - --reference=%s --length=1..16 -O0 | FileCheck %s --check-prefix=LENGTHS
//
// CHECK: func.func @main(%[[x:.*]]: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK: tensor.insert_slice %[[x]] into {{.*}} tensor<?x8xf32> into tensor<16x8xf32>
// CHECK: linalg.exp {{.*}} -> tensor<16x8xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>
// CHECK: tensor.extract_slice {{.*}} to tensor<?x8xf32>
// LENGTHS: 16 lengths, 0 different
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.exp ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
