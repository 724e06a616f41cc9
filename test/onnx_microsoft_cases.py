# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models of one operator each: those of ONNX Runtime's domain com.microsoft that are
imported, and 4-bit and blocked quantization of the standard."""

import dataclasses
import math
import random

from onnx_writer import (FLOAT, FLOAT16, INT32, INT64, INT4, INT8, UINT16, UINT4, UINT8, INT16, Graph, model)

DESCRS = {FLOAT: "<f4", UINT8: "|u1", INT8: "|i1", INT32: "<i4", INT64: "<i8", UINT16: "<u2",
          INT16: "<i2"}
LIMITS = {UINT8: (0, 255), INT8: (-128, 127), UINT16: (0, 65535), INT16: (-32768, 32767),
          UINT4: (0, 15), INT4: (-8, 7)}
MICROSOFT = "com.microsoft"


@dataclasses.dataclass
class Tolerance:
    """By how much a result may differ: floats by `part` of the largest magnitude in a row, or of
    1; integers by `steps`. `why` is for the page."""

    part: float = 0.0
    steps: int = 0
    why: str = ""

    def __str__(self):
        amount = f"{self.part:g}" if self.part else "1 step" if self.steps == 1 else "0"
        return f"{amount}{': ' + self.why if self.why else ''}"


SUMS = Tolerance(2e-5, why="sums in another order")
CLOSE = Tolerance(2e-6)
STEP = Tolerance(steps=1, why="ONNX Runtime multiplies by quotients of scales")
EXACT = Tolerance()


class Case:
    """A model under construction: operands of one node, and their data. With `half`, the node's
    floats are f16, between casts."""

    def __init__(self, operator, seed, domain=MICROSOFT, opset=21, half=False):
        self.random = random.Random(f"{operator}/{seed}")
        self.operator, self.seed, self.domain, self.opset = operator, seed, domain, opset
        self.graph = Graph()
        self.half, self.casts = half, []
        self.operands, self.attributes, self.inputs = [], {}, []
        self.results = 1
        self.element = FLOAT
        self.ranks = [3]
        # What is in the model, for the page.
        self.features = set()
        # Results that are left out.
        self.unwanted = []
        # For each result, the positions that count; all of them where it has none.
        self.valid = {}

    # What is random.

    def chance(self, share=0.5):
        return self.random.random() < share

    def between(self, low, high):
        return self.random.randint(low, high)

    def choose(self, *values):
        return self.random.choice(values)

    def reals(self, shape, low=-1.0, high=1.0):
        return [self.random.uniform(low, high) for _ in range(math.prod(shape))]

    def integers(self, element, shape):
        return [self.between(*LIMITS[element]) for _ in range(math.prod(shape))]

    # Operands, one after the other.

    def none(self):
        self.operands.append("")

    def input(self, element, shape, numbers):
        name = f"x{len(self.operands)}"
        self.graph.input(name, element, shape)
        if self.half and element == FLOAT:
            self.casts.append(name)
        self.operands.append(f"{name}_f16" if name in self.casts else name)
        self.inputs.append((name, DESCRS[element], shape, numbers))

    def constant(self, element, shape, numbers):
        if self.half and element == FLOAT:
            element = FLOAT16
        self.operands.append(self.graph.constant(element, shape, numbers))

    def floats(self, *shape, low=-1.0, high=1.0):
        self.input(FLOAT, list(shape), self.reals(shape, low, high))

    def weights(self, *shape, low=-1.0, high=1.0):
        self.constant(FLOAT, list(shape), self.reals(shape, low, high))

    def maybe(self, feature, add, share=0.5):
        """An operand that may be left out."""
        if self.chance(share):
            self.features.add(feature)
            add()
        else:
            self.none()

    def attribute(self, name, value, feature=None):
        self.attributes[name] = value
        self.features.add(feature or f"{name}")

    def bytes(self):
        operands = list(self.operands)
        while operands and not operands[-1]:
            operands.pop()
        names = ["" if number in self.unwanted else f"y{number}" for number in range(self.results)]
        self.graph.nodes.clear()
        self.graph.outputs.clear()
        for name in self.casts:
            self.graph.named("Cast", [name], [f"{name}_f16"], to=FLOAT16)
        results = [f"{name}_f16" if self.half and name else name for name in names]
        self.graph.named(self.operator, operands, results, domain=self.domain, **self.attributes)
        for name, result in zip(names, results):
            if name != result:
                self.graph.named("Cast", [result], [name], to=FLOAT)
        for number, name in enumerate(names):
            if not name:
                continue
            rank = self.ranks[min(number, len(self.ranks) - 1)]
            self.graph.output(name, self.element, [f"{name}_{dim}" for dim in range(rank)])
        return model(self.graph, self.opset, [MICROSOFT])


# Operators by name: how a random model of one is made, and the tolerance.
OPERATORS = {}


def operator(name, tolerance, **options):
    def add(fill):
        OPERATORS[name] = (fill, tolerance, options)
        return fill
    return add


def make(name, seed):
    fill, tolerance, options = OPERATORS[name]
    case = Case(options.get("of", name), seed, **{key: value for key, value in options.items() if key != "of"})
    case.tolerance = tolerance
    fill(case)
    return case


# Activations and products.


def shape_of(case, least=1, most=4):
    return [case.between(1, 6) for _ in range(case.between(least, most))]


@operator("Gelu", CLOSE)
def gelu(case):
    shape = shape_of(case)
    case.floats(*shape, low=-4, high=4)
    case.ranks = [len(shape)]


@operator("QuickGelu", CLOSE)
def quick_gelu(case):
    gelu(case)
    if case.chance():
        case.attribute("alpha", case.random.uniform(0.5, 2.0))


@operator("FastGelu", CLOSE)
def fast_gelu(case):
    gelu(case)
    last = case.inputs[0][2][-1]
    case.maybe("bias", lambda: case.floats(last))


@operator("BiasGelu", CLOSE)
def bias_gelu(case):
    gelu(case)
    case.floats(case.inputs[0][2][-1])


@operator("FusedMatMul", SUMS)
def fused_matmul(case):
    rank = case.between(2, 4)
    m, k, n = (case.between(1, 9) for _ in range(3))
    batch = [case.between(1, 3) for _ in range(rank - 2)]
    for name, rows, columns in (("A", m, k), ("B", k, n)):
        shape = [rows, columns]
        if case.chance():
            case.attribute(f"trans{name}", 1)
            shape.reverse()
        if batch and case.chance(0.3):
            case.attribute(f"transBatch{name}", 1)
            # The rows are the first dimension.
            shape = [shape[0], *batch, shape[1]]
        else:
            shape = [*batch, *shape]
        case.floats(*shape)
    if case.chance():
        case.attribute("alpha", case.random.uniform(-2, 2))
    case.ranks = [rank]


# Layers.


def layer(case, skip):
    rank = case.choose(2, 3) if skip else case.between(1, 4)
    shape = [case.between(1, 5) for _ in range(rank - 1)] + [case.between(1, 40)]
    case.floats(*shape)
    if skip:
        if rank == 3 and case.chance(0.3):
            case.features.add("skip that is broadcast")
            case.floats(1, *shape[1:])
        else:
            case.floats(*shape)
    case.ranks = [rank]
    if case.chance(0.7):
        case.attribute("epsilon", case.choose(1e-5, 1e-6, 0.1))
    return shape[-1]


@operator("SimplifiedLayerNormalization", SUMS, domain="", opset=17)
def simplified(case):
    case.weights(layer(case, False))
    case.attribute("stash_type", 1)
    case.attribute("axis", -1)
    if case.chance():
        case.results = 2
        case.features.add("inv_std_var")


@operator("LayerNormalization", SUMS, domain="", opset=14)
def layer_normalization(case):
    width = layer(case, False)
    case.weights(width)
    case.maybe("B", lambda: case.weights(width))


def with_sum(case):
    if case.chance():
        case.results = 4
        case.unwanted = [1, 2]
        case.features.add("input_skip_bias_sum")


@operator("SkipLayerNormalization", SUMS)
def skip_layer(case):
    width = layer(case, True)
    case.weights(width)
    case.maybe("beta", lambda: case.weights(width))
    case.maybe("bias", lambda: case.weights(width))
    with_sum(case)


@operator("SkipSimplifiedLayerNormalization", SUMS)
def skip_simplified(case):
    width = layer(case, True)
    case.weights(width)
    case.maybe("bias", lambda: case.weights(width))
    with_sum(case)


# Quantized numbers.


def parameters(case, element, low=0.01, high=0.05):
    """A scale and a zero point, without which ONNX Runtime's inference of types fails."""
    case.constant(FLOAT, [], [case.random.uniform(low, high)])
    case.constant(element, [], [case.between(*LIMITS[element])])


def quantized(case, element, shape):
    case.input(element, shape, case.integers(element, shape))
    parameters(case, element)


def byte(case):
    element = case.choose(UINT8, INT8)
    case.element = element
    case.features.add("uint8" if element == UINT8 else "int8")
    return element


def binary(case, low, high):
    element = byte(case)
    shape = shape_of(case)
    quantized(case, element, shape)
    other = [case.choose(1, extent) for extent in shape[case.between(0, len(shape) - 1):]]
    if other != shape:
        case.features.add("broadcast")
    quantized(case, element, other)
    parameters(case, element, low, high)
    case.ranks = [len(shape)]


@operator("QLinearAdd", STEP)
def qlinear_add(case):
    binary(case, 0.02, 0.1)


@operator("QLinearMul", STEP)
def qlinear_mul(case):
    binary(case, 0.05, 0.4)


def unary(case, low, high):
    element = byte(case)
    shape = shape_of(case)
    quantized(case, element, shape)
    parameters(case, element, low, high)
    case.ranks = [len(shape)]


@operator("QLinearSigmoid", STEP)
def qlinear_sigmoid(case):
    unary(case, 0.003, 0.01)


@operator("QLinearLeakyRelu", STEP)
def qlinear_leaky_relu(case):
    unary(case, 0.01, 0.06)
    if case.chance():
        case.attribute("alpha", case.random.uniform(0.0, 0.5))


@operator("QLinearAveragePool", STEP)
def qlinear_average_pool(case):
    element = byte(case)
    spatial = [case.between(4, 9) for _ in range(2)]
    shape = [case.between(1, 2), case.between(1, 4), *spatial]
    kernel = [case.between(1, 3) for _ in spatial]
    case.attribute("kernel_shape", kernel)
    if case.chance():
        case.attribute("strides", [case.between(1, 2) for _ in spatial])
    if case.chance(0.7):
        case.attribute("pads", [case.between(0, extent - 1) for extent in kernel * 2])
        case.attribute("count_include_pad", case.between(0, 1))
    if case.chance(0.3):
        case.attribute("ceil_mode", 1)
    if case.chance(0.3):
        case.attribute("channels_last", 1)
        shape = [shape[0], *spatial, shape[1]]
    quantized(case, element, shape)
    parameters(case, element)
    case.ranks = [4]


@operator("QLinearGlobalAveragePool", STEP)
def qlinear_global_average_pool(case):
    element = byte(case)
    shape = [case.between(1, 2), case.between(1, 4), case.between(1, 7), case.between(1, 7)]
    if case.chance(0.3):
        case.attribute("channels_last", 1)
    quantized(case, element, shape)
    parameters(case, element)
    case.ranks = [4]


@operator("QLinearConcat", STEP)
def qlinear_concat(case):
    element = byte(case)
    parameters(case, element)
    shape = shape_of(case)
    axis = case.between(0, len(shape) - 1)
    case.attribute("axis", case.choose(axis, axis - len(shape)))
    for _ in range(case.between(1, 3)):
        shape[axis] = case.between(1, 4)
        quantized(case, element, list(shape))
    case.ranks = [len(shape)]


def product_shapes(case):
    m, k, n = case.between(1, 6), case.between(1, 40), case.between(1, 9)
    batch = [case.between(1, 3) for _ in range(case.choose(0, 0, 1, 2))]
    case.ranks = [2 + len(batch)]
    return [*batch, m, k], [k, n]


@operator("MatMulIntegerToFloat", SUMS)
def matmul_integer_to_float(case):
    left, right = product_shapes(case)
    a, b = case.choose(UINT8, INT8), case.choose(UINT8, INT8)
    if a == INT8 and b == UINT8:
        a = UINT8
    case.features.add(f"{'uint8' if a == UINT8 else 'int8'} times {'uint8' if b == UINT8 else 'int8'}")
    case.input(a, left, case.integers(a, left))
    case.constant(b, right, case.integers(b, right))
    case.constant(FLOAT, [], [case.random.uniform(0.01, 0.1)])
    columns, of_columns = right[-1], case.chance()
    shape = [columns] if of_columns else []
    if of_columns:
        case.features.add("b_scale and b_zero_point of columns")
    case.weights(*shape, low=0.01, high=0.1)
    case.maybe("a_zero_point", lambda: case.constant(a, [], case.integers(a, [])))
    case.maybe("b_zero_point", lambda: case.constant(b, shape, case.integers(b, shape)))
    case.maybe("bias", lambda: case.floats(columns))


@operator("DynamicQuantizeMatMul", Tolerance(2e-2, why="a number halfway between two steps may be rounded to "
                                                       "either"))
def dynamic_quantize_matmul(case):
    left, right = product_shapes(case)
    b = case.choose(UINT8, INT8)
    case.floats(*left)
    case.constant(b, right, case.integers(b, right))
    columns, of_columns = right[-1], case.chance()
    shape = [columns] if of_columns else []
    if of_columns:
        case.features.add("b_scale and b_zero_point of columns")
    case.weights(*shape, low=0.01, high=0.1)
    case.maybe("b_zero_point", lambda: case.constant(b, shape, case.integers(b, shape)))
    case.maybe("bias", lambda: case.floats(columns))


# Weights in blocks.


def nbits(case, bits):
    inner, outer = case.between(1, 150), case.between(1, 24)
    block = case.choose(16, 32, 64, 128)
    if case.chance():
        inner = block * case.between(1, 3)
    blocks = -(-inner // block)
    case.features.add("rows of whole blocks" if inner % block == 0 else "rows of a part of a block")
    batch = [case.between(1, 3) for _ in range(case.choose(1, 1, 2))]
    case.floats(*batch, inner)
    count = outer * blocks * block * bits // 8
    case.constant(UINT8, [outer, blocks, block * bits // 8], case.integers(UINT8, [count]))
    case.weights(*case.choose([outer, blocks], [outer * blocks]), low=0.01, high=0.1)
    # ONNX Runtime has floats as zero points of 4 bits only.
    kind = case.choose("none", "packed", "floats" if bits == 4 else "packed")
    if kind == "packed":
        width = -(-blocks * bits // 8)
        case.features.add("zero points of uint8")
        case.constant(UINT8, case.choose([outer, width], [outer * width]),
                      case.integers(UINT8, [outer * width]))
    elif kind == "floats":
        case.features.add("zero points of floats")
        case.weights(outer, blocks, low=0.0, high=2.0 ** bits - 1)
    else:
        case.none()
    case.none()
    case.maybe("bias", lambda: case.weights(outer))
    case.attributes.update(K=inner, N=outer, bits=bits, block_size=block)
    case.features |= {f"bits of {bits}", f"block_size of {block}"}
    case.ranks = [len(batch) + 1]


@operator("MatMulNBits of 8 bits", SUMS, of="MatMulNBits")
def matmul_8_bits(case):
    nbits(case, 8)


@operator("MatMulNBits of 4 bits", SUMS, of="MatMulNBits")
def matmul_4_bits(case):
    nbits(case, 4)


@operator("GatherBlockQuantized of 8 bits", CLOSE, of="GatherBlockQuantized")
def gather_8_bits(case):
    gather(case, UINT8, 8)


@operator("GatherBlockQuantized of 4 bits", CLOSE, of="GatherBlockQuantized")
def gather_4_bits(case):
    gather(case, case.choose(UINT8, UINT4, INT4), 4)


def gather(case, element, bits):
    rank = 2 if element == UINT8 else case.choose(2, 3)
    block = case.choose(16, 32)
    shape = [case.between(2, 9) for _ in range(rank)]
    quantized_dim = rank - 1 if element == UINT8 else case.between(0, rank - 1)
    gathered = 0 if element == UINT8 else case.between(0, rank - 1)
    shape[quantized_dim] = case.choose(block, block * 2, case.between(8, 40) * 2)
    stored, blocks = list(shape), list(shape)
    blocks[quantized_dim] = -(-shape[quantized_dim] // block)
    zeros = list(blocks)
    if element == UINT8 and bits == 4:
        stored[-1] //= 2
        zeros[-1] = -(-zeros[-1] // 2)
    case.features.add({UINT8: f"bytes with bits of {bits}", UINT4: "uint4", INT4: "int4"}[element])
    case.constant(element, stored, case.integers(element, stored))
    indices = [case.between(1, 4) for _ in range(case.between(0, 2))]
    extent = shape[gathered]
    case.input(case.choose(INT32, INT64), indices,
               [case.between(-extent, extent - 1) for _ in range(math.prod(indices))])
    case.weights(*blocks, low=0.01, high=0.1)
    case.maybe("zero points", lambda: case.constant(element, zeros, case.integers(element, zeros)))
    case.attributes.update(block_size=block, quantize_axis=quantized_dim, gather_axis=gathered)
    case.features |= {f"gather_axis {'is' if gathered == quantized_dim else 'is not'} quantize_axis"}
    if element == UINT8:
        case.attributes["bits"] = bits
    case.ranks = [rank - 1 + len(indices)]


# The standard's quantization of set 21.


def blocked(case, element):
    rank = case.between(1, 3)
    axis = case.between(0, rank - 1)
    shape = [case.between(1, 6) for _ in range(rank)]
    kind = case.choose("tensor", "axis", "blocks")
    case.features.add(f"scales of {kind}")
    scales = []
    if kind == "axis":
        scales = [shape[axis]]
        case.attribute("axis", axis)
    elif kind == "blocks":
        block = case.between(2, 5)
        # One block alone is no block to ONNX Runtime.
        shape[axis] = case.between(block + 1, 14)
        case.features.add("whole blocks" if shape[axis] % block == 0 else "a part of a block")
        scales = list(shape)
        scales[axis] = -(-shape[axis] // block)
        case.attribute("axis", case.choose(axis, axis - rank))
        case.attribute("block_size", block)
    case.ranks = [rank]
    case.features.add({UINT4: "uint4", INT4: "int4", UINT8: "uint8", INT8: "int8", UINT16: "uint16",
                       INT16: "int16"}[element])
    return shape, scales


def dequantize(case, element, constant):
    shape, scales = blocked(case, element)
    numbers = case.integers(element, shape)
    if constant:
        case.constant(element, shape, numbers)
    else:
        case.input(element, shape, numbers)
    case.weights(*scales, low=0.01, high=0.1)
    # A second operand that is no constant, so that something is left to run.
    if constant:
        case.graph.initializers.pop()
        case.operands.pop()
        case.floats(*scales, low=0.01, high=0.1)
    case.maybe("zero points", lambda: case.constant(element, scales, case.integers(element, scales)))


@operator("DequantizeLinear", CLOSE, domain="")
def dequantize_linear(case):
    dequantize(case, case.choose(UINT8, INT8, UINT16, INT16), False)


@operator("DequantizeLinear of 4 bits", CLOSE, domain="", of="DequantizeLinear")
def dequantize_4_bits(case):
    dequantize(case, case.choose(UINT4, INT4), True)


@operator("QuantizeLinear", EXACT, domain="")
def quantize_linear(case):
    element = case.choose(UINT8, INT8, UINT16, INT16)
    shape, scales = blocked(case, element)
    case.floats(*shape, low=-8, high=8)
    case.weights(*scales, low=0.02, high=0.1)
    case.element = element
    if case.chance():
        case.features.add("zero points")
        case.constant(element, scales, case.integers(element, scales))
    else:
        case.attribute("output_dtype", element)


# Attention.


@operator("RotaryEmbedding", CLOSE)
def rotary(case):
    batch, length, heads = case.between(1, 2), case.between(1, 5), case.between(1, 3)
    width = case.choose(4, 8, 16)
    turned = width
    if case.chance(0.3) and width > 4:
        turned = width // 2
        case.attribute("rotary_embedding_dim", turned)
        case.attribute("num_heads", heads)
    elif case.chance():
        case.attribute("num_heads", heads)
    rank = case.choose(3, 4)
    case.features.add(f"rank {rank}")
    if rank == 3:
        case.floats(batch, length, heads * width)
    else:
        case.floats(batch, heads, length, width)
    rows = length + case.between(0, 9)
    if case.chance():
        case.features.add("one position")
        case.input(INT64, [1], [case.between(0, rows - length)])
    else:
        case.features.add("positions of batches")
        case.input(INT64, [batch, length], [case.between(0, rows - 1) for _ in range(batch * length)])
    case.weights(rows, turned // 2)
    case.weights(rows, turned // 2)
    if case.chance():
        case.attribute("interleaved", 1)
    case.ranks = [rank]


@operator("GroupQueryAttention", SUMS)
def group_query(case):
    groups, per_group, width = case.between(1, 2), case.between(1, 3), case.choose(8, 16, 32)
    batch, length = case.between(1, 3), case.between(1, 6)
    past = case.choose("none", "none", "grows", "buffer", "buffer")
    if past != "none" and length > 1:
        batch = 1
    case.features.add({"none": "without a past", "grows": "past that grows",
                       "buffer": "past with room for what is new"}[past])
    before = case.between(1, 6)
    capacity = before + length + case.between(0, 5)
    total = length if past == "none" else before + length
    heads = groups * per_group
    if case.chance(0.3):
        case.features.add("packed queries, keys and values")
        case.floats(batch, length, (heads + 2 * groups) * width)
        case.none()
        case.none()
    else:
        case.floats(batch, length, heads * width)
        case.floats(batch, length, groups * width)
        case.floats(batch, length, groups * width)
    entries = before if past == "grows" else capacity
    for _ in range(2):
        if past == "none":
            case.none()
        else:
            case.floats(batch, groups, entries, width)
    lengths = [total - 1] * batch
    if past == "buffer" and length == 1:
        lengths = [case.between(0, total - 1) for _ in range(batch - 1)] + [total - 1]
    if past == "buffer" and case.chance(0.3):
        case.features.add("total_sequence_length of the buffer")
        total = capacity if length == 1 or batch == 1 else total
    case.input(INT32, [batch], lengths)
    case.constant(INT32, case.choose([], [1]), [total])
    if width % 16 == 0 and case.chance():
        case.attribute("do_rotary", 1)
        angles = case.choose(8, width // 2)
        rows = max(total, capacity) + case.between(0, 3)
        for _ in range(2):
            case.weights(rows, angles)
        case.attribute("rotary_interleaved", case.between(0, 1))
    else:
        case.none()
        case.none()
    case.none()
    if past != "buffer":
        case.maybe("attention_bias", lambda: case.floats(case.choose(1, batch), case.choose(1, heads), length, total),
                   0.3)
    case.attributes.update(num_heads=heads, kv_num_heads=groups)
    if case.chance(0.3):
        case.attribute("scale", case.random.uniform(0.1, 1.0))
    if case.chance(0.3):
        case.attribute("softcap", case.random.uniform(0.5, 5.0))
    if case.chance(0.3):
        case.attribute("local_window_size", case.between(1, 6))
    elif case.chance(0.2):
        case.attribute("causal", 0)
    case.results = 3
    case.ranks = [3, 4, 4]
    if past == "buffer":
        # What comes after the valid entries is nobody's.
        valid = [position for position in range(batch * groups * capacity * width)
                 if position // width % capacity <= lengths[position // (width * capacity * groups)]]
        case.valid = {1: valid, 2: valid}


@operator("MultiHeadAttention", SUMS)
def multi_head(case):
    heads, width, batch = case.between(1, 3), case.choose(4, 8), case.between(1, 2)
    values = case.choose(width, width, 12)
    queries, keys = case.between(1, 5), case.between(1, 5)
    if case.chance(0.3):
        case.attribute("unidirectional", 1)
        keys = queries
    past = case.between(1, 4) if case.chance(0.3) else 0
    by_head = not past and case.chance(0.3)
    case.floats(batch, queries, heads * width)
    if by_head:
        case.features.add("keys and values by head")
        values = width
        case.floats(batch, heads, keys, width)
        case.floats(batch, heads, keys, width)
        case.none()
    else:
        if past:
            values = width
        case.floats(batch, keys, heads * width)
        case.floats(batch, keys, heads * values)
        case.maybe("bias", lambda: case.weights(heads * (2 * width + values)))
    whole = past + keys
    kind = case.choose("none", "lengths", "keys", "pairs")
    if kind == "none":
        case.none()
    else:
        case.features.add(f"key_padding_mask of {kind}")
        shape = {"lengths": [batch], "keys": [batch, whole], "pairs": [batch, queries, whole]}[kind]
        if kind == "lengths":
            numbers = [case.between(1, whole) for _ in range(batch)]
        else:
            numbers = [case.between(0, 1) for _ in range(math.prod(shape))]
        case.input(INT32, shape, numbers)
    case.maybe("attention_bias", lambda: case.floats(case.choose(1, batch), case.choose(1, heads), queries, whole),
               0.3)
    if past:
        case.features.add("past")
        case.floats(batch, heads, past, width)
        case.floats(batch, heads, past, width)
    case.attributes["num_heads"] = heads
    if case.chance(0.3):
        case.attribute("scale", case.random.uniform(0.1, 1.0))
    if case.chance(0.2):
        case.attribute("mask_filter_value", case.choose(-1.0, -100.0))
    case.results = 3 if not by_head else 1
    case.ranks = [3, 4, 4]


# The same in f16, where ONNX Runtime has them on the CPU.

HALF = Tolerance(1e-2, why="ONNX Runtime computes in f32 in between")

for _name, _source in (("SimplifiedLayerNormalization", simplified), ("SkipLayerNormalization", skip_layer),
                       ("SkipSimplifiedLayerNormalization", skip_simplified), ("RotaryEmbedding", rotary),
                       ("MatMulNBits", matmul_4_bits), ("GroupQueryAttention", group_query)):
    operator(f"{_name} in f16", HALF, of=_name, half=True,
             **({"domain": "", "opset": 17} if _name == "SimplifiedLayerNormalization" else {}))(_source)
