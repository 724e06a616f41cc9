# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assigns layouts to the functions of a file with every strategy, for both
built-in devices, and checks that the cost of each solution is the total that
npu-print-costs has of the result: check_assigned_costs.py NPU_OPT FILE PREFIX"""

import json
import subprocess
import sys

STRATEGIES = ["least", "greedy", "beam", "duplicate", "rows"]


def main():
    opt, source, prefix = sys.argv[1:]
    for device in "npu3720", "npu4000":
        for strategy in STRATEGIES:
            assigned, report, costs = prefix + ".mlir", prefix + ".report", prefix + ".costs"
            subprocess.run([opt, source, "-o", assigned,
                            f"--npu-assign-distributions=strategy={strategy} "
                            f"target={device} report={report}"], check=True)
            subprocess.run([opt, assigned, "-o", "/dev/null",
                            f"--npu-print-costs=format=json target={device} "
                            f"output-file={costs}"], check=True)
            with open(report, encoding="utf-8") as file:
                solved = {f["name"]: f["solution"]["cost"]
                          for f in json.load(file)["functions"]}
            with open(costs, encoding="utf-8") as file:
                printed = {f["name"]: f["total"] for f in json.load(file)["functions"]}
            assert solved and solved == printed, (device, strategy, solved, printed)


if __name__ == "__main__":
    main()
