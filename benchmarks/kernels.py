#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of structured operations beside libraries and beside C, in one run.

    benchmarks/kernels.py [--bin build/bin] [--repeat N] [--networks]

Compared is the median of three rounds of the least time of N runs, on one thread
each; single operators run ten times as often. A run that is longer than the slices of time that a busy machine gives
to a process looks slower than it is: wait for a quiet machine, or take a higher
priority (nice -n -15).

* matmul in f32 beside OpenBLAS (Debian: libopenblas-dev), at most 2.5;
* matmul in f16 beside a block by hand in C with the same order and roundings, at
  most 1.5;
* convolutions, pooling, softmax, a layer norm, transposes and others beside ONNX
  Runtime (scripts/network.sh --install), a 3x3 convolution of 64 channels at most 4;
* with --networks, three trained networks and an encoder with random weights beside
  ONNX Runtime, as artefacts at most 5, as IR at most 4.

What is missing is left out, and said. Results of the first three are compared bit
for bit with loops in C that add up in the order of the IR. Exit code 1 where bits
differ.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
import onnx_models  # noqa: E402

MATMUL = """
func.func @main(%a: tensor<{m}x{k}x{type}>, %b: tensor<{k}x{n}x{type}>) -> tensor<{m}x{n}x{type}> {{
  %zero = arith.constant 0.0 : {type}
  %e = tensor.empty() : tensor<{m}x{n}x{type}>
  %f = linalg.fill ins(%zero : {type}) outs(%e : tensor<{m}x{n}x{type}>) -> tensor<{m}x{n}x{type}>
  %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{type}>, tensor<{k}x{n}x{type}>)
      outs(%f : tensor<{m}x{n}x{type}>) -> tensor<{m}x{n}x{type}>
  return %0 : tensor<{m}x{n}x{type}>
}}
"""

TRANSPOSED = """
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
"""

CONVOLUTION = """
func.func @main(%x: tensor<1x64x58x58xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x56x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x58x58xf32>, tensor<64x64x3x3xf32>)
      outs(%f : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}
"""

# Operators of ONNX: what they are called, inputs, weights, attributes, the result's
# shape. Attributes are integers and lists of integers.
ONNX = {
    "conv 3x3, 64 channels, 56x56": ("Conv", [[1, 64, 58, 58], [64, 64, 3, 3]], {}, [1, 64, 56, 56]),
    "conv 3x3 of stride 2, 64 to 128 channels": (
        "Conv", [[1, 64, 57, 57], [128, 64, 3, 3]], {"strides": [2, 2]}, [1, 128, 28, 28]),
    "conv 1x1, 256 to 64 channels, 56x56": ("Conv", [[1, 256, 56, 56], [64, 256, 1, 1]], {}, [1, 64, 56, 56]),
    "depthwise conv 3x3, 128 channels": (
        "Conv", [[1, 128, 58, 58], [128, 1, 3, 3]], {"group": 128}, [1, 128, 56, 56]),
    "max pool 3x3 of stride 2": (
        "MaxPool", [[1, 64, 57, 57]], {"kernel_shape": [3, 3], "strides": [2, 2]}, [1, 64, 28, 28]),
    "average pool 2x2": (
        "AveragePool", [[1, 64, 56, 56]], {"kernel_shape": [2, 2], "strides": [2, 2]}, [1, 64, 28, 28]),
    "softmax of 1024 rows of 512": ("Softmax", [[1024, 512]], {"axis": 1}, [1024, 512]),
    "layer norm of 512 rows of 768": ("LayerNormalization", [[512, 768], [768], [768]], {"axis": 1}, [512, 768]),
    "transpose 1024x1024": ("Transpose", [[1024, 1024]], {"perm": [1, 0]}, [1024, 1024]),
    "transpose of heads": ("Transpose", [[1, 512, 12, 64]], {"perm": [0, 2, 1, 3]}, [1, 12, 512, 64]),
    "add of 1M": ("Add", [[1024, 1024], [1024, 1024]], {}, [1024, 1024]),
    "exp of 1M": ("Exp", [[1024, 1024]], {}, [1024, 1024]),
    "tanh of 1M": ("Tanh", [[1024, 1024]], {}, [1024, 1024]),
    "erf of 1M": ("Erf", [[1024, 1024]], {}, [1024, 1024]),
    "mean of 1024 rows of 1024": (
        "ReduceMean", [[1024, 1024]], {"axes": [1], "keepdims": 1}, [1024, 1]),
    "product of a row and a matrix": ("MatMul", [[1, 1024], [1024, 1024]], {}, [1, 1024]),
}

NETWORKS = {
    "rec": ("ch_PP-OCRv4_rec_infer", "1x3x48x192"),
    "det": ("ch_PP-OCRv4_det_infer", "1x3x96x160"),
    "cls": ("ch_ppocr_mobile_v2.0_cls_infer", "1x3x48x192"),
}


def output_of(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))}:\n{(done.stdout + done.stderr)[-800:]}")
    return done.stdout


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        # What was compared: name, milliseconds of ours and of the peer, round by round,
        # the limit of their ratio, or None, and whether bits are the same, if compared.
        self.rows = []
        self.missing = []
        self.bin = pathlib.Path(options.bin).resolve()
        self.differs = False
        self.build_peers()
        modules = os.environ.get("NPU_NODE_MODULES") or HERE.parent / "build" / "network" / "node_modules"
        self.modules = pathlib.Path(modules)
        self.has_onnx = (self.modules / "onnxruntime-node").is_dir() and shutil.which("node")

    def left_out(self, what, source):
        self.missing.append(f"{what} ({source})")
        print(f"{what} is not here ({source}): left out", file=sys.stderr)

    def build_peers(self):
        compiler = os.environ.get("CC", "cc")
        self.peers = self.folder / "peers"
        command = [compiler, "-O3", "-march=native", "-ffp-contract=off", HERE / "kernels" / "peers.c", "-o", self.peers]
        done = subprocess.run([*command, "-DWITH_OPENBLAS", "-lopenblas"], capture_output=True)
        self.has_openblas = done.returncode == 0
        if not self.has_openblas:
            self.left_out("OpenBLAS", "package libopenblas-dev")
            output_of(command)

    def numbers(self, name, kind, shape, seed):
        """A file of numbers for npu-run, and one without a header for C."""
        generator, count = random.Random(seed), 1
        for extent in shape:
            count *= extent
        path = self.folder / f"{name}.npy"
        npy_files.write(path, kind, shape, [generator.uniform(-1, 1) for _ in range(count)])
        return path, self.bare(path)

    def bare(self, path):
        data = path.read_bytes()
        bare = path.with_suffix(".bin")
        bare.write_bytes(data[10 + int.from_bytes(data[8:10], "little"):])
        return bare

    def run(self, model, inputs, output, *more, times=1):
        """Milliseconds of a run, whose result is written."""
        text = output_of([self.bin / "npu-run", model, *more, f"--repeat={self.options.repeat * times}",
                          "--inputs=" + ",".join(map(str, inputs)), f"--output={output}"])
        return float(re.search(r"time: (\S+) ms on this CPU", text)[1])

    def compare(self, name, ours, peer, limit=None, bits=None):
        """Runs both in turn, and prints the medians."""
        rounds = [(ours(), peer()) for _ in range(self.options.rounds)]
        mine, other = ([times[side] for times in rounds] for side in (0, 1))
        said = bits() if bits else ""
        self.rows.append((name, mine, other, limit, said))
        mine, other = statistics.median(mine), statistics.median(other)
        print(f"{name:44} {mine:9.3f} ms {other:9.3f} ms {mine / other:7.2f} {limit or '':>6} {said}",
              file=sys.stderr, flush=True)

    def same(self, path, expected):
        is_same = path.read_bytes() == expected.read_bytes()
        self.differs |= not is_same
        return "same bits" if is_same else "DIFFERENT BITS"

    def matmuls(self):
        model, result, right = (self.folder / name for name in ("model.mlir", "r.npy", "right.bin"))

        def product(kind, size):
            a, a_bare = self.numbers("a", kind, [size, size], 1)
            b, b_bare = self.numbers("b", kind, [size, size], 2)
            return lambda: self.run(model, [a, b], result, "-O2"), (a_bare, b_bare)

        def openblas(size):
            return lambda: float(output_of([self.peers, "sgemm", size, size, size, self.options.repeat]))

        for size in (512, 1024) if self.has_openblas else ():
            run, bare = product("<f4", size)
            model.write_text(MATMUL.format(m=size, n=size, k=size, type="f32"))
            output_of([self.peers, "ordered", size, size, size, *bare, right])
            self.compare(f"matmul {size}x{size}x{size} f32, OpenBLAS", run, openblas(size), 2.5,
                         lambda: self.same(self.bare(result), right))
            if size == 512:
                model.write_text(TRANSPOSED)
                self.compare(f"matmul of a transposed matrix, {size}, OpenBLAS", run, openblas(size))
        run, bare = product("<f2", 512)
        model.write_text(MATMUL.format(m=512, n=512, k=512, type="f16"))
        self.compare("matmul 512x512x512 f16, C by hand", run,
                     lambda: float(output_of([self.peers, "half", 512, 512, 512, self.options.repeat, *bare, right])),
                     1.5, lambda: self.same(self.bare(result), right))

    def convolution(self):
        x, x_bare = self.numbers("x", "<f4", [1, 64, 58, 58], 3)
        w, w_bare = self.numbers("w", "<f4", [64, 64, 3, 3], 4)
        model, result, right = (self.folder / name for name in ("model.mlir", "r.npy", "right.bin"))
        model.write_text(CONVOLUTION)
        output_of([self.bin / "npu-run", model, "-O2", f"--inputs={x},{w}", f"--output={result}"])
        output_of([self.peers, "conv", 64, 64, 56, 56, x_bare, w_bare, right])
        return self.same(self.bare(result), right)

    def onnx_runtime(self, model, values, times=1):
        environment = dict(os.environ, NPU_NODE_MODULES=str(self.modules))
        script = HERE.parent / "scripts" / "network" / "onnxruntime.mjs"
        text = output_of(["node", script, "--threads=1", f"--repeat={self.options.repeat * times}", model, self.folder,
                          *[f"{name}={path}" for name, path in values.items()]], env=environment)
        return json.loads(text.splitlines()[-1])["run"]

    def operators(self, count=None):
        bits = self.convolution()
        if not self.has_onnx:
            self.left_out("ONNX Runtime", "scripts/network.sh --install")
            return
        for name, (operator, shapes, attributes, result) in list(ONNX.items())[:count]:
            model, ours = self.folder / "model.onnx", self.folder / "model.mlir"
            model.write_bytes(onnx_models.single_operator(operator, shapes, attributes, result))
            values = {f"x{number}": self.numbers(f"x{number}", "<f4", shape, number)[0]
                      for number, shape in enumerate(shapes)}
            output_of([self.bin / "npu-translate", "--import-onnx", model, "-o", ours])
            is_first = name == next(iter(ONNX))
            self.compare(f"{name}, ONNX Runtime",
                         lambda: self.run(ours, values.values(), self.folder / "r.npy", "-O2", times=10),
                         lambda: self.onnx_runtime(model, values, times=10),
                         *((4, lambda: bits) if is_first else ()))

    def networks(self, names=None):
        assets = self.modules / "@gutenye" / "ocr-models" / "assets"
        if not self.has_onnx or not assets.is_dir():
            self.left_out("networks", "scripts/network.sh --install")
            return
        encoder = self.folder / "encoder.onnx"
        encoder.write_bytes(onnx_models.encoder(tokens=64, width=384, heads=12, layers=4))
        networks = {name: (assets / f"{file}.onnx", shape) for name, (file, shape) in NETWORKS.items()}
        networks["encoder"] = encoder, "1x64x384"
        for name, (model, shape) in networks.items():
            if names and name not in names:
                continue
            artefact = self.folder / f"{name}.npub"
            x, _ = self.numbers("x", "<f4", [int(n) for n in shape.split("x")], 5)
            imported = self.folder / "network.mlir"
            output_of([self.bin / "npu-translate", "--import-onnx", model, f"--input-shape=x:{shape}", "-o", imported])
            output_of([self.bin / "npu-compile", imported, "--target=npu4000", "-O2", "-o", artefact])
            for what, file, limit in ("artefact", artefact, 5), ("IR", imported, 4):
                self.compare(f"{name} {shape}, {what}, ONNX Runtime",
                             lambda: self.run(file, [x], self.folder / "r.npy", *(["-O2"] if what == "IR" else [])),
                             lambda: self.onnx_runtime(model, {"x": x}), limit)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3, help="how often both are run, of which the median counts")
    parser.add_argument("--networks", action="store_true", help="also trained networks, which take minutes to compile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernels-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        print(f"{'what, beside what':44} {'ours':>12} {'peer':>12} {'ratio':>7} {'limit':>6}", file=sys.stderr)
        bench.matmuls()
        bench.operators()
        if options.networks:
            bench.networks()
        return bench.differs


if __name__ == "__main__":
    sys.exit(main())
