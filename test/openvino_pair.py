# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network that is written twice: as OpenVINO IR, and as an ONNX model that computes the
same by the operations' specification.

Numbers of f16 and bf16 are numbers of f32 in the ONNX model, rounded after every operation,
so that ONNX Runtime needs no kernels for them. What an operation only moves is given by the
flat positions of the elements that it takes (`Grid`), which is its formula written out."""

import itertools
import math
import random
import struct

from onnx_conformance import RTOL, largest_of_rows
from onnx_writer import (BFLOAT16, BOOL, FLOAT, FLOAT16, INT32, INT64, INT8, UINT8, Graph)
from openvino_writer import Network, bf16_bits

ONNX_ELEMENTS = {"f32": FLOAT, "f16": FLOAT, "bf16": FLOAT, "i32": INT32, "i64": INT64,
                 "i8": INT8, "u8": UINT8, "boolean": BOOL}
NPY = {"f32": "<f4", "f16": "<f2", "i32": "<i4", "i64": "<i8", "i8": "|i1", "u8": "|u1",
       "boolean": "|b1"}
FLOATS = ("f32", "f16", "bf16")


class Grid:
    """A tensor of positions: what an operation that only moves elements makes of them.
    A position of -1 is an element that the operation fills in."""

    def __init__(self, shape, flat):
        self.shape, self.flat = list(shape), list(flat)
        assert len(self.flat) == math.prod(self.shape), (self.shape, len(self.flat))

    @staticmethod
    def of(shape):
        return Grid(shape, range(math.prod(shape)))

    def at(self, index):
        position = 0
        for extent, each in zip(self.shape, index):
            position = position * extent + each
        return self.flat[position]

    @staticmethod
    def made(shape, function):
        """A grid whose element at an index is what a function says."""
        return Grid(shape, [function(index) for index in indices_of(shape)])

    def reshape(self, shape):
        return Grid(shape, self.flat)

    def transpose(self, order):
        shape = [self.shape[each] for each in order]
        back = [order.index(each) for each in range(len(order))]
        return Grid.made(shape, lambda index: self.at([index[each] for each in back]))

    def take(self, axis, positions):
        """Those positions along an axis; None is an element that is filled in."""
        shape = list(self.shape)
        shape[axis] = len(positions)

        def element(index):
            at = positions[index[axis]]
            return -1 if at is None else self.at(index[:axis] + (at,) + index[axis + 1:])
        return Grid.made(shape, element)

    def broadcast(self, shape):
        own = [1] * (len(shape) - len(self.shape)) + self.shape
        wide = self.reshape(own)
        return Grid.made(shape, lambda index: wide.at(
            [0 if extent == 1 else each for extent, each in zip(own, index)]))


def indices_of(shape):
    return itertools.product(*(range(extent) for extent in shape))


def broadcast_shape(*shapes):
    rank = max(len(shape) for shape in shapes)
    wide = [[1] * (rank - len(shape)) + list(shape) for shape in shapes]
    return [max(extents) if min(extents) > 0 else 0 for extents in zip(*wide)]


def f16(number):
    return struct.unpack("<e", struct.pack("<e", number))[0]


def f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def bf16(number):
    return struct.unpack("<f", struct.pack("<I", bf16_bits(number) << 16))[0]


ROUNDED = {"f16": f16, "bf16": bf16, "f32": f32}


def far(wanted, got):
    """What differs by more than rounding, whose part is relative to the largest entry of a
    row: an entry near 0 carries the rounding of all terms that cancelled in every layer."""
    if wanted[:2] != got[:2]:
        return f"expected {wanted[0]} {wanted[1]}, got {got[0]} {got[1]}"
    for at, (a, b, most) in enumerate(zip(wanted[2], got[2], largest_of_rows(wanted[2], wanted[1]))):
        if not abs(a - b) <= RTOL * abs(a) + 1e-5 * max(most, 1.0):
            return f"element {at}: expected {a}, got {b}"
    return ""


class Value:
    """A value of both networks. `numbers` is known of inputs and constants. An `exact` value
    carries no rounding, so that an operation that jumps may read it; `bound` is above all
    magnitudes."""

    def __init__(self, ir, onnx, numbers=None, exact=False, bound=1e9):
        self.ir, self.onnx, self.numbers = ir, onnx, numbers
        self.exact, self.bound = exact, bound
        self.element, self.shape = ir.element, ir.shape

    @property
    def rank(self):
        return len(self.shape)


class Pair:
    """Both networks, and the inputs to run them with."""

    def __init__(self, seed, in_graph=False):
        self.random = random.Random(seed)
        self.in_graph = in_graph
        self.ir = Network(self.random.choice((10, 11, 11)), style=random.Random(f"style {seed}"))
        self.is_open = not in_graph and self.chance(0.08)
        if self.is_open:
            # Shapes are open in the IR, and given to the importer.
            self.ir.open_extent = lambda extent: self.pick("?", extent, f"1..{extent + 9}", f"..{extent}")
        self.g = Graph()
        self.inputs = []    # name, elements in the IR, elements in ONNX, shape, numbers
        self.outputs = 0
        # Whether an operation rounds to f16 or bf16, once here, and maybe more often there.
        self.is_narrow = False
        self.version = 1    # of the operation that is written

    # What is drawn.

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def shape(self, low=1, high=5, most=6):
        return [self.random.randint(1, most) for _ in range(self.random.randint(low, high))]

    def numbers(self, count, bound=2.0):
        """Numbers that all element types of floats have exactly."""
        return [self.random.randint(-64, 64) * bound / 64 for _ in range(count)]

    def permutation(self, rank):
        order = list(range(rank))
        self.random.shuffle(order)
        return order

    def axis(self, rank, signed=True):
        """An axis: as it is written, and as it is meant."""
        axis = self.random.randrange(rank)
        return (axis - rank if signed and self.chance(0.4) else axis), axis

    def axes(self, rank, least=1):
        """Some axes: as they are written, and as they are meant."""
        meant = sorted(self.random.sample(range(rank), self.random.randint(least, rank)))
        return [axis - rank if self.chance(0.3) else axis for axis in meant], meant

    # Values.

    def input(self, element, shape, numbers=None, bound=2.0):
        count = math.prod(shape)
        if numbers is None and element in FLOATS:
            numbers = self.numbers(count, bound)
        elif numbers is None:
            low, high = {"boolean": (0, 1), "u8": (0, 9)}.get(element, (-9, 9))
            numbers = [self.random.randint(low, high) for _ in range(count)]
        name = f"x{len(self.inputs)}"
        # Of bf16 there are no .npy files: it is converted from f32.
        there = "f32" if element == "bf16" else element
        ir = self.ir.parameter(there, shape, name)
        here = "f32" if element in FLOATS else element
        self.g.input(name, ONNX_ELEMENTS[here], shape)
        self.inputs.append((name, NPY[there], NPY[here], list(shape), list(numbers)))
        if element == "bf16":
            ir = self.ir.layer("Convert", 1, [ir], [("bf16", shape)], {"destination_type": "bf16"})[0]
        return Value(ir, name, list(numbers), True, max([abs(n) for n in numbers if n == n] + [0]))

    def constant(self, element, shape, numbers):
        if element in FLOATS:
            numbers = [ROUNDED[element](number) for number in numbers]
        ir = self.ir.constant(element, shape, numbers)
        onnx = self.g.constant(ONNX_ELEMENTS[element], shape, numbers)
        return Value(ir, onnx, list(numbers), True, max([abs(n) for n in numbers] + [0]))

    def parameter_or_constant(self, element, shape, numbers=None):
        if self.in_graph or self.chance(0.5):
            if numbers is None:
                numbers = (self.numbers(math.prod(shape)) if element in FLOATS else
                           [self.random.randint(0, 9) for _ in range(math.prod(shape))])
            return self.constant(element, shape, numbers)
        return self.input(element, shape, numbers)

    def list(self, numbers, element=None):
        """A constant of the IR alone: what the ONNX model has as an attribute."""
        element = element or self.pick("i64", "i64", "i32")
        return self.ir.constant(element, [len(numbers)], numbers)

    def scalar(self, number, element=None):
        return self.ir.constant(element or self.pick("i64", "i32"), [], [number])

    def scalar_or_list(self, number):
        return self.scalar(number) if self.chance(0.5) else self.list([number])

    def float_scalar(self, element, number):
        return self.ir.constant(element, [], [number])

    # Operations.

    def since(self, *versions, last=15):
        """The operation set that a layer of `self.version` names: one that has it so."""
        later = [each for each in versions if each > self.version]
        until = min(later) - 1 if later else last
        return self.version if self.chance(0.7) else self.random.randint(self.version, until)

    def layer(self, kind, opset, operands, element, shape, **attributes):
        """A layer with one result."""
        ports = [each.ir if isinstance(each, Value) else each for each in operands]
        return self.ir.layer(kind, opset, ports, [(element, shape)], attributes)[0]

    def both(self, ir, onnx, exact=False, bound=1e9):
        """A value of both, rounded to its element type in the ONNX model."""
        if ir.element in ("f16", "bf16"):
            self.is_narrow = self.is_narrow or not exact
            code = FLOAT16 if ir.element == "f16" else BFLOAT16
            onnx = self.g.node("Cast", self.g.node("Cast", onnx, to=code), to=FLOAT)
        return Value(ir, onnx, None, exact, bound)

    def moved(self, ir, value, grid, filler=0.0):
        """What takes elements of a value by their positions."""
        g = self.g
        flat = g.node("Reshape", self.as_number(value), g.ints(-1))
        code = INT32 if value.element == "boolean" else ONNX_ELEMENTS[value.element]
        if -1 in grid.flat:
            end = math.prod(value.shape)
            flat = g.node("Concat", flat, g.constant(code, [1], [filler]), axis=0)
            grid = Grid(grid.shape, [end if at < 0 else at for at in grid.flat])
        taken = g.node("Gather", flat, g.constant(INT64, grid.shape, grid.flat), axis=0)
        if value.element == "boolean":
            taken = g.node("Cast", taken, to=BOOL)
        assert ir.shape == grid.shape, (ir.shape, grid.shape)
        return Value(ir, taken, None, value.exact, max(value.bound, abs(filler)))

    def as_number(self, value):
        """A boolean as a number, which every operator of ONNX Runtime takes."""
        if value.element != "boolean":
            return value.onnx
        return self.g.node("Cast", value.onnx, to=INT32)

    def known(self, ir, numbers, exact=True):
        """A value of which the specification's formula gave the numbers."""
        code = ONNX_ELEMENTS[ir.element]
        return self.both(ir, self.g.constant(code, ir.shape, numbers), exact,
                         max([abs(n) for n in numbers] + [0]))

    def tamed(self, x, bound=0.95):
        """Numbers within (-1, 1) and below `bound`."""
        if x.bound > 1:
            x = self.both(self.layer("Tanh", 1, [x], x.element, x.shape),
                          self.g.node("Tanh", x.onnx), False, 1.0)
        if x.bound > bound:
            half = self.constant(x.element, [1] * x.rank, [0.75])
            x = self.both(self.layer("Multiply", 1, [x, half], x.element, x.shape),
                          self.g.node("Mul", x.onnx, half.onnx), x.exact, x.bound * 0.75)
        return x

    def positive(self, x, least=0.25):
        """Numbers of at least `least`."""
        x = x if x.bound <= 4 else self.tamed(x, 1)
        up = self.constant(x.element, [1] * x.rank, [least])
        magnitude = self.both(self.layer("Abs", 1, [x], x.element, x.shape),
                              self.g.node("Abs", x.onnx), x.exact, x.bound)
        return self.both(self.layer("Add", 1, [magnitude, up], x.element, x.shape),
                         self.g.node("Add", magnitude.onnx, up.onnx), x.exact, x.bound + least)

    def result(self, value):
        """Adds a result to both; f16 and bf16 are converted to f32, which is exact."""
        ir, onnx = value.ir, value.onnx
        if value.element in ("f16", "bf16"):
            ir = self.layer("Convert", 1, [ir], "f32", value.shape, destination_type="f32")
        name = f"y{self.outputs}"
        self.outputs += 1
        self.ir.result(ir, name)
        self.g.named("Identity", [onnx], [name])
        self.g.output(name, ONNX_ELEMENTS[value.element], value.shape)
