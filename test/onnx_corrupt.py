#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports damaged ONNX models: each ends with a module, or with an error.

A small model has every byte flipped once, in all bits and in one; a larger one
is cut off at every kilobyte. Other models have their weights in other files
which are missing, too short, or outside of the model's folder. Every run ends
with exit code 0 and a module that npu-opt reads, or with exit code 1, an error
at the model's file, and no file written. Prints `N passed, N failed`.
"""

import concurrent.futures
import os
import pathlib
import struct
import subprocess
import sys
import tempfile


def varint(number):
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def field(number, value):
    """A field of a message: an integer, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, shape, numbers=None, external=()):
    """A float tensor, with its data in it or in another file."""
    data = b"".join(field(1, extent) for extent in shape) + field(2, 1) + field(8, name)
    if numbers is not None:
        data += field(9, struct.pack(f"<{len(numbers)}f", *numbers))
    for key, value in external:
        data += field(13, field(1, key) + field(2, value))
    return data + (field(14, 1) if external else b"")


def value_info(name, shape):
    dims = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def node(operator, inputs, outputs, *attributes):
    data = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    data += field(3, b"node_" + outputs[0]) + field(4, operator)
    return data + b"".join(field(5, attribute) for attribute in attributes)


def integers(name, numbers):
    return field(1, name) + b"".join(field(8, number) for number in numbers) + field(20, 7)


def model(nodes, initializers, inputs, outputs):
    graph = b"".join(field(1, each) for each in nodes) + field(2, b"g")
    graph += b"".join(field(5, each) for each in initializers)
    graph += b"".join(field(11, each) for each in inputs)
    graph += b"".join(field(12, each) for each in outputs)
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 17))


def small_model():
    return model(
        [node(b"Add", [b"x", b"w"], [b"c"]),
         node(b"Relu", [b"c"], [b"r"]),
         node(b"Reshape", [b"r", b"s"], [b"y"])],
        [tensor(b"w", [2, 1, 1, 1], [1.5, -2.0]),
         field(1, 2) + field(2, 7) + field(8, b"s") + field(9, struct.pack("<2q", 2, 9))],
        [value_info(b"x", [1, 1, 3, 3])],
        [value_info(b"y", [2, 9])],
    )


def large_model():
    weights = [number % 7 / 4 for number in range(64 * 64)]
    return model(
        [node(b"MatMul", [b"x", b"w"], [b"m"]), node(b"Tanh", [b"m"], [b"y"])],
        [tensor(b"w", [64, 64], weights)],
        [value_info(b"x", [2, 64])],
        [value_info(b"y", [2, 64])],
    )


def external_model(*entries):
    return model(
        [node(b"MatMul", [b"x", b"w"], [b"y"])],
        [tensor(b"w", [2, 2], external=entries)],
        [value_info(b"x", [1, 2])],
        [value_info(b"y", [1, 2])],
    )


class Check:
    def __init__(self, bin_dir, folder):
        self.bin, self.folder = pathlib.Path(bin_dir), folder
        self.passed, self.failures = 0, []

    def judge(self, case):
        """What is wrong with importing one model; empty where nothing is."""
        number, what, data, expected = case
        folder = self.folder / str(number)
        folder.mkdir()
        path, out = folder / "m.onnx", folder / "m.mlir"
        path.write_bytes(data)
        (self.folder / "w.bin").write_bytes(struct.pack("<4f", 1, 2, 3, 4))
        for name, content in (("w.bin", struct.pack("<4f", 1, 2, 3, 4)), ("short.bin", b"1234")):
            (folder / name).write_bytes(content)
        (folder / "out.bin").symlink_to("../w.bin")
        (folder / "inside.bin").symlink_to("w.bin")
        (folder / "up").symlink_to("..")
        os.mkfifo(folder / "pipe.bin")
        done = subprocess.run(
            [self.bin / "npu-translate", "--import-onnx", path, "-o", out],
            capture_output=True, text=True, errors="replace", timeout=60)
        wrong = ""
        if done.returncode not in (0, 1):
            wrong = f"exit code {done.returncode}: {done.stderr[-200:]}"
        elif expected is not None and (expected or "") not in done.stderr:
            wrong = f"expected '{expected}', got {done.stderr[-200:]}"
        elif done.returncode == 1 and (f"{path}:" not in done.stderr or "error:" not in done.stderr):
            wrong = f"no located error: {done.stderr[-200:]}"
        elif done.returncode == 1 and out.exists():
            wrong = "a file beside an error"
        elif done.returncode == 0:
            read = subprocess.run([self.bin / "npu-opt", out, "-o", os.devnull], capture_output=True, text=True)
            if read.returncode != 0:
                wrong = f"npu-opt does not read it: {read.stderr[-200:]}"
        return f"{what}: {wrong}" if wrong else ""


def cases():
    small, large = small_model(), large_model()
    yield "the small model", small, ""
    yield "the large model", large, ""
    for at in range(len(small)):
        for mask in (255, 1):
            flipped = bytearray(small)
            flipped[at] ^= mask
            yield f"byte {at} ^ {mask}", bytes(flipped), None
    for length in range(0, len(large), 1024):
        yield f"cut at {length}", large[:length], None
    location = (b"location", b"w.bin")
    yield "data in another file", external_model(location), ""
    yield "with offset and length", external_model(location, (b"offset", b"0"), (b"length", b"16")), ""
    yield "a missing file", external_model((b"location", b"none.bin")), "none.bin"
    yield "a short file", external_model((b"location", b"short.bin")), "cannot read 16 bytes at 0"
    yield "after the end", external_model(location, (b"offset", b"8")), "cannot read 16 bytes at 8"
    yield "another length", external_model(location, (b"length", b"8")), "expected 16 bytes, got 8"
    yield "no number", external_model(location, (b"offset", b"x")), "'x', is no number"
    yield "an absolute path", external_model((b"location", b"/etc/hostname")), "doesn't exist"
    yield "a path upwards", external_model((b"location", b"../w.bin")), "expected one in the model's folder"
    yield "a link within the folder", external_model((b"location", b"inside.bin")), ""
    yield "a link out of the folder", external_model((b"location", b"out.bin")), "got a link that leads out of it"
    yield "a folder that leads out", external_model((b"location", b"up/w.bin")), "got a link that leads out of it"
    yield "a pipe", external_model((b"location", b"pipe.bin")), "pipe.bin"


def check_output(bin_dir, folder):
    """Data beside a model is an input: what is wrong with writing over it."""
    model, data = folder / "m.onnx", folder / "w.bin"
    model.write_bytes(external_model((b"location", b"w.bin")))
    content = struct.pack("<4f", 1, 2, 3, 4)
    data.write_bytes(content)
    os.link(data, folder / "hard.bin")
    for name in ("w.bin", "hard.bin"):
        done = subprocess.run(
            [pathlib.Path(bin_dir) / "npu-translate", "--import-onnx", model, "-o", folder / name],
            capture_output=True, text=True, timeout=60)
        if done.returncode != 1 or "expected another file than the file of data 'w.bin'" not in done.stderr:
            yield f"-o {name}: exit code {done.returncode}: {done.stderr[-200:]}"
        if data.read_bytes() != content:
            yield f"-o {name}: the data was written over"


def main():
    with tempfile.TemporaryDirectory(prefix="onnx-corrupt-") as folder:
        check = Check(sys.argv[1], pathlib.Path(folder))
        numbered = [(number, *case) for number, case in enumerate(cases())]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failures = [wrong for wrong in pool.map(check.judge, numbered) if wrong]
        failures += check_output(sys.argv[1], pathlib.Path(folder))
    for wrong in failures:
        print("fail:", wrong)
    print(f"{len(numbered) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
