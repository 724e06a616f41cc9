# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up the capacity rows of the solutions in a report of npu-assign-distributions:
none may be above its capacity. check_rows.py REPORT"""

import json
import sys


def bytes_of(row, ways, forms):
    taken = row["fixed"]
    taken += sum(size for at, way, size in row["ways"] if ways[at] == way)
    return taken + sum(size for value, form, size in row["forms"] if form in forms[value])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    for function in report["functions"]:
        solution = function["solution"]
        for row in function["memory"]:
            taken = bytes_of(row, solution["ways"], solution["forms"])
            assert taken <= row["capacity"], (function["name"], row, taken)
        print(f"{function['name']}: {len(function['memory'])} rows hold")


if __name__ == "__main__":
    main()
