#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of squared distances in f16 against f64, before and after
npu-set-precision.

    distance_errors.py NPU_OPT NPU_RUN FOLDER SHIFT [ROWS [DEPTH]]

ROWS x ROWS distances of rows of DEPTH numbers of a normal distribution, all of
them shifted by SHIFT. Prints a line for each way to compute them.
"""

import math
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "scripts"))
import npy_files  # noqa: E402

EXACT = """func.func @main(%x: tensor<ROWSxDEPTHxf16>, %y: tensor<ROWSxDEPTHxf16>) -> tensor<ROWSxROWSxf64> {
  %zero = arith.constant dense<0.0> : tensor<ROWSxROWSxf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %y : tensor<ROWSxDEPTHxf16>, tensor<ROWSxDEPTHxf16>) outs(%zero : tensor<ROWSxROWSxf64>) {
  ^bb0(%a: f16, %b: f16, %out: f64):
    %wide = arith.extf %a : f16 to f64
    %other = arith.extf %b : f16 to f64
    %apart = arith.subf %wide, %other : f64
    %square = arith.mulf %apart, %apart : f64
    %sum = arith.addf %out, %square : f64
    linalg.yield %sum : f64
  } -> tensor<ROWSxROWSxf64>
  return %0 : tensor<ROWSxROWSxf64>
}
"""


def main(opt, run, folder, shift, rows="64", depth="3136"):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(0)
    files = []
    for name in "xy":
        numbers = [dice.gauss(float(shift), 1) for _ in range(int(rows) * int(depth))]
        files.append(str(folder / f"{name}.npy"))
        npy_files.write(files[-1], "<f2", (int(rows), int(depth)), numbers)

    def sized(text):
        return text.replace("ROWS", rows).replace("DEPTH", depth)

    def computed(source):
        output = source.with_suffix(".npy")
        subprocess.run(
            [run, source, "--inputs=" + ",".join(files), f"--output={output}",
             "-O2"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        return npy_files.read(output)[2]

    exact = folder / "exact.mlir"
    exact.write_text(sized(EXACT))
    reference = computed(exact)
    template = pathlib.Path(__file__).with_name("distances.mlir").read_text()
    for result in ("f16", "f32"):
        source = folder / f"{result}.mlir"
        text = template.replace("RESULT", result)
        if result == "f32":
            text = text.replace("CAST", "%result = arith.extf %distance : f16 to f32")
        else:
            text = text.replace("    CAST\n", "").replace("%result", "%distance")
        source.write_text(sized(text))
        for options in ("", "policy=performance", "policy=accuracy", "policy=accuracy distances=direct"):
            made = folder / "made.mlir"
            subprocess.run(
                [opt, source, f"--npu-set-precision={options}" if options else "--npu-set-precision", "-o", made],
                check=True,
            )
            got = computed(made)
            finite = [(g, e) for g, e in zip(got, reference) if math.isfinite(g)]
            line = f"{result} result, {options or 'as written'}: {len(got) - len(finite)} of {len(got)} not finite"
            if finite:
                absolute = max(abs(g - e) for g, e in finite)
                relative = max(abs(g - e) / e for g, e in finite)
                mean = sum(abs(g - e) / e for g, e in finite) / len(finite)
                line += f", relative error mean {mean:.2g} max {relative:.2g}, absolute max {absolute:.2g}"
                for bound in (5e-3, 2e-2):
                    if len(finite) == len(got) and relative < bound:
                        line += f", below {bound:g}"
                        break
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
