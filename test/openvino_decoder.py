#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a made decoder as OpenVINO IR and as ONNX, from one seed.

The network is of the kind of Qwen2: embedding, layers of attention with grouped heads and
rotary positions, a gated feed-forward part, RMS normalization, and logits. As IR it is what
Optimum exports: weights of four bits by groups, widened by Convert, Subtract, Multiply,
Reshape and Convert; caches as variables that ReadValue reads, Gather reorders by `beam_idx`,
Concat continues and Assign writes; and chains of ShapeOf for all extents. As ONNX it is the
form without state: caches are inputs `past_key_values.N.key`, and results `present.N.key`.

  openvino_decoder.py FOLDER              writes decoder.xml, decoder.bin and decoder.onnx
  openvino_decoder.py FOLDER --bin=BIN    also imports the IR and compares both, step by step:
                                          a prompt, and tokens that the ONNX model chooses
"""

import argparse
import math
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
from onnx_conformance import first_error  # noqa: E402
from onnx_prompts import Runtime  # noqa: E402
from onnx_writer import BOOL, FLOAT, FLOAT16, INT64, Graph, field, model  # noqa: E402
from openvino_pair import f16, far  # noqa: E402
from openvino_writer import Network, packed  # noqa: E402

UINT4 = 21
LOWEST = -3.4028234663852886e38


class Decoder:
    """Both networks. A value is a pair: of the IR, and of ONNX."""

    def __init__(self, seed=0, layers=2, hidden=64, heads=4, key_heads=2, inner=96, words=97, group=32,
                 symmetric=False, packed_onnx=False, bits=4):
        self.random = random.Random(seed)
        self.layers, self.hidden, self.heads, self.key_heads = layers, hidden, heads, key_heads
        self.inner, self.words, self.group = inner, words, group
        self.symmetric, self.packed_onnx, self.bits = symmetric, packed_onnx, bits
        self.head = hidden // heads
        self.ir, self.g = Network(11), Graph()
        self.sinks = []
        self.build()

    # Layers of both networks.

    def op(self, kind, opset, operands, element, shape, onnx, **attributes):
        ports = [each[0] if isinstance(each, tuple) else each for each in operands]
        return self.ir.layer(kind, opset, ports, [(element, shape)], attributes)[0], onnx

    def binary(self, kind, a, b, shape, element="f32"):
        operator = {"Add": "Add", "Multiply": "Mul", "Divide": "Div", "Subtract": "Sub"}[kind]
        return self.op(kind, 1, [a, b], element, shape, self.g.node(operator, a[1], b[1]),
                       auto_broadcast="numpy")

    def ints(self, *numbers):
        return self.ir.constant("i64", [len(numbers)], numbers)

    def scalar(self, number):
        return self.ir.constant("i64", [], [number])

    def floats(self, shape, numbers):
        return (self.ir.constant("f32", shape, numbers), self.g.constant(FLOAT, shape, numbers))

    def weights(self, count, spread):
        return [f16(self.random.uniform(-spread, spread)) for _ in range(count)]

    def linear(self, x, inputs, outputs, bias=False):
        """A product with weights of four bits by groups, or of eight bits by channels."""
        group = self.group if self.bits == 4 else inputs
        groups = inputs // group
        flat, front = [outputs, inputs], [outputs, groups] if self.bits == 4 else [outputs]
        shape, per, middle = front + [group], front + [1], 1 << (self.bits - 1)
        weights = [self.random.randrange(2 * middle) for _ in range(outputs * inputs)]
        scales = [f16(self.random.uniform(0.5, 1.5) * 2.8 / middle / math.sqrt(inputs))
                  for _ in range(outputs * groups)]
        points = [0 if self.symmetric else middle + self.random.randint(-3, 2) for _ in scales]
        if self.symmetric:
            weights = [weight - middle for weight in weights]
        element = f"{'i' if self.symmetric else 'u'}{self.bits}"
        ir = self.ir.constant(element, shape, weights)
        wide = self.ir.layer("Convert", 1, [ir], [("f16", shape)], {"destination_type": "f16"})[0]
        if not self.symmetric:
            point = self.ir.constant(element, per, points)
            point = self.ir.layer("Convert", 1, [point], [("f16", per)], {"destination_type": "f16"})[0]
            wide = self.ir.layer("Subtract", 1, [wide, point], [("f16", shape)],
                                 {"auto_broadcast": "numpy"})[0]
        scale = self.ir.constant("f16", per, scales)
        wide = self.ir.layer("Multiply", 1, [wide, scale], [("f16", shape)], {"auto_broadcast": "numpy"})[0]
        if self.bits == 4:
            wide = self.ir.layer("Reshape", 1, [wide, self.ints(*flat)], [("f16", flat)],
                                 {"special_zero": False})[0]
        wide = self.ir.layer("Convert", 1, [wide], [("f32", flat)], {"destination_type": "f32"})[0]
        onnx = self.onnx_weights(flat, weights, scales, points, group)
        to = x[0].shape[:-1] + [outputs]
        y = self.op("MatMul", 1, [x, wide], "f32", to,
                    self.g.node("MatMul", x[1], self.g.node("Transpose", onnx, perm=[1, 0])),
                    transpose_a=False, transpose_b=True)
        if bias:
            y = self.binary("Add", y, self.floats([1, 1, outputs], self.weights(outputs, 0.2)), to)
        return y

    def onnx_weights(self, shape, weights, scales, points, group):
        group_of = lambda at: at // group
        if not self.packed_onnx or self.bits == 8:
            numbers = [f16((weight - points[group_of(at)]) * scales[group_of(at)])
                       for at, weight in enumerate(weights)]
            return self.g.constant(FLOAT, shape, numbers)
        # What is signed becomes unsigned, with the point in the middle.
        by = 8 if self.symmetric else 0
        per = [shape[0], shape[1] // self.group]

        def narrow(extents, numbers):
            name = self.g.fresh("w")
            data = b"".join(field(1, extent) for extent in extents) + field(2, UINT4) + field(8, name)
            self.g.initializers.append(data + field(9, packed([number + by for number in numbers])))
            return name
        data = narrow(shape, weights), self.g.constant(FLOAT16, per, scales), narrow(per, points)
        wide = self.g.node("DequantizeLinear", *data, axis=1, block_size=self.group)
        return self.g.node("Cast", wide, to=FLOAT)

    def normalized(self, x):
        """RMS normalization in its elementary form."""
        g, shape = self.g, x[0].shape
        one = shape[:-1] + [1]
        two, epsilon, unit = (self.floats([1, 1, 1], [number]) for number in (2.0, 1e-6, 1.0))
        square = self.op("Power", 1, [x, two], "f32", shape, g.node("Pow", x[1], two[1]),
                         auto_broadcast="numpy")
        mean = self.op("ReduceMean", 1, [square, self.ints(-1)], "f32", one,
                       g.node("ReduceMean", square[1], g.ints(-1), keepdims=1), keep_dims=True)
        safe = self.binary("Add", mean, epsilon, one)
        root = self.op("Sqrt", 1, [safe], "f32", one, g.node("Sqrt", safe[1]))
        factor = self.binary("Divide", unit, root, one)
        normal = self.binary("Multiply", x, factor, shape)
        weight = self.floats([1, 1, self.hidden], [1 + each for each in self.weights(self.hidden, 0.1)])
        return self.binary("Multiply", weight, normal, shape)

    # Extents, as an exporter asks for them.

    def extent(self, value, axis):
        """An extent as a list of one number."""
        whole = self.ir.layer("ShapeOf", 3, [value], [("i64", [len(value.shape)])],
                              {"output_type": "i64"})[0]
        return self.ir.layer("Gather", 8, [whole, self.ints(axis), self.scalar(0)], [("i64", [1])],
                             {"batch_dims": 0})[0]

    def joined(self, *parts):
        return self.ir.layer("Concat", 1, parts, [("i64", [len(parts)])], {"axis": 0})[0]

    def onnx_extent(self, value, axis):
        return self.g.node("Gather", self.g.node("Shape", value), self.g.ints(axis), axis=0)

    # The network.

    def build(self):
        g, ir = self.g, self.ir
        self.inputs = [("input_ids", [-1, -1]), ("attention_mask", [-1, -1]), ("position_ids", [-1, -1])]
        given = {name: (ir.parameter("i64", shape, name), g.input(name, INT64, ["batch", "total" if
                 "mask" in name else "sequence"])) for name, shape in self.inputs}
        self.beams = ir.parameter("i32", [-1], "beam_idx")
        self.ids, self.mask, positions = (given[name] for name, _ in self.inputs)
        self.batch = self.extent(self.ids[0], 0)
        table = self.weights(self.words * self.hidden, 1.0)
        rows = ir.constant("f16", [self.words, self.hidden], table)
        rows = ir.layer("Convert", 1, [rows], [("f32", [self.words, self.hidden])],
                        {"destination_type": "f32"})[0]
        ids = ir.layer("Convert", 1, [self.ids[0]], [("i32", [-1, -1])], {"destination_type": "i32"})[0]
        onnx = g.constant(FLOAT, [self.words, self.hidden], table)
        x = self.op("Gather", 8, [rows, ids, self.scalar(0)], "f32", [-1, -1, self.hidden],
                    g.node("Gather", onnx, self.ids[1], axis=0), batch_dims=0)
        self.rotary_tables(positions)
        self.attention_bias()
        for number in range(self.layers):
            x = self.binary("Add", x, self.attention(self.normalized(x), number), x[0].shape)
            x = self.binary("Add", x, self.forward(self.normalized(x)), x[0].shape)
        logits = self.linear(self.normalized(x), self.hidden, self.words)
        ir.names[logits[0].layer, logits[0].port] = "logits"
        ir.result(logits[0])
        g.named("Identity", [logits[1]], ["logits"])
        g.outputs.insert(0, ("logits", FLOAT, ["batch", "sequence", self.words]))
        for kind, opset, operand, attributes in self.sinks:
            ir.layer(kind, opset, [operand], [(operand.element, operand.shape)], attributes)

    def rotary_tables(self, positions):
        """Cosines and sines, [batch, 1, sequence, head]."""
        g, ir, half = self.g, self.ir, self.head // 2
        frequencies = [10000.0 ** (-at / half) for at in range(half)]
        base = ir.constant("f32", [1, half, 1], frequencies)
        target = self.joined(self.batch, self.ints(1), self.ints(1))
        wide = ir.layer("Broadcast", 3, [base, target], [("f32", [-1, half, 1])],
                        {"mode": "bidirectional"})[0]
        at = ir.layer("Unsqueeze", 1, [positions[0], self.scalar(1)], [("i64", [-1, 1, -1])])[0]
        at = ir.layer("Convert", 1, [at], [("f32", [-1, 1, -1])], {"destination_type": "f32"})[0]
        angles = ir.layer("MatMul", 1, [wide, at], [("f32", [-1, half, -1])],
                          {"transpose_a": False, "transpose_b": False})[0]
        angles = ir.layer("Transpose", 1, [angles, self.ints(0, 2, 1)], [("f32", [-1, -1, half])])[0]
        angles = ir.layer("Concat", 1, [angles, angles], [("f32", [-1, -1, self.head])], {"axis": -1})[0]
        theirs = g.node("Mul", g.node("Cast", g.node("Unsqueeze", positions[1], g.ints(2)), to=FLOAT),
                        g.constant(FLOAT, [1, 1, half], frequencies))
        theirs = g.node("Concat", theirs, theirs, axis=-1)
        self.tables = []
        for kind in ("Cos", "Sin"):
            table = self.op(kind, 1, [angles], "f32", [-1, -1, self.head], g.node(kind, theirs))
            self.tables.append(self.op("Unsqueeze", 1, [table, self.scalar(1)], "f32", [-1, 1, -1, self.head],
                                       g.node("Unsqueeze", table[1], g.ints(1))))

    def attention_bias(self):
        """0 where a row may look, and the lowest number where not: [batch, 1, sequence, total]."""
        g, ir = self.g, self.ir
        total = self.extent(self.mask[0], 1)
        length = self.extent(self.ids[0], 1)
        count = lambda one: ir.layer("Squeeze", 1, [one, self.scalar(0)], [("i64", [])])[0]
        limits = [self.scalar(0), count(total), self.scalar(1)]
        columns = ir.layer("Range", 4, limits, [("i64", [-1])], {"output_type": "i64"})[0]
        before = ir.layer("Subtract", 1, [total, length], [("i64", [1])], {"auto_broadcast": "numpy"})[0]
        rows = ir.layer("Range", 4, [self.scalar(0), count(length), self.scalar(1)], [("i64", [-1])],
                        {"output_type": "i64"})[0]
        rows = ir.layer("Add", 1, [rows, before], [("i64", [-1])], {"auto_broadcast": "numpy"})[0]
        rows = ir.layer("Unsqueeze", 1, [rows, self.ints(1)], [("i64", [-1, 1])])[0]
        seen = ir.layer("LessEqual", 1, [columns, rows], [("boolean", [-1, -1])],
                        {"auto_broadcast": "numpy"})[0]
        padded = ir.layer("Convert", 1, [self.mask[0]], [("boolean", [-1, -1])],
                          {"destination_type": "boolean"})[0]
        padded = ir.layer("Unsqueeze", 1, [padded, self.ints(1, 2)], [("boolean", [-1, 1, 1, -1])])[0]
        both = ir.layer("LogicalAnd", 1, [seen, padded], [("boolean", [-1, 1, -1, -1])],
                        {"auto_broadcast": "numpy"})[0]
        zero, lowest = (ir.constant("f32", [], [number]) for number in (0.0, LOWEST))
        ours = ir.layer("Select", 1, [both, zero, lowest], [("f32", [-1, 1, -1, -1])],
                        {"auto_broadcast": "numpy"})[0]
        end = g.node("Squeeze", self.onnx_extent(self.mask[1], 1), g.ints(0))
        here = g.node("Squeeze", self.onnx_extent(self.ids[1], 1), g.ints(0))
        columns = g.node("Range", g.int(0), end, g.int(1))
        rows = g.node("Add", g.node("Range", g.int(0), here, g.int(1)), g.node("Sub", end, here))
        seen = g.node("LessOrEqual", columns, g.node("Unsqueeze", rows, g.ints(1)))
        padded = g.node("Unsqueeze", g.node("Cast", self.mask[1], to=BOOL), g.ints(1, 2))
        both = g.node("And", seen, padded)
        self.bias = ours, g.node("Where", both, g.float(0.0), g.float(LOWEST))

    def split_heads(self, x, count):
        g = self.g
        split = self.op("Reshape", 1, [x, self.ints(0, 0, count, self.head)], "f32",
                        [-1, -1, count, self.head], g.node("Reshape", x[1], g.ints(0, 0, count, self.head)),
                        special_zero=True)
        return self.op("Transpose", 1, [split, self.ints(0, 2, 1, 3)], "f32", [-1, count, -1, self.head],
                       g.node("Transpose", split[1], perm=[0, 2, 1, 3]))

    def turned(self, x):
        """Rotary positions: the halves of a head, turned."""
        g, shape, half = self.g, x[0].shape, self.head // 2

        def part(low, high):
            to = shape[:-1] + [half]
            return self.op("Slice", 8, [x, self.ints(low), self.ints(high), self.ints(1), self.ints(3)],
                           "f32", to, g.node("Slice", x[1], g.ints(low), g.ints(high), g.ints(3)))
        minus = self.floats([1, 1, 1, 1], [-1.0])
        low, high = part(0, half), part(half, 2**63 - 1)
        high = self.binary("Multiply", high, minus, high[0].shape)
        crossed = self.op("Concat", 1, [high, low], "f32", shape,
                          g.node("Concat", high[1], low[1], axis=-1), axis=-1)
        return self.binary("Add", self.binary("Multiply", x, self.tables[0], shape),
                           self.binary("Multiply", crossed, self.tables[1], shape), shape)

    def cached(self, new, number, what):
        """The rows of before and the new ones. The variable is what a run leaves."""
        g, ir = self.g, self.ir
        shape = [-1, self.key_heads, -1, self.head]
        past, present = f"past_key_values.{number}.{what}", f"present.{number}.{what}"
        attributes = {"variable_id": past + present, "variable_type": "f32",
                      "variable_shape": "?,{},?,{}".format(self.key_heads, self.head)}
        empty = self.joined(self.batch, self.ints(self.key_heads), self.ints(0), self.ints(self.head))
        zero = ir.constant("f32", [], [0.0])
        start = ir.layer("Broadcast", 3, [zero, empty], [("f32", shape)], {"mode": "numpy"})[0]
        old = ir.layer("ReadValue", 6, [start], [("f32", shape)], attributes, name=past)[0]
        old = ir.layer("Gather", 8, [old, self.beams, self.scalar(0)], [("f32", shape)],
                       {"batch_dims": 0})[0]
        theirs = g.input(past, FLOAT, ["batch", self.key_heads, "past", self.head])
        whole = self.op("Concat", 1, [old, new], "f32", shape, g.node("Concat", theirs, new[1], axis=2),
                        axis=-2)
        self.sinks.append(("Assign", 6, whole[0], attributes))
        g.named("Identity", [whole[1]], [present])
        g.output(present, FLOAT, ["batch", self.key_heads, "total", self.head])
        return whole

    def repeated(self, x):
        """Heads of keys and values, each as often as queries share it."""
        g, ir, groups = self.g, self.ir, self.heads // self.key_heads
        wide = ir.layer("Unsqueeze", 1, [x[0], self.scalar(2)],
                        [("f32", [-1, self.key_heads, 1, -1, self.head])])[0]
        rows = self.extent(x[0], 2)
        target = self.joined(self.batch, self.ints(self.key_heads), self.ints(groups), rows,
                             self.ints(self.head))
        wide = ir.layer("Broadcast", 3, [wide, target], [("f32", [-1, self.key_heads, groups, -1, self.head])],
                        {"mode": "bidirectional"})[0]
        flat = ir.layer("Reshape", 1, [wide, self.ints(0, self.heads, -1, self.head)],
                        [("f32", [-1, self.heads, -1, self.head])], {"special_zero": True})[0]
        theirs = g.node("Unsqueeze", x[1], g.ints(2))
        theirs = g.node("Concat", *[theirs] * groups, axis=2)
        return flat, g.node("Reshape", theirs, g.ints(0, self.heads, -1, self.head))

    def attention(self, x, number):
        g = self.g
        size = self.key_heads * self.head
        q = self.split_heads(self.linear(x, self.hidden, self.hidden, bias=True), self.heads)
        k = self.split_heads(self.linear(x, self.hidden, size, bias=True), self.key_heads)
        v = self.split_heads(self.linear(x, self.hidden, size, bias=True), self.key_heads)
        q, k = self.turned(q), self.turned(k)
        k, v = self.cached(k, number, "key"), self.cached(v, number, "value")
        k, v = self.repeated(k), self.repeated(v)
        scores = g.node("MatMul", q[1], g.node("Transpose", k[1], perm=[0, 1, 3, 2]))
        scores = g.node("Add", g.node("Mul", scores, g.float(1 / math.sqrt(self.head))), self.bias[1])
        theirs = g.node("MatMul", g.node("Softmax", scores, axis=-1), v[1])
        y = self.op("ScaledDotProductAttention", 13, [q, k, v, self.bias], "f32",
                    [-1, self.heads, -1, self.head], theirs, causal=False)
        y = self.op("Transpose", 1, [y, self.ints(0, 2, 1, 3)], "f32", [-1, -1, self.heads, self.head],
                    g.node("Transpose", y[1], perm=[0, 2, 1, 3]))
        y = self.op("Reshape", 1, [y, self.ints(0, 0, self.hidden)], "f32", [-1, -1, self.hidden],
                    g.node("Reshape", y[1], g.ints(0, 0, self.hidden)), special_zero=True)
        return self.linear(y, self.hidden, self.hidden)

    def forward(self, x):
        g = self.g
        gate = self.linear(x, self.hidden, self.inner)
        gate = self.op("Swish", 4, [gate], "f32", gate[0].shape, g.node("Mul", gate[1], g.node("Sigmoid", gate[1])))
        up = self.linear(x, self.hidden, self.inner)
        return self.linear(self.binary("Multiply", gate, up, up[0].shape), self.inner, self.hidden)

    def caches(self):
        return [f"past_key_values.{number}.{what}" for number in range(self.layers)
                for what in ("key", "value")]

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.ir.write(folder / "decoder.xml")
        (folder / "decoder.onnx").write_bytes(model(self.g, 21 if self.packed_onnx else 18))


class Beside:
    """Runs both models, step by step, each with its own caches."""

    def __init__(self, decoder, folder, options):
        self.decoder, self.folder = decoder, folder
        self.bin = pathlib.Path(options.bin)
        self.modules = pathlib.Path(options.modules or self.bin.resolve().parent / "network")
        self.imported = folder / "decoder.mlir"

    def call(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)

    def import_ir(self):
        decoder = self.decoder
        shapes = {name: "1x?" for name, _ in decoder.inputs}
        shapes["beam_idx"] = "1"
        for number in range(decoder.layers):
            for what in ("key", "value"):
                name = f"past_key_values.{number}.{what}present.{number}.{what}"
                shapes[name] = f"1x{decoder.key_heads}x?x{decoder.head}"
        done = self.call(self.bin / "npu-translate", "--import-openvino", self.folder / "decoder.xml",
                         "-o", self.imported,
                         *(f"--input-shape={name}:{shape}" for name, shape in shapes.items()))
        return done.stderr.strip() if done.returncode else ""

    def decode(self, prompt, steps):
        """What is wrong where caches are state: each run beside the function on all tokens so far, with
        caches to which rows are added in place."""
        artefact = self.folder / "decoder.npub"
        done = self.call(self.bin / "npu-compile", self.folder / "decoder.xml", "--input-shape=input_ids:1x?",
                         f"--max-prompt-len={len(prompt) + steps + 1}", "--target=npu4000", "-O0", "-o", artefact)
        if done.returncode or "rows are added in place" not in done.stderr:
            return done.stderr.strip()
        words = ",".join(map(str, prompt))
        done = self.call(self.bin / "npu-run", artefact, f"--prompt={words}", f"--steps={steps}",
                         "--sample=greedy", f"--reference={self.imported}")
        said = (done.stdout + done.stderr).strip()
        return "" if done.returncode == 0 and said.endswith("equal") else said

    def compare(self, prompt, steps):
        """Lines that say what differs: a prompt first, then token after token."""
        runtime = Runtime(self.modules)
        shape = [1, self.decoder.key_heads, 0, self.decoder.head]
        theirs = {name: ("<f4", shape, []) for name in self.decoder.caches()}
        ours = dict(theirs)
        tokens, seen = prompt, 0
        for step in range(steps):
            self.feeds(tokens, seen)
            wrong = self.run_theirs(runtime, theirs) or self.run_ours(ours)
            if wrong:
                yield f"step {step}: {wrong}"
                break
            logits = npy_files.read(self.folder / "onnxruntime.0.npy")
            wrong = far(logits, npy_files.read(self.folder / "r.0.npy"))
            if wrong:
                yield f"step {step}: logits: {wrong}"
            for number, name in enumerate(self.decoder.caches()):
                theirs[name] = npy_files.read(self.folder / f"onnxruntime.{number + 1}.npy")
                ours[name] = npy_files.read(self.folder / f"r.{number + 1}.npy")
                wrong = far(theirs[name], ours[name])
                if wrong:
                    yield f"step {step}: {name}: {wrong}"
            last = logits[2][-self.decoder.words:]
            seen += len(tokens)
            tokens = [max(range(len(last)), key=lambda at: last[at])]
        runtime.close()

    def feeds(self, tokens, seen):
        count = len(tokens)
        self.given = {"input_ids": ([1, count], tokens), "attention_mask": ([1, seen + count], [1] * (seen + count)),
                      "position_ids": ([1, count], list(range(seen, seen + count)))}
        for name, (shape, numbers) in self.given.items():
            npy_files.write(self.folder / f"{name}.npy", "<i8", shape, numbers)
        npy_files.write(self.folder / "beam_idx.npy", "<i4", [1], [0])

    def run_theirs(self, runtime, caches):
        inputs = [(name, self.folder / f"{name}.npy") for name in self.given]
        for name, (descr, shape, numbers) in caches.items():
            npy_files.write(self.folder / f"{name}.npy", descr, shape, numbers)
            inputs.append((name, self.folder / f"{name}.npy"))
        error = runtime.run(self.folder / "decoder.onnx", self.folder, inputs)
        return "ONNX Runtime: " + error if error else ""

    def run_ours(self, caches):
        paths = [self.folder / f"{name}.npy" for name in (*self.given, "beam_idx")]
        for name, (descr, shape, numbers) in caches.items():
            paths.append(self.folder / f"{name}.ours.npy")
            npy_files.write(paths[-1], descr, shape, numbers)
        lengths = {"sequence_length": self.given["input_ids"][0][1],
                   "past_sequence_length": next(iter(caches.values()))[1][2]}
        done = self.call(self.bin / "npu-run", self.imported, "-O0",
                         "--inputs=" + ",".join(map(str, paths)), f"--output={self.folder / 'r.npy'}",
                         *(f"--length={name}={length}" for name, length in lengths.items()))
        return "run: " + first_error(done.stderr + done.stdout) if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", help="the folder with the tools")
    parser.add_argument("--modules", help="the folder with ONNX Runtime's node_modules")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--key-heads", type=int, default=2)
    parser.add_argument("--inner", type=int, default=96)
    parser.add_argument("--words", type=int, default=97)
    parser.add_argument("--group", type=int, default=32, help="so many weights have a scale")
    parser.add_argument("--bits", type=int, choices=(4, 8), default=4,
                        help="of a weight: four by groups, or eight by channels")
    parser.add_argument("--symmetric", action="store_true", help="signed weights without zero points")
    parser.add_argument("--packed-onnx", action="store_true",
                        help="weights of the ONNX model in four bits too (DequantizeLinear)")
    parser.add_argument("--prompt", type=int, default=5, help="tokens of the prompt")
    parser.add_argument("--steps", type=int, default=16, help="runs, the prompt's among them")
    options = parser.parse_args()
    decoder = Decoder(options.seed, options.layers, options.hidden, options.heads, options.key_heads,
                      options.inner, options.words, options.group, options.symmetric, options.packed_onnx, options.bits)
    decoder.write(options.folder)
    if not options.bin:
        return 0
    beside = Beside(decoder, options.folder, options)
    wrong = beside.import_ir()
    lines = [f"import: {wrong}"] if wrong else []
    drawn = random.Random(options.seed + 1)
    prompt = [drawn.randrange(options.words) for _ in range(options.prompt)]
    if not lines and (wrong := beside.decode(prompt, options.steps)):
        lines.append(f"with state: {wrong}")
    if not (beside.modules / "node_modules/onnxruntime-node").is_dir():
        print("without ONNX Runtime: only imported")
    elif not lines:
        lines = list(beside.compare(prompt, options.steps))
    for line in lines:
        print("fail:", line)
    print(f"{0 if lines else 1} passed, {1 if lines else 0} failed")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
