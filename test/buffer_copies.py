#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what npu-run leaves of random programs on buffers with an interpreter.

A program has arenas, whose views overlap in place and time and differ in type, and
buffers of their own. It copies, adds, fills, loads and stores whole buffers and
parts of them, in loops and under conditions, and at the end stores what some views
hold. npu-run leaves out copies (npu-elide-copies) and moves operations to functions
of their own; the interpreter here keeps all of memory as bytes.

    test/buffer_copies.py build/bin --count=40 --seed=1
    test/buffer_copies.py build/bin --count=1 --seed=17 --keep=FOLDER
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from npy_files import read as read_npy
from random_cases import check_all, parser, run

SIZES = {"i8": 1, "i16": 2, "i32": 4}
INPUTS = 96
OUTPUTS = 64


class Place:
    """A buffer, a view of one, or a part of a view: bytes in memory, in order."""

    def __init__(self, name, text, kind, shape, memory, addresses):
        self.name, self.text, self.kind, self.shape = name, text, kind, shape
        self.memory, self.addresses = memory, addresses

    def touches(self, other):
        return self.memory is other.memory and not set(self.addresses).isdisjoint(other.addresses)

    def is_same(self, other):
        return self.memory is other.memory and self.addresses == other.addresses

    def read(self):
        size = SIZES[self.kind]
        data = bytes(self.memory[each] for each in self.addresses)
        return [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]

    def write(self, numbers):
        size = SIZES[self.kind]
        data = b"".join((each % (1 << 8 * size)).to_bytes(size, "little") for each in numbers)
        for address, byte in zip(self.addresses, data):
            self.memory[address] = byte


class Program:
    """The text of a function, and what interpreting it does."""

    def __init__(self, generator, programs):
        self.pick = generator
        self.lines = []
        self.names = 0
        self.given, self.wanted = bytearray(4 * INPUTS), bytearray(4 * OUTPUTS * programs)
        for at in range(INPUTS):
            self.given[4 * at:4 * at + 4] = at.to_bytes(4, "little")
        self.input = Place("%in", f"memref<{INPUTS}xi32>", "i32", [INPUTS], self.given, range(4 * INPUTS))
        steps = []
        for number in range(programs):
            steps += self.program(number)
        for step in steps:
            step()
        self.text = "\n".join([
            f"func.func @main(%in: memref<{INPUTS}xi32>, "
            f"%out: memref<{OUTPUTS * programs}xi32> {{bufferize.result}}) {{",
            *(f"  %c{each} = arith.constant {each} : index" for each in range(48)),
            *(f"  %n{kind} = arith.constant 7 : {kind}" for kind in SIZES),
            "  %zero = arith.constant 0 : i32",
            "  %one = arith.constant 1 : i32",
            f"  linalg.fill ins(%zero : i32) outs(%out : memref<{OUTPUTS * programs}xi32>)",
            *self.lines, "  return", "}", ""])

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def say(self, depth, text):
        self.lines.append("  " * (depth + 1) + text)

    def program(self, number):
        self.arenas = []
        steps = []
        for _ in range(self.pick.choice([1, 1, 2])):
            name, size = self.name(), self.pick.choice([16, 32, 48])
            self.say(0, f"{name} = memref.alloc() : memref<{size}xi8>")
            self.arenas.append((name, size, bytearray(size)))
        scope = []
        # Nothing reads memory that was never written.
        for arena in self.arenas:
            whole = self.view(0, arena, "i32", [arena[1] // 4], 0)
            steps.append(self.copy(0, self.part_of(0, self.input, [arena[1] // 4]), whole))
        for _ in range(self.pick.choice([0, 1])):
            scope.append(self.allocation(steps))
        steps += self.block(0, scope, self.pick.randint(3, 9))
        # What is left of the memory is a result, as far as the program says it.
        at = OUTPUTS * number
        for arena in self.arenas:
            if self.pick.random() < 0.3 and at + arena[1] // 4 <= OUTPUTS * (number + 1):
                whole = self.view(0, arena, "i32", [arena[1] // 4], 0)
                steps.append(self.copy(0, whole, self.output(at, arena[1] // 4)))
                at += arena[1] // 4
        for place in scope:
            count = len(place.addresses) // 4
            if place.kind == "i32" and len(place.shape) == 1 and at + count <= OUTPUTS * (number + 1):
                steps.append(self.copy(0, place, self.output(at, count)))
                at += count
        for name, size, _ in self.arenas:
            self.say(0, f"memref.dealloc {name} : memref<{size}xi8>")
        return steps

    def output(self, at, count):
        name = self.name()
        text = f"memref<{count}xi32, strided<[1], offset: {at}>>"
        self.say(0, f"{name} = memref.subview %out[{at}] [{count}] [1] : "
                        f"memref<{len(self.wanted) // 4}xi32> to {text}")
        return Place(name, text, "i32", [count], self.wanted, list(range(4 * at, 4 * (at + count))))

    def view(self, depth, arena, kind, shape, begin):
        name, size, memory = arena
        view = self.name()
        text = f"memref<{'x'.join(map(str, shape))}x{kind}>"
        self.say(depth, f"{view} = memref.view {name}[%c{begin}][] : memref<{size}xi8> to {text}")
        count = SIZES[kind]
        for extent in shape:
            count *= extent
        return Place(view, text, kind, shape, memory, list(range(begin, begin + count)))

    def some_view(self, depth):
        arena = self.pick.choice(self.arenas)
        kind = self.pick.choice(["i32", "i32", "i32", "i16", "i8"])
        shape = self.pick.choice([[4], [4], [2, 2], [2], [8]])
        count = SIZES[kind]
        for extent in shape:
            count *= extent
        begin = self.pick.randrange(0, arena[1] - count + 1, 4) if count <= arena[1] else None
        return self.view(depth, arena, kind, shape, begin) if begin is not None else self.some_view(depth)

    def allocation(self, steps):
        name, count = self.name(), self.pick.choice([2, 4, 8])
        text = f"memref<{count}xi32>"
        self.say(0, f"{name} = memref.alloc() : {text}")
        place = Place(name, text, "i32", [count], bytearray(4 * count), list(range(4 * count)))
        if self.pick.random() < 0.5:
            steps.append(self.copy(0, self.part_of(0, self.input, [count]), place))
        else:
            steps.append(self.fill(0, place))
        return place

    def part_of(self, depth, place, shape):
        """A contiguous part of a buffer of one dimension."""
        count = shape[0]
        at = self.pick.randint(0, place.shape[0] - count)
        name = self.name()
        text = f"memref<{count}x{place.kind}, strided<[1], offset: {at}>>" if at else \
            f"memref<{count}x{place.kind}, strided<[1]>>"
        self.say(depth, f"{name} = memref.subview {place.name}[{at}] [{count}] [1] : {place.text} to {text}")
        size = SIZES[place.kind]
        return Place(name, text, place.kind, shape, place.memory,
                     list(place.addresses)[size * at:size * (at + count)])

    def copy(self, depth, source, target):
        self.say(depth, f"memref.copy {source.name}, {target.name} : {source.text} to {target.text}")
        return lambda: target.write(source.read())

    def fill(self, depth, target):
        self.say(depth, f"linalg.fill ins(%n{target.kind} : {target.kind}) outs({target.name} : {target.text})")
        return lambda: target.write([7] * (len(target.addresses) // SIZES[target.kind]))

    def add(self, depth, a, b, target):
        self.say(depth, f"linalg.add ins({a.name}, {b.name} : {a.text}, {b.text}) "
                        f"outs({target.name} : {target.text})")
        return lambda: target.write([x + y for x, y in zip(a.read(), b.read())])

    def block(self, depth, outer, count):
        """`count` statements, which use places of the scope around them and new ones."""
        scope, steps = list(outer), []
        for _ in range(count):
            if len(scope) < 3 or self.pick.random() < 0.5:
                scope.append(self.some_view(depth))
            what = self.pick.random()
            if depth < 2 and what < 0.12:
                steps.append(self.loop(depth, scope))
            elif depth < 2 and what < 0.2:
                steps.append(self.condition(depth, scope))
            else:
                steps.append(self.statement(depth, scope))
        return [step for step in steps if step]

    def loop(self, depth, scope):
        index, times = self.name(), self.pick.choice([1, 2, 3])
        self.say(depth, f"scf.for {index} = %c0 to %c{times} step %c1 {{")
        inside = self.block(depth + 1, scope, self.pick.randint(2, 5))
        self.say(depth, "}")
        return lambda: [step() for _ in range(times) for step in inside]

    def condition(self, depth, scope):
        places = [each for each in scope if each.kind == "i32" and len(each.shape) == 1]
        if not places:
            return None
        place = self.pick.choice(places)
        loaded, bit, taken = self.name(), self.name(), self.name()
        self.say(depth, f"{loaded} = memref.load {place.name}[%c0] : {place.text}")
        self.say(depth, f"{bit} = arith.andi {loaded}, %one : i32")
        self.say(depth, f"{taken} = arith.cmpi eq, {bit}, %one : i32")
        self.say(depth, f"scf.if {taken} {{")
        inside = self.block(depth + 1, scope, self.pick.randint(1, 3))
        self.say(depth, "}")
        return lambda: [step() for step in inside] if place.read()[0] & 1 else None

    def statement(self, depth, scope):
        pick = self.pick
        target = pick.choice(scope[-4:])
        what = pick.random()
        if len(target.shape) == 1 and target.shape[0] > 2 and pick.random() < 0.2:
            target = self.part_of(depth, target, [2])
        if what < 0.1:
            return self.fill(depth, target)
        fitting = [each for each in scope if each.kind == target.kind and each.shape == target.shape]
        if what < 0.3 and target.kind == "i32" and len(target.shape) == 1:
            return self.copy(depth, self.part_of(depth, self.input, target.shape), target)
        if what < 0.65:
            sources = [each for each in fitting if not each.touches(target)]
            if sources:
                return self.copy(depth, pick.choice(sources), target)
            return None
        operands = [each for each in fitting if each.is_same(target) or not each.touches(target)]
        if operands:
            return self.add(depth, pick.choice(operands), pick.choice(operands), target)
        return None


def check(options, seed, folder):
    """What is wrong with a case, and how many copies it has, before and after."""
    tools = pathlib.Path(options.bin)
    program = Program(random.Random(seed), options.programs)
    source, elided, result = (folder / f"{seed}.{name}" for name in ("mlir", "elided.mlir", "npy"))
    source.write_text(program.text)
    code, text = run(tools / "npu-opt", source, "--npu-elide-copies", "-o", elided)
    if code:
        return f"seed {seed}: npu-elide-copies failed:\n{text[-2000:]}", 0, 0
    code, text = run(tools / "npu-run", source, "--inputs=iota", f"--output={result}", ["-O0", "-O2"][seed % 2])
    if code:
        return f"seed {seed}: npu-run failed:\n{text[-2000:]}", 0, 0
    got = [number % (1 << 32) for number in read_npy(result)[2]]
    wanted = [int.from_bytes(program.wanted[at:at + 4], "little") for at in range(0, len(program.wanted), 4)]
    wrong = [at for at, (a, b) in enumerate(zip(got, wanted)) if a != b]
    fault = (f"seed {seed}: element {wrong[0]} of program {wrong[0] // OUTPUTS} is {got[wrong[0]]} instead of "
             f"{wanted[wrong[0]]}, {len(wrong)} are wrong") if wrong or len(got) != len(wanted) else ""
    return fault, source.read_text().count("memref.copy"), elided.read_text().count("memref.copy")


def main():
    line = parser(__doc__)
    line.add_argument("--programs", type=int, default=30, help="programs in each function")
    options = line.parse_args()
    cases = check_all(options, check)
    wrong = [fault for fault, _, _ in cases if fault]
    before, after = (sum(case[at] for case in cases) for at in (1, 2))
    print("\n".join(wrong))
    print(f"{options.count * options.programs} programs of {before} copies, of which {before - after} are left out; "
          f"{len(wrong)} functions wrong")
    # Where every copy stays, nothing is compared.
    sys.exit(bool(wrong) or (before - after) * 20 < before)


if __name__ == "__main__":
    main()
