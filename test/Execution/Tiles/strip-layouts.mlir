// What a function means without its layouts: a permute_cast permutes logical
// indices by the rule of docs/concepts.md, everything else only says where data
// is. The indices are checked by running: result[o] = input[d[o]].
//
// RUN: npu-opt %s --npu-strip-layouts | FileCheck %s --implicit-check-not=npu.
// RUN: npu-run %s --entry=cast --inputs=iota --compare | FileCheck %s --check-prefix=CAST
// RUN: npu-opt %s --npu-strip-layouts | npu-run --entry=cast --inputs=iota | FileCheck %s --check-prefix=VALUES

#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 2, 1]>
#cols = #npu.layout<SEGMENTED, tiles = [1, 1, 1, 2]>
#nhwc = #npu.layout<SEGMENTED, tiles = [1, 1, 1, 2], order = NHWC>

// The NHWC memory of 1x2x2x3 is 1x2x3x2: memory 0 to 11 under logical (c, h, w)
// is h*6 + w*2 + c.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x2x2x3xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<1x2x3x2xf32>) outs(%[[E]] : tensor<1x2x2x3xf32>) permutation = [0, 3, 1, 2]
// CHECK: return %[[T]]
// CAST: note: compared with the same file without its layouts, which cannot show what legalization did wrong
// CAST: 12 elements, 0 different
// CAST: {{^}}equal
// VALUES: result #0 1x2x2x3xf32: 0 2 4 6 8 10 1 3 5 7 9 11{{$}}
func.func @cast(%x: tensor<1x2x3x2xf32, #rows>) -> tensor<1x2x2x3xf32, #nhwc> {
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x2x3x2xf32, #rows> to tensor<1x2x2x3xf32, #nhwc>
  return %0 : tensor<1x2x2x3xf32, #nhwc>
}

// CHECK-LABEL: func.func @places(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT: return %[[X]]
func.func @places(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %0 = npu.redistribute %x : tensor<1x2x2x2xf32> to tensor<1x2x2x2xf32, #rows>
  %1 = tensor.cast %0 : tensor<1x2x2x2xf32, #rows> to tensor<1x2x2x2xf32, #cols>
  %2 = npu.distribution_cast %1 : tensor<1x2x2x2xf32, #cols>
      to tensor<1x2x2x2xf32, #npu.layout<OVERLAPPED, tiles = [1, 1, 1, 2]>>
  %3 = npu.redistribute %2
      : tensor<1x2x2x2xf32, #npu.layout<OVERLAPPED, tiles = [1, 1, 1, 2]>>
     to tensor<1x2x2x2xf32>
  return %3 : tensor<1x2x2x2xf32>
}

// Constants carry the type in their attribute, too.
// CHECK-LABEL: func.func @constants
// CHECK: arith.constant dense<{{.*}}> : tensor<1x1x2x2xf32>
// CHECK: arith.constant dense<1.0{{.*}}> : tensor<1x1x2x2xf32>
func.func @constants() -> (tensor<1x1x2x2xf32, #rows>, tensor<1x1x2x2xf32, #rows>) {
  %0 = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32, #rows>
  %1 = arith.constant dense<1.0> : tensor<1x1x2x2xf32, #rows>
  return %0, %1 : tensor<1x1x2x2xf32, #rows>, tensor<1x1x2x2xf32, #rows>
}
