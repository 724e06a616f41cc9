# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of random functions have in common: their options, and cases that are
made up by their seeds and checked beside each other."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
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
