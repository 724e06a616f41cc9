# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models for benchmarks, without ONNX's library: single operators, and an
encoder as in models that make embeddings of sentences.

Messages are those of https://onnx.ai/onnx/repo-docs/IR.html. Attributes are
integers, floats and lists of integers.
"""

import array
import math
import random
import struct


def varint(number):
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor_info(name, shape):
    """The name and type of an input or result of f32."""
    dims = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def attribute(name, value):
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    return field(1, name) + b"".join(field(8, each) for each in value) + field(20, 7)


class Graph:
    """A graph that is written down node by node."""

    def __init__(self):
        self.nodes, self.weights, self.count = b"", b"", 0

    def add(self, operator, *operands, name="", **attributes):
        """A node of one result, whose name is returned."""
        self.count += 1
        name = name or f"v{self.count}"
        node = b"".join(field(1, each) for each in operands) + field(2, name) + field(4, operator)
        node += b"".join(field(5, attribute(*each)) for each in attributes.items())
        self.nodes += field(1, node)
        return name

    def weight(self, shape, numbers, is_integer=False):
        self.count += 1
        name = f"w{self.count}"
        dims = b"".join(field(1, extent) for extent in shape)
        data = struct.pack(f"<{len(numbers)}{'q' if is_integer else 'f'}", *numbers)
        self.weights += field(5, dims + field(2, 7 if is_integer else 1) + field(8, name) + field(9, data))
        return name

    def model(self, inputs, result):
        """The model's bytes: `inputs` are shapes by name, `result` is a name and a shape."""
        graph = self.nodes + field(2, "graph") + self.weights
        graph += b"".join(field(11, tensor_info(*each)) for each in inputs.items())
        graph += field(12, tensor_info(*result))
        return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


def single_operator(operator, shapes, attributes, result):
    """A model of one operator, whose inputs are x0, x1, ..."""
    graph, inputs = Graph(), {f"x{number}": shape for number, shape in enumerate(shapes)}
    graph.add(operator, *inputs, name="y", **attributes)
    return graph.model(inputs, ("y", result))


def encoder(tokens, width, heads, layers, seed=7):
    """Layers of attention and feed-forward blocks of f32 on the embeddings x of
    `tokens` tokens, with random weights; the result y is the mean over tokens."""
    graph, generator = Graph(), random.Random(seed)

    def weight(shape, most, centre=0.0):
        numbers = array.array("h", generator.randbytes(2 * math.prod(shape)))
        return graph.weight(shape, [centre + most / 32768 * each for each in numbers])

    def linear(x, rows, columns):
        # Sums of as many products as there are rows have a variance of 1.
        product = graph.add("MatMul", x, weight([rows, columns], (3 / rows) ** 0.5))
        return graph.add("Add", product, weight([columns], 0.1))

    def norm(x):
        scale, bias = weight([width], 0.5, 1.0), weight([width], 0.1)
        return graph.add("LayerNormalization", x, scale, bias, axis=2, epsilon=1e-5)

    size = width // heads
    by_heads = graph.weight([4], [1, tokens, heads, size], is_integer=True)
    by_tokens = graph.weight([3], [1, tokens, width], is_integer=True)
    root, half, one, root2 = (graph.weight([], [number]) for number in (size ** 0.5, 0.5, 1.0, 2 ** 0.5))

    def heads_of(x, perm):
        return graph.add("Transpose", graph.add("Reshape", linear(x, width, width), by_heads), perm=perm)

    x = "x"
    for _ in range(layers):
        q, k, v = (heads_of(x, perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = graph.add("Softmax", graph.add("Div", graph.add("MatMul", q, k), root), axis=3)
        mixed = graph.add("Transpose", graph.add("MatMul", scores, v), perm=[0, 2, 1, 3])
        x = norm(graph.add("Add", x, linear(graph.add("Reshape", mixed, by_tokens), width, width)))
        inner = linear(x, width, 4 * width)
        erf = graph.add("Add", graph.add("Erf", graph.add("Div", inner, root2)), one)
        gelu = graph.add("Mul", graph.add("Mul", inner, erf), half)
        x = norm(graph.add("Add", x, linear(gelu, 4 * width, width)))
    graph.add("ReduceMean", x, name="y", axes=[1], keepdims=0)
    return graph.model({"x": [1, tokens, width]}, ("y", [1, width]))
