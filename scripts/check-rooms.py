#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every room of include/npu, lib and tools/npu-fuzz includes only
from below.

A room is a folder; ROOMS lists all of them from the lowest to the highest. A
header may be included from its own room and from rooms further down the list.
A list cannot show all: with A/Low, B, A/High in this order, A and B may include
each other without any inclusion that goes up. So no folders may form a circle
either, at any depth, where a folder stands for everything below it.

Prints one line for every inclusion that goes up, for every file in a room that
the list does not have, and for every circle; exits with 1 if there was one.
"""

import argparse
import pathlib
import re
import sys

ROOMS = """
Placement
Placement/Boxes
Placement/Distributions
Placement/Plans
Placement/Pictures
Placement/Scratchpad
Assignment
Target
Interfaces
Support
Host
Mpi
Artefact
Report
Dialect/NPU/IR
TileProgram
ExternalModels
ExternalModels/Arith
ExternalModels/Tensor
Analysis
Analysis/Access
Analysis/Choices
Analysis/Costs
Analysis/Kernels
Analysis/Devices
Analysis/Positions
Analysis/Body
Analysis/Padding
Analysis/Causality
Analysis/Candidates
Preprocess/Exports
Preprocess/Padding
Preprocess/Chunks
Preprocess/Precision/Patterns
Preprocess/Precision
Preprocess/Fusion
Preprocess/Kernels
Dialect/NPU/Transforms/Verify
Dialect/NPU/Transforms/Steps
Dialect/NPU/Transforms/Assign
Dialect/NPU/Transforms/Reports
Dialect/NPU/Transforms/Legalize
Conversion
Conversion/LowerToTiles
Conversion/StripLayouts
Conversion/Tosa
Conversion/Buffers
Conversion/Threads
Conversion/Ranks
Conversion/ToLLVM
Conversion/PlanScratchpad
Conversion/Schedule
Conversion/Compile
LanguageServer
Reduce
Execution/Ranks
Execution/Jit
Execution/Object
Execution/Prepare
Execution/Compare
Compilation
Audit/Faults
Audit/TrackErrors
Audit
Translation/Log
Translation/Explain
Translation/Dump
Translation/Packing
Translation/Onnx/Model
Translation/Onnx/Build
Translation/Onnx/Graph
Translation/Onnx/Operators
Translation/Onnx
Translation/OpenVino/Model
Translation/OpenVino/Layers
Translation/OpenVino
Translation/Page
Tools
npu-fuzz/Plans
npu-fuzz/Functions
npu-fuzz/Steps
npu-fuzz/Bodies
npu-fuzz/Cases
npu-fuzz
""".split()

# Not a room but the list of all of them, for tools.
ALL = "InitAllPasses.h"

# A path to rooms as MLIR's projects have it, and no folder of rooms that belong
# together.
PATH = "Dialect/NPU/"

INCLUDE = re.compile(r'^\s*#?include "([^"]+)"', re.MULTILINE)


def room_of(path):
    """The room of a file below include/npu, lib or tools, as ROOMS spells it."""
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
        if name.startswith("npu-fuzz/"):
            yield pathlib.Path("tools", name)
            continue
        beside = (root / path).parent / name
        if beside.exists():
            yield beside.resolve().relative_to(root)


def folder(room, depth):
    """The folder of a room at a depth: "Translation" and "Translation/Onnx" are
    those of Translation/Onnx/Build at 1 and 2."""
    path = PATH if room.startswith(PATH) else ""
    return path + "/".join(room[len(path) :].split("/")[:depth])


def circles(edges):
    """One circle through each folder that lies in one, without those that were
    found already: lists of folders that end where they begin."""
    found, seen = [], set()
    for start in sorted(edges):
        if start in seen:
            continue
        # Breadth first, so that the circle is a shortest one.
        before, queue = {}, [start]
        for here in queue:
            for there in sorted(edges.get(here, ())):
                if there not in before:
                    before[there] = here
                    queue.append(there)
        if start not in before:
            continue
        way = [start]
        while before[way[-1]] != start:
            way.append(before[way[-1]])
        way.append(start)
        seen.update(way)
        found.append(way[::-1])
    return found


def circle_complaints(inclusions):
    """A line for each circle. `inclusions` has pairs of rooms, each with one
    inclusion as text."""
    told = set()
    deepest = max((room.count("/") + 1 for pair in inclusions for room in pair), default=0)
    for depth in range(1, deepest + 1):
        edges, because = {}, {}
        for (here, there), text in inclusions.items():
            pair = folder(here, depth), folder(there, depth)
            if pair[0] != pair[1]:
                edges.setdefault(pair[0], set()).add(pair[1])
                because.setdefault(pair, text)
        for way in circles(edges):
            if tuple(way) in told:
                continue
            told.add(tuple(way))
            steps = "; ".join(because[pair] for pair in zip(way, way[1:]))
            yield f"circle of folders {' -> '.join(way)}: {steps}"


def complaints_about(root, rooms):
    """What is wrong with the files below `root`."""
    rank = {room: number for number, room in enumerate(rooms)}
    inclusions = {}
    files = [
        path.relative_to(root)
        for top in ("include/npu", "lib", "tools/npu-fuzz")
        for path in sorted((root / top).rglob("*"))
        if path.suffix in (".h", ".cpp", ".td") and path.name != ALL
    ]
    for path in files:
        here = room_of(path)
        if here not in rank:
            yield f"{path}: room '{here}' is not in scripts/check-rooms.py"
            continue
        for other in included(path, root):
            there = room_of(other)
            inclusions.setdefault((here, there), f"{path} includes {other}")
            if there not in rank or rank[there] > rank[here]:
                yield f"{path}: includes {other}, which is above it"
    yield from circle_complaints(inclusions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--root",
        type=pathlib.Path,
        default=pathlib.Path(__file__).parent.parent,
        help="the folder that has include/npu and lib",
    )
    root = parser.parse_args().root.resolve()
    complaints = list(complaints_about(root, ROOMS))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
