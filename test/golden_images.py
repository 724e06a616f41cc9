#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings tensors through every distribution of a field compiler's tests as images.

The rows of test/unit/Placement/data (casts.txt, distributions.txt) that list the boxes of a
tensor of rank 4 are put in a chain for each shape: the tensor goes from one to the next as an
image, each second time over a linear tensor. Where two have the same boxes in memory, it is
an npu.distribution_cast, which has to verify, and everywhere else npu.redistribute. A run has
to give the bits of the tensor, and between images as many bytes move as between linear
tensors. Rows that are no placements, of which some tests of the field compiler are made, are
counted and left out. Prints `N passed, N failed` functions and exits with 1 if one failed.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

DATA = pathlib.Path(__file__).parent / "unit/Placement/data"
MODES = {"SEGMENTED": "SEGMENTED", "OVERLAPPED": "OVERLAPPED", "DUPLICATED": "DUPLICATED",
         "SEGMENTED|DUPLICATED": "SEGMENTED|DUPLICATED", "DUPLICATED|SEGMENTED": "SEGMENTED|DUPLICATED",
         "SEGMENTED|MULTICASTED": "SEGMENTED|MULTICASTED", "MULTICASTED|SEGMENTED": "SEGMENTED|MULTICASTED",
         "MULTICASTED": "MULTICASTED"}

# Tensors of one function.
GROUP = 12


def boxes(text, shape):
    """'2:0-8;2:8-16' as a box for each tile, which is a range for each dimension."""
    found = []
    for tile in text.split(";"):
        box = [(0, extent) for extent in shape]
        for part in [] if tile == "*" else tile.split(","):
            dim, range_ = part.split(":")
            begin, end = range_.split("-")
            box[int(dim)] = (int(begin), int(end))
        found.append(tuple(box))
    return tuple(found)


def layouts():
    """(shape, mode, compute, memory) of every tensor of rank 4 whose boxes are listed."""
    for name in "distributions.txt", "casts.txt":
        for line in (DATA / name).read_text().splitlines():
            if not line or line[0] in "#@":
                continue
            fields = dict(field.split("=", 1) for field in line.split()[1:])
            for side in "", "in.", "out.":
                if f"{side}compute" not in fields or f"{side}shape" not in fields:
                    continue
                shape = tuple(map(int, fields[f"{side}shape"].split("x")))
                mode = MODES.get(fields[f"{side}mode"])
                if len(shape) != 4 or not mode:
                    continue
                compute = boxes(fields[f"{side}compute"], shape)
                memory = fields[f"{side}memory"]
                yield shape, mode, compute, compute if memory == "same" else boxes(memory, shape)


def spell(mode, compute, memory, kind):
    def lists(of):
        return "[" + ", ".join(
            "[" + ", ".join(f"{begin}:{end}" for begin, end in box) + "]" for box in of) + "]"
    text = f"#npu.layout<{mode}, compute = {lists(compute)}, memory = {lists(memory)}"
    return text + (", storage = tiled2d>" if kind == "tiled2d" else ">")


def is_placement(shape, compute, memory):
    """Whether every tile holds what it owns, and the tiles own the whole tensor. Where only
    one dimension is divided, ranges cover it one after the other."""
    holds = all(m[0] <= c[0] and c[1] <= m[1]
                for own, held in zip(compute, memory) for c, m in zip(own, held))
    at = [0] * len(shape)
    for box in sorted(compute):
        for dim, (begin, end) in enumerate(box):
            if begin <= at[dim]:
                at[dim] = max(at[dim], end)
    return holds and tuple(at) == shape


def chains(group, kinds):
    """A function that brings each tensor through all its layouts, in kinds in turn."""
    lines, arguments, results = [], [], []
    for tensor, (shape, steps) in enumerate(group):
        plain = "tensor<" + "x".join(map(str, shape)) + "xf16"
        value, type_, before = f"%x{tensor}", plain + ">", None
        arguments.append(f"{value}: {type_}")
        for number, (mode, compute, memory) in enumerate(steps):
            kind = kinds[number % len(kinds)]
            next_ = f"{plain}, {spell(mode, compute, memory, kind)}>"
            op = "distribution_cast" if before == (memory, kind) else "redistribute"
            made = f"%v{tensor}_{number}"
            lines.append(f"    {made} = npu.{op} {value} : {type_} to {next_}")
            value, type_, before = made, next_, (memory, kind)
        lines.append(f"    %r{tensor} = npu.redistribute {value} : {type_} to {plain}>")
        results.append((f"%r{tensor}", plain + ">"))
    types = ", ".join(type_ for _, type_ in results)
    return (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n" + "\n".join(lines) +
            f"\n    return {', '.join(value for value, _ in results)} : {types}\n}}\n")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=600)
    return done.returncode, done.stdout, done.stderr


def moved(bin_, file):
    """The bytes that tiles receive and that DDR reads or writes, move by move."""
    code, out, errors = run(bin_ / "npu-opt", file, "--npu-print-transfers=format=json", "-o",
                            "/dev/null")
    if code:
        raise RuntimeError(errors)
    return [(move["bytes_received"], move["ddr_bytes"])
            for function in json.loads(out)["functions"] for move in function["redistributions"]]


def failure(bin_, folder, group):
    file, linear = folder / "images.mlir", folder / "linear.mlir"
    for kinds in ("tiled2d", "linear"), ("tiled2d",):
        file.write_text(chains(group, kinds))
        code, out, errors = run(bin_ / "npu-run", file, "--compare", "-O0")
        if code or "equal" not in out:
            return f"{kinds}: exit {code}\n{out}{errors}"
    linear.write_text(chains(group, ("linear",)))
    images, plain = moved(bin_, file), moved(bin_, linear)
    if images != plain:
        return f"bytes between images: {images}, between linear tensors: {plain}"
    return ""


def main():
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("bin", type=pathlib.Path, help="the folder of npu-opt and npu-run")
    given = made.parse_args()
    shapes, none = {}, set()
    for shape, *step in layouts():
        steps = shapes.setdefault(shape, [])
        if not is_placement(shape, *step[1:]):
            none.add((shape, *step))
        elif tuple(step) not in steps:
            steps.append(tuple(step))
    all_ = [(shape, steps) for shape, steps in shapes.items() if steps]
    groups = [all_[begin:begin + GROUP] for begin in range(0, len(all_), GROUP)]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for group in groups:
            wrong = failure(given.bin, pathlib.Path(name), group)
            failed += bool(wrong)
            if wrong:
                print(f"{[shape for shape, _ in group]}: {wrong}", flush=True)
    print(f"{sum(len(steps) for _, steps in all_)} layouts of {len(all_)} shapes; "
          f"{len(none)} rows are no placements")
    print(f"{len(groups) - failed} passed, {failed} failed")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
