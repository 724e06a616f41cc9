# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One small decoder, and the two forms in which exporters write it.

`Network` says what the decoder is: one of the Qwen2 family, with weights of 4 or 8 bits in
blocks along the dimension that is summed up, with zero points or without. `onnx_model` writes
it as exporters of language models write ONNX (MatMulNBits, GatherBlockQuantized,
GroupQueryAttention with a past and rotary embeddings inside, SkipSimplifiedLayerNormalization),
`openvino_model` as Optimum writes OpenVINO IR (constants of u4, i4, u8 or i8 that Convert,
Subtract, Multiply and Reshape widen, caches as variables, chains of ShapeOf for all extents,
ScaledDotProductAttention over repeated heads).

Both forms compute the same numbers, and round them at the same places:
* a scale has so few bits that a widened weight is exact in f16, in which the IR widens, as in
  f32, in which ONNX does;
* heads have 16 entries, so that the factor of the scores is 1/4, and its square root, by which
  one form multiplies queries and keys, 1/2: neither rounds;
* sums over rows of 128 entries are divided by a power of two.
What remains are cosines and sines, which ONNX has in tables and the IR computes: `tables` may be
replaced by what another library computes.
"""

import math
import random
import struct

from onnx_writer import FLOAT, INT32, INT64, UINT8, Graph, model, packed
from openvino_writer import Network as Ir

MICROSOFT = "com.microsoft"
LOWEST = -3.4028234663852886e38
EPSILON = 1e-6


def f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def with_bits(number, count):
    """A number rounded to so many significant bits."""
    fraction, exponent = math.frexp(number)
    return math.ldexp(round(fraction * 2 ** count), exponent - count)


class Blocks:
    """A matrix of integers without a sign, row by row. `block` entries of a row have one scale
    and one zero point, which is the middle where the matrix is symmetric."""

    def __init__(self, drawn, rows, columns, block, bits, symmetric, size):
        self.rows, self.columns, self.block, self.bits = rows, columns, min(block, columns), bits
        self.symmetric, self.middle = symmetric, 1 << (bits - 1)
        self.per_row = columns // self.block
        self.integers = [drawn.randrange(2 * self.middle) for _ in range(rows * columns)]
        self.scales = [with_bits(drawn.uniform(0.5, 1.0) * size / self.middle, 11 - bits)
                       for _ in range(rows * self.per_row)]
        self.zeros = [self.middle if symmetric else self.middle + drawn.randint(-3, 2)
                      for _ in self.scales]


class Layer:
    """The parameters of a layer."""

    def __init__(self, network):
        hidden, keys, inner = network.hidden, network.groups * network.width, network.inner
        self.first_norm, self.second_norm = network.norm(), network.norm()
        self.query, self.query_bias = network.projection(hidden, hidden), network.bias(hidden)
        self.key, self.key_bias = network.projection(hidden, keys), network.bias(keys)
        self.value, self.value_bias = network.projection(hidden, keys), network.bias(keys)
        self.output = network.projection(hidden, hidden)
        self.gate, self.up = network.projection(hidden, inner), network.projection(hidden, inner)
        self.down = network.projection(inner, hidden)


class Network:
    """Sizes and parameters. `groups` is the number of heads of keys and values."""

    def __init__(self, seed, block=32, bits=4, symmetric=False, layers=2, hidden=128, heads=8, groups=4,
                 inner=256, words=96, positions=64):
        self.drawn = random.Random(seed)
        self.block, self.bits, self.symmetric = block, bits, symmetric
        self.hidden, self.heads, self.groups, self.inner = hidden, heads, groups, inner
        self.words, self.positions = words, positions
        self.width = hidden // heads
        frequencies = [f32(100.0 ** (-2 * pair / self.width)) for pair in range(self.width // 2)]
        self.frequencies = frequencies
        # Row by row, a position has as many angles as a head has pairs.
        self.angles = [f32(position * frequency) for position in range(positions) for frequency in frequencies]
        # Cosines and sines of these, as ONNX has them in tables.
        self.tables = [list(map(turn, self.angles)) for turn in (math.cos, math.sin)]
        self.embedding = self.quantized(words, hidden, 1.0)
        self.layers = [Layer(self) for _ in range(layers)]
        self.last_norm = self.norm()
        self.head = self.projection(hidden, words)

    def quantized(self, rows, columns, size):
        return Blocks(self.drawn, rows, columns, self.block, self.bits, self.symmetric, size)

    def projection(self, inputs, outputs):
        return self.quantized(outputs, inputs, 2.8 / math.sqrt(inputs))

    def norm(self):
        return [f32(self.drawn.uniform(0.5, 1.5)) for _ in range(self.hidden)]

    def bias(self, count):
        return [f32(self.drawn.uniform(-0.2, 0.2)) for _ in range(count)]

    def caches(self):
        """(name of the past, name of what continues it) of each cache."""
        return [(f"past_key_values.{layer}.{what}", f"present.{layer}.{what}")
                for layer in range(len(self.layers)) for what in ("key", "value")]


class OnnxForm:
    """The graph of ONNX, node by node."""

    def __init__(self, network):
        self.network, self.graph = network, Graph()
        self.build()

    def node(self, operator, *operands, **attributes):
        name = self.graph.fresh(operator.lower())
        self.graph.named(operator, operands, [name], domain=MICROSOFT, **attributes)
        return name

    def bytes(self, shape, bits, numbers):
        data = packed(numbers) if bits == 4 else bytes(numbers)
        return self.graph.constant(UINT8, shape, data)

    def matrix(self, blocks, in_rows):
        """The constants of a matrix, whose rows are of blocks or, with `in_rows`, as they are."""
        per_byte = 8 // blocks.bits
        shape = ([blocks.rows, blocks.columns // per_byte] if in_rows else
                 [blocks.rows, blocks.per_row, blocks.block // per_byte])
        scales = self.graph.constant(FLOAT, [blocks.rows, blocks.per_row], blocks.scales)
        zeros = []
        if not blocks.symmetric:
            # The zero points of a row begin at a byte.
            width = -(-blocks.per_row // per_byte) * per_byte
            rows = [blocks.zeros[row * blocks.per_row:][:blocks.per_row] for row in range(blocks.rows)]
            padded = [zero for row in rows for zero in row + [0] * (width - len(row))]
            zeros = [self.bytes([blocks.rows, width // per_byte], blocks.bits, padded)]
        return self.bytes(shape, blocks.bits, blocks.integers), scales, zeros

    def product(self, x, blocks, bias=None):
        weights, scales, zeros = self.matrix(blocks, False)
        y = self.node("MatMulNBits", x, weights, scales, *zeros, K=blocks.columns, N=blocks.rows,
                      bits=blocks.bits, block_size=blocks.block, accuracy_level=1)
        return self.graph.node("Add", y, self.floats(bias)) if bias else y

    def floats(self, numbers):
        return self.graph.constant(FLOAT, [len(numbers)], numbers)

    def skipped(self, x, fresh, norm):
        """The layer's input with what was computed of it, normalized and not."""
        names = [self.graph.fresh("skip"), "", "", self.graph.fresh("sum")]
        self.graph.named("SkipSimplifiedLayerNormalization", [x, fresh, self.floats(norm)], names,
                         domain=MICROSOFT, epsilon=EPSILON)
        return names[0], names[3]

    def build(self):
        network, graph = self.network, self.graph
        ids = graph.input("input_ids", INT64, ["batch_size", "sequence_length"])
        mask = graph.input("attention_mask", INT64, ["batch_size", "total_sequence_length"])
        self.shape_of_cache = ["batch_size", network.groups, "past_sequence_length", network.width]
        pasts = [graph.input(past, FLOAT, self.shape_of_cache) for past, _ in network.caches()]
        summed = graph.node("ReduceSum", mask, graph.ints(1), keepdims=0)
        self.lengths = graph.node("Cast", graph.node("Sub", summed, graph.ints(1)), to=INT32)
        self.whole = graph.node("Cast", graph.node("Gather", graph.node("Shape", mask), graph.int(1)), to=INT32)
        self.tables = [graph.constant(FLOAT, [network.positions, network.width // 2], table)
                       for table in network.tables]
        integers, scales, zeros = self.matrix(network.embedding, True)
        x = self.node("GatherBlockQuantized", integers, ids, scales, *zeros, bits=network.bits,
                      block_size=network.embedding.block, quantize_axis=1, gather_axis=0)
        norms = [layer.first_norm for layer in network.layers[1:]] + [network.last_norm]
        normal = graph.node("SimplifiedLayerNormalization", x, self.floats(network.layers[0].first_norm),
                            epsilon=EPSILON, axis=-1, stash_type=1)
        for number, (layer, norm) in enumerate(zip(network.layers, norms)):
            attended = self.attention(layer, normal, pasts[2 * number:][:2], number)
            normal, x = self.skipped(x, attended, layer.second_norm)
            gate, up = self.product(normal, layer.gate), self.product(normal, layer.up)
            gated = graph.node("Mul", graph.node("Mul", gate, graph.node("Sigmoid", gate)), up)
            normal, x = self.skipped(x, self.product(gated, layer.down), norm)
        graph.named("Identity", [self.product(normal, network.head)], ["logits"])
        graph.output("logits", FLOAT, ["batch_size", "sequence_length", network.words])
        for _, present in network.caches():
            graph.output(present, FLOAT, ["batch_size", network.groups, "present_length", network.width])

    def attention(self, layer, x, pasts, number):
        network, graph = self.network, self.graph
        parts = [self.product(x, layer.query, layer.query_bias), self.product(x, layer.key, layer.key_bias),
                 self.product(x, layer.value, layer.value_bias)]
        attended = graph.fresh("attention")
        presents = [present for _, present in network.caches()[2 * number:][:2]]
        graph.named("GroupQueryAttention", [*parts, *pasts, self.lengths, self.whole, *self.tables],
                    [attended, *presents], domain=MICROSOFT, num_heads=network.heads,
                    kv_num_heads=network.groups, do_rotary=1, scale=1 / math.sqrt(network.width))
        return self.product(attended, layer.output)


class OpenVinoForm:
    """The layers of OpenVINO IR."""

    def __init__(self, network):
        self.network, self.ir, self.sinks = network, Ir(11), []
        self.build()

    def op(self, kind, opset, operands, element, shape, **attributes):
        return self.ir.layer(kind, opset, operands, [(element, shape)], attributes)[0]

    def binary(self, kind, a, b, shape, element="f32"):
        return self.op(kind, 1, [a, b], element, shape, auto_broadcast="numpy")

    def convert(self, x, element):
        return self.op("Convert", 1, [x], element, x.shape, destination_type=element)

    def ints(self, *numbers):
        return self.ir.constant("i64", [len(numbers)], numbers)

    def scalar(self, number):
        return self.ir.constant("i64", [], [number])

    def floats(self, shape, numbers):
        return self.ir.constant("f32", shape, numbers)

    def matrix(self, blocks):
        """A matrix as it is widened."""
        by = blocks.middle if blocks.symmetric else 0
        element = f"{'i' if blocks.symmetric else 'u'}{blocks.bits}"
        shape, per = [blocks.rows, blocks.per_row, blocks.block], [blocks.rows, blocks.per_row, 1]
        wide = self.convert(self.ir.constant(element, shape, [each - by for each in blocks.integers]), "f16")
        if not blocks.symmetric:
            zeros = self.convert(self.ir.constant(element, per, blocks.zeros), "f16")
            wide = self.binary("Subtract", wide, zeros, shape, "f16")
        wide = self.binary("Multiply", wide, self.ir.constant("f16", per, blocks.scales), shape, "f16")
        flat = [blocks.rows, blocks.columns]
        wide = self.op("Reshape", 1, [wide, self.ints(*flat)], "f16", flat, special_zero=False)
        return self.convert(wide, "f32")

    def product(self, x, blocks, bias=None):
        shape = x.shape[:-1] + [blocks.rows]
        y = self.op("MatMul", 1, [x, self.matrix(blocks)], "f32", shape, transpose_a=False, transpose_b=True)
        return self.binary("Add", y, self.floats([1, 1, blocks.rows], bias), shape) if bias else y

    def normalized(self, x, norm):
        """RMS normalization, as PyTorch's operations compute it."""
        shape, one = x.shape, x.shape[:-1] + [1]
        two, epsilon, unit = (self.floats([1, 1, 1], [number]) for number in (2.0, EPSILON, 1.0))
        square = self.op("Power", 1, [x, two], "f32", shape, auto_broadcast="numpy")
        mean = self.op("ReduceMean", 1, [square, self.ints(-1)], "f32", one, keep_dims=True)
        root = self.op("Sqrt", 1, [self.binary("Add", mean, epsilon, one)], "f32", one)
        normal = self.binary("Multiply", x, self.binary("Divide", unit, root, one), shape)
        return self.binary("Multiply", self.floats([1, 1, len(norm)], norm), normal, shape)

    def extent(self, value, axis):
        """An extent, as an exporter asks for it: a list of one number."""
        whole = self.op("ShapeOf", 3, [value], "i64", [len(value.shape)], output_type="i64")
        return self.op("Gather", 8, [whole, self.ints(axis), self.scalar(0)], "i64", [1], batch_dims=0)

    def joined(self, *parts):
        return self.op("Concat", 1, parts, "i64", [len(parts)], axis=0)

    def build(self):
        network, ir = self.network, self.ir
        self.ids, self.mask, positions = (ir.parameter("i64", [-1, -1], name) for name in
                                          ("input_ids", "attention_mask", "position_ids"))
        self.beams = ir.parameter("i32", [-1], "beam_idx")
        self.batch = self.extent(self.ids, 0)
        ids = self.convert(self.ids, "i32")
        x = self.op("Gather", 8, [self.matrix(network.embedding), ids, self.scalar(0)], "f32",
                    [-1, -1, network.hidden], batch_dims=0)
        self.rotary_tables(positions)
        self.attention_bias()
        for number, layer in enumerate(network.layers):
            x = self.binary("Add", x, self.attention(layer, self.normalized(x, layer.first_norm), number), x.shape)
            normal = self.normalized(x, layer.second_norm)
            gate, up = self.product(normal, layer.gate), self.product(normal, layer.up)
            gated = self.binary("Multiply", self.op("Swish", 4, [gate], "f32", gate.shape), up, up.shape)
            x = self.binary("Add", x, self.product(gated, layer.down), x.shape)
        logits = self.product(self.normalized(x, network.last_norm), network.head)
        ir.names[logits.layer, logits.port] = "logits"
        ir.result(logits)
        for operand, attributes in self.sinks:
            ir.layer("Assign", 6, [operand], [(operand.element, operand.shape)], attributes)

    def rotary_tables(self, positions):
        """Cosines and sines: [batch, 1, sequence, width]."""
        width, half = self.network.width, self.network.width // 2
        target = self.joined(self.batch, self.ints(1), self.ints(1))
        wide = self.op("Broadcast", 3, [self.floats([1, half, 1], self.network.frequencies), target], "f32",
                       [-1, half, 1], mode="bidirectional")
        at = self.convert(self.op("Unsqueeze", 1, [positions, self.scalar(1)], "i64", [-1, 1, -1]), "f32")
        angles = self.op("MatMul", 1, [wide, at], "f32", [-1, half, -1], transpose_a=False, transpose_b=False)
        angles = self.op("Transpose", 1, [angles, self.ints(0, 2, 1)], "f32", [-1, -1, half])
        angles = self.op("Concat", 1, [angles, angles], "f32", [-1, -1, width], axis=-1)
        self.tables = [self.op("Unsqueeze", 1, [self.op(kind, 1, [angles], "f32", [-1, -1, width]), self.scalar(1)],
                               "f32", [-1, 1, -1, width]) for kind in ("Cos", "Sin")]

    def attention_bias(self):
        """0 where a row may look, and the lowest number where not: [batch, 1, sequence, total]."""
        total, length = self.extent(self.mask, 1), self.extent(self.ids, 1)
        count = lambda one: self.op("Squeeze", 1, [one, self.scalar(0)], "i64", [])
        upto = lambda one: self.op("Range", 4, [self.scalar(0), count(one), self.scalar(1)], "i64", [-1],
                                   output_type="i64")
        rows = self.binary("Add", upto(length), self.binary("Subtract", total, length, [1], "i64"), [-1], "i64")
        rows = self.op("Unsqueeze", 1, [rows, self.ints(1)], "i64", [-1, 1])
        seen = self.binary("LessEqual", upto(total), rows, [-1, -1], "boolean")
        real = self.op("Unsqueeze", 1, [self.convert(self.mask, "boolean"), self.ints(1, 2)], "boolean",
                       [-1, 1, 1, -1])
        both = self.binary("LogicalAnd", seen, real, [-1, 1, -1, -1], "boolean")
        self.bias = self.op("Select", 1, [both, self.floats([], [0.0]), self.floats([], [LOWEST])], "f32",
                            [-1, 1, -1, -1], auto_broadcast="numpy")

    def heads_of(self, x, count):
        width = self.network.width
        split = self.op("Reshape", 1, [x, self.ints(0, 0, count, width)], "f32", [-1, -1, count, width],
                        special_zero=True)
        return self.op("Transpose", 1, [split, self.ints(0, 2, 1, 3)], "f32", [-1, count, -1, width])

    def turned(self, x):
        """Rotary positions: the halves of a head, turned."""
        shape, half = x.shape, self.network.width // 2

        def part(low, high):
            return self.op("Slice", 8, [x, self.ints(low), self.ints(high), self.ints(1), self.ints(3)], "f32",
                           shape[:-1] + [half])
        low, high = part(0, half), part(half, 2**63 - 1)
        high = self.binary("Multiply", high, self.floats([1, 1, 1, 1], [-1.0]), high.shape)
        crossed = self.op("Concat", 1, [high, low], "f32", shape, axis=-1)
        return self.binary("Add", self.binary("Multiply", x, self.tables[0], shape),
                           self.binary("Multiply", crossed, self.tables[1], shape), shape)

    def cached(self, new, past, present):
        """The rows of before and the new ones. The variable is what a run leaves."""
        network = self.network
        shape = [-1, network.groups, -1, network.width]
        attributes = {"variable_id": past + present, "variable_type": "f32",
                      "variable_shape": f"?,{network.groups},?,{network.width}"}
        empty = self.joined(self.batch, self.ints(network.groups), self.ints(0), self.ints(network.width))
        start = self.op("Broadcast", 3, [self.floats([], [0.0]), empty], "f32", shape, mode="numpy")
        old = self.ir.layer("ReadValue", 6, [start], [("f32", shape)], attributes, name=past)[0]
        old = self.op("Gather", 8, [old, self.beams, self.scalar(0)], "f32", shape, batch_dims=0)
        whole = self.op("Concat", 1, [old, new], "f32", shape, axis=-2)
        self.sinks.append((whole, attributes))
        return whole

    def repeated(self, x):
        """Heads of keys and values, each as often as queries share it."""
        network, times = self.network, self.network.heads // self.network.groups
        wide = self.op("Unsqueeze", 1, [x, self.scalar(2)], "f32", [-1, network.groups, 1, -1, network.width])
        target = self.joined(self.batch, self.ints(network.groups), self.ints(times), self.extent(x, 2),
                             self.ints(network.width))
        wide = self.op("Broadcast", 3, [wide, target], "f32", [-1, network.groups, times, -1, network.width],
                       mode="bidirectional")
        return self.op("Reshape", 1, [wide, self.ints(0, network.heads, -1, network.width)], "f32",
                       [-1, network.heads, -1, network.width], special_zero=True)

    def attention(self, layer, x, number):
        network = self.network
        names = network.caches()[2 * number:][:2]
        query = self.turned(self.heads_of(self.product(x, layer.query, layer.query_bias), network.heads))
        key = self.turned(self.heads_of(self.product(x, layer.key, layer.key_bias), network.groups))
        value = self.heads_of(self.product(x, layer.value, layer.value_bias), network.groups)
        key, value = (self.repeated(self.cached(new, *name)) for new, name in zip((key, value), names))
        y = self.op("ScaledDotProductAttention", 13, [query, key, value, self.bias], "f32",
                    [-1, network.heads, -1, network.width], causal=False)
        y = self.op("Transpose", 1, [y, self.ints(0, 2, 1, 3)], "f32", [-1, -1, network.heads, network.width])
        y = self.op("Reshape", 1, [y, self.ints(0, 0, network.hidden)], "f32", [-1, -1, network.hidden],
                    special_zero=True)
        return self.product(y, layer.output)


def onnx_model(network):
    """The bytes of a model of ONNX."""
    return model(OnnxForm(network).graph, 17, [MICROSOFT])


def openvino_model(network):
    """A model of OpenVINO IR, with `write(path)`."""
    return OpenVinoForm(network).ir
