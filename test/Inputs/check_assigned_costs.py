# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assigns layouts to the functions of a file with every strategy, for the devices
of these names, or for both built-in ones, with and without reductions in parts, and
checks that the cost of each solution is the total that npu-print-costs has of the
result:
check_assigned_costs.py NPU_OPT FILE PREFIX [DEVICE...]"""

import json
import subprocess
import sys

STRATEGIES = ["least", "greedy", "beam", "duplicate", "rows"]


def costs_of(opt, source, prefix, device, options):
    """The cost of each function's solution, which has to be what is printed."""
    assigned, report, costs = prefix + ".mlir", prefix + ".report", prefix + ".costs"
    subprocess.run([opt, source, "-o", assigned,
                    f"--npu-assign-distributions={options} target={device} "
                    f"report={report}"],
                   check=True)
    subprocess.run([opt, assigned, "-o", "/dev/null",
                    f"--npu-print-costs=format=json target={device} "
                    f"output-file={costs}"],
                   check=True)
    with open(report, encoding="utf-8") as file:
        solved = {f["name"]: f["solution"]["cost"] for f in json.load(file)["functions"]}
    with open(costs, encoding="utf-8") as file:
        printed = {f["name"]: f["total"] for f in json.load(file)["functions"]}
    assert solved and solved == printed, (device, options, solved, printed)
    return solved


def main():
    opt, source, prefix, *devices = sys.argv[1:]
    for device in devices or ["npu3720", "npu4000"]:
        for strategy in STRATEGIES:
            whole = costs_of(opt, source, prefix, device, f"strategy={strategy}")
            parts = costs_of(opt, source, prefix, device,
                             f"strategy={strategy} split-reductions")
            dearer = [name for name in whole if parts[name] > whole[name]]
            assert strategy != "least" or not dearer, (device, dearer, whole, parts)


if __name__ == "__main__":
    main()
