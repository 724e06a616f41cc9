#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares loops over vectors with loops over scalars, bit for bit: random
structured operations on buffers are lowered by npu-vectorize-loops and by
upstream's convert-linalg-to-loops, and both run on the same inputs.

Extents are odd and even; buffers are whole, strided, run backwards, begin somewhere,
and are transposed; types are all that run, also mixed; bodies compute, compare, select,
convert and count; sums, products, minima and maxima run over several dimensions;
inputs hold zeros of both signs, infinities, NaN and the ends of their types.

    test/vector_loops.py build/bin --count=200 --seed=1
    test/vector_loops.py build/bin --count=1 --seed=17 --keep=FOLDER
"""

import pathlib
import random
import sys

from random_cases import check_all, parser, run

FLOATS = ["f32", "f32", "f16", "bf16", "f64"]
INTEGERS = ["i8", "i16", "i32", "i64", "i1", "index"]
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
EXTENTS = [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 18, 23, 31, 33, 40, 50]
MOST_STEPS = 60000
FEWEST_STEPS = 300


class Body:
    """Operations of a region, and the values that they may read, by type."""

    def __init__(self, generator):
        self.generator = generator
        self.lines = []
        self.values = {}
        self.next = 0

    def add(self, kind, text):
        self.next += 1
        name = f"%v{self.next}"
        self.lines.append(f"    {name} = {text}")
        self.values.setdefault(kind, []).append(name)
        return name

    def of(self, kind):
        """A value of a type: one that is there, or one converted to it."""
        if kind in self.values and self.generator.random() < 0.8:
            return self.generator.choice(self.values[kind])
        others = [each for each in self.values if each != kind]
        if not others:
            return self.constant(kind)
        other = self.generator.choice(others)
        return self.convert(self.generator.choice(self.values[other]), other, kind)

    def constant(self, kind):
        if kind in FLOATS:
            return self.add(kind, f"arith.constant {self.generator.choice([0.5, -1.25, 3.0, 0.0, -0.0])} : {kind}")
        if kind == "i1":
            return self.add(kind, f"arith.constant {self.generator.choice(['true', 'false'])}")
        return self.add(kind, f"arith.constant {self.generator.choice([1, 2, 3, 5, 7])} : {kind}")

    def convert(self, value, kind, to):
        add = self.add
        if kind == to:
            return value
        if kind in FLOATS and to in FLOATS:
            if BITS[to] == BITS[kind]:
                return self.convert(self.convert(value, kind, "f32"), "f32", to)
            name = "extf" if BITS[to] > BITS[kind] else "truncf"
            return add(to, f"arith.{name} {value} : {kind} to {to}")
        if kind in FLOATS:
            # Numbers that the integer has: what others become is undefined.
            zero = add(kind, f"arith.constant 0.0 : {kind}")
            most = add(kind, f"arith.constant 100.0 : {kind}")
            least = add(kind, f"arith.constant -100.0 : {kind}")
            is_nan = add("i1", f"arith.cmpf uno, {value}, {zero} : {kind}")
            number = add(kind, f"arith.select {is_nan}, {zero}, {value} : {kind}")
            low = add(kind, f"arith.minimumf {number}, {most} : {kind}")
            bounded = add(kind, f"arith.maximumf {low}, {least} : {kind}")
            if to == "i1":
                return add(to, f"arith.cmpf ogt, {bounded}, {zero} : {kind}")
            signed = "i64" if to == "index" else to
            result = add(signed, f"arith.fptosi {bounded} : {kind} to {signed}")
            return self.convert(result, signed, to)
        if to in FLOATS:
            if kind == "index":
                return self.convert(add("i32", f"arith.index_cast {value} : index to i32"), "i32", to)
            name = self.generator.choice(["sitofp", "uitofp"])
            return add(to, f"arith.{name} {value} : {kind} to {to}")
        if "index" in (kind, to):
            if "i1" in (kind, to):
                return self.convert(self.convert(value, kind, "i32"), "i32", to)
            return add(to, f"arith.index_cast {value} : {kind} to {to}")
        if BITS[to] < BITS[kind]:
            return add(to, f"arith.trunci {value} : {kind} to {to}")
        return add(to, f"arith.{self.generator.choice(['extsi', 'extui'])} {value} : {kind} to {to}")

    def step(self, kind):
        """One more operation of a type."""
        draw, add = self.generator.random(), self.add
        a, b = self.of(kind), self.of(kind)
        if draw < 0.12:
            compare = f"arith.cmpf {self.generator.choice(['olt', 'ogt', 'ole', 'une', 'uno', 'ord', 'oeq'])}" \
                if kind in FLOATS else f"arith.cmpi {self.generator.choice(['slt', 'ult', 'eq', 'sge'])}"
            holds = add("i1", f"{compare}, {a}, {b} : {kind}")
            return add(kind, f"arith.select {holds}, {self.of(kind)}, {b} : {kind}")
        if kind in FLOATS:
            if draw < 0.25:
                names = ["math.absf", "math.sqrt", "math.floor", "math.ceil", "arith.negf", "math.rsqrt",
                         "math.roundeven", "math.trunc"]
                if kind != "f64":
                    names += ["math.exp", "math.tanh", "math.log", "math.erf"]
                return add(kind, f"{self.generator.choice(names)} {a} : {kind}")
            names = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "addf", "mulf"]
            return add(kind, f"arith.{self.generator.choice(names)} {a}, {b} : {kind}")
        names = ["andi", "ori", "xori"] if kind == "i1" else \
            ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui", "maxui", "minsi"]
        return add(kind, f"arith.{self.generator.choice(names)} {a}, {b} : {kind}")


class Operation:
    def __init__(self, number, generator):
        self.number = number
        self.generator = generator
        self.arguments = []
        self.before = []
        self.choose_loops()

    def choose_loops(self):
        pick = self.generator
        while True:
            count = pick.randint(1, 4)
            self.is_parallel = [pick.random() < 0.65 for _ in range(count)]
            self.extents = [pick.choice(EXTENTS) for _ in range(count)]
            steps = 1
            for extent in self.extents:
                steps *= extent
            if any(self.is_parallel) and FEWEST_STEPS <= steps <= MOST_STEPS:
                return

    def buffer(self, shape, kind, is_result=False):
        """Declares a buffer and a view of it that has the shape; returns the
        view and its type."""
        pick = self.generator
        name = f"%{'r' if is_result else 'a'}{self.number}_{len(self.arguments)}"
        order = list(range(len(shape)))
        if pick.random() < 0.25:
            pick.shuffle(order)
        # order[i]: the dimension of the view that dimension i of the memory is.
        memory = [shape[dim] for dim in order]
        offsets, strides, whole = [0] * len(shape), [1] * len(shape), list(memory)
        if pick.random() < 0.4:
            for dim in range(len(shape)):
                offsets[dim] = pick.choice([0, 0, 1, 3])
                strides[dim] = pick.choice([1, 1, 1, 2]) if dim == len(shape) - 1 else pick.choice([1, 1, 2, 3])
                whole[dim] = offsets[dim] + (memory[dim] - 1) * strides[dim] + 1 + pick.choice([0, 0, 2])
                if pick.random() < 0.15:
                    # From the last element to the first.
                    offsets[dim] += (memory[dim] - 1) * strides[dim]
                    strides[dim] *= -1
        base = "memref<" + "".join(f"{n}x" for n in whole) + f"{kind}>"
        self.arguments.append((name, base, is_result))
        if not shape:
            return name, base
        steps = [1] * len(whole)
        for dim in reversed(range(len(whole) - 1)):
            steps[dim] = steps[dim + 1] * whole[dim + 1]
        offset = sum(o * s for o, s in zip(offsets, steps))
        by_memory = [stride * step for stride, step in zip(strides, steps)]

        def strided(extents, by):
            return ("memref<" + "".join(f"{n}x" for n in extents) + kind +
                    f", strided<[{', '.join(map(str, by))}], offset: {offset}>>")

        view, kind_of_view = name, base
        if whole != memory or any(offsets) or strides != [1] * len(strides):
            view = name + "s"
            kind_of_view = strided(memory, by_memory)
            self.before.append(f"  {view} = memref.subview {name}{offsets} {memory} {strides} : {base} to {kind_of_view}")
        if order != sorted(order):
            # The permutation says of each dimension of the view where it is.
            places = [order.index(dim) for dim in range(len(shape))]
            ins = ", ".join(f"d{i}" for i in range(len(shape)))
            outs = ", ".join(f"d{place}" for place in places)
            moved = strided(shape, [by_memory[place] for place in places])
            self.before.append(f"  {view}t = memref.transpose {view} ({ins}) -> ({outs}) : {kind_of_view} to {moved}")
            view, kind_of_view = view + "t", moved
        return view, kind_of_view

    def index(self, dims):
        """One index of an operand: a term and its largest value."""
        pick = self.generator
        dim = pick.choice(dims)
        factor = pick.choice([1, 1, 1, 1, 2, 3])
        text, most = f"d{dim}" if factor == 1 else f"d{dim} * {factor}", (self.extents[dim] - 1) * factor
        if pick.random() < 0.2:
            other = pick.choice(dims)
            text, most = f"{text} + d{other}", most + self.extents[other] - 1
        if pick.random() < 0.05:
            text, most = f"{self.extents[dim] - 1} - d{dim}", self.extents[dim] - 1
        if pick.random() < 0.05:
            text, most = f"d{dim} floordiv 2", (self.extents[dim] - 1) // 2
        return text, most + 1

    def text(self):
        pick, loops = self.generator, len(self.extents)
        dims = ", ".join(f"d{dim}" for dim in range(loops))
        maps, ins, outs, body = [], [], [], Body(pick)
        arguments = []
        is_float = pick.random() < 0.7
        kinds = FLOATS if is_float else INTEGERS
        for number in range(pick.randint(1, 3)):
            kind = pick.choice(kinds) if pick.random() < 0.85 else pick.choice(FLOATS + INTEGERS)
            used = pick.sample(range(loops), pick.randint(1 if number == 0 else 0, loops))
            if pick.random() < 0.6:
                used.sort()
            terms = [self.index([dim]) if pick.random() < 0.7 else (f"d{dim}", self.extents[dim]) for dim in used]
            if number == 0 and pick.random() < 0.25:
                terms = [self.index(list(range(loops))) for _ in used]
            view, kind_of_view = self.buffer([most for _, most in terms], kind)
            maps.append(f"affine_map<({dims}) -> ({', '.join(text for text, _ in terms)})>")
            ins.append((view, kind_of_view))
            arguments.append((f"%x{number}", kind))
        # What every dimension's extent follows from.
        view, kind_of_view = self.buffer(self.extents, "i8")
        maps.append(f"affine_map<({dims}) -> ({dims})>")
        ins.append((view, kind_of_view))
        arguments.append(("%x", "i8"))
        parallel = [dim for dim in range(loops) if self.is_parallel[dim]]
        results = []
        for number in range(pick.choice([1, 1, 1, 2])):
            kind = pick.choice(kinds)
            order = list(parallel)
            if pick.random() < 0.3:
                pick.shuffle(order)
            shape = [self.extents[dim] for dim in order]
            view, kind_of_view = self.buffer(shape, kind, is_result=True)
            name, base, _ = self.arguments[-1]
            self.arguments.append((f"{name}i", base, False))
            self.before.append(f"  memref.copy {name}i, {name} : {base} to {base}")
            maps.append(f"affine_map<({dims}) -> ({', '.join(f'd{dim}' for dim in order)})>")
            outs.append((view, kind_of_view))
            arguments.append((f"%o{number}", kind))
            results.append((f"%o{number}", kind))
        for name, kind in arguments:
            is_out = name.startswith("%o")
            if name != "%x" and (not is_out or pick.random() < 0.3):
                body.values.setdefault(kind, []).append(name)
        if pick.random() < 0.2:
            body.add("index", f"linalg.index {pick.randrange(loops)} : index")
        for _ in range(pick.randint(0, 4)):
            body.step(pick.choice(list(body.values)))
        yielded = []
        for name, kind in results:
            value = body.of(kind)
            if not all(self.is_parallel) or pick.random() < 0.2:
                if kind in FLOATS:
                    combine = pick.choice(["addf", "addf", "addf", "mulf", "maximumf", "minimumf"])
                elif kind == "i1":
                    combine = pick.choice(["andi", "ori", "xori"])
                else:
                    combine = pick.choice(["addi", "addi", "muli", "maxsi", "minui"])
                value = body.add(kind, f"arith.{combine} {name}, {value} : {kind}")
            yielded.append((value, kind))
        iterators = ", ".join('"parallel"' if each else '"reduction"' for each in self.is_parallel)
        lines = self.before + [
            f"  linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}}",
            f"      ins({', '.join(v for v, _ in ins)} : {', '.join(t for _, t in ins)})"
            f" outs({', '.join(v for v, _ in outs)} : {', '.join(t for _, t in outs)}) {{",
            f"  ^bb0({', '.join(f'{name}: {kind}' for name, kind in arguments)}):",
            *body.lines,
            f"    linalg.yield {', '.join(v for v, _ in yielded)} : {', '.join(k for _, k in yielded)}",
            "  }",
        ]
        return "\n".join(lines)


def module(seed, operations):
    generator = random.Random(seed)
    made = [Operation(number, generator) for number in range(operations)]
    texts = [each.text() for each in made]
    inputs = [f"{name}: {kind}" for each in made for name, kind, is_result in each.arguments if not is_result]
    results = [f"{name}: {kind} {{bufferize.result}}" for each in made
               for name, kind, is_result in each.arguments if is_result]
    return (f"func.func @main({', '.join(inputs + results)}) {{\n" + "\n".join(texts) + "\n  return\n}\n")


def check(options, seed, folder):
    """What is wrong with the case; nothing where nothing is."""
    tools = pathlib.Path(options.bin)
    model, vectors, scalars = (folder / f"{seed}.{name}.mlir" for name in ("model", "vectors", "scalars"))
    model.write_text(module(seed, options.operations))
    for output, name in ((vectors, options.vectors), (scalars, "--convert-linalg-to-loops")):
        code, text = run(tools / "npu-opt", model, *name.split(), "-o", output)
        if code != 0:
            return f"seed {seed}: {name} failed:\n{text[-2000:]}"
    level = ["-O0", "-O2"][seed % 2]
    code, text = run(tools / "npu-run", vectors, f"--reference={scalars}", "--inputs=special", f"--seed={seed}", level)
    if code == 0:
        left = vectors.read_text().count("linalg.generic")
        check.left += left
        return ""
    return f"seed {seed}, {level}:\n{text[-2000:]}"


check.left = 0


def main():
    line = parser(__doc__)
    line.add_argument("--operations", type=int, default=4, help="structured operations in each function")
    line.add_argument("--vectors", default="--npu-vectorize-loops=fewest-steps=0", help="the passes that are compared")
    options = line.parse_args()
    wrong = [text for text in check_all(options, check) if text]
    for text in wrong:
        print(text)
    total = options.count * options.operations
    print(f"{options.count} functions of {total} structured operations, {check.left} of them loops over scalars; "
          f"{len(wrong)} functions wrong")
    # Vectors that nothing uses are not compared.
    sys.exit(bool(wrong) or check.left * 2 > total)


if __name__ == "__main__":
    main()
