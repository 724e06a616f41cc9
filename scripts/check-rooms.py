#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every room of include/npu and lib includes only from below.

A room is a folder; ROOMS lists all of them from the lowest to the highest. A
header may be included from its own room and from rooms further down the list.
Prints one line for every inclusion that goes up and for every file in a room
that the list does not have; exits with 1 if there was one.
"""

import pathlib
import re
import sys

ROOMS = """
Placement
Placement/Boxes
Placement/Distributions
Placement/Plans
Placement/Scratchpad
Assignment
Target
Interfaces
Support
Dialect/NPU/IR
TileProgram
ExternalModels/Affine
ExternalModels/Arith
ExternalModels/Linalg
ExternalModels/NPU
ExternalModels/SCF
ExternalModels/Tensor
ExternalModels
Analysis
Analysis/Access
Analysis/Choices
Analysis/Costs
Analysis/Devices
Analysis/Positions
Analysis/Body
Analysis/Padding
Analysis/Causality
Analysis/Precision
Analysis/Candidates
Dialect/NPU/Transforms
Dialect/NPU/Transforms/Verify
Dialect/NPU/Transforms/Exports
Dialect/NPU/Transforms/Assign
Dialect/NPU/Transforms/Padding
Dialect/NPU/Transforms/Chunks
Dialect/NPU/Transforms/Precision
Dialect/NPU/Transforms/Reports
Dialect/NPU/Transforms/Legalize
Conversion
Conversion/LowerToTiles
Conversion/StripLayouts
Conversion/Tosa
Conversion/Buffers
Conversion/PlanScratchpad
Conversion/Threads
Conversion/ToLLVM
Conversion/TrackErrors
Conversion/Compile
Execution/Host
Artefact
Execution/Jit
Execution/Object
Execution/Prepare
Execution/Compare
Compilation
Execution/Audit
Fuzz/Plans
Fuzz/Recipes
Fuzz/Steps
Fuzz/Cases
Fuzz/Bodies
Fuzz
Translation/Log
Translation/Explain
Translation/Dump
Translation/Packing
Translation/Onnx/Model
Translation/Onnx/Build
Translation/Onnx/Graph
Translation/Onnx/Operators
Translation/Onnx
Tools
""".split()

# Not a room but the list of all of them, for tools.
ALL = "InitAllPasses.h"

INCLUDE = re.compile(r'^\s*#?include "([^"]+)"', re.MULTILINE)


def room_of(path):
    """The room of a file below include/npu or lib, as ROOMS spells it."""
    parts = path.parts
    parts = parts[2:] if parts[0] == "include" else parts[1:]
    return "/".join(parts[:-1])


def included(path, root):
    """Files of the project that `path` includes."""
    for name in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
        if name.endswith(".inc") or name.endswith("/" + ALL):
            continue
        if name.startswith("npu/"):
            yield pathlib.Path("include", name)
            continue
        beside = (root / path).parent / name
        if beside.exists():
            yield beside.resolve().relative_to(root)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    rank = {room: number for number, room in enumerate(ROOMS)}
    complaints = []
    files = [
        path.relative_to(root)
        for top in ("include/npu", "lib")
        for path in sorted((root / top).rglob("*"))
        if path.suffix in (".h", ".cpp", ".td") and path.name != ALL
    ]
    for path in files:
        here = room_of(path)
        if here not in rank:
            complaints.append(f"{path}: room '{here}' is not in scripts/check-rooms.py")
            continue
        for other in included(path, root):
            there = room_of(other)
            if there not in rank or rank[there] > rank[here]:
                complaints.append(f"{path}: includes {other}, which is above it")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
