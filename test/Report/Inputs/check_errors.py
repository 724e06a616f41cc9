# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the errors that reports carry with the table of docs/devices.md.

usage: check_errors.py DEVICES.md MODEL FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys

# | npu4000 | **contraction, both types** | | | | **6.5 %** | **19.6 %** |
ROW = re.compile(r"\| (npu\d+) \| \**([a-z ]+?)(?:, both types)?\** \|[^|]*\|[^|]*\|[^|]*\| \**([\d.]+) %\** \| \**([\d.]+) %\** \|")


def main():
    known = {}
    for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        row = ROW.fullmatch(line)
        if row and ("**" in line or row[2] == "vector engine"):
            known.setdefault(row[1], {})[row[2]] = (float(row[3]), float(row[4]))
    for device, expected in known.items():
        folder = pathlib.Path(sys.argv[3], device)
        subprocess.run(["npu-compile", sys.argv[2], f"--target={device}", "-O0", "-o", f"{folder}.npub",
                        f"--report={folder}"], check=True, stderr=subprocess.DEVNULL)
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        told = {error["work"]: (round(100 * error["median"], 1), round(100 * error["worst_tenth"], 1))
                for error in report["known_errors"]}
        if told != expected:
            sys.exit(f"error: {device}: docs/devices.md has {expected}, reports have {told}")
        print(f"{device}: {len(told)} kinds of work")


main()
