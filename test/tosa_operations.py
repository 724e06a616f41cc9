#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries every operation of TOSA alone, with every combination of element types and in
many forms: npu-compile's phases down to `legal` on four tiles, then a run against the
function as it was, then the results against what the specification says. The tables of
docs/tosa.md say what is refused; --check fails where they do not say what happens.

    test/tosa_operations.py build/bin --include=/usr/lib/llvm-22/include
    test/tosa_operations.py build/bin --include=... --every=20 --check=docs/tosa.md
    test/tosa_operations.py build/bin --include=... --write=docs/tosa.md
    test/tosa_operations.py build/bin --include=... --filter='conv2d.*zero' --keep=/tmp/cases
"""

import argparse
import concurrent.futures
import math
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tosa_cases import all_cases, operations  # noqa: E402
from tosa_table import disagreements, operations_of, write_table  # noqa: E402
from tosa_types import carrier, is_float, read_npy, write_npy  # noqa: E402


@dataclass
class Outcome:
    """What became of a case: accepted, refused by npu-compile, compiled and refused by npu-run, or wrong, which
    nothing may be."""

    case: object
    state: str
    why: str


def command(arguments):
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    return run.returncode, run.stdout + run.stderr


def first_error(text):
    found = re.search(r"error: (.*)", text)
    return found.group(1) if found else text.strip().splitlines()[-1] if text.strip() else "nothing said"


def reason(text):
    """What the error says, but for the operation's name, and what the note after it accepts."""
    error = re.sub(r"^phase '\w+': |'tosa\.\w+' |'arith\.\w+' of '[\w!.<>]+' to '[\w!.<>]+' ", "", first_error(text))
    note = re.search(r"note: (.*)", text)
    return error + ("; " + note.group(1) if note else "")


def try_case(case, tools, folder):
    """Compiles, runs and looks at the results."""
    original, legal = folder / "original.mlir", folder / "legal.mlir"
    original.write_text(case.text, encoding="utf-8")
    status, said = command([tools / "npu-opt", original, "-o", legal,
                            "--npu-compile=compile-to=legal tiles=4 strategy=rows"])
    if status == 1 and re.search(r"error: ", said):
        located = re.search(r"original\.mlir:\d+:\d+: error: ", said)
        # Of a variable, its declaration is named, and of a transposed convolution the one that it is made of.
        named = any(name in case.operation for name in re.findall(r"'tosa\.(\w+)'", said))
        return Outcome(case, "refused", reason(said)) if located and named else Outcome(case, "wrong", first_error(said))
    if status != 0:
        return Outcome(case, "wrong", f"npu-opt ends with {status}: {first_error(said)}")
    files = []
    for number, tensor in enumerate(case.arguments):
        files.append(folder / f"in{number}.npy")
        write_npy(files[-1], tensor)
    given = [f"--inputs={','.join(map(str, files))}"] if files else []
    status, said = command([tools / "npu-run", legal, f"--reference={original}", "--allow-non-finite", *given,
                            f"--output={folder / 'out.npy'}"])
    if status == 1 and re.search(r"\.mlir:\d+:\d+: error: cannot be compiled for this machine: '", said):
        return Outcome(case, "compiled", reason(said))
    if status != 0:
        return Outcome(case, "wrong", f"npu-run: {first_error(said)}")
    wrong = compare(case, folder)
    return Outcome(case, "wrong", wrong) if wrong else Outcome(case, "accepted", "")


def compare(case, folder):
    """Where the results differ from the specification's; empty where they do not."""
    expected = case.expected or []
    for number, tensor in enumerate(expected):
        name = f"out.{number}.npy" if len(expected) > 1 else "out.npy"
        got = read_npy(folder / name, carrier(tensor.kind))
        if tuple(got.shape) != tuple(tensor.shape):
            return f"result #{number}: expected shape {tensor.shape}, got {got.shape}"
        for i, (want, have) in enumerate(zip(tensor.data, got.data)):
            if not near(want, have, case.tolerance if is_float(tensor.kind) else 0, case.magnitude):
                return f"result #{number}, element {i}: expected {want}, got {have}"
    return ""


def near(want, have, tolerance, magnitude):
    """Floats may differ by rounding, relative to the numbers that were added up."""
    if isinstance(want, float) and math.isnan(want):
        return math.isnan(have)
    if want == have or math.isinf(want) or math.isinf(have):
        return want == have
    return abs(want - have) <= tolerance * max(abs(want), abs(have), magnitude)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=Path, help="folder of npu-opt and npu-run")
    parser.add_argument("--include", required=True, help="MLIR's headers, which have the standard's tables")
    parser.add_argument("--every", type=int, default=1, help="try one of so many cases, with others each --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--filter", default="", help="try cases whose name has this regular expression")
    parser.add_argument("--check", type=Path, help="fail where this page says something else")
    parser.add_argument("--write", type=Path, help="write the tables of this page")
    parser.add_argument("--keep", type=Path, help="keep the files of cases that are wrong")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    cases = all_cases(options.include)
    # The end of a region is no operation of its own.
    expected = operations(options.include) - {"yield"}
    chosen = [c for i, c in enumerate(cases) if i % options.every == options.seed % options.every
              and re.search(options.filter, c.name)]

    def attempt(case):
        with tempfile.TemporaryDirectory() as folder:
            outcome = try_case(case, options.tools, Path(folder))
            if outcome.state == "wrong" and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                name = re.sub(r"\W+", "-", case.name).strip("-")
                (options.keep / f"{name}.mlir").write_text(f"// {outcome.why}\n{case.text}", encoding="utf-8")
            return outcome

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(attempt, chosen))
    problems = [f"no case of tosa.{name}" for name in sorted(expected - {case.operation for case in cases})]
    problems += [f"{o.case.name}: {o.why}" for o in outcomes if o.state == "wrong"]
    if options.check:
        problems += [f"{options.check.name} has no row of tosa.{name}"
                     for name in sorted(expected - operations_of(options.check))]
        problems += list(disagreements(options.check, outcomes))
    if options.write:
        write_table(options.write, outcomes)
    for problem in problems:
        print(f"error: {problem}")
    states = [o.state for o in outcomes]
    print(f"{len(outcomes)} cases, {states.count('accepted')} accepted, {states.count('compiled')} compiled and not run, "
          f"{states.count('refused')} refused, {states.count('wrong')} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
