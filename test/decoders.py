#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decodes with random small decoders, whose caches stay from step to step.

A decoder has one or two layers of causal attention over caches that grow by
concatenation, as exporters write them: with positions as an input or computed of the
cache's length, with a mask of all rows or without, with heads of their own for keys and
values or one for all, with caches by heads or by positions, and logits of all rows or of
the last. It is compiled for a random device and a random longest prompt, for prompts of
any length or for one row at a time, and decodes a random prompt and random steps. Every
run of a decoder for any length has to give the bits that the function as it was imported
gives of all rows so far without a cache; of one for a row, those of the function on copies
of its caches.

Each also saves its state in the middle and goes on from there in another process, which
has to choose the same words. A cache in such a file of which one number is changed has to
be noticed as a difference: a comparison that cannot fail shows nothing.

Prints the failures and `N passed, N failed`; exits with 1 if one failed.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from onnx_writer import FLOAT, INT64, model
from random_graph import RandomGraph

LOWEST = -3.0e38


class Decoder(RandomGraph):
    """A random decoder, and how it is compiled and run."""

    def __init__(self, seed):
        super().__init__(seed)
        pick = self.random.choice
        self.head = pick([2, 4])
        self.heads = pick([1, 2, 3])
        self.shared = self.heads > 1 and self.chance(0.4)
        self.hidden = self.head * self.heads
        self.words = self.random.randint(5, 9)
        self.capacity = self.random.randint(5, 12)
        self.layers = pick([1, 1, 2])
        self.style = pick(["input", "range", "none"])
        self.has_mask = self.chance(0.4)
        self.by_positions = self.chance(0.3)
        self.last_only = self.chance(0.3)
        self.names = pick([("past_key_values.{}.{}", "present.{}.{}"),
                           ("past_{1}_{0}", "present_{1}_{0}")])
        self.one_row = self.chance(0.4)
        self.target = pick(["npu3720", "npu4000"])
        self.parallel = self.chance(0.2)
        self.prompt = self.random.randint(1, self.capacity - 3)
        self.steps = self.random.randint(2, self.capacity - self.prompt)
        self.build()

    def build(self):
        g = self.graph
        self.ids = g.input("input_ids", INT64, [1, "sequence_length"])
        self.mask = None
        if self.has_mask:
            self.mask = g.input("attention_mask", INT64,
                                [1, "past_sequence_length + sequence_length"])
        positions = None
        if self.style == "input":
            positions = g.input("position_ids", INT64, [1, "sequence_length"])
        self.caches = []
        outputs = []
        x = g.node("Gather", self.weights(self.words, self.hidden), self.ids)
        for layer in range(self.layers):
            kept = [self.cache(layer, what) for what in ("key", "value")]
            if layer == 0 and self.style != "none":
                positions = positions or self.positions(kept[0][0])
                table = self.weights(self.capacity + 1, self.hidden)
                x = g.node("Add", x, g.node("Gather", table, positions))
            x = g.node("Add", x, self.attention(self.normalized(x), kept, outputs))
            if self.chance(0.5):
                hidden = g.node("Relu", g.node("MatMul", x, self.weights(self.hidden, 6)))
                x = g.node("Add", x, g.node("MatMul", hidden, self.weights(6, self.hidden)))
        if self.last_only:
            x = g.node("Slice", x, g.ints(-1), g.ints(2 ** 31 - 1), g.ints(1))
        g.named("MatMul", [x, self.weights(self.hidden, self.words)], ["logits"])
        rows = 1 if self.last_only else "sequence_length"
        g.output("logits", FLOAT, [1, rows, self.words])
        for name, shape in outputs:
            g.output(name, FLOAT, shape)

    def normalized(self, x):
        g = self.graph
        if self.chance(0.5):
            return x
        scale = g.node("ReduceMean", g.node("Mul", x, x), axes=[2], keepdims=1)
        return g.node("Div", x, g.node("Sqrt", g.node("Add", scale, g.float(0.01))))

    def cache(self, layer, what):
        """A cache, and its name and shape when it has grown."""
        of_heads = 1 if self.shared else self.heads
        shapes = [[1, of_heads, length, self.head] if not self.by_positions else
                  [1, length, of_heads, self.head]
                  for length in ("past_sequence_length", "total")]
        past, present = (each.format(layer, what) for each in self.names)
        return self.graph.input(past, FLOAT, shapes[0]), present, shapes[1]

    def positions(self, past):
        g = self.graph
        begin = self.extent(past, 1 if self.by_positions else 2)
        end = g.node("Add", begin, self.extent(self.ids, 1))
        return g.node("Unsqueeze", g.node("Range", begin, end, g.int(1)), g.ints(0))

    def rows(self, x, heads):
        """Rows of heads: [1, S, heads, head]."""
        g = self.graph
        made = g.node("MatMul", x, self.weights(self.hidden, heads * self.head))
        return g.node("Reshape", made, g.ints(1, -1, heads, self.head))

    def attention(self, x, kept, outputs):
        g = self.graph
        of_heads = 1 if self.shared else self.heads
        turn = lambda value: g.node("Transpose", value, perm=[0, 2, 1, 3])
        q = turn(self.rows(x, self.heads))
        both = []
        for past, present, shape in kept:
            rows = self.rows(x, of_heads)
            if self.by_positions:
                g.named("Concat", [past, rows], [present], axis=1)
                both.append(turn(present))
            else:
                g.named("Concat", [past, turn(rows)], [present], axis=2)
                both.append(present)
            outputs.append((present, shape))
        k, v = both
        scores = g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.node("Mul", scores, g.float(self.head ** -0.5))
        past = self.extent(kept[0][0], 1 if self.by_positions else 2)
        total = g.node("Add", past, self.extent(self.ids, 1))
        columns = g.node("Range", g.int(0), total, g.int(1))
        row = g.node("Unsqueeze", g.node("Range", past, total, g.int(1)), g.ints(1))
        scores = g.node("Where", g.node("Greater", columns, row), g.float(LOWEST), scores)
        if self.mask:
            hidden = g.node("Sub", g.int(1), self.mask)
            hidden = g.node("Mul", g.node("Cast", hidden, to=FLOAT), g.float(-1.0e9))
            scores = g.node("Add", scores, g.node("Unsqueeze", hidden, g.ints(1, 2)))
        mixed = turn(g.node("MatMul", g.node("Softmax", scores, axis=-1), v))
        mixed = g.node("Reshape", mixed, g.ints(1, -1, self.hidden))
        return g.node("MatMul", mixed, self.weights(self.hidden, self.hidden))

    def shapes(self):
        """--input-shape of each input, with its prompts dynamic."""
        for name, _, shape in self.graph.inputs:
            dims = ["1" if self.one_row and extent == "sequence_length" else
                    "?" if isinstance(extent, str) else str(extent) for extent in shape]
            yield f"--input-shape={name}:{'x'.join(dims)}"


class Bench:
    def __init__(self, bin_dir, folder):
        self.bin_dir, self.folder = bin_dir, folder

    def run(self, tool, *words):
        process = subprocess.run([str(self.bin_dir / tool), *map(str, words)], text=True,
                                 cwd=self.folder, capture_output=True, timeout=300)
        return process.returncode, process.stdout, process.stderr


def with_other_number(path):
    """A saved state whose first cache has another first number, with its hashes."""
    data = path.read_bytes()
    size = struct.unpack_from("<Q", data, 16)[0]
    table = json.loads(data[56:56 + size])
    entry = next(each for each in table["sections"] if each["name"] == "cache 0")
    begin, bytes_ = entry["offset"], entry["bytes"]
    section = bytearray(data[begin:begin + bytes_])
    section[:4] = struct.pack("<f", struct.unpack_from("<f", section)[0] + 1.0)
    old = entry["sha256"].encode()
    new = hashlib.sha256(section).hexdigest().encode()
    changed = data[56:56 + size].replace(old, new, 1)
    whole = data[:24] + hashlib.sha256(changed).digest() + changed + data[56 + size:]
    path.write_bytes(whole[:begin] + bytes(section) + whole[begin + bytes_:])


def words_of(text):
    lines = [line for line in text.splitlines() if line.startswith("words: ")]
    return lines[-1].split()[1:] if lines else []


def check(bin_dir, seed):
    """What is wrong with the decoder of that seed; empty where nothing is."""
    decoder = Decoder(seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(bin_dir, folder)
        pathlib.Path(folder, "m.onnx").write_bytes(model(decoder.graph))
        shapes = list(decoder.shapes())
        code, _, errors = bench.run("npu-translate", "--import-onnx", "m.onnx", *shapes, "-o",
                                    "m.mlir")
        if code:
            return "import: " + errors
        code, _, errors = bench.run(
            "npu-compile", "m.mlir", f"--max-prompt-len={decoder.capacity}",
            f"--target={decoder.target}", "-O0", "-o", "m.npub",
            *(["--tiles=parallel"] if decoder.parallel else []))
        if code:
            return "compile: " + errors
        if "to which rows are added in place" not in errors:
            return "caches are not continued in place: " + errors
        if f"of {decoder.capacity} positions" not in errors:
            return "the capacity is another one: " + errors
        prompt = ",".join(str(decoder.random.randrange(decoder.words))
                          for _ in range(decoder.prompt))
        greedy = ["--sample=greedy", "--reference=m.mlir"]
        code, text, errors = bench.run("npu-run", "m.npub", f"--prompt={prompt}",
                                       f"--steps={decoder.steps}", *greedy)
        if code or not text.endswith("equal\n"):
            return "decode: " + text + errors
        first = decoder.random.randint(0, decoder.steps - 1)
        code, begin, errors = bench.run("npu-run", "m.npub", f"--prompt={prompt}",
                                        f"--steps={first}", "--save-state=s", *greedy)
        code2, rest, errors2 = bench.run("npu-run", "m.npub", "--load-state=s",
                                         f"--steps={decoder.steps - first}", *greedy)
        if code or code2:
            return "from a saved state: " + begin + errors + rest + errors2
        if words_of(begin)[:-1] + words_of(rest) != words_of(text):
            return f"other words: {text}\n{begin}\n{rest}"
        rest_room = decoder.capacity - decoder.prompt - decoder.steps + 1
        code, _, errors = bench.run("npu-run", "m.npub", f"--prompt={prompt}",
                                    f"--steps={decoder.steps + rest_room}")
        if code != 1 or f"at most {decoder.capacity} positions" not in errors:
            return "beyond the capacity: " + errors
        if decoder.one_row:
            return ""
        with_other_number(pathlib.Path(folder, "s"))
        code, text, errors = bench.run("npu-run", "m.npub", "--load-state=s", "--steps=1",
                                       *greedy)
        if code != 1 or "different" not in text:
            return "a changed cache is not noticed: " + text + errors
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    bin_dir = options.bin_dir.resolve()
    seeds = range(options.seed, options.seed + options.count)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, wrong in zip(seeds, pool.map(lambda each: check(bin_dir, each), seeds)):
            if wrong:
                failed += 1
                print(f"seed {seed}: {wrong}")
    print(f"{options.count - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
