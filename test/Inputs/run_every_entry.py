# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs npu-run for every function of the reference; prints its last line.

usage: run_every_entry.py FILE REFERENCE [options of npu-run]
"""

import re
import subprocess
import sys

file, reference, *options = sys.argv[1:]
failed = False
for entry in re.findall(r"func\.func @(\w+)", open(reference).read()):
    run = subprocess.run(
        ["npu-run", file, f"--entry={entry}", f"--reference={reference}",
         *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = run.stdout.strip().splitlines() or ["nothing"]
    print(f"{entry}: {lines[-1]}")
    if run.returncode != 0:
        failed = True
        print(run.stdout)
sys.exit(failed)
