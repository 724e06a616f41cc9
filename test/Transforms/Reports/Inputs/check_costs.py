# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a report of npu-print-costs=format=json has exactly the fields that
it promises, that totals are the sums of rows, and that the bytes of movements are
those of npu-print-transfers=format=json, but for the boundary of functions and for
constants: check_costs.py REPORT TRANSFERS"""

import json
import sys

FUNCTION = ["name", "target", "unit", "total", "ddr_bytes", "ddr_bytes_bound", "rows"]
ROW = ["kind", "op", "location", "cycles", "tile", "bytes", "ddr_bytes"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    assert list(report) == ["functions"], list(report)
    assert report["functions"], "expected functions, got none"
    for function in report["functions"]:
        assert list(function) == FUNCTION, list(function)
        assert function["unit"] == "cycles", function["unit"]
        for row in function["rows"]:
            assert list(row) == ROW, list(row)
            assert row["kind"] in ("operation", "movement"), row
            assert all(isinstance(row[key], int) for key in ROW[3:]), row
        moved = sum(row["ddr_bytes"] for row in function["rows"])
        assert moved == function["ddr_bytes"], (moved, function["ddr_bytes"])
        total = sum(row["cycles"] for row in function["rows"])
        assert total == function["total"], (total, function["total"])
    check_bytes(report["functions"], sys.argv[2])


def check_bytes(functions, path):
    with open(path, encoding="utf-8") as file:
        transfers = {f["name"]: f["totals"] for f in json.load(file)["functions"]}
    for function in functions:
        moved = sum(row["bytes"] for row in function["rows"]
                    if row["kind"] == "movement" and row["op"] != "arith.constant")
        totals = transfers[function["name"]]
        expected = (totals["bytes_received"] + totals["ddr_bytes"]
                    - totals["boundary_bytes"])
        assert moved == expected, (function["name"], moved, expected)


if __name__ == "__main__":
    main()
