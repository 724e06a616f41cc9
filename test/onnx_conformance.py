#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX's conformance tests: imported as they are, and distributed.

Every test is a folder with a model, inputs and expected results. The model is
imported with npu-translate, distributed over four tiles with npu-opt, and run with
npu-run as imported and as distributed. Both have to be equal bit for bit; where a sum
was split over tiles, npu-run says by how much it may differ. Results are compared with
the suite's own tolerances. An input that says a
shape is made a constant where the importer asks for it (--input-value).

A test passes or fails, or it is out of scope, which the importer says with a
reason. Prints one line for each test that fails and a closing line
`N passed, N failed`; exits with 1 if one failed.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from npy_files import FORMATS, read as read_npy
from onnx_files import (is_bf16, numbered, operators, tensor_name, tensor_shape,
                        write_npy)
from onnx_table import disagreements, write_table

# Four tiles with room for all that the suite has.
TARGET = (
    '"NPU" = #dlti.target_device_spec<"npu.name" = "four", "npu.tiles" = 4, '
    '"npu.scratchpad_bytes" = 67108864>'
)
RTOL, ATOL = 1e-3, 1e-7


def floats(numbers, is_bf16):
    """The numbers of a file; bf16 is stored as its bits."""
    if not is_bf16:
        return numbers
    return [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in numbers]


def largest_of_rows(numbers, shape):
    """For every number, the largest magnitude in its row; a row is what the last dimension
    counts. NaN and infinities do not count."""
    length = max(1, shape[-1]) if shape else 1
    for begin in range(0, len(numbers), length):
        row = numbers[begin:begin + length]
        largest = max((abs(number) for number in row if math.isfinite(number)), default=0.0)
        yield from [largest] * len(row)


def differs(expected, got, is_bf16, by_row=False):
    """What is wrong with a result; empty where nothing is.

    With `by_row`, the absolute tolerance is relative to the largest entry of a row, where
    that is above 1. An entry near 0 is what terms of its row's magnitude leave when they
    cancel, and carries their rounding: a single step between f32 numbers above 2 is more
    than the absolute tolerance already. Which of two orders of a sum is closer to the exact
    one, a fixed tolerance does not tell; one that grows with the row allows as many steps
    in a row of large entries as in a row of entries around 1.
    """
    if expected[1] != got[1]:
        return f"expected shape {expected[1]}, got {got[1]}"
    is_float = is_bf16 or expected[0][1] == "f"
    # Integers of a program have no sign.
    if not is_float and expected[0] != got[0]:
        size = struct.calcsize(FORMATS[expected[0]])
        wanted, there = FORMATS[expected[0]], FORMATS[got[0]]
        if size != struct.calcsize(there):
            return f"expected elements {expected[0]}, got {got[0]}"
        count = len(got[2])
        bits = struct.pack(f"<{count}{there}", *got[2])
        got = (expected[0], got[1], struct.unpack(f"<{count}{wanted}", bits))
    wanted = list(floats(expected[2], is_bf16))
    scales = [1.0] * len(wanted)
    if is_float and by_row:
        scales = [max(1.0, largest) for largest in largest_of_rows(wanted, expected[1])]
    for at, (want, have, scale) in enumerate(zip(wanted, floats(got[2], is_bf16), scales)):
        if is_float:
            if want != want and have != have:
                continue
            if want == have or abs(want - have) <= ATOL * scale + RTOL * abs(want):
                continue
        elif want == have:
            continue
        return f"element {at}: expected {want}, got {have}"
    return ""


def call(command, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True,
        timeout=120, **options
    )


def first_error(text):
    for line in text.splitlines():
        if "error:" in line:
            return line.split("error:", 1)[1].strip()
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


class Conformance:
    """The tools, and one test at a time."""

    def __init__(self, bin_dir, distribute):
        self.bin = pathlib.Path(bin_dir)
        self.distribute = distribute

    def run(self, test):
        """A dictionary: name, state, why, fixed (inputs made constants)."""
        result = {"name": test.name[5:], "suite": test.parent.name, "fixed": [],
                  "operators": operators(test / "model.onnx"), "distributed": "", "why": ""}
        with tempfile.TemporaryDirectory(prefix="onnx-test-") as folder:
            try:
                result["state"], result["why"] = self.judge(
                    test, pathlib.Path(folder), result
                )
            except subprocess.TimeoutExpired as error:
                result["state"] = "fail"
                result["why"] = f"more than {error.timeout:.0f} s: {pathlib.Path(error.cmd[0]).name}"
        return result

    def judge(self, test, folder, result):
        sets = sorted(test.glob("test_data_set_*"))
        if not sets or not (test / "model.onnx").exists():
            return "out", "the suite has no data for it here"
        model = folder / "model.mlir"
        error = self.import_model(test, sets[0], model, result)
        if error:
            scope = error.split("out of scope", 1)
            if len(scope) == 2:
                return "out", scope[1].lstrip(": ") or error.split("'", 2)[-1].strip(" ,")
            return "fail", "import: " + error
        broken, legal = self.distributed(model, folder, result)
        for number, data in enumerate(sets):
            # Both run in one process; where something is wrong, the original by itself
            # says which of both it is.
            if number == 0 and legal:
                broken = self.run_set(data, legal, folder / "both", result,
                                      [f"--reference={model}", "--allow-non-finite"])
                if not broken:
                    continue
            error = self.run_set(data, model, folder / str(number), result)
            if error:
                result.pop("kept", None)
                return "fail", error
        if self.distribute:
            result["distributed"] = "fail" if broken else "pass"
        return ("fail", "distributed: " + broken) if broken else ("pass", "")

    def import_model(self, test, data, model, result):
        """Imports with as many constant inputs as the importer asks for, and
        with the shapes that the data has where the model leaves them open."""
        values, shapes = [], []
        while True:
            done = call(
                [self.bin / "npu-translate", "--import-onnx", test / "model.onnx",
                 "-o", model] + values + shapes
            )
            if done.returncode == 0:
                if not shapes and self.differ_in_shape(data, model, result):
                    shapes = self.shapes(data)
                    continue
                return ""
            error = first_error(done.stderr)
            if "--input-shape=" in error and not shapes:
                shapes = self.shapes(data)
                continue
            wanted = re.findall(r"--input-value=(.*)=FILE makes", done.stderr)
            files = [self.input_file(data, name) for name in wanted]
            if not wanted or None in files or set(wanted) & set(result["fixed"]):
                return error
            for name, file in zip(wanted, files):
                result["fixed"].append(name)
                values.append(f"--input-value={name}={file}")

    def shapes(self, data):
        return [
            f"--input-shape={tensor_name(file)}:" + "x".join(str(n) for n in tensor_shape(file))
            for file in numbered(data, "input")
        ]

    def differ_in_shape(self, data, model, result):
        """Whether the suite's data has another shape than the model says."""
        text = model.read_text(encoding="utf-8")
        for file in numbered(data, "input"):
            name = tensor_name(file)
            found = re.search(r": tensor<([^>]*)> {npu.name = " + re.escape(f'"{name}"'), text)
            extents = [int(n) for n in found[1].split("x")[:-1]] if found else None
            if found and "?" not in found[1] and extents != tensor_shape(file):
                return True
        return False

    def input_file(self, data, name):
        """The file with the input of that name: files are named by number."""
        for file in numbered(data, "input"):
            if tensor_name(file) == name:
                return file
        return None

    def run_set(self, data, model, folder, result, more=()):
        """What is wrong with the results for some data; empty where nothing is."""
        folder.mkdir()
        error, inputs = self.inputs(data, folder, result)
        if error:
            return error
        outputs = folder / "r.npy"
        error = self.run_program(model, [f"--output={outputs}", *more], inputs)
        if error:
            return error
        expected = numbered(data, "output")
        for number, file in enumerate(expected):
            wanted = folder / f"expected.{number}.npy"
            error = self.to_npy(file, wanted)
            if error:
                return error
            path = outputs if len(expected) == 1 else folder / f"r.{number}.npy"
            wrong = differs(read_npy(wanted), read_npy(path), is_bf16(file))
            if wrong:
                return f"result #{number}: {wrong}"
        return ""

    def to_npy(self, file, path):
        if write_npy(file, path):
            return ""
        done = call([self.bin / "npu-translate", "--onnx-tensor-to-npy", file,
                     "-o", path])
        return first_error(done.stderr) if done.returncode else ""

    def inputs(self, data, folder, result):
        paths = []
        for number, file in enumerate(numbered(data, "input")):
            if tensor_name(file) in result["fixed"]:
                continue
            path = folder / f"input.{number}.npy"
            error = self.to_npy(file, path)
            if error:
                return error, []
            paths.append(path)
        return "", paths

    def distributed(self, model, folder, result):
        """(what is wrong, the program) for the program on four tiles, where it is wanted."""
        if not self.distribute:
            return "", None
        text = model.read_text(encoding="utf-8")
        four = folder / "four.mlir"
        spec = f"dlti.target_system_spec = #dlti.target_system_spec<{TARGET}>"
        four.write_text(text.replace("module {", f"module attributes {{{spec}}} {{", 1),
                        encoding="utf-8")
        legal = folder / "legal.mlir"
        done = call([self.bin / "npu-opt", four, "--npu-compile=compile-to=legal",
                     "-o", legal])
        if done.returncode != 0:
            return "compile: " + first_error(done.stderr), None
        if "#npu.layout" not in legal.read_text(encoding="utf-8"):
            result["kept"] = True
        return "", legal

    def run_program(self, program, options, inputs):
        """What is wrong with running a program; empty where nothing is."""
        command = [self.bin / "npu-run", program, *options, "-O0"]
        if inputs:
            command.append("--inputs=" + ",".join(str(path) for path in inputs))
        done = call(command)
        return "run: " + first_error(done.stderr + done.stdout) if done.returncode else ""


def sample(tests, count):
    """Every n-th test, so that all families are in it."""
    if count >= len(tests):
        return tests
    return [tests[number * len(tests) // count] for number in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with npu-translate, npu-opt and npu-run")
    parser.add_argument("filter", nargs="?", default="", help="a regular expression on names")
    parser.add_argument("--data", default="/usr/share/libonnx-testdata/data")
    parser.add_argument("--sample", type=int, default=10**6, metavar="N", help="N tests, spread over all")
    parser.add_argument("--only-import", action="store_true", help="do not distribute")
    parser.add_argument("--json", help="writes all results to this file")
    parser.add_argument("--write-table", action="store_true", help="writes the table in docs/reference/onnx.md")
    parser.add_argument("--check-table", action="store_true",
                        help="passes where every test ends as docs/reference/onnx.md says")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="a line for every test")
    options = parser.parse_args()

    data = pathlib.Path(options.data)
    tests = sorted(test for test in data.glob("*/test_*") if re.search(options.filter, test.name[5:]))
    if not tests:
        sys.exit(f"error: no test in {data} matches '{options.filter}'")
    tests = sample(tests, options.sample)
    conformance = Conformance(options.bin, not options.only_import)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(conformance.run, tests))
    count = {state: sum(r["state"] == state for r in results) for state in ("pass", "fail", "out")}
    for result in results:
        if result["state"] == "fail" or options.verbose:
            print(f"{result['state']}: {result['suite']}/{result['name']}: {result['why']}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference" / "onnx.md"
    if options.write_table:
        if options.filter or options.only_import or len(tests) > options.sample:
            sys.exit("error: the table is of all tests: expected neither a filter nor a sample")
        write_table(page, results)
    print(f"{count['out']} out of scope")
    if options.check_table:
        wrong = list(disagreements(page, results))
        for line in wrong:
            print("stale:", line)
        print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
        return len(wrong) > 0
    print(f"{count['pass']} passed, {count['fail']} failed")
    return count["fail"] > 0


if __name__ == "__main__":
    sys.exit(main())
