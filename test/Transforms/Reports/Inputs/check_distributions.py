# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the report of print-distributions.mlir against the contract."""
import json
import sys

with open(sys.argv[1]) as report:
    main, padded, few = json.load(report)["functions"]
assert [f["name"] for f in (main, padded, few)] == ["main", "padded", "few"]
x, mask, moved = main["values"]
for value in (x, mask, moved):
    assert list(value) == ["name", "type", "shape", "element_bits", "tiles"], list(value)
assert [v["name"] for v in main["values"]] == ["%arg0", "%arg1", "%0"]
assert (x["shape"], x["element_bits"]) == ([4, 2], 16)
assert x["type"] == "tensor<4x2xf16, #npu.layout<SEGMENTED, tiles = [3, 1]>>"
assert (mask["shape"], mask["element_bits"], mask["tiles"]) == ([None, 2], 8, [])
assert moved["tiles"][1] == {
    "tile": 1,
    "compute": {"offset": [2, 0], "size": [1, 2]},
    "memory": {"offset": [1, 0], "size": [3, 2]}}
for value in padded["values"]:
    assert value["padding"] == [{"dim": 0, "begin": 2, "end": 6}]
(value,) = few["values"]
assert value["element_bits"] == 64
assert value["tiles"][2] == {
    "tile": 2,
    "compute": {"offset": [2, 0], "size": [0, 2]},
    "memory": {"offset": [2, 0], "size": [0, 2]}}
