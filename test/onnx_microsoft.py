#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares ONNX Runtime's own operators with ONNX Runtime.

Random models of one operator each (onnx_microsoft_cases.py) are run by npu-run as they are
imported, and by ONNX Runtime (scripts/network.sh --install), on the same inputs: results may
differ by the operator's tolerance. Compiled for two tiles, every bit has to be the same. Damaged
models have to be refused, with exit code 1 and an error that has the node's name: an attribute
that nobody knows, operands that are too many or too few, and what is known but not built, by its
name. As many models with one thing changed at random are imported, or refused as well.

Without ONNX Runtime, models are run and only shapes are told apart by an error. Prints
`N passed, N failed`; exits with 1 if one failed.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
from beside_runtime import Beside, modules_of  # noqa: E402
from onnx_conformance import first_error, largest_of_rows  # noqa: E402
from onnx_microsoft_cases import MICROSOFT, OPERATORS, make  # noqa: E402
from onnx_microsoft_refusals import damaged, refusals, refused_by_name  # noqa: E402


PAGE = HERE.parent / "docs" / "reference" / "onnx-microsoft.md"
BEGIN = "<!-- microsoft: test/onnx_microsoft.py build/bin --write-table -->"
END = "<!-- /microsoft -->"
# So many models of each operator are what the page says passes.
COUNT = 40


def table():
    """The part of the page that follows from the models, all of which have to pass."""
    lines = [BEGIN, "", f"Of each operator, {COUNT} random models pass.", "",
             "| operator | in the models | refused by its name | may differ by |", "|---|---|---|---|"]
    for name, (_, tolerance, options) in OPERATORS.items():
        features = set()
        for seed in range(COUNT):
            features |= make(name, seed).features
        operator = options.get("of", name)
        label = name.replace(operator, f"`{operator}`")
        if options.get("domain", MICROSOFT) != MICROSOFT:
            label += " (of the standard's domain)"
        lines.append(f"| {label} | {', '.join(sorted(features))} | {', '.join(refused_by_name(name))} | {tolerance} |")
    return "\n".join(lines + ["", END])


def write_table():
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    PAGE.write_text(text[:begin] + table() + text[end:], encoding="utf-8")


def differs(expected, got, tolerance, valid):
    """What is wrong with a result; empty where nothing is."""
    descr, shape, wanted = expected
    if shape != got[1]:
        return f"expected shape {shape}, got {got[1]}"
    have = got[2]
    if descr[1] in "ui":
        # Integers of a program have no sign.
        modulus = 1 << 8 * int(descr[2])
        wanted, have = [n % modulus for n in wanted], [n % modulus for n in have]
        limits = [tolerance.steps] * len(wanted)
    else:
        limits = [tolerance.part * max(1.0, largest) for largest in largest_of_rows(wanted, shape)]
    for at in valid if valid is not None else range(len(wanted)):
        distance = abs(wanted[at] - have[at])
        if not (distance <= limits[at] or (math.isnan(wanted[at]) and math.isnan(have[at]))):
            return f"element {at} of {shape}: expected {wanted[at]}, got {have[at]}"
    return ""


class Suite(Beside):
    """The tools, and one model at a time."""

    timeout = 120

    def compare(self, name, seed):
        """(the case, what is wrong)"""
        case = make(name, seed)
        with self.folder(f"{name}-{seed}") as folder:
            return case, self.beside_runtime(case, pathlib.Path(folder))

    def beside_runtime(self, case, folder):
        onnx = folder / "model.onnx"
        onnx.write_bytes(case.bytes())
        inputs = []
        for name, descr, shape, numbers in case.inputs:
            path = folder / f"{name}.npy"
            npy_files.write(path, descr, shape, numbers)
            inputs.append((name, path))
        if self.has_runtime:
            error = self.run_theirs(onnx, folder, inputs)
            if error:
                return error
        output = folder / "r.npy"
        done = self.call(self.bin / "npu-run", onnx, "-O0",
                         "--inputs=" + ",".join(str(path) for _, path in inputs), f"--output={output}")
        if done.returncode:
            return first_error(done.stderr + done.stdout)
        wanted = [number for number in range(case.results) if number not in case.unwanted]
        for place, number in enumerate(wanted if self.has_runtime else []):
            path = output if len(wanted) == 1 else folder / f"r.{place}.npy"
            wrong = differs(npy_files.read(folder / f"onnxruntime.{place}.npy"), npy_files.read(path),
                            case.tolerance, case.valid.get(number))
            if wrong:
                return f"result #{number}: {wrong}"
        done = self.call(self.bin / "npu-run", onnx, "-O0", "--allow-non-finite",
                         "--compile=compile-to=tiles tiles=2",
                         "--inputs=" + ",".join(str(path) for _, path in inputs))
        return "on tiles: " + first_error(done.stderr + done.stdout) if done.returncode else ""

    def refuse(self, name, number, refusal):
        """What is wrong with how a model is refused."""
        with self.folder(f"{name}-refused-{number}") as folder:
            onnx = pathlib.Path(folder) / "model.onnx"
            onnx.write_bytes(refusal.case.bytes())
            done = self.call(self.bin / "npu-translate", "--import-onnx", onnx, "-o", "/dev/null")
        if done.returncode != 1:
            return f"expected exit code 1, got {done.returncode} ({refusal.says})"
        errors = [line for line in done.stderr.splitlines()
                  if re.match(re.escape(str(onnx)) + r":\d+:\d+: error: ", line)]
        operator = refusal.case.operator
        if not any(operator in line and refusal.says in line for line in errors):
            return f"expected an error at the file with '{operator}' and '{refusal.says}', got {done.stderr.strip()}"
        return ""

    def survive(self, name, seed):
        """What is wrong with what a model with one random change gives: a program, or an error at
        the file."""
        with self.folder(f"{name}-damaged-{seed}") as folder:
            onnx = pathlib.Path(folder) / "model.onnx"
            onnx.write_bytes(damaged(name, seed).bytes())
            done = self.call(self.bin / "npu-translate", "--import-onnx", onnx, "-o", "/dev/null")
        is_located = re.search("^" + re.escape(str(onnx)) + r":\d+:\d+: error: ", done.stderr, re.MULTILINE)
        if done.returncode == 0 or (done.returncode == 1 and is_located):
            return ""
        return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with the tools")
    parser.add_argument("filter", nargs="?", default="", help="a regular expression on operators")
    parser.add_argument("--count", type=int, default=COUNT, metavar="N", help="N models of each operator")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first model's number")
    parser.add_argument("--no-runtime", action="store_true", help="without ONNX Runtime")
    parser.add_argument("--keep", help="keeps all files in this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write-table", action="store_true", help=f"writes the table in docs/reference/{PAGE.name}")
    parser.add_argument("--check-table", action="store_true", help="fails where the page has another table")
    options = parser.parse_args()
    modules = None if options.no_runtime else modules_of(options)
    suite = Suite(options, modules)
    names = [name for name in OPERATORS if re.search(options.filter, name)]
    jobs = [(name, seed) for name in names for seed in range(options.first, options.first + options.count)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, seed), (case, wrong) in zip(jobs, pool.map(lambda job: suite.compare(*job), jobs)):
            if wrong:
                failed += 1
                print(f"fail: {name} {seed}: {wrong} ({', '.join(sorted(case.features))})", flush=True)
        for (name, seed), wrong in zip(jobs, pool.map(lambda job: suite.survive(*job), jobs)):
            if wrong:
                failed += 1
                print(f"fail: {name} damaged {seed}: {wrong}", flush=True)
        refused = [(name, number, refusal) for name in names for number, refusal in enumerate(refusals(name))]
        for (name, number, _), wrong in zip(refused, pool.map(lambda job: suite.refuse(*job), refused)):
            if wrong:
                failed += 1
                print(f"fail: {name} refused {number}: {wrong}", flush=True)
    suite.close()
    jobs = jobs * 2 + refused
    if options.write_table:
        if failed or not modules or options.filter or options.count != COUNT or options.first:
            sys.exit("error: the table is of all models beside ONNX Runtime, all of which pass")
        write_table()
    if options.check_table and table() not in PAGE.read_text(encoding="utf-8"):
        failed += 1
        print(f"stale: docs/reference/{PAGE.name} has another table: --write-table writes it")
    print(f"{len(jobs) - failed} passed, {failed} failed" + ("" if modules else ", without ONNX Runtime"))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
