# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A prompt of seven tokens at once, and six of them followed by a decode of the
seventh against their keys and values: prints by how much the last logits differ.

usage: decode_continues.py GENERATOR MODEL...
"""
import ast
import pathlib
import struct
import subprocess
import sys
import tempfile

LAYERS, TOKENS = 2, [5, 3, 60, 17, 0, 42, 8]


def write(path, descr, shape, data):
    header = str({"descr": descr, "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"<i4": "i", "|b1": "?"}[descr]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                     header.encode() + struct.pack(f"<{len(data)}{code}", *data))


def floats(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    assert ast.literal_eval(data[10:10 + length].decode())["descr"] == "<f4"
    return [number for (number,) in struct.iter_unpack("<f", data[10 + length:])]


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def results(folder, generator, model, name, length, inputs, *options):
    """The files of the results: logits, then keys and values of every layer."""
    text, output = folder / f"{name}.mlir", folder / f"{name}.npy"
    run(sys.executable, generator, f"--model={model}", "--scale=small", f"--layers={LAYERS}",
        f"--length={length}", "--weights=random", f"--output={text}", *options)
    run("npu-run", text, "-O0", "--inputs=" + ",".join(map(str, inputs)),
        f"--output={output}")
    return [folder / f"{name}.{at}.npy" for at in range(1 + 2 * LAYERS)]


def tokens(folder, name, numbers):
    path = folder / f"{name}.tokens.npy"
    write(path, "<i4", (1, len(numbers)), numbers)
    return path


def difference(generator, model, folder):
    whole = results(folder, generator, model, "whole", 7, [tokens(folder, "whole", TOKENS)])
    first = results(folder, generator, model, "first", 6,
                    [tokens(folder, "first", TOKENS[:6])])
    seen = folder / "seen.npy"
    write(seen, "|b1", (1, 1, 7), [True] * 7)
    inputs = [tokens(folder, "next", TOKENS[6:]), seen, *first[1:]]
    after = results(folder, generator, model, "after", 7, inputs, "--phase=decode")
    expected, got = floats(whole[0])[-61:], floats(after[0])
    assert len(expected) == len(got) == 61 and max(map(abs, got)) > 0.01
    return max(abs(a - b) for a, b in zip(expected, got))


def main():
    for model in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            apart = difference(sys.argv[1], model, pathlib.Path(folder))
        print(f"{model}: {'continues' if apart < 1e-4 else f'differs by {apart}'}")


main()
