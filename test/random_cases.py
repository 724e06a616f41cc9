# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of random functions have in common: their options, and cases that are
made up by their seeds and checked beside each other."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile


def parser(description):
    """The options that all such tests have."""
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("bin")
    made.add_argument("--count", type=int, default=20)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--keep", help="a folder where the functions stay")
    return made


def run(*command):
    """Exit code and messages of a command."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_all(options, check):
    """What `check(options, seed, folder)` says of every case."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        seeds = range(options.seed, options.seed + options.count)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda seed: check(options, seed, folder), seeds))


def run_numbered(description, count, failure):
    """Runs cases by their numbers and ends the process: with 1 if one failed.

    `failure(bin, folder, number, kinds)` says what is wrong with a case, or nothing,
    and counts in `kinds` of which kinds the case is."""
    made = argparse.ArgumentParser(description=description,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("bin", type=pathlib.Path, help="the folder of npu-opt and npu-run")
    made.add_argument("--count", type=int, default=count)
    made.add_argument("--first", type=int, default=0, help="the first case's number")
    given = made.parse_args()
    kinds, failed = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(given.first, given.first + given.count):
            wrong = failure(given.bin, pathlib.Path(name), number, kinds)
            if wrong:
                failed += 1
                print(f"case {number} (--first={number} --count=1): {wrong}", flush=True)
    for kind, times in sorted(kinds.items()):
        print(f"{times} {kind}")
    print(f"{given.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
