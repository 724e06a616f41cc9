#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a table of kernels says with what npu-compile does.

Each case is an operation of random kind, shape and element types, a table of random rows,
and a device with random storage kinds. npu-print-kernels is asked after npu-select-kernels has repaired what it can:

* where it says that every operation has a kernel, the device NPU compiles the function, and
  a run of it gives the bits of a run of the model;
* where it says that one has none, the device NPU refuses it with the same reason, and
  HETERO:NPU,CPU compiles it, with the same bits.

Prints how many cases there were of each kind and `N passed, N failed`; exits with 1 if one
failed, and says how to run that one alone.
"""

import json
import pathlib
import random
import subprocess

import random_cases

FLOATS = ["f16", "f32", "bf16"]
INTEGERS = ["i8", "i16", "i32"]
INDICES = ["i8", "i16", "i32", "i64", "index"]
ORDERS = ["NCHW", "NHWC", "NWHC"]
KINDS = ['"linear"', '"tiled2d"']
STRUCTURES = ["contraction", "convolution", "pooling", "reduction", "elementwise", "movement",
              "lookup"]


class Case:
    def __init__(self, seed):
        chosen = self.random = random.Random(seed)
        self.element = chosen.choice(FLOATS + INTEGERS)
        kinds = [self.matmul, self.convolution, self.pooling, self.reduction, self.elementwise,
                 self.transpose, self.gather, self.scatter, self.lookup, self.softmax, self.pad]
        make = chosen.choice(kinds)
        self.kind = make.__name__
        self.body = make()
        self.table = self.rows()
        # Of two kinds, the preferred one comes first.
        self.kinds = '"linear"' if chosen.random() < 0.1 else ", ".join(chosen.sample(KINDS, 2))
        self.storage = chosen.choice(["auto", "auto", "linear"] +
                                     ["tiled2d"] * ("tiled2d" in self.kinds))

    def is_float(self):
        return self.element in FLOATS

    def op(self, kind):
        return f"arith.{kind}{'f' if self.is_float() else 'i'}"

    def function(self, arguments, lines, result):
        given = ", ".join(f"%{name}: {type_}" for name, type_ in arguments)
        body = "\n    ".join(lines)
        return (f"  func.func @main({given}) -> {result} {{\n    {body}\n"
                f"    return %r : {result}\n  }}\n")

    def matmul(self):
        e = self.element
        wide = self.random.choice([e, "f32" if self.is_float() else "i32"])
        m, k, n = (self.random.choice([3, 4, 8]) for _ in range(3))
        zero = "0.0" if self.is_float() else "0"
        return self.function(
            [("a", f"tensor<{m}x{k}x{e}>"), ("b", f"tensor<{k}x{n}x{e}>")],
            [f"%z = arith.constant {zero} : {wide}", f"%e = tensor.empty() : tensor<{m}x{n}x{wide}>",
             f"%f = linalg.fill ins(%z : {wide}) outs(%e : tensor<{m}x{n}x{wide}>) "
             f"-> tensor<{m}x{n}x{wide}>",
             f"%r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{e}>, tensor<{k}x{n}x{e}>) "
             f"outs(%f : tensor<{m}x{n}x{wide}>) -> tensor<{m}x{n}x{wide}>"],
            f"tensor<{m}x{n}x{wide}>")

    def convolution(self):
        e = self.element
        zero = "0.0" if self.is_float() else "0"
        return self.function(
            [("x", f"tensor<1x6x6x4x{e}>"), ("w", f"tensor<3x3x4x8x{e}>")],
            [f"%z = arith.constant {zero} : {e}", f"%e = tensor.empty() : tensor<1x4x4x8x{e}>",
             f"%f = linalg.fill ins(%z : {e}) outs(%e : tensor<1x4x4x8x{e}>) -> tensor<1x4x4x8x{e}>",
             f"%r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x6x6x4x{e}>, tensor<3x3x4x8x{e}>) "
             f"outs(%f : tensor<1x4x4x8x{e}>) -> tensor<1x4x4x8x{e}>"],
            f"tensor<1x4x4x8x{e}>")

    def pooling(self):
        e = self.element
        least = "-6.0e4" if self.is_float() else "-128"
        return self.function(
            [("x", f"tensor<1x6x6x4x{e}>")],
            [f"%z = arith.constant {least} : {e}", f"%e = tensor.empty() : tensor<1x5x5x4x{e}>",
             f"%w = tensor.empty() : tensor<2x2x{e}>",
             f"%f = linalg.fill ins(%z : {e}) outs(%e : tensor<1x5x5x4x{e}>) -> tensor<1x5x5x4x{e}>",
             f"%r = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x6x6x4x{e}>, tensor<2x2x{e}>) "
             f"outs(%f : tensor<1x5x5x4x{e}>) -> tensor<1x5x5x4x{e}>"],
            f"tensor<1x5x5x4x{e}>")

    def reduction(self):
        e, rank = self.element, self.random.choice([2, 3])
        shape = [self.random.choice([3, 4, 8]) for _ in range(rank)]
        dims = "x".join(map(str, shape))
        rest = "".join(f"{extent}x" for extent in shape[1:])
        zero = "0.0" if self.is_float() else "0"
        return self.function(
            [("x", f"tensor<{dims}x{e}>")],
            [f"%z = arith.constant {zero} : {e}", f"%e = tensor.empty() : tensor<{rest}{e}>",
             f"%f = linalg.fill ins(%z : {e}) outs(%e : tensor<{rest}{e}>) -> tensor<{rest}{e}>",
             f"%r = linalg.reduce {{{self.op('add')}}} ins(%x : tensor<{dims}x{e}>) "
             f"outs(%f : tensor<{rest}{e}>) dimensions = [0]"],
            f"tensor<{rest}{e}>")

    def elementwise(self):
        e = self.element
        shape = "x".join(str(self.random.choice([3, 4, 8])) for _ in range(self.random.randint(1, 4)))
        type_ = f"tensor<{shape}x{e}>"
        lines = [f"%r0 = {self.op('mul')} %x, %y : {type_}"]
        count = self.random.randint(0, 2)
        for number in range(count):
            lines.append(f"%r{number + 1} = {self.op('add')} %r{number}, %y : {type_}")
        lines[-1] = lines[-1].replace(f"%r{count} =", "%r =")
        return self.function([("x", type_), ("y", type_)], lines, type_)

    def transpose(self):
        e = self.element
        return self.function(
            [("x", f"tensor<4x6x8x{e}>")],
            [f"%e = tensor.empty() : tensor<8x4x6x{e}>",
             f"%t = linalg.transpose ins(%x : tensor<4x6x8x{e}>) outs(%e : tensor<8x4x6x{e}>) "
             "permutation = [2, 0, 1]",
             f"%r = {self.op('add')} %t, %t : tensor<8x4x6x{e}>"],
            f"tensor<8x4x6x{e}>")

    def positions(self, extent, count, depth):
        """Lines that make %at, and its type: a constant that is in bounds."""
        type_ = f"tensor<{count}x{depth}x{self.random.choice(INDICES)}>"
        tuples = [[self.random.randint(-extent, extent - 1) for _ in range(depth)]
                  for _ in range(count)]
        return f"%at = arith.constant dense<{tuples}> : {type_}", type_

    def gather(self):
        e = self.element
        constant, at = self.positions(5, self.random.choice([2, 4]), self.random.choice([1, 2]))
        depth = int(at.split("x")[1])
        count = int(at.split("<")[1].split("x")[0])
        rest = {1: "5x7x", 2: "7x"}[depth]
        return self.function(
            [("x", f"tensor<5x5x7x{e}>")],
            [constant, f"%r = npu.gather %x at %at : tensor<5x5x7x{e}>, {at} "
                       f"-> tensor<{count}x{rest}{e}>"],
            f"tensor<{count}x{rest}{e}>")

    def scatter(self):
        e = self.element
        constant, at = self.positions(5, self.random.choice([2, 4]), 1)
        count = int(at.split("<")[1].split("x")[0])
        return self.function(
            [("x", f"tensor<5x7x{e}>"), ("u", f"tensor<{count}x7x{e}>")],
            [constant, f"%r = npu.scatter %u into %x at %at : tensor<{count}x7x{e}>, "
                       f"tensor<5x7x{e}>, {at} -> tensor<5x7x{e}>"],
            f"tensor<5x7x{e}>")

    def lookup(self):
        """A structured operation that reads rows of a table: rows that it is given, made
        positions of the table, or constants."""
        e, at = self.element, self.random.choice(INDICES)
        rows, count, extent = (self.random.choice([3, 8]) for _ in range(3))
        type_ = f"tensor<{count}x{extent}x{e}>"
        arguments, lines = [("t", f"tensor<{rows}x{extent}x{e}>")], []
        if self.random.random() < 0.3:
            numbers = [self.random.randrange(rows) for _ in range(count)]
            lines.append(f"%i = arith.constant dense<{numbers}> : tensor<{count}x{at}>")
        else:
            arguments.append(("i", f"tensor<{count}x{at}>"))
        row = "%i1" if at == "index" else "%i2"
        body = [f"%n = arith.constant {rows} : {at}", f"%i1 = arith.remui %a, %n : {at}"]
        if at != "index":
            body.append(f"%i2 = arith.index_cast %i1 : {at} to index")
        lines += [
            f"%e = tensor.empty() : {type_}",
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, "
            "affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} "
            f"ins(%i : tensor<{count}x{at}>) outs(%e : {type_}) {{", f"^bb0(%a: {at}, %o: {e}):",
            *body, "%c = linalg.index 1 : index",
            f"%v = tensor.extract %t[{row}, %c] : tensor<{rows}x{extent}x{e}>",
            f"linalg.yield %v : {e}", f"}} -> {type_}"]
        return self.function(arguments, lines, type_)

    def softmax(self):
        self.element = e = self.random.choice(FLOATS)
        return self.function(
            [("x", f"tensor<4x8x{e}>")],
            [f"%e = tensor.empty() : tensor<4x8x{e}>",
             f"%r = linalg.softmax dimension(1) ins(%x : tensor<4x8x{e}>) "
             f"outs(%e : tensor<4x8x{e}>) -> tensor<4x8x{e}>"],
            f"tensor<4x8x{e}>")

    def pad(self):
        e = self.element
        zero = "0.0" if self.is_float() else "0"
        return self.function(
            [("x", f"tensor<4x6x{e}>")],
            [f"%z = arith.constant {zero} : {e}",
             "%p = tensor.pad %x low[1, 0] high[0, 2] {", "^bb0(%i: index, %j: index):",
             f"  tensor.yield %z : {e}", f"}} : tensor<4x6x{e}> to tensor<5x8x{e}>",
             f"%r = {self.op('add')} %p, %p : tensor<5x8x{e}>"],
            f"tensor<5x8x{e}>")

    def some(self, of):
        return "[" + ", ".join(self.random.sample(of, self.random.randint(1, len(of)))) + "]"

    def rows(self):
        """A table of rows that do not take each other's operations."""
        rows = []
        for op in STRUCTURES + ["npu.gather", "npu.scatter", "linalg.softmax"]:
            if self.random.random() < 0.15:
                continue
            items = [f'op = "{op}"']
            if self.random.random() < 0.5:
                items.append(f"inputs = {self.some(FLOATS + INTEGERS)}")
            if op in ("npu.gather", "npu.scatter", "lookup") and self.random.random() < 0.8:
                items.append(f"indices = {self.some(INDICES)}")
            if self.random.random() < 0.2:
                items.append(f"accumulators = {self.some(['f32', 'i32', 'f16', self.element])}"
                             .replace(f", {self.element}", "")
                             if self.element in ("f32", "i32", "f16") else
                             f"accumulators = {self.some(['f32', 'i32', self.element])}")
            if self.random.random() < 0.2:
                items.append(f"results = {self.some(FLOATS + INTEGERS)}")
            if self.random.random() < 0.2:
                least = self.random.randint(0, 3)
                items.append(f"ranks = [{least}, {least + self.random.randint(0, 3)}]")
            if self.random.random() < 0.15:
                items.append(f"orders = {self.some([chr(34) + order + chr(34) for order in ORDERS])}")
            if self.random.random() < 0.25:
                items.append(f"storage = {self.some(KINDS)}")
            if self.random.random() < 0.2:
                items.append(f"extents = {self.random.choice([3, 6, 8, 100])}")
            rows.append("{" + ", ".join(items) + "}")
        return ",\n        ".join(rows) or '{op = "pooling", extents = 1}'

    def text(self):
        return (
            'module attributes {dlti.target_system_spec = #dlti.target_system_spec<\n'
            '    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.like" = "npu4000",\n'
            f'      "npu.storage_kinds" = [{self.kinds}],\n'
            f'      "npu.kernels" = #npu.kernels<\n        {self.table}>>>}} {{\n{self.body}}}\n')


def run(command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


def failure(bin_, folder, case, kinds):
    """What is wrong with a case; empty where nothing is."""
    model = folder / "model.mlir"
    model.write_text(case.text())
    code, said, errors = run([
        bin_ / "npu-opt", model, "--npu-lower-model", "--npu-select-kernels",
        "--npu-print-kernels=format=json", "-o", "/dev/null"])
    if code:
        return f"query: exit {code}\n{errors}"
    functions = json.loads(said)["functions"]
    refused = [op for function in functions for op in function["operations"] if not op["taken"]]
    kinds["refused" if refused else "taken"] += 1

    def compile_(device):
        """Compiles for a device, and runs the program beside the model."""
        return run([bin_ / "npu-run", model, "--inputs=normal", "-O0",
                    f"--compile=tiles=3 device={device} split-reductions=false "
                    f"storage={case.storage}"])

    code, said, errors = compile_("NPU")
    if not refused:
        return "" if code == 0 and "equal" in said else f"taken, but NPU: exit {code}\n{said}{errors}"
    if code != 1:
        return f"expected the device NPU to refuse it, got exit {code}\n{errors}"
    if not any(op["reason"] in errors for op in refused):
        return f"refused for another reason than {refused[0]['reason']}:\n{errors}"
    code, said, errors = compile_("HETERO:NPU,CPU")
    return "" if code == 0 and "equal" in said else f"HETERO: exit {code}\n{said}{errors}"


def check(bin_, folder, number, kinds):
    case = Case(number)
    wrong = failure(bin_, folder, case, kinds)
    kinds[case.kind] += 1
    return wrong and f"{wrong}\n{case.text()}"


def main():
    random_cases.run_numbered(__doc__, 40, check)



if __name__ == "__main__":
    main()
