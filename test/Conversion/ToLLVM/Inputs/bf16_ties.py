#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers beside the ties of bf16 as inputs, and the bits that they round to.

    bf16_ties.py SCRIPTS FOLDER

Writes FOLDER/x.npy and FOLDER/n.npy, FOLDER/rounded.mlir, a function that returns the
bits of their conversions to bf16, and FOLDER/nearest.mlir, one that returns those of the
nearest numbers of bf16, which are computed here with fractions.
"""
import fractions
import math
import pathlib
import random
import sys

sys.path.insert(0, sys.argv[1])
import npy_files  # noqa: E402

COUNT = 96
INFINITY = 0x7F80


def bf16(number):
    """The bits of the nearest number of bf16; of two, of the even one."""
    sign = 0x8000 if math.copysign(1, number) < 0 else 0
    if math.isinf(number):
        return sign | INFINITY
    exact = abs(fractions.Fraction(number))
    # Bits of positive numbers are in the order of the numbers: every exponent has
    # 128 of them, and those below 2^-126 the same distance as those above.
    exponent = max(math.frexp(float(exact))[1] - 1, -126) if exact else -126
    steps = exact / fractions.Fraction(2) ** (exponent - 7)
    bits = round(steps) + (exponent + 126) * 128
    return sign | min(bits, INFINITY)


def signed(bits):
    return bits - 0x10000 if bits & 0x8000 else bits


def main():
    picker = random.Random(5)
    floats = [0.0, -0.0, 1e-45, 5e-324, -1e-40, 3.4e38, 3.3961775e38, 1e300, math.inf, -math.inf]
    while len(floats) < COUNT:
        # A tie between two numbers of bf16, or less than half an ulp of f32 beside one.
        tie = (1 + (2 * picker.randrange(128) + 1) / 256) * 2.0 ** picker.randrange(-140, 127)
        beside = picker.choice((-1, 0, 1)) * 2.0 ** -picker.randrange(24, 52)
        floats.append(picker.choice((-1, 1)) * tie * (1 + beside))
    integers = [0, -1, 2**31 - 1, -(2**31)]
    while len(integers) < COUNT:
        tie = (2 * picker.randrange(128) + 257) << picker.randrange(16, 22)
        integers.append(picker.choice((-1, 1)) * (tie + picker.randrange(-1, 2)))
    npy_files.write(f"{sys.argv[2]}/x.npy", "<f8", [COUNT], floats)
    npy_files.write(f"{sys.argv[2]}/n.npy", "<i4", [COUNT], integers)
    x, n, b, i = (f"tensor<{COUNT}x{element}>" for element in ("f64", "i32", "bf16", "i16"))
    signature = f"func.func @main(%x: {x}, %n: {n}) -> ({i}, {i}) {{\n"
    rounded, nearest = signature, signature
    for name, source, operation, numbers in (("x", x, "truncf", floats),
                                             ("n", n, "sitofp", integers)):
        rounded += (f"  %{name}b = arith.{operation} %{name} : {source} to {b}\n"
                    f"  %{name}i = arith.bitcast %{name}b : {b} to {i}\n")
        expected = ", ".join(str(signed(bf16(each))) for each in numbers)
        nearest += f"  %{name}i = arith.constant dense<[{expected}]> : {i}\n"
    for file, text in (("rounded", rounded), ("nearest", nearest)):
        end = f"  return %xi, %ni : {i}, {i}\n}}\n"
        pathlib.Path(sys.argv[2], f"{file}.mlir").write_text(text + end)


main()
