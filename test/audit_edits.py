#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether an audit says that a function is not the one that it was made from, where
masks and infinities are about.

    audit_edits.py DIR_OF_TOOLS [--count=300] [--seed=1] [--jobs=2] [--keep=DIR]

Makes up functions with masks (infinities, the largest number of the type, -1e9; as
constants, chosen by conditions, added up, below a softmax, in results), edits one thing
(drops an operation, changes a mask or a constant, swaps operands, takes another
operation, returns another value), and asks npu-run whether results differ. Of those
where they do, --count are audited against the original, which has to say so; where
they differ by a few ULPs, and in f64 by no more, both functions are the same one but for
rounding, as a softmax of a sum with a constant is. Each
original is also audited against itself, and against itself with sums and products in
another order: neither may be called different. Prints what was missed and the counts.
"""

import argparse
import concurrent.futures
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

INFINITY = {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
POSITIVE = {"f16": "0x7C00", "f32": "0x7F800000", "f64": "0x7FF0000000000000"}
LARGEST = {"f16": "-65504.0", "f32": "-3.4028234663852886e+38", "f64": "-1.0e+300"}
INPUTS = ("random", "normal", "positive", "iota", "integers", "special")

BINARY = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf",
          "arith.minimumf")
UNARY = ("math.tanh", "math.exp", "math.absf", "arith.negf")
# Those that give the same with their operands swapped.
COMMUTE = ("arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf")
# The most ULPs of what may be rounding alone, and the distance of that in f64.
FEW_ULPS, ROUNDING_IN_F64 = 4, 1e-12
PREDICATES = ("olt", "ogt", "ole", "oeq")


class Function:
    """Operations by their values' numbers; values 0 and 1 are arguments, 2 a condition."""

    def __init__(self, rng):
        self.element = rng.choice(("f32", "f32", "f32", "f16", "f64"))
        self.shape = (rng.choice((2, 4, 5)), rng.choice((3, 8)))
        self.ops = []
        self.floats, self.conditions = [0, 1], [2]
        for _ in range(rng.randint(1, 8)):
            self.grow(rng)
        self.results = [self.floats[-1]]
        if rng.random() < 0.3:
            self.results.append(rng.choice(self.floats))

    def add(self, kind, *operands, **attributes):
        self.ops.append({"kind": kind, "operands": list(operands), **attributes})
        return 2 + len(self.ops)

    def mask(self, rng):
        """The number of a constant that is a mask or a scale."""
        rows, columns = self.shape
        value = rng.choice((INFINITY[self.element], INFINITY[self.element],
                            POSITIVE[self.element], LARGEST[self.element],
                            "-1.0e+4", "-1.0e+9" if self.element != "f16" else "-3.0e+4"))
        triangle = [[value if j > i else "0.0" for j in range(columns)] for i in range(rows)]
        return self.add("constant", values=triangle)

    def splat(self, rng, value=None):
        value = value or rng.choice(("0.125", "2.0", "-1.5", "3.0"))
        return self.add("constant", values=value)

    def grow(self, rng):
        way = rng.random()
        value = rng.choice(self.floats[-3:])
        if way < 0.25:
            masked = self.splat(rng, rng.choice(
                (INFINITY[self.element], POSITIVE[self.element], LARGEST[self.element])))
            self.floats.append(self.add("select", rng.choice(self.conditions), value, masked))
        elif way < 0.4:
            self.floats.append(self.add("arith.addf", value, self.mask(rng)))
        elif way < 0.5:
            self.floats.append(self.add("softmax", value))
        elif way < 0.6:
            self.conditions.append(self.add("compare", value, rng.choice(self.floats),
                                            predicate=rng.choice(PREDICATES)))
            self.grow(rng)
        elif way < 0.75:
            self.floats.append(self.add(rng.choice(BINARY), value, self.splat(rng)))
        elif way < 0.85:
            self.floats.append(self.add(rng.choice(UNARY), value))
        elif way < 0.9:
            self.floats.append(self.add("sum", *(rng.choice(self.floats) for _ in range(3)),
                                        first=0))
        else:
            self.floats.append(self.add(rng.choice(BINARY), value, rng.choice(self.floats)))

    def in_f64(self):
        """The same function on f64."""
        wide = copy.deepcopy(self)
        wide.element = "f64"
        masks = {table[self.element]: table["f64"]
                 for table in (INFINITY, POSITIVE, LARGEST)}
        for op in wide.ops:
            if op["kind"] == "constant" and isinstance(op["values"], str):
                op["values"] = masks.get(op["values"], op["values"])
            elif op["kind"] == "constant":
                op["values"] = [[masks.get(v, v) for v in row] for row in op["values"]]
        return wide

    def used(self):
        """The operations that results follow from."""
        found, worklist = set(), list(self.results)
        while worklist:
            value = worklist.pop()
            if value > 2 and value not in found:
                found.add(value)
                worklist += self.ops[value - 3]["operands"]
        return sorted(found)

    def text(self):
        rows, columns = self.shape
        t = f"tensor<{rows}x{columns}x{self.element}>"
        c = f"tensor<{rows}x{columns}xi1>"
        e = self.element
        lines = []
        for number in self.used():
            op = self.ops[number - 3]
            v = [f"%v{i}" for i in op["operands"]]
            name, kind = f"%v{number}", op["kind"]
            if kind == "constant":
                values = op["values"]
                if not isinstance(values, str):
                    values = "[" + ", ".join("[" + ", ".join(r) + "]" for r in values) + "]"
                lines.append(f"{name} = arith.constant dense<{values}> : {t}")
            elif kind == "select":
                lines.append(f"{name} = arith.select {v[0]}, {v[1]}, {v[2]} : {c}, {t}")
            elif kind == "compare":
                lines.append(f"{name} = arith.cmpf {op['predicate']}, {v[0]}, {v[1]} : {t}")
            elif kind == "sum":
                a, b, d = v if op["first"] == 0 else v[1:] + v[:1]
                lines.append(f"{name}_ = arith.addf {a}, {b} : {t}")
                lines.append(f"{name} = arith.addf {name}_, {d} : {t}")
            elif kind == "softmax":
                lines += self.softmax(name, v[0], t, f"tensor<{rows}x{e}>")
            else:
                lines.append(f"{name} = {kind} {', '.join(v)} : {t}")
        results = ", ".join(f"%v{i}" for i in self.results)
        types = ", ".join(t for _ in self.results)
        body = "\n".join("  " + line for line in lines)
        return (f"func.func @main(%v0: {t}, %v1: {t}, %v2: {c}) -> ({types}) {{\n{body}\n"
                f"  return {results} : {types}\n}}\n")

    def softmax(self, name, value, t, row):
        e = self.element
        maps = ("indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, "
                "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]")

        def reduced(result, start, of, step):
            return [f"{result}s = arith.constant dense<{start}> : {row}",
                    f"{result} = linalg.reduce ins({of} : {t}) outs({result}s : {row}) "
                    f"dimensions = [1] (%i: {e}, %o: {e}) {{ %r = {step} %i, %o : {e} "
                    f"linalg.yield %r : {e} }}"]

        def joined(result, a, b, steps):
            return [f"{result} = linalg.generic {{{maps}}} ins({a}, {b} : {t}, {row}) "
                    f"outs({name}e : {t}) {{ ^bb0(%i: {e}, %j: {e}, %o: {e}): {steps} }} -> {t}"]

        return ([f"{name}e = tensor.empty() : {t}"] +
                reduced(f"{name}m", INFINITY[e], value, "arith.maximumf") +
                joined(f"{name}x", value, f"{name}m",
                       f"%s = arith.subf %i, %j : {e} %r = math.exp %s : {e} "
                       f"linalg.yield %r : {e}") +
                reduced(f"{name}t", "0.0", f"{name}x", "arith.addf") +
                joined(name, f"{name}x", f"{name}t",
                       f"%r = arith.divf %i, %j : {e} linalg.yield %r : {e}"))

    def replace(self, old, new):
        for op in self.ops:
            op["operands"] = [new if v == old else v for v in op["operands"]]
        self.results = [new if v == old else v for v in self.results]

    def is_condition(self, value):
        return value == 2 or value > 2 and self.ops[value - 3]["kind"] == "compare"

    def edit(self, rng):
        """Changes one thing; says what, or nothing where nothing was found."""
        used = self.used()
        number = rng.choice(used) if used else None
        if number is None or rng.random() < 0.05:
            others = [v for v in self.floats if v not in self.results]
            if not others:
                return None
            self.results[0] = rng.choice(others)
            return "another value returned"
        op = self.ops[number - 3]
        kind, operands = op["kind"], op["operands"]
        if kind == "constant":
            if isinstance(op["values"], str):
                op["values"] = rng.choice([value for value in (
                    "0.0", "0.126", "2.002", INFINITY[self.element], POSITIVE[self.element],
                    LARGEST[self.element], "-3.0e+4") if value != op["values"]])
                return "another constant"
            rows, columns = self.shape
            i, j = rng.randrange(rows), rng.randrange(columns)
            op["values"][i][j] = "0.0" if op["values"][i][j] != "0.0" else INFINITY[self.element]
            return "another element of a mask"
        if kind == "compare":
            op["predicate"] = rng.choice([p for p in PREDICATES if p != op["predicate"]])
            return "another predicate"
        if rng.random() < 0.4:
            floats = [v for v in operands if not self.is_condition(v)]
            self.replace(number, rng.choice(floats))
            return f"{kind} dropped"
        if kind == "select":
            operands[1], operands[2] = operands[2], operands[1]
            return "operands of a select swapped"
        if kind in BINARY:
            if kind not in COMMUTE and rng.random() < 0.5:
                operands.reverse()
                return f"operands of {kind} swapped"
            op["kind"] = rng.choice([other for other in BINARY if other != kind])
            return f"{op['kind']} for {kind}"
        if kind in UNARY:
            op["kind"] = rng.choice([other for other in UNARY if other != kind])
            return f"{op['kind']} for {kind}"
        which = rng.randrange(len(operands))
        operands[which] = rng.choice([v for v in self.floats if v < number])
        return f"another operand of {kind}"

    def reorder(self):
        """What computes the same but for rounding."""
        for op in self.ops:
            if op["kind"] in COMMUTE:
                op["operands"].reverse()
            if op["kind"] == "sum":
                op["first"] = 1


class Campaign:
    def __init__(self, options, folder):
        self.tool = pathlib.Path(options.tools) / "npu-run"
        self.options, self.folder = options, folder

    def run(self, *arguments):
        done = subprocess.run([str(self.tool), *map(str, arguments)], capture_output=True,
                              text=True, timeout=120, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def audit(self, file, original, inputs):
        """What the audit says of the original, its class and its verdict."""
        code, report, messages = self.run(file, f"--reference={original}", "--audit",
                                          "--format=json", *inputs)
        try:
            read = json.loads(report)
        except json.JSONDecodeError:
            return None, "NONE", f"exit code {code}: {messages[-300:]}", code
        return read["original"], read["class"], read["verdict"], code

    @staticmethod
    def distances(said):
        return [float(x) for x in re.findall(r"max absolute difference ([^,]+),", said)]

    def is_rounding(self, said, function, edited, number, inputs):
        """Whether the functions that this was said of differ in rounding alone."""
        if any(int(x) > FEW_ULPS for x in re.findall(r"max ULP difference (\d+)", said)):
            return False
        files = []
        for name, each in (("original", function), ("edited", edited)):
            files.append(self.folder / f"{number}.{name}.f64.mlir")
            files[-1].write_text(each.in_f64().text())
        _, said, _ = self.run(files[1], f"--reference={files[0]}", *inputs)
        distances = self.distances(said)
        return bool(distances) and all(x <= ROUNDING_IN_F64 for x in distances)

    def case(self, number):
        """Lines about what was missed and what was called wrong, whether an edit was
        audited, and whether its results differ in finite numbers alone."""
        rng = random.Random(f"{self.options.seed}/{number}")
        function = Function(rng)
        original = self.folder / f"{number}.original.mlir"
        original.write_text(function.text())
        kind = INPUTS[number % len(INPUTS)]
        # Those that count need no seed.
        inputs = (f"--inputs={kind}", *([] if kind == "iota" else [f"--seed={number}"]))
        wrong = []
        same = copy.deepcopy(function)
        same.reorder()
        reordered = self.folder / f"{number}.reordered.mlir"
        reordered.write_text(same.text())
        for file in (original, reordered):
            held, kind, verdict, _ = self.audit(file, original, inputs)
            if held is None or held["different_results"] or kind == "STRUCTURAL":
                wrong.append(f"{file.name} {' '.join(inputs)}: {verdict}")
        edited = copy.deepcopy(function)
        what = edited.edit(rng)
        if what is None:
            return [], wrong, False, False
        file = self.folder / f"{number}.edited.mlir"
        file.write_text(edited.text())
        code, said, messages = self.run(file, f"--reference={original}", *inputs)
        distances = self.distances(said)
        if not distances:
            return [f"{file.name}: {what}: no comparison: {messages}"], wrong, True, False
        # Zeros of either sign are one number.
        if not any(distances) or self.is_rounding(said, function, edited, number, inputs):
            return [], wrong, False, False
        held, kind, verdict, code = self.audit(file, original, inputs)
        isSaid = held is not None and bool(held["different_results"]) and kind == "STRUCTURAL"
        missed = [] if isSaid and code == 1 else [f"{file.name} {' '.join(inputs)}: {what}: "
                                                  f"{said.strip()}: {verdict}"]
        isNamed = isSaid and verdict != "STRUCTURAL: the results are not those of the original"
        return missed, wrong, True, isNamed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the functions")
    options = parser.parse_args()
    options.tools = pathlib.Path(options.tools).resolve()
    missed, wrong, edits, named, functions = [], [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(options.keep or folder).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        campaign = Campaign(options, folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            while edits < options.count:
                batch = range(functions, functions + 4 * options.jobs)
                for lost, called, isEdit, isNamed in pool.map(campaign.case, batch):
                    if edits == options.count:
                        break
                    functions += 1
                    missed += lost
                    wrong += called
                    edits += isEdit
                    named += isNamed
    for line in missed:
        print("missed:", line)
    for line in wrong:
        print("called different:", line)
    print(f"{edits} edits, {len(missed)} missed, {named} with the operation that is to blame")
    print(f"{functions} functions against themselves and reordered, {len(wrong)} called different")
    return 1 if missed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
