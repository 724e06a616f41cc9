#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Audits and artefacts of random functions.

Takes the functions that npu-fuzz makes up, without their layouts, and checks of
each that an audit does not say STRUCTURAL of it, nor of it with its layouts; that
its artefact computes what it computes, bit for bit; and that another compilation
gives the same bytes, from a cache and without. Prints `N passed, N failed`.

    test/trust_fuzz.py build/bin [--count=100] [--seed=1]
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# What an audit says that it cannot do.
REFUSALS = (
    "expected a function without TOSA where tensors have layouts",
    "expected tensors of static shape whose elements are",
    "expected a function of one block",
)

INPUTS = ("random", "special", "iota", "integers")


def cases(binaries, seed, count):
    run = subprocess.run(
        [binaries / "npu-fuzz", "--print", f"--seed={seed}", f"--count={count}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return re.split(r"^// Seed .*\n", run.stdout, flags=re.M)[1:]


class Bench:
    def __init__(self, binaries, folder):
        self.binaries = binaries
        self.folder = folder

    def run(self, tool, *arguments):
        return subprocess.run(
            [self.binaries / tool, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            timeout=120,
        )

    def check_audit(self, name, inputs):
        run = self.run("npu-run", name, "--audit", f"--inputs={inputs}")
        if "STRUCTURAL" in run.stdout:
            return f"audit of {name} with {inputs}: {run.stdout.splitlines()[-1]}"
        if any(refusal in run.stderr for refusal in REFUSALS):
            return None
        # Integers and special inputs may overflow, and whole results be NaN.
        if run.returncode not in (0, 1) or "verdict" not in run.stdout:
            return f"audit of {name} with {inputs}: exit {run.returncode}, {run.stderr}"
        return None

    def check_artefact(self, inputs):
        compile_ = ("npu-compile", "plain.mlir", "--target=npu4000", "-O0")
        first = self.run(*compile_, "--cache-dir=cache", "-o", "a.npub")
        if "no assignment of layouts" in first.stderr:
            return None
        if first.returncode != 0:
            return f"not compiled: {first.stderr}"
        again = self.run(*compile_, "--cache-dir=cache", "--cache-verify", "-o", "b.npub")
        if again.returncode != 0 or "every byte is the same" not in again.stderr:
            return f"not compiled again: {again.stderr}"
        if (self.folder / "a.npub").read_bytes() != (self.folder / "b.npub").read_bytes():
            return "another artefact from the cache"
        run = self.run(
            "npu-run",
            "a.npub",
            "--reference=plain.mlir",
            f"--inputs={inputs}",
            "--allow-non-finite",
            "--placement-report",
        )
        return None if run.returncode == 0 else f"artefact: {run.stdout} {run.stderr}"

    def check(self, text, number):
        (self.folder / "case.mlir").write_text(text)
        plain = self.run("npu-opt", "case.mlir", "--npu-strip-layouts", "-o", "plain.mlir")
        legal = self.run("npu-opt", "case.mlir", "--npu-legalize-distributions", "-o", "legal.mlir")
        if plain.returncode != 0 or legal.returncode != 0:
            return f"passes: {plain.stderr} {legal.stderr}"
        inputs = INPUTS[number % len(INPUTS)]
        return (
            self.check_audit("plain.mlir", inputs)
            or self.check_audit("legal.mlir", inputs)
            or self.check_artefact(inputs)
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.binaries.resolve(), pathlib.Path(folder))
        for number, text in enumerate(cases(bench.binaries, arguments.seed, arguments.count)):
            wrong = bench.check(text, number)
            passed += wrong is None
            failed += wrong is not None
            if wrong:
                print(f"seed {arguments.seed}, case {number}: {wrong[:1000]}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
