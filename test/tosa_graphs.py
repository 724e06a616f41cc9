#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs random graphs of TOSA, those of npu-fuzz --tosa, on inputs of small
whole numbers, and compares every result that is exact with what the specification says
(tosa_evaluate.py). A result is exact where no step after it had to round a float. What is
refused has to be refused for a reason that docs/tosa.md has.

    test/tosa_graphs.py build/bin --page=docs/tosa.md --count=100 --seed=1
"""

import argparse
import ast
import concurrent.futures
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import tosa_evaluate as tosa  # noqa: E402
from tosa_table import plain, reasons_of  # noqa: E402
from tosa_types import Tensor, carrier, is_float, made, numbers, read_npy, rounded, width, write_npy  # noqa: E402

# Whole numbers up to these are exact in any order of additions.
COUNTS_TO = {"f32": 2.0 ** 24, "f16": 2.0 ** 11, "bf16": 2.0 ** 8}
# Operations in their generic form: one line, or the first line of one with two regions.
GENERIC = re.compile(r'^\s*(%\w+)(?::\d+)? = "tosa\.(\w+)"\((.*?)\)(?: <\{(.*)\}>)? : \((.*)\) -> \(?(.*?)\)?$')
REGIONS = re.compile(r'^\s*(%\w+)(?::\d+)? = "tosa\.(cond_if|while_loop)"\((.*?)\) \(\{$')
ENDS = re.compile(r'^\s*"(?:tosa\.yield|func\.return)"\((.*?)\)')
ELEMENTWISE = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b, "logical_and": lambda a, b: a & b,
    "logical_or": lambda a, b: a | b, "logical_xor": lambda a, b: a ^ b, "maximum": max, "minimum": min,
    "equal": lambda a, b: int(a == b), "greater": lambda a, b: int(a > b), "greater_equal": lambda a, b: int(a >= b),
    "logical_left_shift": lambda a, b: a << b,
    "intdiv": lambda a, b: abs(a) // b * (1 if a >= 0 else -1), "select": lambda c, a, b: a if c else b,
    "abs": abs, "ceil": lambda a: float(math.ceil(a)), "floor": lambda a: float(math.floor(a)),
    "bitwise_not": lambda a: ~a, "logical_not": lambda a: 1 - a, "identity": lambda a: a, "reciprocal": lambda a: 1 / a,
}


def type_of(text):
    shape, kind = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", text).groups()
    return kind, tuple(int(extent) for extent in shape.split("x")[:-1])


def constant(attributes, type_text):
    text = re.search(r"dense<(.*?)> :", attributes).group(1).replace("true", "1").replace("false", "0")
    entries = flat(ast.literal_eval(text))
    if type_text.startswith("!"):
        return entries * (int(re.search(r"\d+", type_text).group()) if len(entries) == 1 else 1)
    kind, shape = type_of(type_text)
    return Tensor(kind, shape, entries if len(entries) == math.prod(shape) else entries * math.prod(shape))


def flat(entries):
    return [e for part in entries for e in flat(part)] if isinstance(entries, list) else [entries]


class Attributes:
    def __init__(self, text):
        self.text = text or ""

    def __getitem__(self, name):
        """A number, or a list of numbers."""
        found = re.search(rf"\b{name} = (?:array<i\d+: ([^>]*)>|(-?[\d.]+))", self.text)
        return [int(n) for n in found.group(1).split(",")] if found.group(1) else float(found.group(2))

    def __contains__(self, word):
        return word in self.text


def magnitude(tensor):
    return Tensor(tensor.kind, tensor.shape, [abs(v) for v in tensor.data])


class Inexact(Exception):
    """A step rounds, or nothing is said of how it does."""


def bounded(kind, most):
    if is_float(kind) and most > COUNTS_TO[kind]:
        raise Inexact


def evaluate(operation, operands, a, result):
    """The operation's tensor, before it is rounded to the result's type."""
    kind, shape = type_of(result)
    x = operands[0]
    if operation in ELEMENTWISE:
        return tosa.broadcast(ELEMENTWISE[operation], kind, *operands)
    if operation == "mul":
        shift = operands[2].data[0]
        return tosa.broadcast(lambda v, w: tosa.shift_right(v * w, shift, True) if shift else v * w, kind, *operands[:2])
    if operation in ("logical_right_shift", "arithmetic_right_shift"):
        mask, rounds = (1 << width(kind)) - 1, "round = true" in a
        return tosa.broadcast(lambda v, w: (v & mask) >> w if operation[0] == "l" else tosa.shift_right(v, w, rounds),
                              kind, *operands)
    if operation == "negate":
        zero, out = operands[1].data[0], operands[2].data[0]
        return made(kind, shape, lambda *i: -x.at(*i) if is_float(kind) else
                    tosa.fitting(out - (x.at(*i) - zero), kind))
    if operation == "clz":
        return made(kind, shape, lambda *i: tosa.leading_zeros(x.at(*i), kind))
    if operation == "clamp":
        return made(kind, shape, lambda *i: tosa.clip(x.at(*i), a["min_val"], a["max_val"]))
    if operation == "cast":
        return made(kind, shape, lambda *i: tosa.cast(x.at(*i), kind, x.kind))
    if operation == "table":
        return made(kind, shape, lambda *i: tosa.lookup(x.at(*i), operands[1].data, x.kind))
    return reduced(operation, operands, a, kind, shape) or moved(operation, operands, a, kind, shape) or \
        summed(operation, operands, a, kind)


def reduced(operation, operands, a, kind, shape):
    x = operands[0]
    if operation == "argmax":
        return tosa.reshaped(tosa.reduce(x, int(a["axis"]), lambda v: tosa.argmax(v, "PROPAGATE"), kind), shape)
    combine = {"reduce_all": min, "reduce_any": max, "reduce_max": max, "reduce_min": min, "reduce_sum": sum,
               "reduce_product": math.prod}.get(operation)
    if combine is None:
        return None
    axis = int(a["axis"])
    if operation == "reduce_sum":
        bounded(kind, max(tosa.reduce(magnitude(x), axis, sum).data))
    if operation == "reduce_product":
        bounded(kind, max(tosa.reduce(x, axis, lambda v: math.prod(max(1, abs(e)) for e in v)).data))
    return tosa.reduce(x, axis, combine)


def moved(operation, operands, a, kind, shape):
    x = operands[0]
    if operation == "concat":
        return tosa.concat(operands, int(a["axis"]))
    if operation == "reshape":
        return tosa.reshaped(x, shape)
    if operation == "reverse":
        axis = int(a["axis"])
        return made(kind, shape, lambda *i: x.at(*(shape[d] - 1 - k if d == axis else k for d, k in enumerate(i))))
    if operation == "slice":
        return made(kind, shape, lambda *i: x.at(*(k + b for k, b in zip(i, operands[1]))))
    if operation == "tile":
        return made(kind, shape, lambda *i: x.at(*(k % e for k, e in zip(i, x.shape))))
    if operation == "transpose":
        perms = a["perms"]
        return made(kind, shape, lambda *i: x.at(*(i[perms.index(d)] for d in range(len(perms)))))
    if operation == "pad":
        return tosa.pad(x, operands[1], operands[2].data[0])
    if operation == "gather":
        return made(kind, shape, lambda n, w, c: x.at(n, operands[1].at(n, w), c))
    if operation == "scatter":
        return tosa.scatter(*operands)
    return None


def summed(operation, operands, a, kind):
    x = operands[0]
    if operation == "matmul":
        zeros = [z.data[0] for z in operands[2:]]
        bounded(kind, max(tosa.matmul(magnitude(x), magnitude(operands[1]), 0, 0, kind).data))
        return tosa.matmul(x, operands[1], *zeros, kind)
    if "conv" in operation:
        zeros = [z.data[0] for z in operands[3:]]

        def convolved(x, w, bias, zeros):
            if operation == "transpose_conv2d":
                return tosa.transposed_convolution(x, w, bias, *zeros, a["out_pad"], a["stride"], kind)
            return tosa.convolution(x, w, bias, *zeros, a["pad"], a["stride"], a["dilation"], kind, operation[0] == "d")
        bounded(kind, max(convolved(*(magnitude(t) for t in operands[:3]), (0, 0)).data))
        return convolved(*operands[:3], zeros)
    if operation == "avg_pool2d":
        zeros = [z.data[0] for z in operands[1:]]
        return tosa.windows(x, a["kernel"], a["stride"], a["pad"], lambda v: tosa.average(v, *zeros, kind), kind)
    if operation == "max_pool2d":
        return tosa.windows(x, a["kernel"], a["stride"], a["pad"], max, kind)
    if operation == "resize":
        mode = "BILINEAR" if "BILINEAR" in a else "NEAREST_NEIGHBOR"
        return tosa.resize(x, *operands[1:], mode, kind)
    if operation == "rescale":
        multipliers, shifts = operands[1].data, operands[2].data
        zeros = [z.data[0] for z in operands[3:]]
        return made(kind, x.shape, lambda *i: tosa.rescale(
            x.at(*i), multipliers[i[-1] % len(multipliers)], shifts[i[-1] % len(shifts)], *zeros, "DOUBLE_ROUND" in a,
            kind, "input_unsigned = true" in a, "output_unsigned = true" in a, x.kind))
    raise Inexact


def exactly(tensor):
    """The tensor in its type, where that has its numbers."""
    data = [rounded(v, tensor.kind) for v in tensor.data]
    if is_float(tensor.kind) and not all(math.isfinite(v) and v == w for v, w in zip(tensor.data, data)):
        raise Inexact
    return Tensor(tensor.kind, tensor.shape, data)


def names_of(text):
    """The names in a list of operands. The first of several results has the name of all."""
    return [name.removesuffix("#0") for name in text.split(", ")]


def step(values, name, operation, operands, attributes, types):
    """Sets the value of `name`; None where a step after it rounds."""
    result = types.split(", ")[0]
    if operation in ("const", "const_shape"):
        values[name] = constant(attributes, result)
        return
    given = [values.get(operand) for operand in operands]
    try:
        if any(value is None for value in given):
            raise Inexact
        values[name] = exactly(evaluate(operation, given, Attributes(attributes), result))
    except (Inexact, ArithmeticError, ValueError):
        values[name] = None


def run_region(lines, given, values):
    """What a region hands on where its arguments are `given`."""
    if lines[0].lstrip().startswith("^"):
        values.update(zip(re.findall(r"(%\w+):", lines[0]), given))
    return [values.get(name) for name in run_lines(lines, values)]


def run_lines(lines, values):
    """Sets the values of a function's or a region's lines, and gives the names that it hands on."""
    place = 0
    while place < len(lines):
        if found := ENDS.match(lines[place]):
            return names_of(found.group(1))
        if found := GENERIC.match(lines[place]):
            name, operation, operands, attributes, _, types = found.groups()
            step(values, name, operation, names_of(operands), attributes, types)
        elif found := REGIONS.match(lines[place]):
            name, operation, operands = found.groups()
            given = [values.get(operand) for operand in names_of(operands)]
            middle, end = (next(n for n in range(place, len(lines)) if lines[n].lstrip().startswith(text))
                           for text in ("}, {", "})"))
            first, second = lines[place + 1 : middle], lines[middle + 1 : end]
            if operation == "cond_if":
                taken = given[0] and (first if given[0].data[0] else second)
                values[name] = taken and run_region(taken, [], values)[0]
            else:
                while (goes := run_region(first, given, values)[0]) and goes.data[0]:
                    given = run_region(second, given, values)
                values.update({f"{name}#{i}" if i else name: goes and value for i, value in enumerate(given)})
            place = end
        place += 1
    return []


def command(arguments):
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    return run.returncode, run.stdout + run.stderr


def try_graph(text, number, tools, folder, reasons):
    """What is wrong with a graph, and how many of its results were compared."""
    original, legal = folder / "original.mlir", folder / "legal.mlir"
    original.write_text(text, encoding="utf-8")
    pipeline = re.search(r"^// npu-opt FILE --npu-compile='(.*)' -o", text, re.M).group(1)
    status, said = command([tools / "npu-opt", original, "-o", legal, f"--npu-compile={pipeline}"])
    if status != 0:
        note = re.search(r"note: (.*)", said)
        known = note and any(reason.endswith(plain(note.group(1))) for reason in reasons)
        return ("" if known else f"refused: {said.strip()}"), 0
    _, generic = command([tools / "npu-opt", original, "--mlir-print-op-generic",
                          "--mlir-print-elementsattrs-with-hex-if-larger=-1"])
    signature = re.search(r"\^bb0\((.*)\):", generic).group(1)
    values, files = {}, []
    for name, type_text in re.findall(r"(%\w+): (tensor<[^>]*>)", signature):
        values[name] = numbers(*type_of(type_text), f"{number} {name}", -4, 4, whole=True)
        files.append(folder / f"{name[1:]}.npy")
        write_npy(files[-1], values[name])
    returned = run_lines(generic.splitlines(), values)
    status, said = command([tools / "npu-run", legal, f"--inputs={','.join(map(str, files))}", "-O0",
                            f"--output={folder / 'out.npy'}"])
    if status != 0:
        return f"npu-run: {said.strip()}", 0
    compared = 0
    for i, name in enumerate(returned):
        expected = values[name]
        if expected is None:
            continue
        got = read_npy(folder / (f"out.{i}.npy" if len(returned) > 1 else "out.npy"), carrier(expected.kind))
        compared += 1
        for place, (want, have) in enumerate(zip(expected.data, got.data)):
            if want != have or tuple(expected.shape) != tuple(got.shape):
                return f"result #{i} ({name}), element {place}: expected {want}, got {have}", compared
    return "", compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=Path, help="folder of npu-fuzz, npu-opt and npu-run")
    parser.add_argument("--page", type=Path, required=True, help="docs/tosa.md, which has the reasons of refusals")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="keep graphs that are wrong")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    reasons = reasons_of(options.page)
    _, printed = command([options.tools / "npu-fuzz", "--tosa", "--print", f"--count={options.count}",
                          f"--seed={options.seed}"])
    graphs = re.split(r"^// Seed \d+, case \d+\.\n", printed, flags=re.M)[1:]

    def attempt(numbered):
        number, text = numbered
        with tempfile.TemporaryDirectory() as folder:
            wrong, compared = try_graph(text, number, options.tools, Path(folder), reasons)
        if wrong and options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"graph-{options.seed}-{number}.mlir").write_text(f"// {wrong.splitlines()[0]}\n{text}",
                                                                              encoding="utf-8")
        return wrong, compared

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(attempt, enumerate(graphs)))
    for number, (wrong, _) in enumerate(found):
        if wrong:
            print(f"error: seed {options.seed}, case {number}: {wrong}")
    print(f"{len(graphs)} graphs, {sum(bool(wrong) for wrong, _ in found)} wrong, "
          f"{sum(compared for _, compared in found)} results compared")
    return 1 if any(wrong for wrong, _ in found) or len(graphs) != options.count else 0


if __name__ == "__main__":
    sys.exit(main())
