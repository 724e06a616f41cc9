#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that show something shrink to under ten operations, and their bundles replay elsewhere.

    test/reduce_failures.py --build build [--files 50] [--cases 50] [--seed 5]

* Functions that npu-fuzz makes up, after whose legalization data moves in one of several ways, are
  reduced by npu-reduce. The result still shows it, is IR that npu-opt reads, has under ten
  operations and no more than before.
* Cases of npu-fuzz that fail, because the compiler is made to forget something (--break), come out
  as files of under ten operations.
* Each of both is run with --emit-bundle. The bundle is unpacked in a folder of its own, where what
  it was made from is gone, and replayed: it prints the same bytes, writes the same files, and ends
  with the same exit code.

Prints a line for each file, and how many there were.
"""

import argparse
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
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
# Campaigns whose cases fail.
CAMPAIGNS = [
    ["--break=drop-transfer"],
    ["--assign", "--break=drop-transfer"],
    ["--break=spoil-sum"],
    ["--prompt", "--break=drop-mask"],
    ["--tosa", "--break=drop-transfer"],
]
MOST = 9

TEST = """#!/bin/sh
npu-opt "$1" --npu-legalize-distributions --mlir-print-local-scope 2>/dev/null | grep -qE '{way}' && exit 1
exit 0
"""

COUNTS = re.compile(r"reduced from (\d+) operations? to (\d+)")


class Reductions:
    def __init__(self, tools, seed):
        self.tools, self.seed, self.most, self.bundles = tools, seed, 0, 0
        self.environment = {**os.environ, "NPU_BIN": str(tools), "PATH": f"{tools}:{os.environ['PATH']}"}

    def run(self, *command, cwd=None, timeout=600):
        return subprocess.run([str(word) for word in command], capture_output=True, cwd=cwd, timeout=timeout,
                              env=self.environment)

    def note(self, before, after, what):
        print(f"from {before} operations to {after}: {what}", flush=True)
        if after > min(MOST, before):
            sys.exit("error: expected fewer operations")
        self.most = max(self.most, after)

    def replay(self, bundle, written):
        """Replays a bundle in a folder of its own; `written` are files of the first run."""
        with tempfile.TemporaryDirectory() as elsewhere:
            subprocess.run(["tar", "xf", bundle, "-C", elsewhere], check=True)
            [unpacked] = pathlib.Path(elsewhere).iterdir()
            manifest = json.loads((unpacked / "manifest.json").read_text())
            again = self.run("sh", unpacked / "replay.sh", cwd="/")
            for name, printed in (("stdout", again.stdout), ("stderr", again.stderr)):
                if printed != (unpacked / "log" / name).read_bytes():
                    sys.exit(f"error: {bundle}: another {name}: {printed}")
            if again.returncode != manifest["exit_code"]:
                sys.exit(f"error: {bundle}: exit code {again.returncode}, and not {manifest['exit_code']}")
            for output in manifest["outputs"]:
                contents = (unpacked / output["file"]).read_bytes()
                if hashlib.sha256(contents).hexdigest() != output["sha256"]:
                    sys.exit(f"error: {bundle}: another {output['file']}")
            for file, contents in written.items():
                if (unpacked / "outputs" / file).read_bytes() != contents:
                    sys.exit(f"error: {bundle}: another {file} than that of the first run")
        self.bundles += 1

    def functions(self):
        """Functions that the fuzzer makes up, without end."""
        for first in itertools.count(0, 100):
            printed = self.run(self.tools / "npu-fuzz", "--print", f"--seed={self.seed + first}", "--count=100")
            for text in re.split(r"^// Seed .*\n", printed.stdout.decode(), flags=re.MULTILINE)[1:]:
                # Small functions have nothing to be left out.
                if text.count("\n") >= 14:
                    yield text

    def reduce_files(self, count):
        functions = self.functions()
        for number in range(count):
            way = WAYS[number % len(WAYS)]
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                made = folder / "made"
                made.mkdir()
                file, small, test = made / "file.mlir", folder / "small.mlir", made / "test.sh"
                test.write_text(TEST.format(way=way))
                test.chmod(0o755)
                shows = lambda path: self.run(test, path).returncode == 1
                for text in functions:
                    file.write_text(text)
                    if shows(file):
                        break
                bundle = folder / "bundle.tar"
                ran = self.run(self.tools / "npu-reduce", file, f"--test={test}", "-o", small,
                               f"--emit-bundle={bundle}")
                words = ran.stderr.decode()
                if ran.returncode != 0 or "warning" in words:
                    sys.exit(f"error: npu-reduce exits with {ran.returncode}: {words}")
                self.note(*map(int, COUNTS.search(words).groups()), way)
                if not shows(small):
                    sys.exit(f"error: expected a file that shows it:\n{small.read_text()}")
                shutil.rmtree(made)
                self.replay(bundle, {"small.mlir": small.read_bytes()})

    def reduce_cases(self, count):
        seeds = itertools.count(self.seed)
        for number in range(count):
            campaign = CAMPAIGNS[number % len(CAMPAIGNS)]
            with tempfile.TemporaryDirectory() as folder:
                bundle = pathlib.Path(folder) / "bundle.tar"
                for seed in seeds:
                    ran = self.run(self.tools / "npu-fuzz", *campaign, f"--seed={seed}", "--count=2", "--reports=1",
                                   "--output-dir=made", f"--emit-bundle={bundle}", cwd=folder)
                    words = ran.stdout.decode()
                    if counts := COUNTS.search(words):
                        break
                if b"warning" in ran.stderr:
                    sys.exit(f"error: {ran.stderr.decode()}")
                again = re.search("^  again: (npu-fuzz .*)$", words, flags=re.MULTILINE)[1]
                self.note(*map(int, counts.groups()), again)
                made = pathlib.Path(folder) / "made"
                written = {path.name: path.read_bytes() for path in made.iterdir()}
                shutil.rmtree(made)
                self.replay(bundle, written)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("--files", type=int, default=50)
    arguments.add_argument("--cases", type=int, default=50)
    arguments.add_argument("--seed", type=int, default=5)
    given = arguments.parse_args()
    reductions = Reductions(given.build.resolve() / "bin", given.seed)
    reductions.reduce_files(given.files)
    reductions.reduce_cases(given.cases)
    print(f"{given.files} files and {given.cases} cases, at most {reductions.most} operations; "
          f"{reductions.bundles} bundles replayed bit for bit")


if __name__ == "__main__":
    main()
