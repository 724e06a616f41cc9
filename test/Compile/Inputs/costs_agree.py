# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints `agree` where the cost of each solution that npu-assign-distributions reports is what
npu-print-costs adds up to, and both sums otherwise: costs_agree.py REPORT COSTS"""

import json
import sys

report, costs = (json.load(open(path, encoding="utf-8"))["functions"] for path in sys.argv[1:])
told = {function["name"]: function["solution"]["cost"] for function in report}
summed = {function["name"]: function["total"] for function in costs}
print("agree" if told == summed else f"{told} is told, {summed} is the sum")
