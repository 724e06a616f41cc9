#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random npu.gather and npu.scatter beside their definition.

Each case has random shapes, batch dimensions, coordinates, element types and indices,
constant or not: negative ones, the same ones twice, none, and sometimes one that is not
there. Its results are computed here entry by entry, as NPUOps.td defines them, and

* the program gives these entries, or ends with an error at the operation where an index
  is not there;
* so does the program with a random layout on every tensor, legalized and cut into tiles;
* so does what npu-compile makes of it, also on scratchpads that do not hold the data of a
  gather: then tiles load the slices that the indices name, in steps where those do not fit.

Prints how many cases there were of each kind and `N passed, N failed`; exits with 1 if one
failed, and says how to run that one alone.
"""

import itertools
import math
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
import random_cases  # noqa: E402

DATA = {"f32": "<f4", "f16": "<f2", "i8": "|i1", "i32": "<i4", "i64": "<i8"}
INDICES = {"i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "index": "<i8"}
TILES = 3


def tensor(shape, element, layout=""):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}{layout}>"


def literal(shape, numbers):
    """The numbers of a dense attribute."""
    if not shape:
        return str(numbers[0])
    step = math.prod(shape[1:])
    parts = (literal(shape[1:], numbers[at * step:(at + 1) * step]) for at in range(shape[0]))
    return "[" + ", ".join(parts) + "]"


def entries(shape):
    return itertools.product(*(range(extent) for extent in shape))


def at(shape, position):
    """The number of an entry in row-major order."""
    number = 0
    for extent, place in zip(shape, position):
        number = number * extent + place
    return number


class Case:
    def __init__(self, seed):
        chosen = self.random = random.Random(seed)
        self.is_scatter = chosen.random() < 0.6
        self.batch = chosen.choice([0, 0, 0, 1, 2])
        self.depth = chosen.randint(1, 3)
        extent = lambda: chosen.choice([1, 2, 3, 4, 5, 7])
        batch = [chosen.randint(1, 3) for _ in range(self.batch)]
        tuples = [chosen.choice([0, 1, 2, 3, 6]) for _ in range(chosen.randint(0, 2))]
        indexed = [extent() for _ in range(self.depth)]
        if chosen.random() < 0.04:
            indexed[0] = 0
        whole = [extent() for _ in range(chosen.randint(0, 2))]
        self.data = batch + indexed + whole
        self.tuples = batch + tuples
        self.slices = self.tuples + whole
        self.indices = self.tuples + [self.depth]
        self.result = self.data if self.is_scatter else self.slices
        self.element = chosen.choice(list(DATA))
        self.index = chosen.choice(list(INDICES))
        self.is_constant = chosen.random() < 0.4 and math.prod(self.indices) > 0
        number = lambda: chosen.randint(-100, 100)
        self.data_numbers = [number() for _ in range(math.prod(self.data))]
        self.update_numbers = [number() for _ in range(math.prod(self.slices))]
        self.index_numbers = [
            chosen.randint(-extent, max(extent - 1, 0))
            for _ in range(math.prod(self.tuples)) for extent in indexed]
        self.is_wrong = bool(self.index_numbers) and chosen.random() < 0.15
        # A slice of several entries is a row that tiles can load from DDR.
        self.has_rows = not self.is_scatter and bool(whole) and whole[-1] > 1 and (
            math.prod(self.result) > 0)
        self.scratchpad = chosen.choice([0, 256, 320]) if self.has_rows else 0
        # A result without entries may be made without a look at the indices.
        self.may_pass = math.prod(self.result) == 0
        if 0 in indexed:
            self.is_wrong = math.prod(self.slices) > 0
        elif self.is_wrong:
            place = chosen.randrange(len(self.index_numbers))
            extent = indexed[place % self.depth]
            self.index_numbers[place] = chosen.choice([extent, extent + 3, -extent - 1, -100])

    def expected(self):
        """The result's numbers, entry by entry."""
        if math.prod(self.result) == 0:
            return []
        result = list(self.data_numbers)
        taken = [0] * math.prod(self.slices)
        rest = self.data[self.batch + self.depth:]
        for place in entries(self.tuples):
            first = at(self.indices[:-1], place) * self.depth
            position = list(place[:self.batch])
            for number in range(self.depth):
                index = self.index_numbers[first + number]
                position.append(index + self.data[self.batch + number] if index < 0 else index)
            for inner in entries(rest):
                here = at(self.data, (*position, *inner))
                there = at(self.slices, (*place, *inner))
                if self.is_scatter:
                    result[here] = self.update_numbers[there]
                else:
                    taken[there] = self.data_numbers[here]
        return result if self.is_scatter else taken

    def operands(self):
        """Name, shape and element type of each tensor that the operation reads."""
        found = [("updates", self.slices, self.element)] if self.is_scatter else []
        return found + [("data", self.data, self.element), ("indices", self.indices, self.index)]

    def arguments(self):
        return [each for each in self.operands() if each[0] != "indices" or not self.is_constant]

    def numbers(self, name):
        return {"updates": self.update_numbers, "data": self.data_numbers,
                "indices": self.index_numbers}[name]

    def layout(self, shape):
        """A random layout, or none."""
        chosen = self.random
        split = [dim for dim, extent in enumerate(shape) if extent > 1]
        if math.prod(shape) == 0 or not shape or chosen.random() < 0.2:
            return ""
        if not split or chosen.random() < 0.3:
            return f", #npu.layout<DUPLICATED, tiles = {TILES}>"
        tiles = [1] * len(shape)
        dim = chosen.choice(split)
        tiles[dim] = min(shape[dim], TILES)
        return f", #npu.layout<SEGMENTED, tiles = {tiles}>"

    def text(self, has_layouts):
        lines = []
        if self.is_constant:
            lines.append(f"%indices = arith.constant dense<"
                         f"{literal(self.indices, self.index_numbers)}> : "
                         f"{tensor(self.indices, self.index)}")
        types, names = {}, {}
        result_layout = self.layout(self.result) if has_layouts else ""
        for name, shape, element in self.operands():
            layout = self.layout(shape) if has_layouts and result_layout else ""
            types[name], names[name] = tensor(shape, element, layout), f"%{name}"
            if layout:
                names[name] = f"%{name}_on_tiles"
                lines.append(f"{names[name]} = npu.redistribute %{name} : "
                             f"{tensor(shape, element)} to {types[name]}")
        result = tensor(self.result, self.element, result_layout)
        batch = f" {{batch_dims = {self.batch} : i64}}" if self.batch else ""
        if self.is_scatter:
            lines.append(f"%r = npu.scatter {names['updates']} into {names['data']} at "
                         f"{names['indices']}{batch} : {types['updates']}, {types['data']}, "
                         f"{types['indices']} -> {result}")
        else:
            lines.append(f"%r = npu.gather {names['data']} at {names['indices']}{batch} : "
                         f"{types['data']}, {types['indices']} -> {result}")
        plain, value = tensor(self.result, self.element), "%r"
        if result_layout:
            lines.append(f"%whole = npu.redistribute %r : {result} to {plain}")
            value = "%whole"
        arguments = ", ".join(f"%{name}: {tensor(shape, element)}"
                              for name, shape, element in self.arguments())
        body = "\n  ".join(lines)
        target = (f"attributes {{dlti.target_system_spec = #dlti.target_system_spec<\"NPU\" = "
                  f"#dlti.target_device_spec<\"npu.name\" = \"small\", \"npu.like\" = "
                  f"\"npu4000\", \"npu.scratchpad_bytes\" = {self.scratchpad} : i64>>}} "
                  if self.scratchpad and not has_layouts else "")
        return (f"module {target}{{\nfunc.func @main({arguments}) -> {plain} {{\n  {body}\n"
                f"  return {value} : {plain}\n}}\n}}\n")

    def must_load_rows(self):
        """Whether the data are more than a quarter of a scratchpad, which they do not go to."""
        width = int(DATA[self.element][-1])
        return self.scratchpad and 4 * width * math.prod(self.data) > self.scratchpad


def run(command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout + done.stderr


def is_loaded(program):
    """Whether all that a program gathers are loads of rows; constant indices may be slices."""
    return "npu.gather" not in program and (
        "npu.load_cycles" in program or "tensor.extract " not in program)


def failure(bin_, folder, case):
    """What is wrong with a case; empty where nothing is."""
    inputs = []
    for name, shape, element in case.arguments():
        path = folder / f"{name}.npy"
        npy_files.write(path, {**DATA, **INDICES}[element], shape, case.numbers(name))
        inputs.append(path)
    output = folder / "result.npy"
    given = [f"--inputs={','.join(map(str, inputs))}", f"--output={output}", "-O0"]

    def check(program, what):
        code, said = run([bin_ / "npu-run", program, *given])
        if case.is_wrong and not (case.may_pass and code == 0):
            if code == 1 and re.search(r"assertion failed: expected (an index|a slice inside) |"
                                       "expected data with entries for ", said):
                return ""
            return f"{what}: expected an error at the operation, got exit {code}\n{said}"
        if code:
            return f"{what}: exit {code}\n{said}"
        if list(npy_files.read(output)[2]) != case.expected():
            return f"{what}: other entries than the definition's"
        return ""

    plain, cut, source = folder / "plain.mlir", folder / "cut.mlir", folder / "layouts.mlir"
    plain.write_text(case.text(has_layouts=False))
    source.write_text(case.text(has_layouts=True))
    wrong = check(plain, "plain")
    if wrong:
        return wrong
    legal = ["--npu-legalize-distributions", "--npu-lower-to-tiles=gather=allow"]
    for what, file, passes in (
            ("layouts", source, legal),
            ("layouts and kernels", source, ["--npu-select-kernels=target=npu4000", *legal]),
            ("compiled", plain, [f"--npu-compile={'' if case.scratchpad else 'target=npu4000 '}"
                                 f"tiles={TILES} compile-to=tiles gather=allow"])):
        code, said = run([bin_ / "npu-opt", file, *passes, "-o", cut])
        if code and case.is_wrong and ("expected data with entries for " in said or (
                case.is_constant and "expected an index of the" in said)):
            continue
        if code:
            return f"{what}: {said}\n{file.read_text()}"
        if what == "compiled" and case.must_load_rows() and not is_loaded(cut.read_text()):
            return f"{what}: expected tiles to load rows\n{file.read_text()}{cut.read_text()}"
        wrong = check(cut, what)
        if wrong:
            return wrong + "\n" + file.read_text()
    return ""


def check(bin_, folder, number, kinds):
    case = Case(number)
    kinds["scatter" if case.is_scatter else "gather"] += 1
    kinds["an index that is not there"] += case.is_wrong
    return failure(bin_, folder, case)


def main():
    random_cases.run_numbered(__doc__, 40, check)



if __name__ == "__main__":
    main()
