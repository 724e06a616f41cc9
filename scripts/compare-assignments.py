#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares strategies of npu-assign-distributions on models, as one table.

    scripts/compare-assignments.py [--models=qwen2-1.5b,resnet50,...] [--scale=full]
        [--layers=1] [--length=512] [--phase=prefill] [--target=npu4000]
        [--scratchpad=BYTES] [--split-reductions] [--bin=build/bin] [FILE...]

Models are generated (scripts/generate-model.py), or read from files without layouts, and
their elementwise operations are fused.
For each one and each strategy the table has the cost in cycles, how many times the least
that is, the bytes that tiles send each other and those that go through DDR. The last
strategy is greedy with every move between tiles made by a trip through DDR. With
--split-reductions, one more row has the least cost where tiles may reduce parts of the
terms, and how many reductions do. Fails where the least cost is above that of another
strategy, or that row's above it, or where any cost differs from what npu-print-costs adds
up.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parent
STRATEGIES = ("least", "greedy", "beam", "duplicate", "rows")
NAMES = {"least": "least", "greedy": "greedy, operation by operation",
         "beam": "beam of 8, eviction of the furthest use", "duplicate": "everything on all tiles",
         "rows": "rows everywhere", "ddr": "greedy, every mismatch through DDR",
         "parts": "least, reductions in parts"}
SPEC = ('module attributes {{dlti.target_system_spec = #dlti.target_system_spec<"NPU" = '
        '#dlti.target_device_spec<"npu.name" = "{0}", "npu.scratchpad_bytes" = {1} : i64>>}} {{')


def run(*command):
    """What a command prints; it has to succeed."""
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[0])
    return done.stdout


def through_ddr(function):
    """The cost of a solution whose moves between tiles go through DDR."""
    solution = function["solution"]
    cost = solution["cost"]
    for value in function["values"]:
        forms = value["forms"]
        if "ddr" not in forms:
            continue
        ddr = forms.index("ddr")
        if value["made_by"] is None:
            made = 0
        else:
            maker = function["operations"][value["made_by"]]
            results = [v["id"] for v in function["values"] if v["made_by"] == value["made_by"]]
            way = maker["ways"][solution["ways"][value["made_by"]]]
            made = way["makes"][results.index(value["id"])]
        moves, exist = value["moves"], solution["forms"][value["id"]]
        stored = ddr in exist
        for form in exist:
            there, back = moves[made][ddr], moves[ddr][form]
            if made == ddr or form == ddr or not moves[made][form] or there is None or back is None:
                continue
            cost += back - moves[made][form] + (0 if stored else there)
            stored = True
    return cost


def assigned(tools, model, strategy, work, parts=False):
    """Cost, bound, bytes between tiles, bytes through DDR; and the report."""
    report, legal = work / "report.json", work / "legal.mlir"
    options = f"strategy={strategy} report={report}" + (" split-reductions" if parts else "")
    run(tools / "npu-opt", model, f"--npu-assign-distributions={options}", "-o", legal)
    functions = json.loads(report.read_text())["functions"]
    transfers = json.loads(run(tools / "npu-opt", legal, "--npu-print-transfers=format=json",
                               "-o", "/dev/null"))["functions"]
    costs = json.loads(run(tools / "npu-opt", legal, "--npu-print-costs=format=json",
                           "-o", "/dev/null"))["functions"]
    cost = sum(function["solution"]["cost"] for function in functions)
    told = sum(function["total"] for function in costs)
    if cost != told:
        raise RuntimeError(f"{strategy}: the solution costs {cost}, npu-print-costs says {told}")
    totals = [function["totals"] for function in transfers]
    return {"cost": cost, "bound": sum(function["solution"]["bound"] for function in functions),
            "between": sum(total["bytes_received"] for total in totals),
            "ddr": sum(total["ddr_bytes"] for total in totals), "functions": functions}


def in_parts(functions):
    """How many reductions of solutions run in parts."""
    return sum(", combined as " in operation["ways"][way]["what"] for function in functions
               for operation, way in zip(function["operations"], function["solution"]["ways"]))


def described(text, target, scratchpad):
    """The module on a target whose scratchpads have that many bytes."""
    return text.replace("module {", SPEC.format(target, scratchpad), 1)


def rows_of(tools, name, model, work, parts):
    """The rows of the table for one model, the least cost first."""
    rows, failures = [], []
    for strategy in STRATEGIES:
        try:
            found = assigned(tools, model, strategy, work)
        except RuntimeError as error:
            rows.append((NAMES[strategy], None, str(error)))
            continue
        rows.append((NAMES[strategy], found, ""))
        if strategy == "greedy":
            trip = {"cost": sum(map(through_ddr, found["functions"])), "between": 0, "ddr": None}
    if any(row[0] == NAMES["greedy"] and row[1] for row in rows):
        rows.append((NAMES["ddr"], trip, ""))
    least = rows[0][1]
    split = assigned(tools, model, "least", work, True) if parts else None
    if split:
        label = f"{NAMES['parts']}: {in_parts(split['functions'])}"
        print(f"| {name} | {label} | {split['cost']:,} | | {split['between']:,} "
              f"| {split['ddr']:,} |", flush=True)
        if least and split["cost"] > least["cost"] and split["bound"] == split["cost"]:
            failures.append(f"{name}: reductions in parts cost more than without")
    for strategy, found, why in rows:
        if found is None:
            print(f"| {name} | {strategy} | {why} | | | |")
            continue
        ratio = f"{found['cost'] / least['cost']:.3f}" if least else ""
        proof = ""
        if strategy == "least":
            gap = (found["cost"] - found["bound"]) / max(found["cost"], 1)
            proof = " (proved)" if gap == 0 else f" (bound {100 * gap:.2f} % below)"
        ddr = "" if found["ddr"] is None else f"{found['ddr']:,}"
        between = "" if found["ddr"] is None else f"{found['between']:,}"
        print(f"| {name} | {strategy} | {found['cost']:,}{proof} | {ratio} | {between} | {ddr} |",
              flush=True)
        if least and found["cost"] < least["cost"]:
            failures.append(f"{name}: {strategy} costs less than the least")
    if not least:
        failures.append(f"{name}: no assignment of least cost")
    return failures


def main():
    """Prints the table; exit code 1 where something is not as it has to be."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--models", default="")
    parser.add_argument("--scale", default="full", choices=("full", "small"))
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--length", type=int)
    parser.add_argument("--phase", default="prefill", choices=("prefill", "decode"))
    parser.add_argument("--target", default="npu4000")
    parser.add_argument("--scratchpad", type=int, default=1 << 32,
                        help="bytes of each; 4 GiB without it, so that whole layers fit")
    parser.add_argument("--split-reductions", action="store_true",
                        help="one more row, where tiles may reduce parts of the terms")
    parser.add_argument("--bin", type=pathlib.Path, default=SCRIPTS.parent / "build" / "bin")
    given = parser.parse_args()
    print("| model | strategy | cycles | times the least | bytes between tiles | bytes through DDR |")
    print("|---|---|--:|--:|--:|--:|")
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        models = [(path.stem, path.read_text()) for path in given.files]
        for name in filter(None, given.models.split(",")):
            options = [f"--model={name}", f"--scale={given.scale}", "--form=linalg",
                       "--weights=splat" if given.scale == "small" else "--weights=elided"]
            if name.startswith(("resnet", "mobilenet", "swin")):
                shape = name
            else:
                options += [f"--layers={given.layers}", f"--phase={given.phase}", "--part=layers"]
                options += [f"--length={given.length}"] if given.length else []
                shape = f"{name}, {given.layers} layer{'s' * (given.layers > 1)}, {given.phase}"
                shape += f" {given.length}" if given.length else ""
            models.append((shape, run(sys.executable, SCRIPTS / "generate-model.py", *options)))
        for name, text in models:
            written, path = work / "written.mlir", work / "model.mlir"
            written.write_text(described(text, given.target, given.scratchpad))
            # As npu-compile does before it assigns layouts.
            run(given.bin / "npu-opt", written, "--npu-fuse-elementwise", "-o", path)
            failures += rows_of(given.bin, name, path, work, given.split_reductions)
    for failure in failures:
        print("error:", failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
