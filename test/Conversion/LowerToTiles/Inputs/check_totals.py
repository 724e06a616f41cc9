# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two reports of npu-print-transfers: of functions with layouts, and of
the tile programs that they become. Both move the same bytes."""
import json
import sys

SUMS = ("bytes_received", "bytes_injected", "ddr_bytes")

before, after = ([(f["name"], [f["totals"][key] for key in SUMS])
                  for f in json.load(open(file))["functions"]]
                 for file in sys.argv[1:])
assert before == after, [pair for pair in zip(before, after) if pair[0] != pair[1]]
assert any(sum(sums) for _, sums in before), "nothing moves anywhere"
