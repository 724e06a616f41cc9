# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random decoder blocks with a prompt of any length, in the shapes in which exporters
write them: torch.onnx asks tensors for their shapes and computes with these, Optimum
adds caches, masks and positions as inputs, and model builders write short graphs with
positions from a sum over the mask."""

import random

from onnx_writer import BOOL, FLOAT, INT64, Graph
from random_graph import RandomGraph

# Small, so that thousands of blocks can be run.
HIDDEN, HEADS, HEAD, WORDS, LONGEST = 8, 2, 4, 11, 40
# What stands for minus infinity in masks.
LOWEST = -3.4028234663852886e38


class Block(RandomGraph):
    """A block: its graph, its inputs, and what it was made of."""

    def __init__(self, seed):
        super().__init__(seed)
        self.seed = seed
        self.parts = []
        self.longest = self.random.choice([5, 7, 8, 9, 12])
        self.style = self.random.choice(["torch", "optimum", "builder"])
        self.build()

    def extent(self, value, dim):
        """An extent of a tensor as exporters ask for it: a scalar."""
        g = self.graph
        if self.chance(0.2):
            return g.node("Squeeze", g.node("Shape", value, start=dim, end=dim + 1), g.ints(0))
        if self.chance(0.2):
            part = g.node("Slice", g.node("Shape", value), g.ints(dim), g.ints(dim + 1), g.ints(0))
            return g.node("Squeeze", part, g.ints(0))
        if self.chance(0.05):
            # The extent times whether there is one.
            shape = g.node("Shape", value)
            some = g.node("Cast", g.node("Cast", shape, to=BOOL), to=INT64)
            return g.node("Gather", g.node("Mul", shape, some), g.int(dim), axis=0)
        return super().extent(value, dim)

    def listed(self, scalar):
        g = self.graph
        if self.chance(0.2):
            return g.node("Reshape", scalar, g.ints(-1))
        if self.chance(0.05):
            return g.node("Max", g.ints(-4096), g.ints(-8192), g.node("Unsqueeze", scalar, g.ints(0)))
        return g.node("Unsqueeze", scalar, g.ints(0))

    def shape(self, *extents):
        """A list of numbers and scalars as one tensor."""
        g = self.graph
        parts = [g.ints(each) if isinstance(each, int) else self.listed(each) for each in extents]
        return g.node("Concat", *parts, axis=0)

    def slice(self, value, dim, start, end, step=None):
        g = self.graph
        operand = lambda at: g.ints(at) if isinstance(at, int) else self.listed(at)
        operands = [value, operand(start), operand(end), g.ints(dim)]
        if step is not None or self.chance(0.4):
            operands.append(g.ints(step or 1))
        return g.node("Slice", *operands)

    def range(self, end, start=None):
        g = self.graph
        return g.node("Range", start or g.int(0), end, g.int(1))

    # The parts.

    def build(self):
        g = self.graph
        x = self.begin()
        layers = 2 if self.chance(0.25) else 1
        for _ in range(layers):
            mixer = self.random.choices(
                ["attention", "convolution", "pooling", "recurrence", "sums", "others"],
                [10, 4, 2, 1, 2, 4])[0]
            normal = self.normalized(x)
            mixed = getattr(self, mixer)(normal)
            x = g.node("Add", x, mixed) if mixed else x
            if self.chance(0.5):
                x = g.node("Add", x, self.forward(self.normalized(x)))
        self.end(x)

    def begin(self):
        g = self.graph
        if self.style != "torch" or self.chance(0.3):
            self.ids = g.input("input_ids", INT64, [1, "sequence"])
            x = g.node("Gather", self.weights(WORDS, HIDDEN), self.ids)
        else:
            self.ids = None
            x = g.input("x", FLOAT, [1, "sequence", HIDDEN])
        self.first = g.inputs[0][0]
        self.mask = None
        if self.style != "torch" and self.chance(0.7):
            self.mask = g.input("attention_mask", INT64, [1, "sequence"])
        if self.style == "optimum" and self.chance(0.2):
            g.input("token_type_ids", INT64, [1, "sequence"])
        if self.chance(0.15):
            # Learned positions.
            table = self.weights(LONGEST, HIDDEN)
            if self.chance(0.5):
                rows = self.slice(table, 0, 0, self.extent(self.first, 1))
            else:
                rows = g.node("Gather", table, self.positions())
            x = g.node("Add", x, rows)
        return x

    def positions(self):
        """Positions: a range, or what a sum over the mask counts."""
        g = self.graph
        if self.mask and self.chance(0.6):
            self.parts.append("positions by sums")
            summed = g.node("CumSum", self.mask, g.int(1))
            at = g.node("Sub", summed, g.int(1))
            hidden = g.node("Equal", self.mask, g.int(0))
            return g.node("Where", hidden, g.int(1), at)
        self.parts.append("positions by range")
        at = self.range(self.extent(self.first, 1))
        if self.chance(0.5):
            at = g.node("Unsqueeze", at, g.ints(0))
        if self.chance(0.2):
            at = g.node("Expand", at, self.shape(1, self.extent(self.first, 1)))
        return at

    def normalized(self, x):
        g = self.graph
        kind = self.random.choices(["layer", "rms", "lp", "instance", "none"], [4, 4, 1, 1, 2])[0]
        if kind == "layer":
            return g.node("LayerNormalization", x, self.weights(HIDDEN), self.weights(HIDDEN),
                          axis=-1, epsilon=1e-5)
        if kind == "rms":
            square = g.node("Pow", x, g.float(2.0))
            mean = g.node("ReduceMean", square, axes=[-1], keepdims=1)
            root = g.node("Sqrt", g.node("Add", mean, g.float(1e-5)))
            return g.node("Mul", self.weights(HIDDEN), g.node("Div", x, root))
        if kind == "lp":
            self.parts.append("LpNormalization")
            return g.node("LpNormalization", x, axis=self.pick(1, 2), p=self.pick(1, 2))
        if kind == "instance":
            self.parts.append("InstanceNormalization")
            turned = g.node("Transpose", x, perm=[0, 2, 1])
            normal = g.node("InstanceNormalization", turned, self.weights(HIDDEN),
                            self.weights(HIDDEN), epsilon=1e-3)
            return g.node("Transpose", normal, perm=[0, 2, 1])
        return x

    def linear(self, x, inputs, outputs):
        g = self.graph
        if self.chance(0.1):
            self.parts.append("Einsum")
            return g.node("Einsum", x, self.weights(inputs, outputs), equation="bsi,io->bso")
        y = g.node("MatMul", x, self.weights(inputs, outputs))
        return g.node("Add", y, self.weights(outputs)) if self.chance(0.5) else y

    def forward(self, x):
        g = self.graph
        up = self.linear(x, HIDDEN, 12)
        kind = self.pick("silu", "gelu", "relu", "gated")
        if kind == "silu":
            up = g.node("Mul", up, g.node("Sigmoid", up))
        elif kind == "gelu":
            erf = g.node("Erf", g.node("Div", up, g.float(1.4142135381698608)))
            up = g.node("Mul", g.node("Mul", up, g.node("Add", erf, g.float(1.0))), g.float(0.5))
        elif kind == "relu":
            up = g.node("Relu", up)
        else:
            halves = g.node("Split", up, g.ints(6, 6), results=2, axis=-1)
            up = g.node("Concat", g.node("Mul", *halves), halves[1], axis=-1)
        return self.linear(up, 12, HIDDEN)

    # Attention.

    def heads(self, x, value, count):
        """1 x S x count*HEAD as 1 x count x S x HEAD."""
        g = self.graph
        kind = self.pick("asked", "asked", "zeros", "rest")
        if kind == "asked":
            shape = self.shape(self.extent(x, 0), self.extent(x, 1), count, HEAD)
        else:
            shape = g.ints(0, 0, count, HEAD) if kind == "zeros" else g.ints(1, -1, count, HEAD)
        return g.node("Transpose", g.node("Reshape", value, shape), perm=[0, 2, 1, 3])

    def rotary(self, q, k, past):
        g = self.graph
        half = HEAD // 2
        kind = self.pick("computed", "sliced", "gathered")
        self.parts.append("rotary " + kind)
        length = self.extent(q, 2)
        if kind == "computed":
            at = self.range(length)
            if past:
                at = g.node("Add", at, self.extent(past, 2))
            at = g.node("Cast", at, to=FLOAT)
            if self.chance(0.5):
                angles = g.node("Einsum", at, g.constant(FLOAT, [half], [1.0, 0.1]),
                                equation="i,j->ij")
                cosine, sine = g.node("Cos", angles), g.node("Sin", angles)

                def turn_halves(v):
                    low = self.slice(v, 3, 0, half)
                    high = self.slice(v, 3, half, 2**63 - 1)
                    return g.node("Concat",
                                  g.node("Sub", g.node("Mul", low, cosine), g.node("Mul", high, sine)),
                                  g.node("Add", g.node("Mul", high, cosine), g.node("Mul", low, sine)),
                                  axis=-1)
                return turn_halves(q), turn_halves(k)
            angles = g.node("MatMul", g.node("Unsqueeze", at, g.ints(1)),
                            g.constant(FLOAT, [1, half], [1.0, 0.1]))
            angles = g.node("Concat", angles, angles, axis=-1)
            tables = [g.node("Cos", angles), g.node("Sin", angles)]
        else:
            tables = [self.weights(LONGEST, HEAD), self.weights(LONGEST, HEAD)]
            if kind == "sliced":
                begin = self.extent(past, 2) if past else 0
                end = g.node("Add", length, begin) if past else length
                tables = [self.slice(table, 0, begin, end) for table in tables]
            else:
                at = self.positions()
                tables = [g.node("Unsqueeze", g.node("Reshape", g.node("Gather", table, at),
                                                      g.ints(1, -1, HEAD)), g.ints(1))
                          for table in tables]
        def turn(v):
            low = self.slice(v, 3, 0, half)
            high = self.slice(v, 3, half, 2**63 - 1)
            rotated = g.node("Concat", g.node("Neg", high), low, axis=-1)
            return g.node("Add", g.node("Mul", v, tables[0]), g.node("Mul", rotated, tables[1]))
        return turn(q), turn(k)

    def attention(self, x):
        g = self.graph
        self.parts.append("attention")
        groups = self.pick(1, 1, 2)
        kv = HEADS // groups
        q = self.heads(x, self.linear(x, HIDDEN, HIDDEN), HEADS)
        k = self.heads(x, self.linear(x, HIDDEN, kv * HEAD), kv)
        v = self.heads(x, self.linear(x, HIDDEN, kv * HEAD), kv)
        past = None
        number = len([each for each in g.inputs if "past" in each[0]]) // 2
        if self.chance(0.65 if self.style == "optimum" else 0.1):
            rows = 6
            past = [g.input(f"past_key_values.{number}.{each}", FLOAT, [1, kv, rows, HEAD])
                    for each in ("key", "value")]
        if self.chance(0.6):
            q, k = self.rotary(q, k, past[0] if past else None)
        front = True
        if past:
            front = self.chance(0.8)
            self.parts.append("cache " + ("in front" if front else "after"))
            order = lambda old, new: (old, new) if front else (new, old)
            k = g.node("Concat", *order(past[0], k), axis=2)
            v = g.node("Concat", *order(past[1], v), axis=2)
            for name, value in (("key", k), ("value", v)):
                g.named("Identity", [value], [f"present.{number}.{name}"])
                g.output(f"present.{number}.{name}", FLOAT, [1, kv, "total", HEAD])
        if groups > 1:
            k, v = (self.repeated(each, kv, groups) for each in (k, v))
        scores = g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.node(*("Mul", scores, g.float(0.5)) if self.chance(0.5)
                        else ("Div", scores, g.float(2.0)))
        if self.chance(0.25):
            scores = self.sloped(scores, q, k)
        scores = self.masked(scores, q, k)
        weights = g.node("Softmax", scores, axis=-1)
        y = g.node("Transpose", g.node("MatMul", weights, v), perm=[0, 2, 1, 3])
        if self.chance(0.5):
            shape = self.shape(self.extent(x, 0), self.extent(x, 1), HIDDEN)
        else:
            shape = g.ints(*self.pick((0, 0, -1), (1, -1, HIDDEN), (0, 0, HIDDEN)))
        return self.linear(g.node("Reshape", y, shape), HIDDEN, HIDDEN)

    def repeated(self, value, kv, groups):
        """Heads of keys and values, each as often as queries share it."""
        g = self.graph
        self.parts.append("repeated heads")
        rows = self.extent(value, 2)
        if self.chance(0.3):
            return g.node("Tile", value, g.ints(1, groups, 1, 1)) if kv == 1 else \
                g.node("Concat", *[value] * groups, axis=1)
        wide = g.node("Expand", g.node("Unsqueeze", value, g.ints(2)),
                      self.shape(1, kv, groups, rows, HEAD))
        return g.node("Reshape", wide, self.shape(1, kv * groups, rows, HEAD))

    def sloped(self, scores, q, k):
        """Scores with a linear bias (ALiBi): the slope of a head times the position of a
        key, the same in every row. Or with the outer product of the rows' and the keys'
        positions, the same for every head."""
        g = self.graph
        kind = self.pick("Einsum", "Mul")
        if kind == "Einsum" and self.chance(0.5):
            kind = "outer"
        self.parts.append("linear bias by " + kind)
        slopes = g.constant(FLOAT, [HEADS], [0.5, 0.25])
        at = g.node("Cast", self.range(self.extent(k, 2)), to=FLOAT)
        if kind == "outer":
            rows = g.node("Cast", self.range(self.extent(q, 2)), to=FLOAT)
            rows = g.node("Mul", rows, g.constant(FLOAT, [], [0.25]))
            return g.node("Add", scores, g.node("Einsum", rows, at, equation="i,j->ij"))
        if kind == "Einsum":
            bias = g.node("Einsum", slopes, at, equation="h,k->hk")
        else:
            bias = g.node("Mul", g.node("Unsqueeze", slopes, g.ints(1)),
                          g.node("Unsqueeze", at, g.ints(0)))
        return g.node("Add", scores, g.node("Unsqueeze", bias, g.ints(0, 2)))

    def masked(self, scores, q, k):
        g = self.graph
        kind = self.random.choices(
            ["range", "trilu", "window", "buffer", "sums", "padding", "none"],
            [5, 5, 3, 3, 2, 4 if self.mask else 0, 1])[0]
        self.parts.append("mask " + kind)
        rows, columns = self.extent(q, 2), self.extent(k, 2)
        more = g.node("Sub", columns, rows)
        lowest = g.float(LOWEST)
        if kind == "range" or kind == "window":
            i = g.node("Add", self.range(rows), more)
            j = self.range(columns)
            i = g.node("Unsqueeze", i, g.ints(1))
            j = g.node("Unsqueeze", j, g.ints(0))
            seen = self.pick(
                lambda: g.node("LessOrEqual", j, i),
                lambda: g.node("Not", g.node("Greater", j, i)),
                lambda: g.node("Less", j, g.node("Add", i, g.int(1))))()
            if kind == "window":
                near = g.node("Greater", j, g.node("Sub", i, g.int(3)))
                seen = g.node("And", seen, near)
            if self.chance(0.4):
                seen = g.node("Expand", g.node("Unsqueeze", seen, g.ints(0, 1)),
                              self.shape(1, 1, rows, columns))
            if self.chance(0.5):
                return g.node("Where", seen, scores, lowest)
            return g.node("Add", scores, g.node("Where", seen, g.float(0.0), lowest))
        if kind == "trilu":
            full = g.node("ConstantOfShape", self.shape(rows, columns),
                          value=(FLOAT, [1], [LOWEST]))
            if self.chance(0.3):
                full = g.node("Expand", lowest, self.shape(rows, columns))
            upper = g.node("Trilu", full, g.node("Add", more, g.int(1)), upper=1)
            return g.node("Add", scores, upper)
        if kind == "buffer":
            # The lower triangle of a constant, cut to this prompt.
            size = LONGEST
            bits = [j <= i for i in range(size) for j in range(size)]
            buffer = g.constant(BOOL, [1, 1, size, size], bits)
            part = self.slice(self.slice(buffer, 2, more, columns), 3, 0, columns)
            return g.node("Where", part, scores, lowest)
        if kind == "sums":
            ones = g.node("ConstantOfShape", self.shape(rows, columns), value=(INT64, [1], [1]))
            down = g.node("CumSum", ones, g.int(0))
            across = g.node("CumSum", ones, g.int(1))
            seen = g.node("LessOrEqual", across, g.node("Add", down, more))
            return g.node("Where", seen, scores, lowest)
        if kind == "padding":
            mask = self.mask
            cut = g.node("Sub", columns, self.extent(mask, 1))
            # Rows of the cache are all seen.
            seen = g.node("ConstantOfShape", self.shape(1, cut), value=(INT64, [1], [1]))
            mask = g.node("Concat", seen, mask, axis=1)
            mask = g.node("Cast", g.node("Unsqueeze", mask, g.ints(1, 2)), to=FLOAT)
            if self.chance(0.5):
                mask = g.node("Expand", mask, self.shape(1, 1, rows, columns))
            hidden = g.node("Sub", g.float(1.0), mask)
            if self.chance(0.5):
                return g.node("Add", scores, g.node("Mul", hidden, g.float(-10000.0)))
            return g.node("Where", g.node("Cast", hidden, to=BOOL), g.float(-10000.0), scores)
        return scores

    # Other mixers.

    def convolution(self, x):
        g = self.graph
        turned = g.node("Transpose", x, perm=[0, 2, 1])
        kernel = self.pick(2, 3)
        groups = self.pick(1, HIDDEN)
        weights = self.weights(HIDDEN, HIDDEN // groups, kernel)
        kind = self.pick("causal", "pads", "same", "cut", "transposed", "strided")
        self.parts.append("convolution " + kind)
        options = {"kernel_shape": [kernel], "group": groups}
        if kind == "causal":
            padded = g.node("Pad", turned, g.ints(0, 0, kernel - 1, 0, 0, 0))
            y = g.node("Conv", padded, weights, **options)
        elif kind == "cut":
            y = g.node("Conv", turned, weights, pads=[kernel - 1, kernel - 1], **options)
            y = self.slice(y, 2, 0, self.pick(-(kernel - 1), self.extent(turned, 2)))
        elif kind == "same":
            y = g.node("Conv", turned, weights, auto_pad="SAME_UPPER", **options)
        elif kind == "transposed":
            y = g.node("ConvTranspose", turned, self.weights(HIDDEN, HIDDEN // groups, kernel),
                       **options)
            y = self.slice(y, 2, 0, 1 - kernel)
        elif kind == "strided":
            weights = self.weights(HIDDEN, HIDDEN // groups, 3)
            y = g.node("Conv", turned, weights, pads=[1, 1], strides=[2],
                       kernel_shape=[3], group=groups)
            # Beside a mask of every second entry, as Conformers have it.
            mask = self.slice(g.node("Sigmoid", turned), 2, 0, 2**63 - 1, 2)
            y = g.node("GlobalAveragePool", g.node("Mul", y, mask))
        else:
            y = g.node("Conv", turned, self.weights(HIDDEN, HIDDEN // groups, 3), pads=[1, 1],
                       kernel_shape=[3], group=groups)
        return g.node("Transpose", y, perm=[0, 2, 1])

    def pooling(self, x):
        g = self.graph
        kind = self.pick("average", "largest", "global", "resize", "mean")
        self.parts.append("pooling " + kind)
        turned = g.node("Transpose", x, perm=[0, 2, 1])
        if kind == "average":
            y = g.node("AveragePool", turned, kernel_shape=[3], strides=[1], pads=[1, 1],
                       count_include_pad=self.pick(0, 1))
        elif kind == "largest":
            y = g.node("MaxPool", turned, kernel_shape=[3], strides=[1], pads=[1, 1])
        elif kind == "resize":
            y = g.node("Resize", turned, "", g.constant(FLOAT, [3], [1.0, 1.0, 2.0]),
                       mode="nearest", coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor")
            y = self.slice(y, 2, 0, 2**63 - 1, 2)
        elif kind == "global":
            y = g.node("GlobalAveragePool", turned)
        else:
            y = g.node("ReduceMean", turned, axes=[2], keepdims=1)
        return g.node("Transpose", y, perm=[0, 2, 1])

    def recurrence(self, x):
        g = self.graph
        kind = self.pick("LSTM", "GRU", "RNN")
        self.parts.append(kind)
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
        turned = g.node("Transpose", x, perm=[1, 0, 2])
        y = g.node(kind, turned, self.weights(1, gates * HIDDEN, HIDDEN),
                   self.weights(1, gates * HIDDEN, HIDDEN), self.weights(1, 2 * gates * HIDDEN),
                   hidden_size=HIDDEN)
        return g.node("Transpose", g.node("Squeeze", y, g.ints(1)), perm=[1, 0, 2])

    def sums(self, x):
        """Running sums and means over the prompt."""
        g = self.graph
        self.parts.append("running sums")
        summed = g.node("CumSum", x, g.int(1), **self.pick({}, {"exclusive": 1}, {"reverse": 1}))
        if self.chance(0.5):
            counts = g.node("Cast", self.range(g.node("Add", self.extent(x, 1), g.int(1)),
                                               g.int(1)), to=FLOAT)
            summed = g.node("Div", summed, g.node("Unsqueeze", counts, g.ints(0, 2)))
        return summed

    def others(self, x):
        g = self.graph
        kind = self.pick("shift", "roll", "reverse", "scatter", "gathernd", "onehot", "tile",
                         "loop", "topk", "einsum", "size", "diff", "pad", "eye", "thirds", "halves",
                         "elements", "extents")
        self.parts.append(kind)
        length = self.extent(x, 1)
        if kind == "shift":
            zeros = g.node("ConstantOfShape", g.ints(1, 1, HIDDEN))
            return g.node("Concat", zeros, self.slice(x, 1, 0, -1), axis=1)
        if kind == "roll":
            return g.node("Concat", self.slice(x, 1, -1, 2**63 - 1), self.slice(x, 1, 0, -1), axis=1)
        if kind == "reverse":
            return self.slice(x, 1, -1, -(2**63), -1)
        if kind == "scatter":
            return g.node("ScatterND", x, g.constant(INT64, [1, 2], [0, 0]), self.weights(1, HIDDEN))
        if kind == "gathernd":
            at = self.range(length)
            at = g.node("Unsqueeze", g.node("Sub", g.node("Sub", length, g.int(1)), at), g.ints(1))
            y = g.node("GatherND", g.node("Squeeze", x, g.ints(0)), at)
            return g.node("Unsqueeze", y, g.ints(0))
        if kind == "onehot":
            best = g.node("ArgMax", x, axis=-1, keepdims=0)
            return g.node("OneHot", best, g.int(HIDDEN), g.constant(FLOAT, [2], [0.0, 1.0]), axis=-1)
        if kind == "tile":
            mean = g.node("ReduceMean", x, axes=[1], keepdims=1)
            return g.node("Tile", mean, self.shape(1, length, 1))
        if kind == "topk":
            most = g.node("TopK", x, g.ints(2), results=2, axis=-1)[0]
            return g.node("ReduceSum", most, g.ints(-1), keepdims=1)
        if kind == "einsum":
            scores = g.node("Einsum", x, x, equation="bid,bjd->bij")
            return g.node("Einsum", g.node("Softmax", scores, axis=-1), x, equation="bij,bjd->bid")
        if kind == "size":
            count = g.node("Cast", g.node("Size", x), to=FLOAT)
            return g.node("Div", x, count)
        if kind == "diff":
            return g.node("Pad", g.node("Sub", self.slice(x, 1, 1, 2**63 - 1), self.slice(x, 1, 0, -1)),
                          g.ints(0, 1, 0, 0, 0, 0))
        if kind == "pad":
            wide = g.node("Pad", x, g.ints(0, 1, 0, 0, 1, 0), mode=self.pick("constant", "edge"))
            return g.node("Add", self.slice(wide, 1, 0, length), self.slice(wide, 1, 2, 2**63 - 1))
        if kind == "thirds":
            # Rows filled up to a multiple of three by math.ceil, as torch writes it.
            count = g.node("Cast", self.listed(length), to=FLOAT)
            count = g.node("Ceil", g.node("Div", count, g.constant(FLOAT, [1], [3.0])))
            rows = g.node("Mul", g.node("Cast", count, to=INT64), g.ints(3))
            more = g.node("Sub", rows, self.listed(length))
            pads = g.node("Concat", g.ints(0, 0, 0, 0), more, g.ints(0), axis=0)
            return self.slice(g.node("Pad", x, pads), 1, 0, length)
        if kind == "halves":
            first = g.node("Div", g.node("Add", self.listed(length), g.ints(1)), g.ints(2))
            sizes = g.node("Concat", first, g.node("Sub", self.listed(length), first), axis=0)
            parts = g.node("Split", x, sizes, results=2, axis=1)
            return g.node("Concat", parts[1], parts[0], axis=1)
        if kind == "elements":
            # Every row gets an entry of another column, and goes on as a part of the prompt.
            at = g.node("Expand", g.constant(INT64, [1, 1, 2], [3, -1]),
                        self.shape(1, length, 2))
            y = g.node("ScatterElements", x, at, self.slice(x, 2, 0, 2), axis=2)
            return self.slice(y, 1, 0, length)
        if kind == "extents":
            # As long as the larger of its own length and 1: reductions of a shape.
            most = g.node("ReduceMax", self.shape(length, 1), keepdims=0)
            return g.node("Expand", x, self.shape(1, most, HIDDEN))
        if kind == "eye":
            square = g.node("ConstantOfShape", self.shape(length, length), value=(FLOAT, [1], [0.5]))
            lower = g.node("Trilu", square, upper=0)
            return g.node("MatMul", lower, x)
        body = Graph("body", prefix=f"body{len(g.nodes)}_")
        body.input("i", INT64, [])
        body.input("go", BOOL, [])
        body.input("state", FLOAT, [1, HIDDEN])
        row = body.node("Gather", x, "i", axis=1)
        next_ = body.node("Tanh", body.node("Add", row, "state"))
        going = body.node("Identity", "go")
        body.output(going, BOOL, [])
        body.output(next_, FLOAT, [1, HIDDEN])
        last = g.node("Loop", length, "", g.constant(FLOAT, [1, HIDDEN], [0.0] * HIDDEN), body=body)
        return g.node("Unsqueeze", last, g.ints(1))

    # What is returned.

    def end(self, x):
        g = self.graph
        kind = self.random.choices(
            ["all", "last", "last row", "first", "mean", "masked mean", "but last", "logits",
             "words", "largest", "last seen"],
            [4, 6, 3, 1, 1, 2 if self.mask else 0, 1, 3, 1, 1, 2 if self.mask else 0])[0]
        self.parts.append("result " + kind)
        element, shape = FLOAT, [1, "sequence", HIDDEN]
        y = x
        if kind == "last":
            y, shape = self.slice(x, 1, -1, 2**63 - 1), [1, 1, HIDDEN]
        elif kind == "last row":
            y, shape = g.node("Gather", x, g.int(-1), axis=1), [1, HIDDEN]
        elif kind == "first":
            y, shape = g.node("Gather", x, g.int(0), axis=1), [1, HIDDEN]
        elif kind == "mean":
            y, shape = g.node("ReduceMean", x, axes=[1], keepdims=0), [1, HIDDEN]
        elif kind == "masked mean":
            mask = g.node("Cast", g.node("Unsqueeze", self.mask, g.ints(-1)), to=FLOAT)
            if self.chance(0.5):
                mask = g.node("Expand", mask, g.node("Shape", x))
            total = g.node("ReduceSum", g.node("Mul", x, mask), g.ints(1), keepdims=0)
            count = g.node("Clip", g.node("ReduceSum", mask, g.ints(1), keepdims=0), g.float(1e-9))
            y, shape = g.node("Div", total, count), [1, HIDDEN]
        elif kind == "but last":
            y, shape = self.slice(x, 1, 0, -1), [1, "rest", HIDDEN]
        elif kind == "logits":
            if self.chance(0.5):
                x, shape = self.slice(x, 1, -1, 2**63 - 1), [1, 1, WORDS]
            else:
                shape = [1, "sequence", WORDS]
            y = g.node("MatMul", x, self.weights(HIDDEN, WORDS))
        elif kind == "words":
            y = g.node("ArgMax", g.node("MatMul", x, self.weights(HIDDEN, WORDS)), axis=-1, keepdims=0)
            element, shape = INT64, [1, "sequence"]
        elif kind == "largest":
            y, shape = g.node("ReduceMax", x, axes=[1], keepdims=0), [1, HIDDEN]
        elif kind == "last seen":
            at = g.node("Sub", g.node("ReduceSum", self.mask, g.ints(1), keepdims=0), g.int(1))
            at = g.node("Max", at, g.int(0))
            at = g.node("Expand", g.node("Unsqueeze", at, g.ints(1, 2)), g.ints(1, 1, HIDDEN))
            y, shape = g.node("GatherElements", x, at, axis=1), [1, 1, HIDDEN]
        name = "logits" if kind == "logits" else "y"
        g.named("Identity", [y], [name])
        g.outputs.insert(0, (name, element, shape))


def inputs_of(block, length):
    """Name, element type, shape and numbers of each input for a prompt of that length.
    A mask hides up to a third of the prompt, in front."""
    numbers = random.Random(f"{block.seed} {length}")
    for name, element, extents in block.graph.inputs:
        shape = [length if isinstance(extent, str) else extent for extent in extents]
        count = 1
        for extent in shape:
            count *= extent
        if element == FLOAT:
            yield name, "<f4", shape, [numbers.uniform(-1, 1) for _ in range(count)]
        elif "mask" in name:
            hidden = numbers.randrange(length // 3 + 1)
            yield name, "<i8", shape, [int(at >= hidden) for at in range(count)]
        else:
            yield name, "<i8", shape, [numbers.randrange(WORDS) for _ in range(count)]
