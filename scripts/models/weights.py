# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of weights, by their names: the same in every form of a model.

Sums stay as large as their terms: a weight of fan-in n (the number of terms of the
sums that it goes into) has variance 1/n, or is 1/n where all its entries are equal.
"""
import array
import math
import random
import struct
import zlib

KINDS = {
    "splat": "one value for all entries; any size, and it runs",
    "random": "random data in the constants themselves",
    "resource": "the same data in the file's section of resources",
    "elided": "names of resources without data; any size, not to be run",
    "arguments": "arguments of the function",
}

# What the weights of one file may have together: four characters for each f16.
MOST_ENTRIES = 1 << 26


class Quantization:
    """Weights as integers of `bits` bits, times a scale for each output channel, or for
    each group of `group` entries that are summed up; with zero points, or without them."""

    FORMS = {"int8": (8, False), "uint8": (8, True), "int4": (4, False), "uint4": (4, True)}

    def __init__(self, name, group):
        self.bits, self.has_zeros = self.FORMS[name]
        self.group = group

    def shapes(self, inner, outputs):
        """Of the weights of `outputs` channels, and of their scales."""
        if self.group is None:
            return [outputs, inner], [outputs]
        groups = inner // self.group
        return [outputs, groups, self.group], [outputs, groups]

    def integers(self, name, shape):
        low = 0 if self.has_zeros else -(1 << self.bits - 1)
        # Half of a range of integers, without the ends that few weights have.
        return Weight(name, shape, centre=low + (1 << self.bits - 1),
                      spread=(1 << self.bits) / 4 - 1, element=f"i{self.bits}")

    def scales(self, name, shape, fan_in):
        middle = 1.0 / math.sqrt(fan_in) / ((1 << self.bits) / 4 - 1)
        return Weight(name, shape, centre=middle, spread=middle / 8)

    def zeros(self, name, shape):
        return Weight(name, shape, centre=1 << self.bits - 1, spread=1,
                      element=f"i{self.bits}")


class Weight:
    """`centre` is the mean of the entries, `spread` their standard deviation; `element`
    is their type where it is not the model's."""

    def __init__(self, name, shape, fan_in=None, centre=0.0, spread=None, element=None):
        self.name, self.shape, self.element = name, list(shape), element
        self.centre = centre
        self.splat = centre if fan_in is None else 1.0 / fan_in
        self.spread = spread if fan_in is None else 1.0 / math.sqrt(fan_in)


def numbers(weight, seed):
    """Uniform ones: their range is the square root of 3 times the spread."""
    source = random.Random(zlib.crc32(f"{seed}/{weight.name}".encode()))
    total = math.prod(weight.shape)
    reach = weight.spread * math.sqrt(3.0)
    low, width = weight.centre - reach, 2.0 * reach
    return [low + width * source.random() for _ in range(total)]


def permuted(data, shape, order):
    """`data` of `shape`, row by row, with dimension order[i] as its i-th."""
    strides = [math.prod(shape[at + 1:]) for at in range(len(shape))]
    result = [0]
    for dim in order:
        result = [base + i * strides[dim] for base in result
                  for i in range(shape[dim])]
    return [data[at] for at in result]


def packed(data, element):
    """The bytes of floats or 32-bit integers as MLIR stores them."""
    if element == "f16":
        return struct.pack(f"<{len(data)}e", *data)
    if element == "i32":
        return struct.pack(f"<{len(data)}i", *data)
    if element == "i8":
        return bytes(round(number) & 0xFF for number in data)
    if element == "i4":
        # Two to a byte, the first one in the low half.
        halves = [round(number) & 0xF for number in data] + [0]
        return bytes(halves[at] | halves[at + 1] << 4 for at in range(0, len(data), 2))
    wide = array.array("f", data).tobytes()
    if element == "f32":
        return wide
    # bf16: the upper half, rounded to the nearer.
    halves = (bits + 0x8000 >> 16 for (bits,) in struct.iter_unpack("<I", wide))
    return b"".join(struct.pack("<H", half & 0xFFFF) for half in halves)
