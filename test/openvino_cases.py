#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports OpenVINO IR, runs it, and compares with ONNX Runtime.

Every operation is written as IR and as an ONNX model that computes the same by the
operation's specification (openvino_pair.py), in each version, with random attributes,
shapes and element types; so are random graphs of several layers, and small networks of the
kinds that are shipped (openvino_networks.py). ONNX Runtime runs the
ONNX model, npu-run the imported IR, on the same inputs. Results are compared with the
tolerance of ONNX's conformance tests (`differs` in onnx_conformance.py). What several layers
leave of terms that cancel may differ by more; that is counted, and is within 1e-5 of the
largest entry of a row (`far` in openvino_pair.py).

A network that the importer refuses with a located error is counted by its operation.
Prints the counts and `N passed, N failed`; exits with 1 if one failed, or if fewer passed
than --least says. Without ONNX Runtime (scripts/network.sh --install) nothing can be
compared, which is said.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
from beside_runtime import Beside, counts, modules_of, print_refused  # noqa: E402
from onnx_conformance import differs, first_error  # noqa: E402
from onnx_writer import model  # noqa: E402
from openvino_elementwise import FLOATS, STEPS  # noqa: E402
import openvino_layers  # noqa: E402,F401
import openvino_movement  # noqa: E402,F401
from openvino_networks import NETWORKS  # noqa: E402
from openvino_pair import Pair, far  # noqa: E402

# Values of a graph have no more elements.
MOST = 2000


def fits(step, value):
    """Whether an operation may read a value."""
    rank = {"any": value.rank >= 1, "rows": value.rank >= 2, "image": value.rank == 4}
    return (rank.get(step.kind, False) and value.element in step.elements
            and (value.exact or not step.exact) and value.rank <= 5 and value.bound < 100
            and 0 < math.prod(value.shape) <= MOST)


def case(name, seed, number):
    """One operation, as `name` or `name-version`."""
    name, _, version = name.partition("-")
    step = STEPS[name]
    t = Pair(f"{seed} {name} {version} {number}")
    t.version = int(version) if version else t.pick(*step.versions)
    if step.kind == "own":
        made = step.function(t)
        if made is not None:
            t.result(made)
    else:
        low = {"any": 1, "rows": 2, "image": 4}[step.kind]
        high = 4 if step.kind == "image" else 5
        t.result(step.function(t, t.input(t.pick(*step.elements), t.shape(low, high, 5))))
    return t


def graph(seed):
    """A network of several layers: every operation reads what others made."""
    t = Pair(f"graph {seed}", in_graph=True)
    pool = []
    for _ in range(t.random.randint(1, 2)):
        shape = t.shape(2, 4, 6)
        if t.chance(0.5):
            shape = [1, t.random.randint(1, 6), t.random.randint(2, 8), t.random.randint(2, 8)]
        pool.append(t.input("f32", shape))
    t.operations = []
    unread = list(pool)
    for _ in range(t.random.randint(3, 10)):
        # Newer values first, so that graphs are deep.
        value = pool[-1 - min(int(t.random.expovariate(0.8)), len(pool) - 1)]
        steps = [name for name, step in STEPS.items() if fits(step, value)]
        if not steps:
            continue
        name = t.random.choice(steps)
        t.version = t.random.choice(STEPS[name].versions)
        made = STEPS[name].function(t, value)
        t.operations.append(f"{name}-{t.version}")
        if value in unread:
            unread.remove(value)
        pool.append(made)
        if made not in unread:
            unread.append(made)
    for value in unread[-3:]:
        t.result(value)
    return t


def narrowly_equal(wanted, got):
    """Whether results of f16 differ by no more than a few roundings: an operation that is
    made of several rounds after each."""
    return wanted[0] == got[0] == "<f4" and wanted[1] == got[1] and all(
        a == b or a != a and b != b or abs(a - b) <= 4e-3 * max(abs(a), 0.25)
        for a, b in zip(wanted[2], got[2]))


def network(seed):
    """A small network of a kind that is shipped."""
    t = Pair(f"network {seed}", in_graph=True)
    name = list(NETWORKS)[seed % len(NETWORKS)]
    t.operations = [name]
    t.result(NETWORKS[name](t))
    return t


MADE = {"graph": graph, "network": network}


class Cases(Beside):
    """The tools, and one network at a time."""

    timeout = 120

    def run(self, which):
        """A dictionary: name, state (pass, refused, fail), why, operation."""
        kind, name, number = which
        result = {"name": f"{name} {number}", "operation": name, "why": ""}
        with self.folder(f"{name}.{number}") as folder:
            t = MADE[kind](number) if kind in MADE else case(name, self.options.seed, number)
            if kind in MADE:
                result["name"] += " (" + ", ".join(t.operations) + ")"
            if t.is_open:
                result["name"] += ", open"
            try:
                result["state"] = self.judge(t, pathlib.Path(folder), result)
            except subprocess.TimeoutExpired as error:
                result["state"] = "fail"
                result["why"] = f"more than {error.timeout:.0f} s: {pathlib.Path(error.cmd[0]).name}"
        return result

    def judge(self, t, folder, result):
        onnx, ir, imported = (folder / f"model.{end}" for end in ("onnx", "xml", "mlir"))
        onnx.write_bytes(model(t.g, 20))
        t.ir.write(ir)
        ours, theirs = [], []
        for name, there, here, shape, numbers in t.inputs:
            ours.append(folder / f"{name}.npy")
            npy_files.write(ours[-1], there, shape, numbers)
            if here == there:
                theirs.append((name, ours[-1]))
            else:
                theirs.append((name, folder / f"{name}.onnx.npy"))
                npy_files.write(theirs[-1][1], here, shape, numbers)
        if not self.options.only_onnx:
            shapes = [f"--input-shape={name}:" + "x".join(map(str, shape))
                      for name, _, _, shape, _ in t.inputs if t.is_open and shape]
            done = self.call(self.bin / "npu-translate", "--import-openvino", ir, "-o", imported, *shapes)
            if done.returncode:
                result["why"] = first_error(done.stderr + done.stdout)
                is_located = done.returncode == 1 and "error: " in done.stderr and f"{ir}" in done.stderr
                found = re.search(r"\((\w+)\)", result["why"])
                if result["operation"] in MADE and found:
                    result["operation"] += f": {found[1]}"
                return "refused" if is_located else "fail"
        if self.has_runtime:
            result["why"] = self.run_theirs(onnx, folder, theirs)
            if result["why"]:
                return "fail"
        if not self.options.only_onnx:
            output = folder / "r.npy"
            done = self.call(self.bin / "npu-run", imported, "-O0",
                             "--inputs=" + ",".join(map(str, ours)), f"--output={output}")
            if done.returncode:
                result["why"] = "run: " + first_error(done.stderr + done.stdout)
                return "fail"
        for number in range(t.outputs if self.has_runtime else 0):
            wanted = npy_files.read(folder / f"onnxruntime.{number}.npy")
            shape = t.g.outputs[number][2]
            if wanted[1] != shape:
                result["why"] = f"the pair says shape {shape}, ONNX Runtime has {wanted[1]}"
                return "fail"
            if self.options.only_onnx:
                continue
            path = output if t.outputs == 1 else folder / f"r.{number}.npy"
            got = npy_files.read(path)
            wrong = differs(wanted, got, False, by_row=True)
            if wrong and result["operation"] in MADE and wanted[0] == "<f4" and not far(wanted, got):
                result["wide"] = True
                continue
            if wrong and not (t.is_narrow and narrowly_equal(wanted, got)):
                result["why"] = f"result #{number}: {wrong}"
                return "fail"
        if self.options.tiles:
            done = self.call(self.bin / "npu-run", imported, "-O0", "--allow-non-finite",
                             "--compile=compile-to=tiles tiles=2", "--inputs=" + ",".join(map(str, ours)))
            if done.returncode:
                result["why"] = "on tiles: " + first_error(done.stderr + done.stdout)
                return "fail"
        return "pass"


def names():
    """All operations in all of their versions."""
    return [f"{name}-{version}" for name, step in STEPS.items() for version in step.versions]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with the tools")
    parser.add_argument("--cases", type=int, default=8, metavar="N",
                        help="N networks for every version of every operation")
    parser.add_argument("--count", type=int, default=2000, metavar="N",
                        help="N random graphs; a fifth of them are networks of kinds that are shipped")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first network's number")
    parser.add_argument("--seed", type=int, default=0, help="of the operations' networks")
    parser.add_argument("--only", metavar="NAME",
                        help="this operation, or this version of it; graph or network")
    parser.add_argument("--least", type=float, default=0.0, help="the share that has to pass")
    parser.add_argument("--only-onnx", action="store_true", help="run ONNX Runtime, and no more")
    parser.add_argument("--tiles", action="store_true",
                        help="also compile for two tiles, and compare bit by bit")
    parser.add_argument("--json", help="writes all results to this file")
    parser.add_argument("--keep", help="keeps all files in this folder")
    parser.add_argument("--modules", help="the folder with ONNX Runtime's node_modules")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="a line for every network")
    options = parser.parse_args()
    modules = modules_of(options)
    chosen = [name for name in names() if not options.only or options.only in (name, name.split("-")[0])]
    if options.only and options.only not in MADE and not chosen:
        sys.exit(f"error: no operation is named '{options.only}'")
    numbers = range(options.first, options.first + options.cases)
    which = [("case", name, number) for number in numbers for name in chosen]
    for number in range(options.first, options.first + options.count):
        kind = options.only or ("network" if number % 5 == 0 else "graph")
        if kind in MADE:
            which.append((kind, kind, number))
    cases = Cases(options, modules)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = []
        for result in pool.map(cases.run, which):
            results.append(result)
            if result["state"] == "fail" or options.verbose:
                print(f"{result['state']}: {result['name']}: {result['why']}", flush=True)
    cases.close()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    print_refused(results, lambda each: each["operation"], lambda each: each["name"])
    count = counts(results)
    wide = sum("wide" in result for result in results)
    print(f"{wide} of several layers within 1e-5 of the largest entry of a row, and no closer")
    print(f"{count['refused']} refused" + ("" if modules else ", without ONNX Runtime"))
    print(f"{count['pass']} passed, {count['fail']} failed")
    return count["fail"] > 0 or count["pass"] < options.least * len(results)


if __name__ == "__main__":
    sys.exit(main())
