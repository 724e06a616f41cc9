# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of TOSA and tensors of them, in Python alone: their names in MLIR, how
values round to them, and the .npy files that npu-run reads and writes."""

import ast
import itertools
import math
import random
import struct
from dataclasses import dataclass

# What the standard's tables call them, and what MLIR does.
NAMES = {
    "boolT": "i1", "i4T": "i4", "i8T": "i8", "i16T": "i16", "i32T": "i32", "i48T": "i48", "i64T": "i64",
    "bf16T": "bf16", "fp16T": "f16", "fp32T": "f32", "fp8e4m3T": "f8E4M3FN", "fp8e5m2T": "f8E5M2",
    "fp4e2m1T": "f4E2M1FN", "fp6e2m3T": "f6E2M3FN", "fp6e3m2T": "f6E3M2FN", "fp8ue8m0T": "f8E8M0FNU",
    "mxint8T": "!tosa.mxint8",
}

# Explicit bits of the significand, the least exponent of a normal number, the largest number.
FLOATS = {
    "f64": (52, -1022, math.inf), "f32": (23, -126, math.inf), "f16": (10, -14, 65504.0),
    "bf16": (7, -126, math.inf), "f8E4M3FN": (3, -6, 448.0), "f8E5M2": (2, -14, 57344.0),
    "f8E8M0FNU": (0, -127, 2.0 ** 127), "f4E2M1FN": (1, 0, 6.0), "f6E2M3FN": (3, 0, 7.5), "f6E3M2FN": (2, -2, 28.0),
}

# What a file or an argument of npu-run has; everything else goes through the type after it.
FILES = {"i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "ui8": "|u1", "ui16": "<u2",
         "f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8"}
CARRIERS = {"i4": "i8", "i48": "i64"}


def carrier(kind):
    """The type as which a run takes and gives values of `kind`."""
    return kind if kind in FILES or kind.startswith("!") else CARRIERS.get(kind, "f32")


def is_float(kind):
    return "f" in kind


def width(kind):
    return int(kind.lstrip("ui"))


def least(kind):
    return 0 if kind.startswith("u") or kind == "i1" else -(1 << (width(kind) - 1))


def most(kind):
    return (1 << width(kind)) - 1 if kind.startswith("u") or kind == "i1" else (1 << (width(kind) - 1)) - 1


def wrap(value, kind):
    """An integer in two's complement."""
    value &= (1 << width(kind)) - 1
    return value - (1 << width(kind)) if value > most(kind) else value


def rounded(value, kind):
    """The number of the type that is nearest, of two the even one."""
    if not is_float(kind):
        return wrap(int(value), kind)
    value = float(value)
    if kind == "f64" or value == 0 or math.isnan(value) or math.isinf(value):
        return value
    if kind == "f32":
        try:
            return struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    bits, exponent, largest = FLOATS[kind]
    step = 2.0 ** (max(math.frexp(value)[1] - 1, exponent) - bits)
    near = round(value / step) * step
    if kind == "bf16":
        largest = float.fromhex("0x1.fep127")
    return near if abs(near) <= largest else math.copysign(math.inf, value)


@dataclass
class Tensor:
    kind: str
    shape: tuple
    data: list

    def at(self, *index):
        place = 0
        for i, extent in zip(index, self.shape):
            place = place * extent + i
        return self.data[place]

    @property
    def type(self):
        return tensor_type(self.kind, self.shape)


def tensor_type(kind, shape):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + kind + ">"


def indices(shape):
    return itertools.product(*(range(extent) for extent in shape))


def made(kind, shape, value):
    """The tensor of `value` at every index."""
    return Tensor(kind, tuple(shape), [value(*index) for index in indices(shape)])


def numbers(kind, shape, seed, low=-4, high=4, whole=False):
    """Numbers of the type between both. Whole ones in floats have exact sums."""
    generator = random.Random(f"{seed} {kind} {shape}")
    if not is_float(kind):
        low, high = max(low, least(kind)), min(high, most(kind))
        return made(kind, shape, lambda *_: generator.randint(math.ceil(low), math.floor(high)))
    if whole:
        return made(kind, shape, lambda *_: float(generator.randint(math.ceil(low), math.floor(high))))
    return made(kind, shape, lambda *_: rounded(generator.uniform(low, high), kind))


def write_npy(path, tensor):
    kind = carrier(tensor.kind)
    code = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "ui8": "B", "ui16": "H", "f16": "e",
            "f32": "f", "f64": "d", "bf16": "H"}[kind]
    data = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in tensor.data] if kind == "bf16" else tensor.data
    header = f"{{'descr': '{FILES[kind]}', 'fortran_order': False, 'shape': {tuple(tensor.shape)}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(data)}{code}", *data))


def read_npy(path, kind):
    """The file's tensor; `kind` tells bf16 from ui16."""
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10 : 10 + length].decode())
    shape, kind = header["shape"], carrier(kind)
    if header["descr"] != FILES[kind]:
        raise ValueError(f"expected {FILES[kind]}, got {header['descr']}")
    code = {"|b1": "?", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "|u1": "B", "<u2": "H", "<f2": "e",
            "<f4": "f", "<f8": "d"}[header["descr"]]
    data = list(struct.unpack(f"<{math.prod(shape)}{code}", content[10 + length :]))
    if kind == "bf16":
        data = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in data]
    if kind == "i1":
        data = [int(v) for v in data]
    return Tensor(kind, tuple(shape), data)
