#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares one decoder in the two forms in which language models are shipped.

decoder_network.py writes the same weights of 4 bits as ONNX and as OpenVINO IR. Both are imported
and compiled for small devices, whose scratchpads the decoder does not fit, so that operations run in
steps. Each artefact decodes greedily with caches as state; every run has to give the bits of the
function as it was imported on all words so far, without a cache. So does the ONNX form whose caches
are buffers of a fixed size, on copies of these. All have to choose the same words, and both forms
have to give the same bits: of all words at once, and of the second half after the caches of the
first. ONNX Runtime (scripts/network.sh --install), where it is installed, has to choose the same
words, and its results may differ by sums in another order (`far` in openvino_pair.py).

Prints `N passed, N failed`; exits with 1 if one failed.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
from beside_runtime import Runtime, modules_of  # noqa: E402
from decoder_network import Network, f32, onnx_model, openvino_model  # noqa: E402
from onnx_conformance import first_error  # noqa: E402
from openvino_pair import far  # noqa: E402

DEVICES = ("npu3720", "npu4000")
# Bytes of a scratchpad, which are too few for the decoder without steps.
SCRATCHPAD = 8192
PROMPT = 5
TURNS = """#map = affine_map<(d0) -> (d0)>
func.func @main(%angles: tensor<{0}xf32>) -> (tensor<{0}xf32>, tensor<{0}xf32>) {{
  %empty = tensor.empty() : tensor<{0}xf32>
  %turns:2 = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}}
      ins(%angles : tensor<{0}xf32>) outs(%empty, %empty : tensor<{0}xf32>, tensor<{0}xf32>) {{
  ^bb0(%angle: f32, %o0: f32, %o1: f32):
    %cosine = math.cos %angle : f32
    %sine = math.sin %angle : f32
    linalg.yield %cosine, %sine : f32, f32
  }} -> (tensor<{0}xf32>, tensor<{0}xf32>)
  return %turns#0, %turns#1 : tensor<{0}xf32>, tensor<{0}xf32>
}}
"""


class Wrong(Exception):
    """What is wrong with a decoder."""


class Form:
    """A form of the decoder: its file, how it is imported, and its inputs in their order. With a
    `capacity` it takes one token, and its caches are buffers of so many positions."""

    def __init__(self, path, network, capacity=0):
        self.path, self.capacity = path, capacity
        self.imported = path.with_suffix(".buffer.mlir" if capacity else ".mlir")
        caches = network.caches()
        if path.suffix == ".onnx":
            self.option, self.caches = "--import-onnx", [past for past, _ in caches]
            self.others = ["input_ids", "attention_mask"]
        else:
            self.option, self.caches = "--import-openvino", [past + present for past, present in caches]
            self.others = ["input_ids", "attention_mask", "position_ids", "beam_idx"]
        shapes = {name: "1" if name == "beam_idx" else "1x?" for name in self.others}
        if capacity:
            shapes.update(input_ids="1x1", attention_mask=f"1x{capacity}")
        shapes.update({name: f"1x{network.groups}x{capacity or '?'}x{network.width}" for name in self.caches})
        self.shapes = [f"--input-shape={name}:{shape}" for name, shape in shapes.items()]


class Trial:
    """One decoder in both forms, in a folder."""

    def __init__(self, options, folder, block, symmetric):
        self.options, self.folder = options, folder
        self.bin = pathlib.Path(options.bin)
        self.drawn = random.Random(block)
        self.network = Network(block + symmetric, block=block, symmetric=symmetric)
        self.check_tables()
        self.forms = []
        for end in ("onnx", "xml"):
            self.forms.append(Form(folder / end / f"decoder.{end}", self.network))
            self.forms[-1].path.parent.mkdir(exist_ok=True)
        self.forms[0].path.write_bytes(onnx_model(self.network))
        self.buffer = Form(self.forms[0].path, self.network, PROMPT + options.tokens)
        openvino_model(self.network).write(self.forms[1].path)

    def call(self, tool, *words):
        """A tool's result; exit codes other than 0 are wrong."""
        command = [str(word) for word in (self.bin / tool, *words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise Wrong(f"{tool}: {first_error(done.stderr + done.stdout)}")
        return done

    def check_tables(self):
        """Takes cosines and sines from npu-run for the tables of ONNX, where the IR computes
        them: a library may give the number next to the nearest one."""
        angles = self.network.angles
        (self.folder / "turns.mlir").write_text(TURNS.format(len(angles)), encoding="ascii")
        npy_files.write(self.folder / "angles.npy", "<f4", [len(angles)], angles)
        self.call("npu-run", self.folder / "turns.mlir", "-O0", f"--inputs={self.folder / 'angles.npy'}",
                  f"--output={self.folder / 'turns.npy'}")
        tables = [npy_files.read(self.folder / f"turns.{number}.npy")[2] for number in range(2)]
        for mine, own in zip(self.network.tables, tables):
            for a, b in zip(mine, own):
                if abs(f32(a) - b) > 2.0 ** -24:
                    raise Wrong(f"expected a cosine or sine of {a}, got {b}")
        self.network.tables = tables

    def check(self, devices):
        for form in (*self.forms, self.buffer):
            self.call("npu-translate", form.option, form.path, *form.shapes, "-o", form.imported)
        prompt = [self.drawn.randrange(self.network.words) for _ in range(PROMPT)]
        which = [(form, device) for device in devices for form in (*self.forms, self.buffer)]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            chosen = list(pool.map(lambda each: self.decode(*each, prompt), which))
        for (form, device), words in zip(which, chosen):
            if words != chosen[0]:
                raise Wrong(f"{form.path.suffix} on {device}: expected the words {chosen[0]}, got {words}")
        words = prompt + chosen[0]
        whole = [self.results(form, words, 0) for form in self.forms]
        self.expect_equal("all words at once", whole)
        half = len(words) // 2
        begun = [self.results(form, words[:half], 0) for form in self.forms]
        rest = [self.results(form, words[half:], half, first[1:]) for form, first in zip(self.forms, begun)]
        self.expect_equal("the second half", rest)
        expected = whole[0][0][2][half * self.network.words:]
        if list(rest[0][0][2]) != list(expected) or rest[0][1:] != whole[0][1:]:
            raise Wrong("the second half after the caches of the first is not that of the whole")
        self.beside_runtime(words, whole[0])

    def expect_equal(self, what, pair):
        for number, (a, b) in enumerate(zip(*pair)):
            if a != b:
                count = sum(x != y for x, y in zip(a[2], b[2]))
                raise Wrong(f"{what}: result #{number}: {count} of {math.prod(a[1])} numbers of OpenVINO IR are "
                            "not those of ONNX")

    def decode(self, form, device, prompt):
        """The words that a device chooses, each of whose runs is compared with the function."""
        steps = self.options.tokens
        artefact = form.imported.with_suffix(f".{device}.npub")
        if form.capacity:
            done = self.call("npu-compile", form.imported, f"--target={device}", "-O0", "-o", artefact)
        else:
            small = form.imported.with_suffix(f".{device}.mlir")
            self.write_for_small(form, device, small)
            done = self.call("npu-compile", small, f"--max-prompt-len={PROMPT + steps}", "--strategy=beam", "-O0",
                             "-o", artefact)
            self.check_steps(done, artefact)
        if "rows are added in place" not in done.stderr:
            raise Wrong("the caches are not state")
        done = self.call("npu-run", artefact, "--prompt=" + ",".join(map(str, prompt)), f"--steps={steps}",
                         "--sample=greedy", f"--reference={form.imported}", "-O0")
        if not done.stdout.endswith("equal\n"):
            raise Wrong(f"{form.path.suffix} on {device}: {done.stdout}")
        line = next(each for each in done.stdout.splitlines() if each.startswith("words: "))
        # The last one is that of the step after the last.
        return list(map(int, line.split()[1:]))[:steps]

    def write_for_small(self, form, device, path):
        """The function as it was imported, for a device with small scratchpads."""
        header = ('module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = '
                  f'#dlti.target_device_spec<"npu.name" = "small", "npu.like" = "{device}", '
                  f'"npu.scratchpad_bytes" = {SCRATCHPAD} : i64>>}} {{')
        text = form.imported.read_text(encoding="utf-8").split("\nmodule {", 1)
        path.write_text(f"\n{header}".join(text), encoding="utf-8")

    def check_steps(self, compiled, artefact):
        """That tiles compute in loops what does not fit, and the host does not."""
        if "no assignment of layouts fits" in compiled.stderr:
            raise Wrong("the host runs what does not fit: " + first_error(compiled.stderr))
        schedule = json.loads(self.call("npu-inspect", "--section=schedule", artefact).stdout)
        if not any(step.get("depth", 0) > 0 for function in schedule["functions"]
                   for tile in function["tiles"] for step in tile["steps"]):
            raise Wrong("nothing runs in steps")

    def given(self, words, begin, caches):
        """Inputs by their names: element types, shapes and numbers."""
        network, count = self.network, len(words)
        inputs = {"input_ids": ("<i8", [1, count], words),
                  "attention_mask": ("<i8", [1, begin + count], [1] * (begin + count)),
                  "position_ids": ("<i8", [1, count], list(range(begin, begin + count))),
                  "beam_idx": ("<i4", [1], [0])}
        empty = ("<f4", [1, network.groups, 0, network.width], [])
        return inputs, caches or [empty for _ in network.caches()]

    def results(self, form, words, begin, caches=None):
        """The results of the function as it is imported: logits, and caches."""
        inputs, caches = self.given(words, begin, caches)
        folder = form.path.parent
        paths = []
        for name, tensor in [(name, inputs[name]) for name in form.others] + list(zip(form.caches, caches)):
            paths.append(folder / f"{name}.npy")
            npy_files.write(paths[-1], *tensor)
        self.call("npu-run", form.imported, "-O0", "--inputs=" + ",".join(map(str, paths)),
                  f"--length=sequence_length={len(words)}", f"--length=past_sequence_length={begin}",
                  f"--output={folder / 'r.npy'}")
        return [npy_files.read(folder / f"r.{number}.npy") for number in range(1 + len(caches))]

    def beside_runtime(self, words, whole):
        """Compares all words at once with ONNX Runtime's results, and the words with its choices."""
        if not self.options.runtime:
            return
        inputs, caches = self.given(words, 0, None)
        form, paths = self.forms[0], []
        for name, tensor in [(name, inputs[name]) for name in form.others] + list(zip(form.caches, caches)):
            paths.append((name, self.folder / f"{name}.npy"))
            npy_files.write(paths[-1][1], *tensor)
        error = self.options.runtime.run(form.path, self.folder, paths)
        if error:
            raise Wrong(error)
        theirs = [npy_files.read(self.folder / f"onnxruntime.{number}.npy") for number in range(len(whole))]
        for number, (a, b) in enumerate(zip(theirs, whole)):
            wrong = far(a, b)
            if wrong:
                raise Wrong(f"beside ONNX Runtime: result #{number}: {wrong}")
        count, logits = self.network.words, theirs[0][2]
        for row in range(PROMPT - 1, len(words) - 1):
            own = max(range(count), key=logits[row * count:][:count].__getitem__)
            if own != words[row + 1]:
                raise Wrong(f"word {row + 1}: ONNX Runtime chooses {own}, got {words[row + 1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with the tools")
    parser.add_argument("--only", action="append", metavar="BLOCK:KIND:DEVICE",
                        help="entries of a block, `symmetric` or `points`, and a device")
    parser.add_argument("--tokens", type=int, default=16, metavar="N", help="decodes N tokens")
    parser.add_argument("--modules", help="the folder with ONNX Runtime's node_modules")
    parser.add_argument("--keep", help="keeps all files in this folder")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    modules = modules_of(options)
    options.runtime = Runtime(modules) if modules else None
    which = [each.split(":") for each in options.only or []] or [
        (block, kind, device) for block in (32, 128) for kind in ("symmetric", "points") for device in DEVICES]
    failed = 0
    for block, kind, device in which:
        with tempfile.TemporaryDirectory(prefix="decoder-forms-") as name:
            folder = pathlib.Path(options.keep or name)
            folder.mkdir(parents=True, exist_ok=True)
            try:
                Trial(options, folder, int(block), kind == "symmetric").check([device])
            except Wrong as error:
                failed += 1
                print(f"fail: {block}:{kind}:{device}: {error}", flush=True)
    if options.runtime:
        options.runtime.close()
    print(f"{len(which) - failed} passed, {failed} failed" + ("" if options.runtime else ", without ONNX Runtime"))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
