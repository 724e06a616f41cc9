# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks of the kinds that are shipped as OpenVINO IR, with the layers that
converters write for them: residual and inverted residual networks, also quantized, a
detection head, a block of a diffusion network, encoders and decoders of text and speech."""

import math

from onnx_writer import FLOAT, INT64
from openvino_layers import quantized


class Blocks:
    """Layers of both networks of a pair, as a converter writes them."""

    def __init__(self, t):
        self.t, self.g = t, t.g

    # Elements.

    def op(self, kind, opset, operands, shape, onnx, element="f32", bound=9.0, **attributes):
        ir = self.t.layer(kind, opset, operands, element, shape, **attributes)
        return self.t.both(ir, onnx, False, bound)

    def weights(self, shape, spread=None):
        """Constants; at times in f16 or i8, that are widened where they are read."""
        t, count = self.t, math.prod(shape)
        spread = spread or 1.5 / math.sqrt(max(1, math.prod(shape[1:])))
        steps, scale = [t.random.randint(-64, 64) for _ in range(count)], 2.0 ** round(math.log2(spread)) / 64
        numbers = [step * scale for step in steps]
        kind = t.pick("f32", "f16", "i8")
        if kind == "f32":
            return t.constant("f32", shape, numbers)
        wide = {"destination_type": "f32"}
        if kind == "f16":
            ir = t.layer("Convert", 1, [t.ir.constant("f16", shape, numbers)], "f32", shape, **wide)
        else:
            # A scale for each row, all of which are equal here.
            per = [shape[0]] + [1] * (len(shape) - 1)
            ir = t.layer("Convert", 1, [t.ir.constant("i8", shape, steps)], "f32", shape, **wide)
            ir = t.layer("Multiply", 1, [ir, t.ir.constant("f32", per, [scale] * shape[0])], "f32", shape,
                         auto_broadcast="numpy")
        return t.both(ir, t.g.constant(FLOAT, shape, numbers))

    def binary(self, kind, a, b):
        operator = {"Add": "Add", "Multiply": "Mul", "Subtract": "Sub", "Divide": "Div"}[kind]
        rank = max(a.rank, b.rank)
        wide = [[1] * (rank - each.rank) + each.shape for each in (a, b)]
        shape = [max(pair) for pair in zip(*wide)]
        return self.op(kind, 1, [a, b], shape, self.g.node(operator, a.onnx, b.onnx),
                       auto_broadcast="numpy")

    def number(self, value, rank=0):
        return self.t.constant("f32", [1] * rank, [value])

    def unary(self, kind, opset, x, operator=None, **attributes):
        return self.op(kind, opset, [x], x.shape, self.g.node(operator or kind, x.onnx, **attributes))

    def activation(self, x):
        t, g = self.t, self.g
        kind = t.pick("ReLU", "Clamp", "HSwish", "Swish", "Sigmoid", "Gelu", "PReLU")
        if kind == "ReLU":
            return self.unary("ReLU", 1, x, "Relu")
        if kind == "Sigmoid":
            return self.unary("Sigmoid", 1, x)
        if kind == "Clamp":
            clipped = g.node("Min", g.node("Max", x.onnx, g.float(0.0)), g.float(6.0))
            return self.op("Clamp", 1, [x], x.shape, clipped, min=0, max=6)
        if kind == "HSwish":
            gate = g.node("HardSigmoid", x.onnx, alpha=1 / 6, beta=0.5)
            return self.op("HSwish", 4, [x], x.shape, g.node("Mul", x.onnx, gate))
        if kind == "Swish":
            return self.silu(x)
        if kind == "PReLU":
            slope = self.weights([x.shape[1]], 0.25)
            along = g.node("Reshape", slope.onnx, g.ints(*([1, -1] + [1] * (x.rank - 2))))
            below = g.node("Mul", along, g.node("Min", x.onnx, g.float(0.0)))
            return self.op("PReLU", 1, [x, slope], x.shape, g.node("Add", g.node("Relu", x.onnx), below))
        return self.gelu(x)

    def silu(self, x):
        return self.op("Swish", 4, [x], x.shape, self.g.node("Mul", x.onnx, self.g.node("Sigmoid", x.onnx)))

    def gelu(self, x):
        g = self.g
        half = g.node("Mul", x.onnx, g.float(0.5))
        erf = g.node("Erf", g.node("Mul", x.onnx, g.float(math.sqrt(0.5))))
        return self.op("Gelu", 7, [x], x.shape, g.node("Mul", half, g.node("Add", erf, g.float(1.0))),
                       approximation_mode="ERF")

    # Shapes.

    def reshape(self, x, written, shape, zero=True):
        onnx = self.g.node("Reshape", x.onnx, self.g.ints(*shape))
        ir = self.t.layer("Reshape", 1, [x, self.t.list(written)], x.element, shape, special_zero=zero)
        return self.t.both(ir, onnx, x.exact, x.bound)

    def transpose(self, x, order):
        shape = [x.shape[at] for at in order]
        return self.op("Transpose", 1, [x, self.t.list(order)], shape,
                       self.g.node("Transpose", x.onnx, perm=order))

    def concat(self, axis, *parts):
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return self.op("Concat", 1, parts, shape, self.g.node("Concat", *(p.onnx for p in parts), axis=axis),
                       axis=axis)

    def split(self, x, axis, extents):
        t = self.t
        shapes = [x.shape[:axis] + [extent] + x.shape[axis + 1:] for extent in extents]
        if len(set(extents)) == 1 and t.chance(0.5):
            ports = t.ir.layer("Split", 1, [x.ir, t.scalar(axis)], [("f32", s) for s in shapes],
                               {"num_splits": len(extents)})
        else:
            ports = t.ir.layer("VariadicSplit", 1, [x.ir, t.scalar(axis), t.list([*extents[:-1], -1])],
                               [("f32", s) for s in shapes], {})
        parts = self.g.node("Split", x.onnx, self.g.ints(*extents), results=len(extents), axis=axis)
        parts = parts if isinstance(parts, list) else [parts]
        return [t.both(port, part, False, x.bound) for port, part in zip(ports, parts)]

    # Sums.

    def linear(self, x, outputs, bias=True):
        t, g, inputs = self.t, self.g, x.shape[-1]
        to = x.shape[:-1] + [outputs]
        if t.chance(0.35):
            ir, numbers = quantized(t, outputs, inputs)
            weights = g.constant(FLOAT, [outputs, inputs], numbers)
            onnx = g.node("MatMul", x.onnx, g.node("Transpose", weights, perm=[1, 0]))
            y = self.op("MatMul", 1, [x, ir], to, onnx, transpose_a=False, transpose_b=True)
        elif t.chance(0.7):
            weights = self.weights([outputs, inputs])
            onnx = g.node("MatMul", x.onnx, g.node("Transpose", weights.onnx, perm=[1, 0]))
            y = self.op("MatMul", 1, [x, weights], to, onnx, transpose_a=False, transpose_b=True)
        else:
            weights = self.weights([inputs, outputs])
            y = self.op("MatMul", 1, [x, weights], to, g.node("MatMul", x.onnx, weights.onnx),
                        transpose_a=False, transpose_b=False)
        return self.binary("Add", y, self.weights([1] * (x.rank - 1) + [outputs], 0.25)) if bias else y

    def convolution(self, x, outputs, kernel, stride=1, group=1, bias=True):
        g, inputs = self.g, x.shape[1]
        pad = kernel // 2
        extents = [(extent + 2 * pad - kernel) // stride + 1 for extent in x.shape[2:]]
        to = [x.shape[0], outputs] + extents
        flat = [outputs, inputs // group, kernel, kernel]
        weights = self.weights(flat)
        drawn = {"strides": [stride] * 2, "pads_begin": [pad] * 2, "pads_end": [pad] * 2,
                 "dilations": [1, 1], "auto_pad": "explicit"}
        onnx = g.node("Conv", x.onnx, weights.onnx, strides=[stride] * 2, pads=[pad] * 4, group=group)
        if group == 1:
            y = self.op("Convolution", 1, [x, weights], to, onnx, **drawn)
        else:
            shape = [group, outputs // group, inputs // group, kernel, kernel]
            grouped = self.t.layer("Reshape", 1, [weights, self.t.list(shape)], "f32", shape, special_zero=False)
            y = self.op("GroupConvolution", 1, [x, grouped], to, onnx, **drawn)
        return self.binary("Add", y, self.weights([1, outputs, 1, 1], 0.25)) if bias else y

    def quantize(self, x):
        """What post-training quantization puts before convolutions: the numbers are on a grid
        already where it is read, so that both runtimes choose one step."""
        g = self.g
        low, high = self.number(-4.0, x.rank), self.number(3.96875, x.rank)
        span = g.float(255.0)
        at = g.node("Mul", g.node("Div", g.node("Sub", x.onnx, low.onnx), g.float(7.96875)), span)
        inside = g.node("Add", g.node("Mul", g.node("Div", g.node("Round", at), span), g.float(7.96875)), low.onnx)
        inside = g.node("Where", g.node("Greater", x.onnx, high.onnx), high.onnx, inside)
        onnx = g.node("Where", g.node("LessOrEqual", x.onnx, low.onnx), low.onnx, inside)
        return self.op("FakeQuantize", 1, [x, low, high, low, high], x.shape, onnx, bound=4,
                       levels=256, auto_broadcast="numpy")

    def pooled(self, x):
        """The mean over rows and columns, as converters write it."""
        g, shape = self.g, x.shape[:2] + [1, 1]
        return self.op("ReduceMean", 1, [x, self.t.list([2, 3])], shape,
                       g.node("ReduceMean", x.onnx, g.ints(2, 3), keepdims=1), keep_dims=True)

    def layer_norm(self, x):
        g, size = self.g, x.shape[-1]
        centred = g.node("Sub", x.onnx, g.node("ReduceMean", x.onnx, g.ints(-1), keepdims=1))
        mean = g.node("ReduceMean", g.node("Mul", centred, centred), g.ints(-1), keepdims=1)
        root = g.node("Sqrt", g.node("Add", mean, g.float(1e-5)))
        y = self.op("MVN", 6, [x, self.t.list([-1])], x.shape, g.node("Div", centred, root), eps=1e-5,
                    normalize_variance=True, eps_mode="inside_sqrt")
        shape = [1] * (x.rank - 1) + [size]
        y = self.binary("Multiply", y, self.weights(shape, 1.0))
        return self.binary("Add", y, self.weights(shape, 0.25))

    def softmax(self, x, axis):
        return self.op("SoftMax", 8, [x], x.shape, self.g.node("Softmax", x.onnx, axis=axis), axis=axis)

    def matmul(self, a, b, turned=False):
        g = self.g
        right = b.onnx
        if turned:
            right = g.node("Transpose", right, perm=[*range(b.rank - 2), b.rank - 1, b.rank - 2])
        to = a.shape[:-1] + [b.shape[-2] if turned else b.shape[-1]]
        return self.op("MatMul", 1, [a, b], to, g.node("MatMul", a.onnx, right), transpose_a=False,
                       transpose_b=turned)

    def heads(self, x, count):
        batch, length, size = x.shape
        shape = [batch, length, count, size // count]
        return self.transpose(self.reshape(x, [0, 0, count, size // count], shape), [0, 2, 1, 3])

    def attention(self, x, y, count, bias=None):
        """Attention of x over y."""
        t, g, size = self.t, self.g, x.shape[-1]
        q, k, v = (self.heads(self.linear(each, size), count) for each in (x, y, y))
        scale = 1 / math.sqrt(size // count)
        turned = g.node("Transpose", k.onnx, perm=[0, 1, 3, 2])
        scores = g.node("Mul", g.node("MatMul", q.onnx, turned), g.float(scale))
        if bias:
            scores = g.node("Add", scores, bias.onnx)
        onnx = g.node("MatMul", g.node("Softmax", scores, axis=-1), v.onnx)
        if t.chance(0.5):
            operands = [q, k, v] + ([bias] if bias else [])
            z = self.op("ScaledDotProductAttention", 13, operands, q.shape, onnx, causal=False)
        else:
            s = self.binary("Multiply", self.matmul(q, k, True), self.number(scale))
            s = self.binary("Add", s, bias) if bias else s
            z = self.matmul(self.softmax(s, -1 if t.chance(0.5) else 3), v)
        z = self.transpose(z, [0, 2, 1, 3])
        return self.linear(self.reshape(z, [0, 0, size], x.shape), size)


def residual(t):
    """ResNet: a stem with a pool, and residual blocks."""
    b = Blocks(t)
    x = t.input("f32", [1, 3, 8, 8])
    x = b.unary("ReLU", 1, b.convolution(x, 6, 3, 2 if t.chance(0.5) else 1), "Relu")
    extents = [(extent + 2 - 3) // 2 + 1 for extent in x.shape[2:]]
    x = b.op("MaxPool", t.pick(1, 8), [x], x.shape[:2] + extents, t.g.node(
        "MaxPool", x.onnx, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), kernel=[3, 3],
        strides=[2, 2], pads_begin=[1, 1], pads_end=[1, 1], rounding_type="floor", auto_pad="explicit")
    for _ in range(t.random.randint(1, 2)):
        y = b.convolution(b.activation(b.convolution(x, 6, 3)), 6, 3)
        x = b.activation(b.binary("Add", x, y))
    y = b.pooled(x)
    return b.linear(b.reshape(y, [0, -1], [1, 6]), 5)


def inverted(t):
    """MobileNet: wide blocks by channel, gates, and quantization at times."""
    b = Blocks(t)
    x = t.input("f32", [1, 4, 6, 6])
    if t.chance(0.5):
        x = b.quantize(x)
    x = b.convolution(x, 4, 3, 2)
    for _ in range(t.random.randint(1, 2)):
        y = b.activation(b.convolution(x, 8, 1))
        y = b.activation(b.convolution(y, 8, 3, group=8))
        if t.chance(0.6):
            gate = b.activation(b.convolution(b.pooled(y), 2, 1))
            y = b.binary("Multiply", y, b.unary("Sigmoid", 1, b.convolution(gate, 8, 1)))
        x = b.binary("Add", x, b.convolution(y, 4, 1))
    return b.pooled(x)


def detection(t):
    """YOLO: levels that are interpolated and joined, boxes as expectations over a softmax."""
    b, g = Blocks(t), t.g
    x = t.input("f32", [1, 3, 8, 8])
    fine = b.silu(b.convolution(x, 4, 3))
    coarse = b.silu(b.convolution(fine, 4, 3, 2))
    wide = [1, 4, 8, 8]
    gather = g.node("Resize", coarse.onnx, "", g.constant(FLOAT, [4], [1.0, 1.0, 2.0, 2.0]), mode="nearest",
                    coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    operands = [coarse, t.list([8, 8]), t.ir.constant("f32", [2], [2.0, 2.0]), t.list([2, 3])]
    up = b.op("Interpolate", 4, operands, wide, gather, mode="nearest", antialias=False,
              shape_calculation_mode=t.pick("sizes", "scales"), coordinate_transformation_mode="asymmetric",
              nearest_mode="floor", cube_coeff=-0.75, pads_begin=[0, 0, 0, 0], pads_end=[0, 0, 0, 0])
    x = b.concat(1, up, fine)
    halves = b.split(x, 1, [4, 4])
    x = b.concat(1, halves[0], b.binary("Add", halves[1], b.silu(b.convolution(halves[1], 4, 3))))
    x = b.reshape(b.convolution(x, 12, 1), [1, 12, -1], [1, 12, 64])
    boxes, scores = b.split(x, 1, [8, 4])
    boxes = b.transpose(b.reshape(boxes, [1, 4, 2, 64], [1, 4, 2, 64]), [0, 2, 1, 3])
    boxes = b.softmax(boxes, 1)
    # The expectation is a convolution with the numbers of the bins.
    bins = t.constant("f32", [1, 2, 1, 1], [0.0, 1.0])
    boxes = b.op("Convolution", 1, [boxes, bins], [1, 1, 4, 64], g.node("Conv", boxes.onnx, bins.onnx),
                 strides=[1, 1], pads_begin=[0, 0], pads_end=[0, 0], dilations=[1, 1], auto_pad="explicit")
    boxes = b.reshape(boxes, [1, 4, 64], [1, 4, 64])
    near = sliced(b, boxes, [0, 0], [0, 2], [1, 2, 64])
    far = sliced(b, boxes, [0, 2], [0, 4], [1, 2, 64])
    boxes = b.concat(1, b.binary("Subtract", far, near), b.binary("Add", far, near))
    return b.concat(1, boxes, b.unary("Sigmoid", 1, scores))


def sliced(b, x, begin, end, shape):
    """A StridedSlice of the second dimension."""
    t, g = b.t, b.g
    onnx = g.node("Slice", x.onnx, g.ints(begin[1]), g.ints(end[1]), g.ints(1))
    return b.op("StridedSlice", 1, [x, t.list(begin, "i64"), t.list(end, "i64"), t.list([1, 1], "i64")], shape,
                onnx, begin_mask=[1, 0], end_mask=[1, 0], new_axis_mask=[], shrink_axis_mask=[],
                ellipsis_mask=[])


def diffusion(t):
    """A block of a UNet: norms of groups, a time that is added, attention over a text."""
    b, g = Blocks(t), t.g
    size, side = 8, t.pick(2, 4)
    x, time = t.input("f32", [1, size, side, side]), t.input("f32", [1, 4])
    text = t.input("f32", [1, 3, size])
    angle = b.unary("Cos", 1, b.binary("Multiply", time, b.weights([1, 4], 1.0)))
    angle = b.concat(1, angle, b.unary("Sin", 1, angle))

    def group_norm(value):
        groups = t.pick(2, 4)
        rows = b.reshape(value, [0, groups, -1], [1, groups, value.shape[1] // groups * side * side])
        centred = g.node("Sub", rows.onnx, g.node("ReduceMean", rows.onnx, g.ints(2), keepdims=1))
        mean = g.node("ReduceMean", g.node("Mul", centred, centred), g.ints(2), keepdims=1)
        onnx = g.node("Div", centred, g.node("Sqrt", g.node("Add", mean, g.float(1e-5))))
        y = b.op("MVN", 6, [rows, t.list([2])], rows.shape, onnx, eps=1e-5, normalize_variance=True,
                 eps_mode="INSIDE_SQRT")
        whole = t.layer("ShapeOf", 3, [value], "i64", [4], output_type="i64")
        y = t.both(t.layer("Reshape", 1, [y, whole], "f32", value.shape, special_zero=False),
                   g.node("Reshape", y.onnx, g.ints(*value.shape)))
        return b.binary("Add", b.binary("Multiply", y, b.weights([1, size, 1, 1], 1.0)),
                        b.weights([1, size, 1, 1], 0.25))
    y = b.convolution(b.silu(group_norm(x)), size, 3)
    time = b.linear(b.silu(b.linear(angle, size)), size)
    y = b.binary("Add", y, b.reshape(time, [0, 0, 1, 1], [1, size, 1, 1]))
    x = b.binary("Add", x, b.convolution(b.silu(group_norm(y)), size, 3))
    rows = b.reshape(b.transpose(group_norm(x), [0, 2, 3, 1]), [1, -1, size], [1, side * side, size])
    rows = b.binary("Add", rows, b.attention(b.layer_norm(rows), text, 2))
    halves = b.split(b.linear(b.layer_norm(rows), 2 * size), 2, [size, size])
    rows = b.binary("Add", rows, b.linear(b.binary("Multiply", halves[0], b.gelu(halves[1])), size))
    back = b.transpose(b.reshape(rows, [1, side, side, size], [1, side, side, size]), [0, 3, 1, 2])
    return b.binary("Add", b.convolution(back, size, 1), x)


def ids_input(t, batch, length, words):
    count = batch * length
    return t.input("i64", [batch, length], [t.random.randrange(words) for _ in range(count)])


def gathered(b, table, ids, size):
    shape = ids.shape + [size]
    indices = b.t.layer("Convert", 1, [ids], "i32", ids.shape, destination_type="i32")
    return b.op("Gather", 8, [table, indices, b.t.scalar(0)], shape,
                b.g.node("Gather", table.onnx, ids.onnx, axis=0), batch_dims=0)


def encoder(t):
    """BERT: tables for words and positions, a mask that is added, layers, a pooled row."""
    b, g = Blocks(t), t.g
    size, length, words = 8, t.random.randint(2, 6), 11
    ids = ids_input(t, 1, length, words)
    mask = t.input("i64", [1, length], [1] * (length - 1) + [t.random.randint(0, 1)])
    x = gathered(b, b.weights([words, size], 1.0), ids, size)
    places = b.weights([9, size], 0.5)
    rows = t.layer("Slice", 8, [places, t.list([0]), t.list([length]), t.list([1]), t.list([0])], "f32",
                   [length, size])
    rows = t.both(rows, g.node("Slice", places.onnx, g.ints(0), g.ints(length), g.ints(0)))
    x = b.layer_norm(b.binary("Add", x, rows))
    wide = t.layer("Unsqueeze", 1, [mask, t.list([1, 2])], "i64", [1, 1, 1, length])
    wide = t.layer("Convert", 1, [wide], "f32", [1, 1, 1, length], destination_type="f32")
    real = t.both(wide, g.node("Cast", g.node("Unsqueeze", mask.onnx, g.ints(1, 2)), to=FLOAT))
    bias = b.binary("Multiply", b.binary("Subtract", b.number(1.0), real), b.number(-1e4))
    for _ in range(t.random.randint(1, 2)):
        x = b.layer_norm(b.binary("Add", x, b.attention(x, x, 2, bias)))
        x = b.layer_norm(b.binary("Add", x, b.linear(b.gelu(b.linear(x, 12)), size)))
    first = t.layer("Gather", 8, [x, t.scalar(0), t.scalar(1)], "f32", [1, size], batch_dims=0)
    first = t.both(first, g.node("Gather", x.onnx, g.int(0), axis=1))
    return b.unary("Tanh", 1, b.linear(first, size))


def speech(t):
    """Whisper: convolutions over time, an encoder, and a decoder that looks at it."""
    b, g = Blocks(t), t.g
    size, frames, length, words = 8, t.random.randint(4, 8), t.random.randint(1, 4), 13
    x = t.input("f32", [1, 4, frames])
    for stride in (1, 2):
        inputs = x.shape[1]
        weights = b.weights([size, inputs, 3])
        to = [1, size, (x.shape[2] + 2 - 3) // stride + 1]
        onnx = g.node("Conv", x.onnx, weights.onnx, strides=[stride], pads=[1, 1])
        x = b.op("Convolution", 1, [x, weights], to, onnx, strides=[stride], pads_begin=[1], pads_end=[1],
                 dilations=[1], auto_pad="explicit")
        x = b.gelu(b.binary("Add", x, b.weights([1, size, 1], 0.25)))
    x = b.transpose(x, [0, 2, 1])
    x = b.binary("Add", x, b.weights(x.shape, 0.5))
    x = b.binary("Add", x, b.attention(b.layer_norm(x), b.layer_norm(x), 2))
    heard = b.layer_norm(x)
    y = gathered(b, b.weights([words, size], 1.0), ids_input(t, 1, length, words), size)
    y = b.binary("Add", y, b.weights([length, size], 0.5))
    # A lower triangle, of positions that are compared.
    columns = t.layer("Range", 4, [t.scalar(0, "i64"), t.scalar(length, "i64"), t.scalar(1, "i64")], "i64",
                      [length], output_type="i64")
    rows = t.layer("Unsqueeze", 1, [columns, t.scalar(1)], "i64", [length, 1])
    seen = t.layer("LessEqual", 1, [columns, rows], "boolean", [length, length], auto_broadcast="numpy")
    lowest = -65504.0
    ir = t.layer("Select", 1, [seen, t.float_scalar("f32", 0.0), t.float_scalar("f32", lowest)], "f32",
                 [length, length], auto_broadcast="numpy")
    numbers = [0.0 if column <= row else lowest for row in range(length) for column in range(length)]
    bias = t.both(ir, g.constant(FLOAT, [length, length], numbers))
    n = b.layer_norm(y)
    y = b.binary("Add", y, b.attention(n, n, 2, bias))
    y = b.binary("Add", y, b.attention(b.layer_norm(y), heard, 2))
    y = b.binary("Add", y, b.linear(b.gelu(b.linear(b.layer_norm(y), 12)), size))
    return b.linear(b.layer_norm(y), words, bias=False)


def relative(t):
    """T5: RMS norms in their elementary form, biases by relative position, gated layers."""
    b, g = Blocks(t), t.g
    size, length, words, heads = 8, t.random.randint(2, 5), 11, 2
    x = gathered(b, b.weights([words, size], 1.0), ids_input(t, 1, length, words), size)

    def rms(value):
        square = b.op("Power", 1, [value, b.number(2.0)], value.shape,
                      g.node("Pow", value.onnx, g.float(2.0)), auto_broadcast="numpy")
        one = value.shape[:-1] + [1]
        mean = b.op("ReduceMean", 1, [square, t.list([-1])], one,
                    g.node("ReduceMean", square.onnx, g.ints(-1), keepdims=1), keep_dims=True)
        root = b.unary("Sqrt", 1, b.binary("Add", mean, b.number(1e-5)))
        normal = b.binary("Multiply", value, b.binary("Divide", b.number(1.0), root))
        return b.binary("Multiply", b.weights([1, 1, size], 1.0), normal)
    table = b.weights([2 * length - 1, heads], 0.5)
    # Positions of rows from those of columns, as an index into the table.
    at = [row - column + length - 1 for row in range(length) for column in range(length)]
    indices = t.ir.constant("i64", [length, length], at)
    rows = b.op("Gather", 8, [table, indices, t.scalar(0)], [length, length, heads],
                g.node("Gather", table.onnx, g.constant(INT64, [length, length], at), axis=0), batch_dims=0)
    turned = b.transpose(rows, [2, 0, 1])
    bias = t.both(t.layer("Unsqueeze", 1, [turned, t.scalar(0)], "f32", [1, heads, length, length]),
                  g.node("Unsqueeze", turned.onnx, g.ints(0)))
    n = rms(x)
    x = b.binary("Add", x, b.attention(n, n, heads, bias))
    n = rms(x)
    x = b.binary("Add", x, b.linear(b.binary("Multiply", b.gelu(b.linear(n, 12)), b.linear(n, 12)), size))
    return b.linear(rms(x), words, bias=False)


NETWORKS = {each.__name__: each for each in (residual, inverted, detection, diffusion, encoder, speech, relative)}
