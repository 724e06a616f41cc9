#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares products and decoder layers that run in steps with plans of a simple planner.

    benchmarks/stream_plans.py [--bin=build/bin] [--kind=product|layer] [WORD...]

stream_plans.jsonl has products in f16 (batch, M, K, N) and layers of decoders (a prefill of so
many tokens, a decode with a cache of so many), for npu3720 and npu4000, and for each the fewest
bytes of DDR and the fewest cycles that a planner outside of this project has found. Each is a
function of its own, whose layouts are chosen twice: for the fewest bytes, with the byte price
below, and for the least time. Prints the bytes of the first beside the fewest known, the time of
the second beside the least known, and both beside their bounds; of layers also beside the sum
over norms, attention and perceptron of the larger of matrix and vector work. With words, only
rows that have all of them.
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


def write_models(rows, folder):
    """Files with a function for each row: products together, layers one by one."""
    products = [row for row in rows if row["kind"] == "product"]
    if products:
        model = folder / "products.mlir"
        model.write_text("".join(function(f"f{number}", row) for number, row in enumerate(products)))
        yield model, products
    for row in rows:
        if row["kind"] == "layer":
            model = folder / "layer.mlir"
            subprocess.run([sys.executable, ROOT / "scripts" / "generate-model.py",
                            f"--model={row['name']}", f"--phase={row['phase']}",
                            f"--length={row['tokens']}", "--layers=1", "--part=layers",
                            "--weights=arguments", f"--output={model}"], check=True)
            yield model, [row]


def planned(opt, device, model, price, folder):
    """The costs of each function of the model, and whether it runs in steps."""
    assigned, costs = (folder / name for name in ("assigned.mlir", "costs.json"))
    subprocess.run([opt, model, f"--npu-compile=target={device} compile-to=assigned "
                    f"byte-price={price}", "-o", assigned], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([opt, assigned, f"--npu-print-costs=target={device} format=json "
                    f"output-file={costs}", "-o", "/dev/null"], check=True,
                   stderr=subprocess.DEVNULL)
    functions = assigned.read_text().split("func.func")[1:]
    return [dict(costs, in_steps="npu.steps" in text) for costs, text in
            zip(json.loads(costs.read_text())["functions"], functions)]


def tell(row, bytes_mode, time_mode, worst):
    """Prints one row, and notes its ratios."""
    moved, cycles = bytes_mode["ddr_bytes"], time_mode["total"]
    shape = (f"{row['batch']}x{row['M']}x{row['K']}x{row['N']}" if row["kind"] == "product"
             else f"{row['phase']} {row['tokens']}")
    stages = f"{cycles / row['stages']:.3f}" if "stages" in row else ""
    print(f"| {row['name']} {shape} | {row['device']} "
          f"| {moved / row['ddr_bytes']:.3f} | {moved / row['ddr_bound']:.3f} "
          f"| {cycles / row['time_cycles']:.3f} | {cycles / row['time_bound']:.3f} | {stages} "
          f"| {'yes' if time_mode['in_steps'] else ''} |", flush=True)
    worst["bytes"].append(moved / row["ddr_bytes"])
    worst["time"].append(cycles / row["time_cycles"])
    if time_mode["in_steps"]:
        worst["time in steps"].append(cycles / row["time_cycles"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--rows", type=pathlib.Path,
                        default=ROOT / "benchmarks" / "stream_plans.jsonl")
    parser.add_argument("--kind", choices=("product", "layer"), default="product")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()]
    rows = [row for row in rows if row["kind"] == options.kind and all(
        word in f"{row['device']} {row['name']} {row.get('phase', '')} {row.get('tokens', '')}".split()
        for word in options.words)]
    if not rows:
        parser.error(f"no {options.kind} has all of: {' '.join(options.words)}")
    print(f"| {options.kind} | device | bytes, of the fewest known | of the bound "
          "| time, of the least known | of the bound | of the stages | in steps |")
    print("|---|---|--:|--:|--:|--:|--:|---|")
    worst = {"bytes": [], "time": [], "time in steps": []}
    opt = options.bin / "npu-opt"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for device in ("npu3720", "npu4000"):
            here = [row for row in rows if row["device"] == device]
            for model, within in write_models(here, folder):
                few = planned(opt, device, model, FEWEST_BYTES, folder)
                fast = planned(opt, device, model, 0, folder)
                for row, bytes_mode, time_mode in zip(within, few, fast):
                    tell(row, bytes_mode, time_mode, worst)
    for what, ratios in worst.items():
        above = sum(ratio > 1.005 for ratio in ratios)
        print(f"{what}: {len(ratios) - above} of {len(ratios)} {options.kind}s are no worse than what is known, "
              f"the largest ratio {max(ratios):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
