# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX models without ONNX's library: the messages of a model are fields of a
protocol buffer, which `onnx_files` reads."""

import struct

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, BOOL = 1, 2, 3, 4, 5, 6, 7, 9
FLOAT16, BFLOAT16, UINT4, INT4 = 10, 16, 21, 22
FORMATS = {FLOAT: "f", FLOAT16: "e", UINT8: "B", INT8: "b", UINT16: "H", INT16: "h", INT32: "i", INT64: "q",
           BOOL: "?"}


def varint(number):
    """A number of 64 bits, seven in a byte."""
    number &= (1 << 64) - 1
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def field(number, value):
    """A field of a message: an integer, a text, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def real(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def packed(numbers):
    """Numbers of 4 bits, two in a byte, the first in the low half."""
    halves = [number & 15 for number in numbers] + [0] * (len(numbers) % 2)
    return bytes(low | high << 4 for low, high in zip(halves[::2], halves[1::2]))


def raw(element, numbers):
    """The bytes of a tensor's elements."""
    if element in (UINT4, INT4):
        return packed(numbers)
    return struct.pack(f"<{len(numbers)}{FORMATS[element]}", *numbers)


def tensor(name, element, shape, numbers):
    data = b"".join(field(1, extent) for extent in shape)
    data += field(2, element) + field(8, name)
    return data + field(9, raw(element, numbers))


def value_info(name, element, shape):
    """The type of an input or a result; a text is the name of a dynamic extent."""
    dims = b"".join(
        field(1, field(1 if isinstance(extent, int) else 2, extent)) for extent in shape
    )
    return field(1, name) + field(2, field(1, field(1, element) + field(2, dims)))


def attribute(name, value):
    """An attribute: a number, a text, a list of numbers, a tensor or a graph."""
    data = field(1, name)
    if isinstance(value, bool) or isinstance(value, int):
        return data + field(3, int(value)) + field(20, 2)
    if isinstance(value, float):
        return data + real(2, value) + field(20, 1)
    if isinstance(value, str):
        return data + field(4, value) + field(20, 3)
    if isinstance(value, tuple):
        return data + field(5, tensor("", *value)) + field(20, 4)
    if isinstance(value, Graph):
        return data + field(6, value.bytes()) + field(20, 5)
    if value and isinstance(value[0], float):
        return data + b"".join(real(7, each) for each in value) + field(20, 6)
    if value and isinstance(value[0], str):
        return data + b"".join(field(9, each) for each in value) + field(20, 8)
    return data + b"".join(field(8, each) for each in value) + field(20, 7)


class Graph:
    """A graph that grows node by node. Names of values are made where none are given."""

    def __init__(self, name="main", prefix=""):
        self.name = name
        self.prefix = prefix
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.operators = []

    def fresh(self, what):
        return f"{self.prefix}{what}_{len(self.nodes) + len(self.initializers)}"

    def input(self, name, element, shape):
        self.inputs.append((name, element, list(shape)))
        return name

    def output(self, name, element, shape):
        self.outputs.append((name, element, list(shape)))

    def constant(self, element, shape, numbers):
        name = self.fresh("c")
        self.initializers.append(tensor(name, element, shape, numbers))
        return name

    def ints(self, *numbers):
        return self.constant(INT64, [len(numbers)], numbers)

    def int(self, number):
        return self.constant(INT64, [], [number])

    def float(self, number):
        return self.constant(FLOAT, [], [number])

    def node(self, operator, *operands, results=1, **attributes):
        """Adds a node; gives its result, or a list of several."""
        names = [self.fresh(operator.lower()) + (f"_{n}" if n else "") for n in range(results)]
        self.named(operator, operands, names, **attributes)
        return names[0] if results == 1 else names

    def named(self, operator, operands, names, domain="", **attributes):
        data = b"".join(field(1, name) for name in operands)
        data += b"".join(field(2, name) for name in names)
        data += field(3, "/".join(["", operator, str(len(self.nodes))])) + field(4, operator)
        for key, value in attributes.items():
            data += field(5, attribute(key, value))
        data += field(7, domain) if domain else b""
        self.nodes.append(data)
        self.operators.append(operator)

    def bytes(self):
        data = b"".join(field(1, node) for node in self.nodes) + field(2, self.name)
        data += b"".join(field(5, each) for each in self.initializers)
        data += b"".join(field(11, value_info(*each)) for each in self.inputs)
        return data + b"".join(field(12, value_info(*each)) for each in self.outputs)


def model(graph, opset=17, domains=()):
    """The bytes of a model with that graph, whose operators are of the standard's set `opset`
    and of the first version of other domains."""
    sets = [("", opset)] + [(domain, 1) for domain in domains]
    return field(1, 8) + field(2, "tilewright") + field(7, graph.bytes()) + b"".join(
        field(8, field(1, domain) + field(2, version)) for domain, version in sets)
