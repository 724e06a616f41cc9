# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Euclidean distances between the rows of two matrices by x^2 - 2xy + y^2, as a
network has them: sums in f32, and what is stored in a type of choice.

usage: distances.py DIR

Writes half.mlir (stored in f16), single.mlir (stored in f32), fused-wrong.mlir (y^2
broadcast along the rows), and matrices of 64 rows: x, y (normal), far-x, far-y
(shifted by 16), near (x and a hundredth of noise).
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
# pylint: disable=wrong-import-position
import npy_files

ROWS, TERMS = 64, 3136

MODEL = """#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#column = affine_map<(i, j) -> (j)>
#xk = affine_map<(i, j, k) -> (i, k)>
#yk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @main(%x: tensor<64x3136xf16>, %y: tensor<64x3136xf16>) -> tensor<64x64xTYPE> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %xx = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x3136xf16>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%a: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  %yy = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<64x3136xf16>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%a: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  %xy = linalg.generic {indexing_maps = [#xk, #yk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<64x3136xf16>, tensor<64x3136xf16>) outs(%f2 : tensor<64x64xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<64x64xf32>
STORED  %e3 = tensor.empty() : tensor<64x64xTYPE>
  %two = arith.constant 2.0 : TYPE
  %none = arith.constant 0.0 : TYPE
  %r = linalg.generic {indexing_maps = [#row, #BROADCAST, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xs, %ys, %xys : tensor<64xTYPE>, tensor<64xTYPE>, tensor<64x64xTYPE>) outs(%e3 : tensor<64x64xTYPE>) {
  ^bb0(%a: TYPE, %b: TYPE, %c: TYPE, %o: TYPE):
    %1 = arith.mulf %two, %c : TYPE
    %2 = arith.subf %a, %1 : TYPE
    %3 = arith.addf %2, %b : TYPE
    %4 = arith.maximumf %3, %none : TYPE
    %5 = math.sqrt %4 : TYPE
    linalg.yield %5 : TYPE
  } -> tensor<64x64xTYPE>
  return %r : tensor<64x64xTYPE>
}
"""

IN_HALF = """  %xs = arith.truncf %xx : tensor<64xf32> to tensor<64xf16>
  %ys = arith.truncf %yy : tensor<64xf32> to tensor<64xf16>
  %xys = arith.truncf %xy : tensor<64x64xf32> to tensor<64x64xf16>
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)

    def model(name, element, broadcast):
        text = MODEL.replace("BROADCAST", broadcast)
        if element == "f16":
            text = text.replace("STORED", IN_HALF)
        else:
            text = text.replace("STORED", "")
            for stored, computed in (("%xys", "%xy"), ("%xs", "%xx"), ("%ys", "%yy")):
                text = text.replace(stored, computed)
        (folder / name).write_text(text.replace("TYPE", element), encoding="ascii")

    model("half.mlir", "f16", "column")
    model("single.mlir", "f32", "column")
    model("fused-wrong.mlir", "f32", "row")

    generator = random.Random(7)

    def matrix(name, make):
        numbers = [make(i) for i in range(ROWS * TERMS)]
        npy_files.write(folder / f"{name}.npy", "<f2", (ROWS, TERMS), numbers)
        return numbers

    x = matrix("x", lambda _: generator.gauss(0, 1))
    matrix("y", lambda _: generator.gauss(0, 1))
    matrix("far-x", lambda _: generator.gauss(16, 1))
    matrix("far-y", lambda _: generator.gauss(16, 1))
    matrix("near", lambda i: x[i] + generator.gauss(0, 0.01))


main()
