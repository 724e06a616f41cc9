// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of one layer, with its number in the names.

#include "PromptLayers.h"
#include "LayerText.h"

namespace npu {
namespace {

constexpr const char *head = R"(
!x = tensor<?x256xf32>
!n = tensor<?xf32>
!wide = tensor<?x512xf32>
!w = tensor<256x256xf32>
!up = tensor<256x512xf32>
!down = tensor<512x256xf32>
!h = tensor<?x8x32xf32>
!s = tensor<8x?x?xf32>
!r = tensor<8x?xf32>
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

constexpr const char *begin = R"(
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x0, %c0 : !x
)";

constexpr const char *layer = R"(
  %n0_@ = tensor.empty(%length) : !n
  %n1_@ = linalg.fill ins(%zero : f32) outs(%n0_@ : !n) -> !n
  %n2_@ = linalg.generic {indexing_maps = [#at, #row], iterator_types = ["parallel", "reduction"]} ins(%x@ : !x) outs(%n1_@ : !n) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %b, %0 : f32
    linalg.yield %1 : f32
  } -> !n
  %e_@ = tensor.empty(%length) : !x
  %norm_@ = linalg.generic {indexing_maps = [#at, #row, #at], iterator_types = ["parallel", "parallel"]} ins(%x@, %n2_@ : !x, !n) outs(%e_@ : !x) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> !x
  %p_@ = linalg.fill ins(%zero : f32) outs(%e_@ : !x) -> !x
  %q_@ = linalg.matmul ins(%norm_@, %wq@ : !x, !w) outs(%p_@ : !x) -> !x
  %k_@ = linalg.matmul ins(%norm_@, %wk@ : !x, !w) outs(%p_@ : !x) -> !x
  %v_@ = linalg.matmul ins(%norm_@, %wv@ : !x, !w) outs(%p_@ : !x) -> !x
  %q3_@ = tensor.expand_shape %q_@ [[0], [1, 2]] output_shape [%length, 8, 32] : !x into !h
  %k3_@ = tensor.expand_shape %k_@ [[0], [1, 2]] output_shape [%length, 8, 32] : !x into !h
  %v3_@ = tensor.expand_shape %v_@ [[0], [1, 2]] output_shape [%length, 8, 32] : !x into !h
  %s0_@ = tensor.empty(%length, %length) : !s
  %s1_@ = linalg.fill ins(%zero : f32) outs(%s0_@ : !s) -> !s
  %s2_@ = linalg.generic {indexing_maps = [#q, #k, #p], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q3_@, %k3_@ : !h, !h) outs(%s1_@ : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !s
  %s3_@ = linalg.generic {indexing_maps = [#ss, #ss], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s2_@ : !s) outs(%s0_@ : !s) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %0 = arith.cmpi sle, %j, %i : index
    %1 = arith.select %0, %a, %low : f32
    linalg.yield %1 : f32
  } -> !s
  %m0_@ = tensor.empty(%length) : !r
  %m1_@ = linalg.fill ins(%low : f32) outs(%m0_@ : !r) -> !r
  %m2_@ = linalg.generic {indexing_maps = [#ss, #sr], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s3_@ : !s) outs(%m1_@ : !r) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %b, %a : f32
    linalg.yield %0 : f32
  } -> !r
  %s4_@ = linalg.generic {indexing_maps = [#ss, #sr, #ss], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s3_@, %m2_@ : !s, !r) outs(%s0_@ : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> !s
  %d0_@ = linalg.fill ins(%zero : f32) outs(%m0_@ : !r) -> !r
  %d1_@ = linalg.generic {indexing_maps = [#ss, #sr], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s4_@ : !s) outs(%d0_@ : !r) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> !r
  %s5_@ = linalg.generic {indexing_maps = [#ss, #sr, #ss], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s4_@, %d1_@ : !s, !r) outs(%s0_@ : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> !s
  %h0_@ = tensor.empty(%length) : !h
  %h1_@ = linalg.fill ins(%zero : f32) outs(%h0_@ : !h) -> !h
  %h2_@ = linalg.generic {indexing_maps = [#pv, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5_@, %v3_@ : !s, !h) outs(%h1_@ : !h) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !h
  %o0_@ = tensor.collapse_shape %h2_@ [[0], [1, 2]] : !h into !x
  %o1_@ = linalg.matmul ins(%o0_@, %wo@ : !x, !w) outs(%p_@ : !x) -> !x
  %y_@ = linalg.add ins(%x@, %o1_@ : !x, !x) outs(%e_@ : !x) -> !x
  %u0_@ = tensor.empty(%length) : !wide
  %u1_@ = linalg.fill ins(%zero : f32) outs(%u0_@ : !wide) -> !wide
  %g_@ = linalg.matmul ins(%y_@, %wg@ : !x, !up) outs(%u1_@ : !wide) -> !wide
  %u2_@ = linalg.matmul ins(%y_@, %wu@ : !x, !up) outs(%u1_@ : !wide) -> !wide
  %a_@ = linalg.mul ins(%g_@, %u2_@ : !wide, !wide) outs(%u0_@ : !wide) -> !wide
  %c_@ = linalg.matmul ins(%a_@, %wd@ : !wide, !down) outs(%p_@ : !x) -> !x
  %x+ = linalg.add ins(%y_@, %c_@ : !x, !x) outs(%e_@ : !x) -> !x
)";

} // namespace

std::string promptLayers(int64_t layers) {
  return layerText(head, begin, layer, layers);
}

} // namespace npu
