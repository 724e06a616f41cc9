#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers beside the ties of bf16, as constants and as inputs of one function.

    bf16_ties.py SCRIPTS FOLDER

Writes FOLDER/x.npy and FOLDER/n.npy, and prints a function of them that returns for
each number whether its conversion to bf16 has the bits of the folded constant's.
"""
import random
import struct
import sys

sys.path.insert(0, sys.argv[1])
import npy_files  # noqa: E402

COUNT = 96


def bits(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def main():
    picker = random.Random(5)
    floats = [0.0, -0.0, 1e-45, 5e-324, -1e-40, 3.4e38, 3.3961775e38, 1e300, float("inf"), -float("inf")]
    while len(floats) < COUNT:
        # A tie between two numbers of bf16, or half an ulp of f32 beside one.
        tie = (1 + (2 * picker.randrange(128) + 1) / 256) * 2.0 ** picker.randrange(-140, 127)
        floats.append(picker.choice((-1, 1)) * tie * (1 + picker.choice((-1, 0, 1)) * 2.0 ** -picker.randrange(24, 53)))
    integers = [0, -1, 2**31 - 1, -(2**31)]
    while len(integers) < COUNT:
        tie = (2 * picker.randrange(128) + 257) << picker.randrange(16, 22)
        integers.append(picker.choice((-1, 1)) * (tie + picker.randrange(-1, 2)))
    npy_files.write(f"{sys.argv[2]}/x.npy", "<f8", [COUNT], floats)
    npy_files.write(f"{sys.argv[2]}/n.npy", "<i4", [COUNT], integers)
    x, n, b, i = (f"tensor<{COUNT}x{element}>" for element in ("f64", "i32", "bf16", "i16"))
    print(f"""func.func @main(%x: {x}, %n: {n}) -> ({i}, {i}) {{
  %c = arith.constant dense<[{", ".join(hex(bits(each)) for each in floats)}]> : {x}
  %k = arith.constant dense<[{", ".join(map(str, integers))}]> : {n}""")
    for name, source, operation in (("x", x, "truncf"), ("c", x, "truncf"), ("n", n, "sitofp"), ("k", n, "sitofp")):
        print(f"  %{name}b = arith.{operation} %{name} : {source} to {b}")
        print(f"  %{name}i = arith.bitcast %{name}b : {b} to {i}")
    print(f"""  %f = arith.xori %xi, %ci : {i}
  %g = arith.xori %ni, %ki : {i}
  return %f, %g : {i}, {i}
}}""")


main()
