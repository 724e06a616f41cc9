// Inputs that keep networks finite: weights are scaled by their fan-in, variances
// are positive. Eight layers of 256 channels overflow f16 on random numbers, and
// stay finite on normal and on positive ones.
//
// RUN: not npu-run %s --entry=deep --reference=%s | FileCheck %s --check-prefix=RANDOM
// RUN: npu-run %s --entry=deep --reference=%s --inputs=normal | FileCheck %s --check-prefix=FINITE --implicit-check-not=NaN
// RUN: npu-run %s --entry=deep --reference=%s --inputs=positive | FileCheck %s --check-prefix=FINITE --implicit-check-not=NaN
// RUN: npu-run %s --entry=roles --inputs=normal | FileCheck %s --check-prefix=NORMAL
// RUN: npu-run %s --entry=roles --inputs=normal --seed=1 | FileCheck %s --check-prefix=SEED
// RUN: npu-run %s --entry=roles --inputs=positive | FileCheck %s --check-prefix=POSITIVE
// RUN: npu-run %s --entry=plain --inputs=normal | FileCheck %s --check-prefix=PLAIN
// RUN: npu-run %s --entry=plain --inputs=positive | FileCheck %s --check-prefix=ABOVE
// RUN: npu-run %s --entry=plain --inputs=small-integers | FileCheck %s --check-prefix=SMALL
// RUN: npu-run %s --entry=plain --inputs=integers | FileCheck %s --check-prefix=SMALL
// RUN: npu-run %s --entry=variance --reference=%s --inputs=normal | FileCheck %s --check-prefix=FINITE --implicit-check-not=NaN

// RANDOM: since linalg.matmul
// RANDOM: not comparable: {{.*}}--inputs=normal
// FINITE: 0 different
// FINITE-NEXT: {{^}}equal
func.func @deep(%x: tensor<4x256xf16>, %w: tensor<256x256xf16>) -> tensor<4x256xf16> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x256xf16>
  %0 = linalg.fill ins(%z : f16) outs(%e : tensor<4x256xf16>) -> tensor<4x256xf16>
  %1 = linalg.matmul ins(%x, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %2 = linalg.matmul ins(%1, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %3 = linalg.matmul ins(%2, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %4 = linalg.matmul ins(%3, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %5 = linalg.matmul ins(%4, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %6 = linalg.matmul ins(%5, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %7 = linalg.matmul ins(%6, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  %8 = linalg.matmul ins(%7, %w : tensor<4x256xf16>, tensor<256x256xf16>) outs(%0 : tensor<4x256xf16>) -> tensor<4x256xf16>
  return %8 : tensor<4x256xf16>
}

// Each argument is returned as it was generated. The first is no weight; the second
// is one of 4 terms, after a transpose; the third is a filter of 2 * 2 * 4 terms;
// the fourth has a root taken of it after an epsilon; the fifth is a weight of 4
// terms in what is called.
// NORMAL: result #0 3x4xf32: -0.162272498 -0.385908782 0.814413726
// NORMAL-NEXT: result #1 2x4xf32: -0.140480086 -0.27442804 0.133774042 0.104758583
// NORMAL-NEXT: result #2 2x2x4x1xf32: 0.0975016728 -0.536739647 -0.140566811
// NORMAL-NEXT: result #3 3xf32: 1.25100684 0.756260395 1.40628386
// SEED: result #3 3xf32: {{(0\.[5-9][0-9]*|1\.[0-4][0-9]*)}} {{(0\.[5-9][0-9]*|1\.[0-4][0-9]*)}} {{(0\.[5-9][0-9]*|1\.[0-4][0-9]*)$}}
// Of 4 terms, at most 2 / 4; of 16, at most 1 / 8.
// POSITIVE: result #1 2x4xf32: {{(0\.[0-4][0-9]* ?)+$}}
// POSITIVE-NEXT: result #2 2x2x4x1xf32: {{((0\.(0|1[01])[0-9]*|[0-9.]+e-[0-9]+) ?)+$}}
// POSITIVE: result #4 4x2xf32: {{(0\.[0-4][0-9]* ?)+$}}
func.func @roles(%x: tensor<3x4xf32>, %w: tensor<2x4xf32>, %f: tensor<2x2x4x1xf32>, %v: tensor<3xf32>, %u: tensor<4x2xf32>, %image: tensor<1x2x2x4xf32>)
    -> (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2x2x4x1xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<3x2xf32>, tensor<1x1x1x1xf32>, tensor<3xf32>, tensor<3x2xf32>) {
  %z = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x2xf32>
  %t = linalg.transpose ins(%w : tensor<2x4xf32>) outs(%et : tensor<4x2xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = linalg.matmul ins(%x, %t : tensor<3x4xf32>, tensor<4x2xf32>) outs(%0 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %ec = tensor.empty() : tensor<1x1x1x1xf32>
  %2 = linalg.fill ins(%z : f32) outs(%ec : tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%image, %f : tensor<1x2x2x4xf32>, tensor<2x2x4x1xf32>) outs(%2 : tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<3xf32>
  %4 = arith.addf %v, %eps : tensor<3xf32>
  %5 = math.rsqrt %4 : tensor<3xf32>
  %6 = call @callee(%x, %u) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %x, %w, %f, %v, %u, %1, %3, %5, %6 : tensor<3x4xf32>, tensor<2x4xf32>, tensor<2x2x4x1xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<3x2xf32>, tensor<1x1x1x1xf32>, tensor<3xf32>, tensor<3x2xf32>
}

func.func private @callee(%x: tensor<3x4xf32>, %w: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x2xf32>) outs(%0 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// A root in the body of a generic operation.
func.func @variance(%v: tensor<3xf32>) -> tensor<3xf32> {
  %eps = arith.constant 1.0e-05 : f32
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %eps : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What is no weight is not scaled; these values may not change, or recorded
// failures lose their data.
// PLAIN: result #0 4xf32: -0.492621422 0.815103412 1.75608218 1.12577093
// PLAIN: result #1 4xi8: -5 -7 -3 2
// ABOVE: result #0 4xf32: 0.422429621 0.151372194 0.481061876 0.884770095
// ABOVE: result #1 4xi8: 2 1 3 6
// SMALL: result #0 4xf32: 4 0 -2 -3
func.func @plain(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  return %x, %i : tensor<4xf32>, tensor<4xi8>
}
