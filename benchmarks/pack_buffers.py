#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the buffers of tables in MiniMalloc's CSV form.

benchmarks/pack_buffers.py [--capacity=BYTES] FILE...

prints for each table whether all buffers fit within the capacity (without one:
the peak that was found and its lower bound) and the processor time of the whole
process. Run another solver on the same files to compare.
"""

import argparse
import pathlib
import re
import resource
import subprocess

TOOL = pathlib.Path(__file__).parent.parent / "build/bin/npu-translate"
FIGURES = re.compile(r"peak of (?:at least )?(\d+)")


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def packed(tool, file, capacity=None):
    """Whether all buffers fit, the peak, its lower bound, and seconds."""
    command = [tool, "--pack-buffers", "-o", "/dev/null"]
    if capacity is not None:
        command.append(f"--capacity={capacity}")
    begin = processor_time()
    run = subprocess.run([*command, file], capture_output=True, text=True)
    time = processor_time() - begin
    figures = FIGURES.findall(run.stderr)
    if len(figures) != 2:
        raise SystemExit(run.stderr)
    return run.returncode == 0, int(figures[0]), int(figures[1]), time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--capacity", type=int)
    parser.add_argument("--tool", default=TOOL)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    print(f"{'table':24} {'packed':8} {'peak':>12} {'at least':>12} {'time':>9}")
    total = 0.0
    for file in options.files:
        fits, peak, least, time = packed(options.tool, file, options.capacity)
        total += time
        print(f"{pathlib.Path(file).name:24} {'yes' if fits else 'no':8} {peak:>12} {least:>12} {time:7.2f} s")
    print(f"in all {total:.2f} s")


if __name__ == "__main__":
    main()
