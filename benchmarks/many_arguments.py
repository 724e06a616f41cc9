#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilation of functions with many arguments, in processor time and memory.

Compiles functions whose arguments are unused, added up one after the other, or
returned each with another sign, for npu4000: time for each argument stays the
same where time is linear in their number.

    benchmarks/many_arguments.py [BUILD/bin] [COUNT...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

GENERATOR = (pathlib.Path(__file__).parent.parent / "test" / "Execution" / "Jit" /
             "Inputs" / "many_arguments.py")


def usage(*command):
    """Processor time in seconds and the most memory in MiB of a whole process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"expected exit code 0 of {command}"
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    binaries = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
    counts = [int(count) for count in sys.argv[2:]] or [500, 2000, 8000]
    print(f"{'arguments':>9} {'are':>9} {'time':>8} {'each':>9} {'memory':>9}")
    for how in ("unused", "added", "returned"):
        for count in counts:
            with tempfile.TemporaryDirectory() as folder:
                model = pathlib.Path(folder) / "model.mlir"
                model.write_text(subprocess.run(
                    [sys.executable, GENERATOR, str(count), how], check=True,
                    capture_output=True, text=True).stdout, encoding="utf-8")
                time, memory = usage(binaries / "npu-compile", model, "--target=npu4000",
                                     "-o", model.with_suffix(".npub"))
            print(f"{count:9} {how:>9} {time:7.2f}s {1000 * time / count:7.2f}ms "
                  f"{memory:6.0f}MiB", flush=True)


if __name__ == "__main__":
    main()
