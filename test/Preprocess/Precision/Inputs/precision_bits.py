#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what npu-run computes, bit for bit, with the same sums in the same
order, rounded after each step to the types that #npu.precision names.

    precision_bits.py NPU_OPT NPU_RUN FOLDER

Every function is a matrix product of M x K and K x N, in all the types below.
"""

import itertools
import pathlib
import random
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "scripts"))
import npy_files  # noqa: E402

M, K, N = 3, 61, 4
DESCR = {"f16": "<f2", "bf16": "<u2", "f32": "<f4", "i8": "|i1", "i32": "<i4"}


def bits_of_bf16(value):
    """The nearest bf16 of a number that is a float of 32 bits."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def rounded(value, kind):
    """A sum or a product of two numbers of `kind` or narrower is exact in a
    Python float, or is rounded to the same number twice."""
    if kind == "bf16":
        near = struct.unpack("<f", struct.pack("<f", value))[0]
        return struct.unpack("<f", struct.pack("<I", bits_of_bf16(near) << 16))[0]
    if kind.startswith("i"):
        bits = int(kind[1:])
        return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    code = {"f16": "e", "f32": "f"}[kind]
    return struct.unpack("<" + code, struct.pack("<" + code, value))[0]


def oracle(x, w, storage, accumulation, intermediate):
    result = []
    for i, j in itertools.product(range(M), range(N)):
        total = 0
        for k in range(K):
            factors = (rounded(x[i * K + k], intermediate), rounded(w[k * N + j], intermediate))
            term = rounded(factors[0] * factors[1], intermediate)
            total = rounded(total + rounded(term, accumulation), accumulation)
        result.append(rounded(total, storage))
    return result


def function(operand, storage, accumulation, intermediate, asked):
    zero = "0" if storage.startswith("i") else "0.0"
    return f"""func.func @main(%x: tensor<{M}x{K}x{operand}>, %w: tensor<{K}x{N}x{operand}>) -> tensor<{M}x{N}x{storage}> {{
  %zero = arith.constant {zero} : {storage}
  %empty = tensor.empty() : tensor<{M}x{N}x{storage}>
  %init = linalg.fill ins(%zero : {storage}) outs(%empty : tensor<{M}x{N}x{storage}>) -> tensor<{M}x{N}x{storage}>
  %0 = linalg.matmul {{npu.precision = #npu.precision<{asked}>}}
    ins(%x, %w : tensor<{M}x{K}x{operand}>, tensor<{K}x{N}x{operand}>)
    outs(%init : tensor<{M}x{N}x{storage}>) -> tensor<{M}x{N}x{storage}>
  return %0 : tensor<{M}x{N}x{storage}>
}}
"""


CASES = [
    # operand, storage, accumulation, intermediate
    ("f16", "f16", "f16", "f16"),
    ("f16", "f16", "f32", "f32"),
    ("f16", "f16", "f32", "f16"),
    ("f16", "f16", "f16", "f32"),
    ("f16", "f32", "f32", "f32"),
    ("bf16", "bf16", "bf16", "bf16"),
    ("bf16", "bf16", "f32", "f32"),
    ("bf16", "bf16", "f32", "bf16"),
    ("f32", "f16", "f32", "f32"),
    ("i8", "i32", "i32", "i32"),
    ("i8", "i8", "i8", "i8"),
    ("i8", "i8", "i32", "i32"),
]


def inputs_of(operand, folder):
    """The numbers of x and w, and the files that have them."""
    dice = random.Random(operand)
    inputs, files = [], []
    for name, shape in (("x", (M, K)), ("w", (K, N))):
        count = shape[0] * shape[1]
        if operand == "i8":
            numbers = stored = [dice.randrange(-128, 128) for _ in range(count)]
        else:
            numbers = [rounded(dice.gauss(0, 3), operand) for _ in range(count)]
            stored = [bits_of_bf16(n) for n in numbers] if operand == "bf16" else numbers
        files.append(str(folder / f"{operand}.{name}.npy"))
        npy_files.write(files[-1], DESCR[operand], shape, stored)
        inputs.append(numbers)
    return inputs, files


def results(opt, run, source, passes, files):
    """What the function in `source` gives after `passes`."""
    made, output = source.with_suffix(".made.mlir"), source.with_suffix(".npy")
    subprocess.run([opt, source, passes, "-o", made], check=True)
    subprocess.run(
        [run, made, "--inputs=" + ",".join(files), f"--output={output}"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    return list(npy_files.read(output)[2])


def main(opt, run, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    seen = {}
    for number, (operand, storage, accumulation, intermediate) in enumerate(CASES):
        asked = f"storage = {storage}, accumulation = {accumulation}, intermediate = {intermediate}"
        source = folder / f"{number}.mlir"
        source.write_text(function(operand, storage, accumulation, intermediate, asked))
        inputs, files = inputs_of(operand, folder)
        expected = oracle(*inputs, storage, accumulation, intermediate)
        if storage == "bf16":
            expected = [bits_of_bf16(n) for n in expected]
        for passes in (
            "--npu-set-precision",
            "--npu-compile=target=npu4000 split-reductions=false",
        ):
            got = results(opt, run, source, passes, files)
            different = sum(a != b for a, b in zip(expected, got))
            print(f"{operand}: {asked}: {different} of {len(got)} different")
            if different or len(got) != M * N:
                return 1
        # The types matter: sums of the same floats come out otherwise.
        for other, those in seen.get((operand, storage), []):
            if operand != "i8" and other != accumulation and those == expected:
                print(f"error: the same results as with sums in {other}")
                return 1
        seen.setdefault((operand, storage), []).append((accumulation, expected))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
