// Scales of 60 columns, of which steps are transposed 8 at a time: what is left over is at the end
// of lines, and long functions are cut there. The product of 4-bit weights, whose code is long, is
// that of the same weights in bytes.
//
// RUN: npu-run %s --inputs=small-integers --seed=1 | FileCheck %s
// RUN: npu-run %s --inputs=small-integers --seed=1 -O0 | FileCheck %s
//
// CHECK: result #0 i1: true

func.func @main(%x: tensor<2x60x1xf16>, %w: tensor<60x60x1xi4>, %s: tensor<60x60xf16>) -> tensor<i1> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x60xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<2x60xf16>) -> tensor<2x60xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w, %s : tensor<2x60x1xf16>, tensor<60x60x1xi4>, tensor<60x60xf16>) outs(%f : tensor<2x60xf16>) {
  ^bb0(%a: f16, %b: i4, %c: f16, %o: f16):
    %1 = arith.sitofp %b : i4 to f16
    %2 = arith.mulf %1, %c : f16
    %3 = arith.mulf %a, %2 : f16
    %4 = arith.addf %o, %3 : f16
    linalg.yield %4 : f16
  } -> tensor<2x60xf16>
  %we = tensor.empty() : tensor<60x60x1xi8>
  %w8 = linalg.map { arith.extsi } ins(%w : tensor<60x60x1xi4>) outs(%we : tensor<60x60x1xi8>)
  %r8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w8, %s : tensor<2x60x1xf16>, tensor<60x60x1xi8>, tensor<60x60xf16>) outs(%f : tensor<2x60xf16>) {
  ^bb0(%a: f16, %b: i8, %c: f16, %o: f16):
    %1 = arith.sitofp %b : i8 to f16
    %2 = arith.mulf %1, %c : f16
    %3 = arith.mulf %a, %2 : f16
    %4 = arith.addf %o, %3 : f16
    linalg.yield %4 : f16
  } -> tensor<2x60xf16>
  %true = arith.constant true
  %te = tensor.empty() : tensor<i1>
  %ti = linalg.fill ins(%true : i1) outs(%te : tensor<i1>) -> tensor<i1>
  %same = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%r, %r8 : tensor<2x60xf16>, tensor<2x60xf16>) outs(%ti : tensor<i1>) {
  ^bb0(%a: f16, %b: f16, %o: i1):
    %1 = arith.cmpf oeq, %a, %b : f16
    %2 = arith.andi %o, %1 : i1
    linalg.yield %2 : i1
  } -> tensor<i1>
  return %same : tensor<i1>
}
