#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that show something shrink to under ten operations.

    test/reduce_failures.py --build build [--count 4] [--seed 5]

Makes functions up (npu-fuzz --print), takes those after whose legalization data moves in one of
several ways, and reduces each with npu-reduce. The result still shows it, is IR that npu-opt
reads, has under ten operations and no more than before. Prints a line for each file.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# What is looked for in legal IR, one after the other in turn.
WAYS = [
    r"npu.redistribute .*<SEGMENTED.* to .*<OVERLAPPED",
    r"npu.redistribute .*<OVERLAPPED.* to .*<SEGMENTED",
    r"npu.redistribute .*<DUPLICATED.* to .*order",
    r"linalg\.(reduce|matmul|pooling).*<SEGMENTED",
    r"npu.distribution_cast .*<DUPLICATED",
]
MOST = 9

TEST = """#!/bin/sh
{npu_opt} "$1" --npu-legalize-distributions --mlir-print-local-scope 2>/dev/null | grep -qE '{way}' && exit 1
exit 0
"""

COUNTS = re.compile(r"reduced from (\d+) operations? to (\d+) in (\d+) tests")


def cases(fuzz, seed):
    """Functions that the fuzzer makes up, without end."""
    for first in range(0, 1 << 20, 100):
        printed = subprocess.run(
            [fuzz, "--print", f"--seed={seed + first}", "--count=100"],
            text=True, capture_output=True, check=True, timeout=120).stdout
        for text in re.split(r"^// Seed .*\n", printed, flags=re.MULTILINE)[1:]:
            yield text


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("--count", type=int, default=4)
    arguments.add_argument("--seed", type=int, default=5)
    given = arguments.parse_args()
    tools = given.build.resolve() / "bin"
    done, most = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        file, small, test = folder / "file.mlir", folder / "small.mlir", folder / "test.sh"
        for text in cases(tools / "npu-fuzz", given.seed):
            # Small functions have nothing to be left out.
            if text.count("\n") < 14:
                continue
            way = WAYS[done % len(WAYS)]
            file.write_text(text)
            test.write_text(TEST.format(npu_opt=tools / "npu-opt", way=way))
            test.chmod(0o755)
            shows = lambda path: subprocess.run([test, path], timeout=60).returncode == 1
            if not shows(file):
                continue
            ran = subprocess.run(
                [tools / "npu-reduce", file, f"--test={test}", "-o", small],
                text=True, capture_output=True, timeout=600)
            if ran.returncode != 0:
                sys.exit(f"error: npu-reduce exits with {ran.returncode}: {ran.stderr}")
            counts = COUNTS.search(ran.stderr)
            before, after, tests = map(int, counts.groups())
            print(f"from {before} operations to {after} in {tests} tests: {way}", flush=True)
            most = max(most, after)
            if after > min(MOST, before) or not shows(small):
                print(small.read_text())
                sys.exit("error: expected fewer operations that show the same")
            done += 1
            if done == given.count:
                break
    print(f"{done} files, at most {most} operations")


if __name__ == "__main__":
    main()
