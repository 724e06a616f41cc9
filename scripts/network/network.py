#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes a trained network from ONNX to a program for every tile, and compares.

Imports the model, chooses distributions for a target, runs the distributed
program against the undistributed one, and both against ONNX Runtime where that
is installed. Prints operations, bytes moved and their bound, modelled time,
memory, and the largest difference. Exits with 1 where a result differs.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import npy_files  # noqa: E402

ELEMENTS = {"f32": "<f4", "f64": "<f8", "i8": "|i1", "i32": "<i4", "i64": "<i8", "i1": "|b1"}
SIZES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}


def run(command, what):
    """Output of a tool, and its seconds."""
    begin = time.monotonic()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        shown = [line for line in lines if "error:" in line] or lines[-5:]
        sys.exit(f"error: {what} failed:\n" + "\n".join(line[:400] for line in shown[:5]))
    return done, seconds


def signature(text):
    """Names, shapes and element types of the function's arguments."""
    head = text[text.index("func.func") :].split("\n", 1)[0]
    found = re.findall(r"%arg\d+: tensor<([^>]*)> \{[^}]*npu\.name = \"([^\"]*)\"", head)
    arguments = []
    for type_text, name in found:
        *extents, element = type_text.split("x")
        if "?" in extents:
            sys.exit(f"error: input '{name}' has a dynamic extent; --input-shape={name}:... gives it")
        arguments.append((name, [int(n) for n in extents], element))
    return arguments


def page(height, width, generator):
    """A light page with rows of dark strokes, as numbers in [-1, 1]: networks
    that look for text answer something there, and nothing on noise."""
    rows = [[generator.uniform(0.8, 1.0) for _ in range(width)] for _ in range(height)]
    letter = min(32 if height <= 64 else 24, height)
    for top in range(0, height - letter + 1, letter + letter // 2):
        for left in range(2, width - letter, letter * 3 // 4):
            for _ in range(3):
                y, x = generator.randrange(letter), generator.randrange(letter // 2)
                is_upright = generator.random() < 0.5
                for step in range(letter // 2):
                    at_y = top + min(letter - 2, y + step if is_upright else y)
                    at_x = left + min(letter // 2, x if is_upright else x + step)
                    for thick in range(2):
                        rows[at_y][min(width - 1, at_x + thick)] = generator.uniform(-1.0, -0.8)
    return [number for row in rows for number in row]


def make_input(path, shape, element, generator, kind):
    count = 1
    for extent in shape:
        count *= extent
    if kind == "page" and len(shape) == 4 and shape[1] in (1, 3) and element in ("f32", "f64"):
        numbers = []
        for _ in range(shape[0]):
            numbers += page(shape[2], shape[3], generator) * shape[1]
        npy_files.write(path, ELEMENTS[element], shape, numbers)
        return
    if element not in ELEMENTS:
        sys.exit(f"error: inputs of {element} are not generated")
    if element.startswith("f"):
        numbers = [generator.uniform(-1, 1) for _ in range(count)]
    else:
        numbers = [generator.randrange(2) for _ in range(count)]
    npy_files.write(path, ELEMENTS[element], shape, numbers)


def compare(expected, got):
    """The largest difference relative to the largest magnitude, and how many
    rows have their largest entry elsewhere."""
    _, shape, want = npy_files.read(expected)
    _, other, have = npy_files.read(got)
    if shape != other:
        sys.exit(f"error: expected a result of shape {shape}, got {other}")
    top = max((abs(number) for number in want), default=0.0)
    if any(abs(number) == float("inf") or number != number for number in want):
        sys.exit("error: ONNX Runtime's own result is not finite for these inputs")
    apart = max((abs(a - b) for a, b in zip(want, have)), default=0.0)
    if any(number != number for number in have):
        apart = float("inf")
    row = shape[-1] if shape else 1
    moved = 0
    for begin in range(0, len(want), row):
        a, b = want[begin : begin + row], have[begin : begin + row]
        moved += max(range(row), key=a.__getitem__) != max(range(row), key=b.__getitem__)
    return apart / top if top else apart, moved, len(want) // row if row else 0


def modules_folder():
    """Where npm has installed ONNX Runtime, or nothing."""
    for folder in (os.environ.get("NPU_NODE_MODULES"), HERE.parent.parent / "build" / "network" / "node_modules"):
        if folder and (pathlib.Path(folder) / "onnxruntime-node").is_dir():
            return pathlib.Path(folder)
    return None


class Network:
    def __init__(self, options, folder):
        self.options = options
        self.bin = pathlib.Path(options.bin)
        self.folder = folder
        self.model = folder / "model.mlir"
        self.legal = folder / "legal.mlir"
        self.differs = False

    def import_model(self):
        command = [self.bin / "npu-translate", "--import-onnx", self.options.model, "-o", self.model]
        command += [f"--input-shape={shape}" for shape in self.options.input_shape]
        if self.options.no_fold:
            command.append("--fold=false")
        _, self.import_seconds = run(command, "the import")
        text = self.model.read_text(encoding="utf-8")
        self.arguments = signature(text)
        generator = random.Random(self.options.seed)
        self.inputs = []
        for number, (name, shape, element) in enumerate(self.arguments):
            path = self.folder / f"input.{number}.npy"
            make_input(path, shape, element, generator, self.options.inputs)
            self.inputs.append(path)
        return text

    def describe_target(self, text):
        """The target in the module, with as much scratchpad as was asked for."""
        device = f'"npu.name" = "{self.options.target}"'
        if self.options.scratchpad_bytes:
            device += f', "npu.scratchpad_bytes" = {self.options.scratchpad_bytes}'
        spec = ("module attributes {dlti.target_system_spec = #dlti.target_system_spec<"
                f'"NPU" = #dlti.target_device_spec<{device}>>}} {{')
        self.model.write_text(text.replace("module {", spec, 1), encoding="utf-8")

    def compile(self):
        _, self.compile_seconds = run(
            [self.bin / "npu-opt", self.model, "--npu-compile=compile-to=legal", "-o", self.legal],
            "compiling")

    def input_option(self):
        return "--inputs=" + ",".join(str(path) for path in self.inputs) if self.inputs else "--seed=1"

    def run_here(self):
        run([self.bin / "npu-run", self.model, self.input_option(), f"--output={self.folder / 'r.npy'}"],
            "running the imported model")
        done, _ = run([self.bin / "npu-run", self.legal, f"--reference={self.model}", self.input_option()],
                      "the distributed program against the undistributed one")
        for line in done.stdout.splitlines():
            if line.startswith("result #") or line.startswith("equal"):
                print("  " + line)

    def results(self):
        several = sorted(self.folder.glob("r.*.npy"), key=lambda path: int(path.name.split(".")[1]))
        return several or [self.folder / "r.npy"]

    def report(self):
        done, _ = run([self.bin / "npu-opt", self.legal, "--npu-print-costs=format=json", "-o", "/dev/null"],
                      "printing costs")
        function = json.loads(done.stdout)["functions"][0]
        operations = [row for row in function["rows"] if row["kind"] == "operation"]
        busy = [row for row in operations if row["cycles"] > 0]
        moves = [row for row in function["rows"] if row["kind"] == "movement"]
        print(f"  operations: {len(operations)}, {len(busy)} of them compute; {len(moves)} movements")
        done, _ = run([self.bin / "npu-opt", self.legal, "--npu-print-transfers=format=json", "-o", "/dev/null"],
                      "printing transfers")
        plans = [plan for each in json.loads(done.stdout)["functions"] for plan in each["redistributions"]]
        total = {key: sum(plan[key] for plan in plans)
                 for key in ("bytes_received", "bytes_received_bound", "ddr_bytes")}
        print(f"  bytes between tiles: {total['bytes_received']}, at least {total['bytes_received_bound']}"
              " for these layouts")
        print(f"  bytes from and to DDR: {total['ddr_bytes']}, at least {self.least_ddr_bytes()}"
              " (every input, weight and result once)")
        compute = sum(row["cycles"] for row in operations)
        print(f"  modelled time: {function['total']} cycles, {compute} of them computing")
        done, _ = run([self.bin / "npu-run", self.legal, "--memory-report", self.input_option()], "the memory report")
        peaks = [int(n) for n in re.findall(r"tile \d+: (\d+) bytes at the peak", done.stdout)]
        if peaks:
            print(f"  memory: {max(peaks)} bytes on the fullest of {len(peaks)} tiles")

    def least_ddr_bytes(self):
        """Bytes of inputs, results and constants of more than 1,024 elements."""
        text = self.model.read_text(encoding="utf-8")
        head = text[text.index("func.func") :].split("\n", 1)[0]
        types = re.findall(r"tensor<([^>]*)>", head)
        types += re.findall(r"dense_resource<[^>]*> : tensor<([^>]*)>", text)
        total = 0
        for each in types:
            *extents, element = each.split("x")
            count = SIZES.get(element, 4)
            for extent in extents:
                count *= int(extent)
            total += count
        return total

    def compare_with_onnxruntime(self):
        modules = modules_folder()
        if not modules or not shutil.which("node"):
            print("  ONNX Runtime: not here; scripts/network.sh --install installs it for comparison")
            return
        values = [f"{name}={path}" for (name, _, _), path in zip(self.arguments, self.inputs)]
        environment = dict(os.environ, NPU_NODE_MODULES=str(modules))
        done = subprocess.run(["node", HERE / "onnxruntime.mjs", self.options.model, self.folder, *values],
                              capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit("error: ONNX Runtime failed:\n" + done.stderr[-800:])
        times = json.loads(done.stdout.splitlines()[-1])
        print(f"  ONNX Runtime loads it in {times['load'] / 1000:.2f} s and runs it in {times['run'] / 1000:.3f} s")
        for number, path in enumerate(self.results()):
            apart, moved, rows = compare(self.folder / f"onnxruntime.{number}.npy", path)
            line = f"  result #{number}: largest difference from ONNX Runtime {apart:.3g} of the largest magnitude"
            # Of images the largest entry of a row says nothing.
            if len(npy_files.read(path)[1]) <= 3:
                line += f"; the largest entry is another one in {moved} of {rows} rows"
            print(line)
            if apart > self.options.max_difference:
                self.differs = True

    def go(self):
        name = pathlib.Path(self.options.model).name
        print(f"{name} for {self.options.target}" + "".join(f", {s}" for s in self.options.input_shape))
        text = self.import_model()
        self.describe_target(text)
        self.compile()
        print(f"  imported in {self.import_seconds:.2f} s, compiled to legal in {self.compile_seconds:.2f} s")
        self.run_here()
        self.report()
        self.compare_with_onnxruntime()
        if self.differs:
            print(f"  different: more than {self.options.max_difference:g}")
        return self.differs


def main():
    parser = argparse.ArgumentParser(prog="scripts/network.sh", description=__doc__.splitlines()[0])
    parser.add_argument("model", help="an ONNX model")
    parser.add_argument("--input-shape", action="append", default=[], metavar="x:1x3x48x192")
    parser.add_argument("--target", default="npu4000")
    parser.add_argument("--scratchpad-bytes", type=int, metavar="N",
                        help="a device with so much room on each tile, otherwise as the target")
    parser.add_argument("--inputs", choices=("page", "random"), default="page",
                        help="what images hold: a page with strokes like text, or noise")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-difference", type=float, default=1e-3)
    parser.add_argument("--no-fold", action="store_true", help="imports without folds that may change bits")
    parser.add_argument("--keep", metavar="FOLDER", help="leaves all files there")
    parser.add_argument("--bin", default=HERE.parent.parent / "build" / "bin")
    options = parser.parse_args()
    if not pathlib.Path(options.model).is_file():
        sys.exit(f"error: expected an ONNX model, got no file '{options.model}'")
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
        return Network(options, pathlib.Path(options.keep)).go()
    with tempfile.TemporaryDirectory(prefix="network-") as folder:
        return Network(options, pathlib.Path(folder)).go()


if __name__ == "__main__":
    sys.exit(main())
