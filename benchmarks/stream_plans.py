#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares products that run in steps with plans of a simple planner.

    benchmarks/stream_plans.py [--bin=build/bin] [WORD...]

stream_plans.jsonl has products in f16 (batch, M, K, N), for npu3720 and npu4000, and for each
the fewest bytes of DDR and the fewest cycles that a planner outside of this project has found.
Each product is a function of its own, whose layouts are chosen twice: for the fewest bytes,
with the byte price below, and for the least time. Prints the bytes of the first beside the
fewest known, the time of the second beside the least known, and both beside their bounds.
With words, only rows that have all of them.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Millicycles per byte: a hundred times what moving the byte takes.
FEWEST_BYTES = 4000


def function(name, row):
    """The product as a function."""
    shapes = [(row["M"], row["K"]), (row["K"], row["N"]), (row["M"], row["N"])]
    if row["batch"] > 1:
        shapes = [(row["batch"], *shape) for shape in shapes]
    left, right, made = ("tensor<" + "x".join(map(str, shape)) + "xf16>" for shape in shapes)
    op = "linalg.batch_matmul" if row["batch"] > 1 else "linalg.matmul"
    return f"""func.func @{name}(%a: {left}, %b: {right}) -> {made} {{
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : {made}
  %filled = linalg.fill ins(%zero : f16) outs(%empty : {made}) -> {made}
  %sum = {op} ins(%a, %b : {left}, {right}) outs(%filled : {made}) -> {made}
  return %sum : {made}
}}
"""


def planned(opt, device, rows, price, folder):
    """The costs of each row, and whether it runs in steps."""
    model, assigned, costs = (folder / name for name in ("model.mlir", "assigned.mlir", "costs.json"))
    model.write_text("".join(function(f"f{number}", row) for number, row in enumerate(rows)))
    subprocess.run([opt, model, f"--npu-compile=target={device} compile-to=assigned "
                    f"byte-price={price}", "-o", assigned], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([opt, assigned, f"--npu-print-costs=target={device} format=json "
                    f"output-file={costs}", "-o", "/dev/null"], check=True,
                   stderr=subprocess.DEVNULL)
    functions = assigned.read_text().split("func.func")[1:]
    return [dict(costs, in_steps="npu.steps" in text) for costs, text in
            zip(json.loads(costs.read_text())["functions"], functions)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--rows", type=pathlib.Path,
                        default=ROOT / "benchmarks" / "stream_plans.jsonl")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()]
    rows = [row for row in rows
            if all(word in f"{row['device']} {row['name']}".split() for word in options.words)]
    print("| product | device | bytes, of the fewest known | of the bound "
          "| time, of the least known | of the bound | in steps |")
    print("|---|---|--:|--:|--:|--:|---|")
    worst = {"bytes": [], "time": [], "time in steps": []}
    with tempfile.TemporaryDirectory() as folder:
        for device in ("npu3720", "npu4000"):
            here = [row for row in rows if row["device"] == device]
            if not here:
                continue
            few = planned(options.bin / "npu-opt", device, here, FEWEST_BYTES, pathlib.Path(folder))
            fast = planned(options.bin / "npu-opt", device, here, 0, pathlib.Path(folder))
            for row, bytes_mode, time_mode in zip(here, few, fast):
                moved, cycles = bytes_mode["ddr_bytes"], time_mode["total"]
                print(f"| {row['name']} {row['batch']}x{row['M']}x{row['K']}x{row['N']} | {device} "
                      f"| {moved / row['ddr_bytes']:.3f} | {moved / row['ddr_bound']:.3f} "
                      f"| {cycles / row['time_cycles']:.3f} | {cycles / row['time_bound']:.3f} "
                      f"| {'yes' if time_mode['in_steps'] else ''} |",
                      flush=True)
                worst["bytes"].append(moved / row["ddr_bytes"])
                worst["time"].append(cycles / row["time_cycles"])
                if time_mode["in_steps"]:
                    worst["time in steps"].append(cycles / row["time_cycles"])
    for what, ratios in worst.items():
        above = sum(ratio > 1.005 for ratio in ratios)
        print(f"{what}: {len(ratios) - above} of {len(ratios)} products are no worse than what is known, "
              f"the largest ratio {max(ratios):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
