#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes a small decoder, as exporters of language models write it, from ONNX to tiles.

The decoder is that of decoder_network.py. Its prompt and its past have extents of any length, which
are given for each run: a prompt, and single tokens after a past, which grows or is a buffer.

Every form is run as it is imported, compared with ONNX Runtime (scripts/network.sh --install) where that is
installed, and compiled for two devices, which have to give the same bits. Sixteen tokens are decoded
greedily beside ONNX Runtime, each with the caches that the step before has returned.
Prints `N passed, N failed`; exits with 1 if one failed.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
from beside_runtime import Runtime, modules_of  # noqa: E402
from decoder_network import Network, onnx_model  # noqa: E402
from onnx_conformance import first_error, largest_of_rows  # noqa: E402

# Sums of f32 in another order, through two layers.
TOLERANCE = 1e-3
DEVICES = ("npu3720", "npu4000")
SAMPLE = ("a prompt", "a token into a buffer")


class Trial:
    """One decoder, in a folder."""

    def __init__(self, options, runtime, folder, block, symmetric):
        self.bin = pathlib.Path(options.bin)
        self.runtime, self.folder = runtime, folder
        self.random = random.Random(block)
        self.onnx = folder / "model.onnx"
        self.network = Network(block, block=block, symmetric=symmetric)
        self.groups, self.width = self.network.groups, self.network.width
        self.caches = [past for past, _ in self.network.caches()]
        self.onnx.write_bytes(onnx_model(self.network))

    def call(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)

    def shapes(self, new, past, total):
        """The shape of every input."""
        yield "input_ids", [1, new]
        yield "attention_mask", [1, total]
        for name in self.caches:
            yield name, [1, self.groups, past, self.width]

    def prepare(self, ids, caches, capacity, total, valid):
        """Writes the inputs; gives the options of a run."""
        self.inputs, shapes = [], []
        for name, shape in self.shapes(len(ids), capacity, total):
            path = self.folder / f"{name}.npy"
            if name == "input_ids":
                npy_files.write(path, "<i8", shape, ids)
            elif name == "attention_mask":
                npy_files.write(path, "<i8", shape, [int(at < valid) for at in range(total)])
            else:
                npy_files.write(path, "<f4", shape, caches[len(self.inputs) - 2])
            self.inputs.append((name, path))
            shapes.append(f"--input-shape={name}:" + "x".join(map(str, shape)))
        self.files = "--inputs=" + ",".join(str(path) for _, path in self.inputs)
        return shapes

    def results(self, stem):
        return [npy_files.read(self.folder / f"{stem}.{number}.npy") for number in range(1 + len(self.caches))]

    def run(self, ids, caches, capacity, total, valid):
        """(what is wrong, results of npu-run and of ONNX Runtime) for one step."""
        shapes = self.prepare(ids, caches, capacity, total, valid)
        done = self.call(self.bin / "npu-run", self.onnx, *shapes, "-O0", self.files,
                         f"--output={self.folder / 'r.npy'}")
        if done.returncode:
            return first_error(done.stderr + done.stdout), None, None
        ours = self.results("r")
        if not self.runtime:
            return "", ours, None
        error = self.runtime.run(self.onnx, self.folder, self.inputs)
        if error:
            return error, ours, None
        return "", ours, self.results("onnxruntime")

    def step(self, ids, caches, capacity, total, valid):
        """What is wrong with a step as it is imported, beside ONNX Runtime."""
        wrong, ours, theirs = self.run(ids, caches, capacity, total, valid)
        if wrong or not theirs:
            return wrong, ours
        for number, (want, have) in enumerate(zip(theirs, ours)):
            if want[1] != have[1]:
                return f"result #{number}: expected shape {want[1]}, got {have[1]}", ours
            limits = largest_of_rows(want[2], want[1])
            for at, (expected, got, largest) in enumerate(zip(want[2], have[2], limits)):
                isValid = number == 0 or at // self.width % want[1][2] < valid
                if isValid and not abs(expected - got) <= TOLERANCE * max(1.0, largest):
                    return f"result #{number}, element {at}: expected {expected}, got {got}", ours
        return "", ours

    def on_devices(self, devices, ids, caches, capacity, total, valid):
        """What is wrong with the step as it is compiled."""
        shapes = self.prepare(ids, caches, capacity, total, valid)
        for device in devices:
            done = self.call(self.bin / "npu-run", self.onnx, *shapes, "-O0", self.files,
                             f"--compile=compile-to=tiles target={device}")
            if done.returncode:
                return f"{device}: {first_error(done.stderr + done.stdout)}"
        return ""

    def random_caches(self, length):
        return [[self.random.uniform(-1, 1) for _ in range(self.groups * length * self.width)] for _ in self.caches]

    def words(self, count):
        return [self.random.randrange(self.network.words) for _ in range(count)]

    def forms(self):
        """Every form of a step: its name, and what it is given."""
        yield "a prompt", (self.words(5), self.random_caches(0), 0, 5, 5)
        yield "a token after a past", (self.words(1), self.random_caches(7), 7, 8, 8)
        yield "several tokens after a past", (self.words(3), self.random_caches(4), 4, 7, 7)
        yield "a token into a buffer", (self.words(1), self.random_caches(16), 16, 16, 9)
        yield "a prompt into a buffer", (self.words(6), self.random_caches(16), 16, 6, 6)

    def decode(self, count):
        """What is wrong with tokens that are chosen greedily, each by the step before."""
        ids, capacity, valid = self.words(4), 24, 4
        caches = [[0.0] * (self.groups * capacity * self.width) for _ in self.caches]
        total = len(ids)
        for number in range(count):
            wrong, ours = self.step(ids, caches, capacity, total, valid)
            if wrong:
                return f"token {number}: {wrong}"
            logits = ours[0][2][-self.network.words:]
            ids, caches = [max(range(len(logits)), key=logits.__getitem__)], [list(each[2]) for each in ours[1:]]
            valid, total = valid + 1, capacity
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with the tools")
    parser.add_argument("--tokens", type=int, default=16, metavar="N", help="decodes N tokens")
    parser.add_argument("--blocks", default="32,128", help="sizes of blocks")
    parser.add_argument("--sample", action="store_true", help="one decoder, two forms and two tokens")
    parser.add_argument("--keep", help="keeps all files in this folder")
    options = parser.parse_args()
    modules = modules_of(options)
    runtime = Runtime(modules) if modules else None
    count = {"pass": 0, "fail": 0}
    blocks, tokens, devices = list(map(int, options.blocks.split(","))), options.tokens, DEVICES
    if options.sample:
        blocks, tokens, devices = blocks[:1], 2, DEVICES[1:]
    for block in blocks:
        for symmetric in (False,) if options.sample else (True, False):
            with tempfile.TemporaryDirectory(prefix="onnx-language-model-") as name:
                folder = pathlib.Path(options.keep or name)
                folder.mkdir(parents=True, exist_ok=True)
                trial = Trial(options, runtime, folder, block, symmetric)
                outcomes = []
                forms = [form for form in trial.forms() if not options.sample or form[0] in SAMPLE]
                for form, given in forms:
                    wrong, _ = trial.step(*given)
                    outcomes += [(form, wrong), (f"{form}, compiled", wrong or trial.on_devices(devices, *given))]
                outcomes.append((f"{tokens} tokens", trial.decode(tokens)))
            for form, wrong in outcomes:
                count["fail" if wrong else "pass"] += 1
                if wrong:
                    print(f"fail: blocks of {block}, {'no ' if symmetric else ''}zero points, {form}: {wrong}",
                          flush=True)
    if runtime:
        runtime.close()
    print(f"{count['pass']} passed, {count['fail']} failed" + ("" if runtime else ", without ONNX Runtime"))
    return count["fail"] > 0


if __name__ == "__main__":
    sys.exit(main())
