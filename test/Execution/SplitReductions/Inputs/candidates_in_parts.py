# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the operations of a report of npu-assign-distributions that run in parts,
a line for each function: candidates_in_parts.py REPORT"""

import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        functions = json.load(file)["functions"]
    for function in functions:
        chosen = zip(function["operations"], function["solution"]["ways"])
        ways = [f"{op['name']} {op['ways'][way]['what']}" for op, way in chosen
                if ", combined as " in op["ways"][way]["what"]]
        print(f"{function['name']}: {'; '.join(ways)}")


if __name__ == "__main__":
    main()
