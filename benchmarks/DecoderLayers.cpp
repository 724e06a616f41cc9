// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of one layer, with its number in the names.

#include "DecoderLayers.h"
#include "LayerText.h"

namespace npu {
namespace {

constexpr const char *head = R"(
#all = #npu.layout<DUPLICATED, tiles = 4>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#heads = #npu.layout<SEGMENTED, tiles = [4, 1, 1]>
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#between = #npu.layout<SEGMENTED, tiles = [1, 4, 1]>
!x = tensor<64x256xf32, #all>
!n = tensor<64xf32, #all>
!wide = tensor<64x512xf32, #all>
!part = tensor<64x256xf32, #columns>
!wide_part = tensor<64x512xf32, #columns>
!w = tensor<256x256xf32, #columns>
!up = tensor<256x512xf32, #columns>
!down = tensor<512x256xf32, #columns>
!h = tensor<64x8x32xf32, #between>
!s = tensor<8x64x64xf32, #heads>
!r = tensor<8x64xf32, #rows>
#row = affine_map<(i, j) -> (i)>
#at = affine_map<(i, j) -> (i, j)>
#q = affine_map<(h, i, j, d) -> (i, h, d)>
#k = affine_map<(h, i, j, d) -> (j, h, d)>
#p = affine_map<(h, i, j, d) -> (h, i, j)>
#pv = affine_map<(i, h, d, j) -> (h, i, j)>
#v = affine_map<(i, h, d, j) -> (j, h, d)>
#o = affine_map<(i, h, d, j) -> (i, h, d)>
#sr = affine_map<(h, i, j) -> (h, i)>
#ss = affine_map<(h, i, j) -> (h, i, j)>
)";

constexpr const char *layer = R"(
  %n0_@ = tensor.empty() : !n
  %n1_@ = linalg.fill ins(%zero : f32) outs(%n0_@ : !n) -> !n
  %n2_@ = linalg.generic {indexing_maps = [#at, #row], iterator_types = ["parallel", "reduction"]} ins(%x@ : !x) outs(%n1_@ : !n) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %b, %0 : f32
    linalg.yield %1 : f32
  } -> !n
  %e_@ = tensor.empty() : !x
  %norm_@ = linalg.generic {indexing_maps = [#at, #row, #at], iterator_types = ["parallel", "parallel"]} ins(%x@, %n2_@ : !x, !n) outs(%e_@ : !x) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> !x
  %p0_@ = tensor.empty() : !part
  %p1_@ = linalg.fill ins(%zero : f32) outs(%p0_@ : !part) -> !part
  %q_@ = linalg.matmul ins(%norm_@, %wq@ : !x, !w) outs(%p1_@ : !part) -> !part
  %k_@ = linalg.matmul ins(%norm_@, %wk@ : !x, !w) outs(%p1_@ : !part) -> !part
  %v_@ = linalg.matmul ins(%norm_@, %wv@ : !x, !w) outs(%p1_@ : !part) -> !part
  %q3_@ = tensor.expand_shape %q_@ [[0], [1, 2]] output_shape [64, 8, 32] : !part into !h
  %k3_@ = tensor.expand_shape %k_@ [[0], [1, 2]] output_shape [64, 8, 32] : !part into !h
  %v3_@ = tensor.expand_shape %v_@ [[0], [1, 2]] output_shape [64, 8, 32] : !part into !h
  %s0_@ = tensor.empty() : !s
  %s1_@ = linalg.fill ins(%zero : f32) outs(%s0_@ : !s) -> !s
  %s2_@ = linalg.generic {indexing_maps = [#q, #k, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q3_@, %k3_@ : !h, !h) outs(%s1_@ : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !s
  %m0_@ = tensor.empty() : !r
  %m1_@ = linalg.fill ins(%zero : f32) outs(%m0_@ : !r) -> !r
  %m2_@ = linalg.generic {indexing_maps = [#ss, #sr], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s2_@ : !s) outs(%m1_@ : !r) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %b, %a : f32
    linalg.yield %0 : f32
  } -> !r
  %s3_@ = linalg.generic {indexing_maps = [#ss, #sr, #ss], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s2_@, %m2_@ : !s, !r) outs(%s0_@ : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> !s
  %d_@ = linalg.generic {indexing_maps = [#ss, #sr], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s3_@ : !s) outs(%m1_@ : !r) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> !r
  %s4_@ = linalg.generic {indexing_maps = [#ss, #sr, #ss], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s3_@, %d_@ : !s, !r) outs(%s0_@ : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> !s
  %h0_@ = tensor.empty() : !h
  %h1_@ = linalg.fill ins(%zero : f32) outs(%h0_@ : !h) -> !h
  %h2_@ = linalg.generic {indexing_maps = [#pv, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s4_@, %v3_@ : !s, !h) outs(%h1_@ : !h) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !h
  %o0_@ = tensor.collapse_shape %h2_@ [[0], [1, 2]] : !h into !part
  %o1_@ = npu.redistribute %o0_@ : !part to !x
  %o2_@ = linalg.matmul ins(%o1_@, %wo@ : !x, !w) outs(%p1_@ : !part) -> !part
  %o3_@ = npu.redistribute %o2_@ : !part to !x
  %y_@ = linalg.add ins(%x@, %o3_@ : !x, !x) outs(%e_@ : !x) -> !x
  %u0_@ = tensor.empty() : !wide_part
  %u1_@ = linalg.fill ins(%zero : f32) outs(%u0_@ : !wide_part) -> !wide_part
  %g_@ = linalg.matmul ins(%y_@, %wg@ : !x, !up) outs(%u1_@ : !wide_part) -> !wide_part
  %u2_@ = linalg.matmul ins(%y_@, %wu@ : !x, !up) outs(%u1_@ : !wide_part) -> !wide_part
  %a_@ = linalg.mul ins(%g_@, %u2_@ : !wide_part, !wide_part) outs(%u0_@ : !wide_part) -> !wide_part
  %b_@ = npu.redistribute %a_@ : !wide_part to !wide
  %c0_@ = linalg.matmul ins(%b_@, %wd@ : !wide, !down) outs(%p1_@ : !part) -> !part
  %c1_@ = npu.redistribute %c0_@ : !part to !x
  %x+ = linalg.add ins(%y_@, %c1_@ : !x, !x) outs(%e_@ : !x) -> !x
)";

} // namespace

std::string decoderLayers(int64_t layers) {
  return layerText(head, "\n  %zero = arith.constant 0.0 : f32\n", layer,
                   layers);
}

} // namespace npu
