#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the memory that reading OpenVINO IR takes with the bytes of its weights.

Products with weights of 4 and of 16 bits, of the sizes of a language model's, are imported to
bytecode: the weights are a sparse file, which is mapped. The peak of the process beyond what it
takes for the same network with small weights may be at most a fifth more than the file. Prints
both figures and `N passed, N failed`; exits with 1 if one failed.
"""

import argparse
import os
import pathlib
import sys
import tempfile

from openvino_writer import Network

MIB = 1 << 20


def network(path, element, columns, bytes_):
    """Products of one row with matrices, whose weights are `bytes_` in all."""
    ir = Network(11)
    bits = 4 if element == "u4" else 16
    rows, layers = columns, 4
    inner = bytes_ // layers * 8 // bits // rows
    x = ir.parameter("f16", [1, inner], "x")
    for number in range(layers):
        size = inner * rows * bits // 8
        wide = ir.layer("Const", 1, (), [(element, [rows, inner])],
                        {"element_type": element, "shape": [rows, inner], "offset": number * size, "size": size})[0]
        if element == "u4":
            wide = ir.layer("Convert", 1, [wide], [("f16", [rows, inner])], {"destination_type": "f16"})[0]
        y = ir.layer("MatMul", 1, [x, wide], [("f16", [1, rows])], {"transpose_a": False, "transpose_b": True})[0]
        ir.result(y)
    path.write_text(ir.xml(), encoding="utf-8")
    # Sparse, but for a byte of each constant: of equal numbers only one is kept.
    with open(path.with_suffix(".bin"), "wb") as file:
        for number in range(layers):
            file.seek(number * size)
            file.write(b"\1")
        file.truncate(layers * size)
    return layers * size


def peak(*command):
    """The most bytes of a process at one time."""
    child = os.posix_spawn(command[0], [str(word) for word in command], os.environ)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"error: {command[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path, help="the folder with the tools")
    parser.add_argument("--mib", type=int, default=200, help="bytes of the weights")
    options = parser.parse_args()
    failed = 0
    for element in ("u4", "f16"):
        with tempfile.TemporaryDirectory(prefix="openvino-memory-") as name:
            model = pathlib.Path(name) / "model.xml"
            taken = []
            for columns, bytes_ in ((64, MIB), (4096, options.mib * MIB)):
                size = network(model, element, columns, bytes_)
                output = model.with_suffix(".mlirbc")
                taken.append(peak(str(options.bin / "npu-translate"), "--import-openvino", model, "-o", output))
                if output.stat().st_size < size:
                    sys.exit(f"error: {output.stat().st_size} bytes are written of {size} of weights")
            more = taken[1] - taken[0]
            print(f"{element}: {size / MIB:.0f} MiB of weights, {more / MIB:.0f} MiB more memory")
            failed += more > 1.2 * size
    print(f"{2 - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
