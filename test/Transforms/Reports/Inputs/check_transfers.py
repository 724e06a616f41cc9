# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the report of print-transfers.mlir against figures counted by hand."""
import json
import sys

FIELDS = ["location", "op", "shape", "element_bits",
          "bytes_received", "bytes_received_bound",
          "max_tile_received", "max_tile_received_bound",
          "bytes_injected", "bytes_injected_bound", "bytes_relaid",
          "max_tile_sent", "max_tile_sent_bound", "ddr_bytes", "transfers"]
FUNCTION_FIELDS = ["name", "redistributions", "gathered", "totals"]
TRANSFER_FIELDS = ["from", "to", "offset", "size", "bytes"]

# received, fullest receiver, injected, relaid, busiest sender, DDR, transfers
EXPECTED = [
    ("move", 32, 16, 32, 0, 16, 0, 2),
    ("all", 64, 32, 64, 0, 32, 0, 2),
    ("load", 0, 0, 0, 0, 0, 64, 1),
    ("store", 0, 0, 0, 0, 0, 64, 2),
    ("relaid", 0, 0, 0, 64, 0, 0, 0),
    ("cast", 0, 0, 0, 0, 0, 0, 0),
    ("small", 8, 4, 8, 0, 4, 0, 2),
]

with open(sys.argv[1]) as report:
    functions = json.load(report)["functions"]
assert [f["name"] for f in functions] == ["main"], functions
assert list(functions[0]) == FUNCTION_FIELDS, list(functions[0])
rows = functions[0]["redistributions"]
assert len(rows) == len(EXPECTED), len(rows)
for row, (name, received, fullest, injected, relaid, busiest, ddr, count) in zip(rows, EXPECTED):
    assert list(row) == FIELDS, (name, list(row))
    figures = (row["bytes_received"], row["max_tile_received"], row["bytes_injected"],
               row["bytes_relaid"], row["max_tile_sent"], row["ddr_bytes"], len(row["transfers"]))
    assert figures == (received, fullest, injected, relaid, busiest, ddr, count), (name, figures)
    for figure in ("bytes_received", "max_tile_received", "bytes_injected", "max_tile_sent"):
        assert row[figure] == row[figure + "_bound"], (name, figure)
    for transfer in row["transfers"]:
        assert list(transfer) == TRANSFER_FIELDS, (name, list(transfer))

by_name = {name: row for row, (name, *_) in zip(rows, EXPECTED)}
assert by_name["load"]["transfers"][0]["from"] == "ddr"
assert by_name["load"]["transfers"][0]["to"] == [0, 1]
assert all(t["to"] == ["ddr"] for t in by_name["store"]["transfers"])
assert by_name["move"]["transfers"][0] == {
    "from": 0, "to": [1], "offset": [0, 2], "size": [2, 2], "bytes": 16}
assert by_name["small"]["element_bits"] == 4

# The sums, with both arguments on tiles: 64 and 16 bytes are loaded.
assert functions[0]["gathered"] == []
totals = {"bytes_received": 104, "bytes_injected": 104, "bytes_relaid": 64,
          "ddr_bytes": 208, "gathered_bytes": 0, "boundary_bytes": 80}
assert functions[0]["totals"] == totals, functions[0]["totals"]
assert list(functions[0]["totals"]) == list(totals), functions[0]["totals"]
