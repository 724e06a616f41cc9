#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Start-up of npu-opt as a ratio to mlir-opt's, pair by pair in one run.

    benchmarks/startup.py [NPU_OPT [MLIR_OPT]]
"""
import statistics
import subprocess
import sys
import time

ROUNDS = 40


def once(program):
    start = time.perf_counter()
    subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main():
    ours = sys.argv[1] if len(sys.argv) > 1 else "build/bin/npu-opt"
    theirs = sys.argv[2] if len(sys.argv) > 2 else "mlir-opt-22"
    once(ours), once(theirs)
    ratios = [once(ours) / once(theirs) for _ in range(ROUNDS)]
    low, median, high = min(ratios), statistics.median(ratios), max(ratios)
    print(f"{ours} --version / {theirs} --version: "
          f"{median:.2f} (median of {ROUNDS} pairs, {low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
