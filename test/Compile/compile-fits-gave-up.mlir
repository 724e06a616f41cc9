// Where nothing was found that fits, a note says whether the search gave up.
//
// RUN: not npu-opt %s --npu-assign-distributions=in-steps=false 2>&1 | FileCheck %s --check-prefix=PROVED
// RUN: not npu-opt %s --npu-assign-distributions='states=64 in-steps=false' 2>&1 | FileCheck %s --check-prefix=GAVE-UP
//
// PROVED:      error: no assignment of layouts was found that fits the scratchpads of small, 3872 bytes each: 'rotary' takes 4608 bytes of one in the smallest program that was found
// PROVED-NOT:  searched to the end
// GAVE-UP:     error: no assignment of layouts was found that fits
// GAVE-UP:     note: not all assignments were searched to the end: one that was not found may fit; states=N, now 64, looks further

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 3872 : i64>>} {
func.func @rotary(%x: tensor<12x256xf16>, %cos: tensor<12x128xf16>, %sin: tensor<12x128xf16>) -> tensor<2x12x128xf16> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [12, 2, 128] : tensor<12x256xf16> into tensor<12x2x128xf16>
  %whole = tensor.empty() : tensor<2x12x128xf16>
  %t = linalg.transpose ins(%e : tensor<12x2x128xf16>) outs(%whole : tensor<2x12x128xf16>) permutation = [1, 0, 2]
  %low = tensor.extract_slice %t[0, 0, 0] [2, 12, 64] [1, 1, 1] : tensor<2x12x128xf16> to tensor<2x12x64xf16>
  %high = tensor.extract_slice %t[0, 0, 64] [2, 12, 64] [1, 1, 1] : tensor<2x12x128xf16> to tensor<2x12x64xf16>
  %half = tensor.empty() : tensor<2x12x64xf16>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%high : tensor<2x12x64xf16>) outs(%half : tensor<2x12x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %m = arith.negf %a : f16
    linalg.yield %m : f16
  } -> tensor<2x12x64xf16>
  %turned = tensor.concat dim(2) %n, %low : (tensor<2x12x64xf16>, tensor<2x12x64xf16>) -> tensor<2x12x128xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %turned, %cos, %sin : tensor<2x12x128xf16>, tensor<2x12x128xf16>, tensor<12x128xf16>, tensor<12x128xf16>) outs(%whole : tensor<2x12x128xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %s: f16, %o: f16):
    %p = arith.mulf %a, %c : f16
    %q = arith.mulf %b, %s : f16
    %r = arith.addf %p, %q : f16
    linalg.yield %r : f16
  } -> tensor<2x12x128xf16>
  return %y : tensor<2x12x128xf16>
}
}
