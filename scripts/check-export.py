#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes an exported model (TOSA or linalg) all the way to compared results.

    scripts/check-export.py FILE [--function=NAME] [--tiles=4] [--strategy=least]
        [--inputs=KIND] [--tolerance=X] [--keep=DIRECTORY] [--bin=build/bin]

FILE may have a program around the model: clocks, printing, a `main` that makes
inputs. In four commands, each of which is printed, one function is taken out of it
and lowered to linalg by upstream's passes, its tensors get layouts on tiles, they
are legalized and verified strictly, and both sides run on the same inputs, weights
among them scaled by their fan-in. Exits with 0 if the results are equal and finite.
"""
import argparse
import array
import ast
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import time

def run(*command):
    """Runs a command that has to succeed."""
    print("$", shlex.join(map(str, command)), flush=True)
    begin = time.monotonic()
    code = subprocess.run(list(map(str, command)), check=False).returncode
    if code != 0:
        sys.exit(f"error: exit code {code} after {time.monotonic() - begin:.1f} s; "
                 "--keep=DIRECTORY keeps the files in between")


def floats(path, is_bfloat):
    """The numbers of a .npy file of floats; None of another element type. A file
    has no type bf16: its numbers are there as they lie in two bytes."""
    data = path.read_bytes()
    # Version 1.0: six bytes of magic, two of version, two of the header's length.
    length = struct.unpack_from("<H", data, 8)[0]
    kind = ast.literal_eval(data[10:10 + length].decode("latin-1"))["descr"]
    body = data[10 + length:]
    if kind in ("<f4", "<f8"):
        return array.array("f" if kind == "<f4" else "d", body)
    if kind == "<u2" and is_bfloat:
        # As a float whose lower half is 0.
        return [struct.unpack("<f", b"\0\0" + body[i:i + 2])[0]
                for i in range(0, len(body), 2)]
    if kind == "<f2":
        return [number for (number,) in struct.iter_unpack("<e", body)]
    return None


def check_finite(directory, is_bfloat):
    """Fails where a result has a NaN or an infinity: on both sides they would be
    equal, and nothing would have been compared."""
    for path in sorted(directory.glob("result*.npy")):
        numbers = floats(path, is_bfloat)
        if numbers is None:
            continue
        # x - x is 0 of finite numbers alone.
        bad = sum(1 for number in numbers if number - number != 0)
        if bad:
            sys.exit(f"error: {bad} of {len(numbers)} elements of {path.name} are "
                     "NaN or infinite, which compares nothing")
        print(f"{path.name}: all {len(numbers)} elements are finite")


def check(given, work):
    opt, runner = given.bin / "npu-opt", given.bin / "npu-run"
    plain, assigned, legal = (work / f"{name}.mlir"
                              for name in ("plain", "assigned", "legal"))
    isolate = "--npu-isolate-computation"
    if given.function:
        isolate += f"=function={given.function}"
    run(opt, given.file, isolate, "--npu-compile=compile-to=input", "-o", plain)
    run(opt, plain, "--npu-compile=compile-from=input compile-to=assigned "
        f"strategy={given.strategy} tiles={given.tiles}", "-o", assigned)
    run(opt, assigned, "--npu-compile=compile-from=assigned compile-to=legal", "-o", legal)
    entry = given.function or only_entry(plain)
    run(runner, legal, f"--reference={plain}", f"--entry={entry}",
        f"--tolerance={given.tolerance}", f"--inputs={given.inputs}",
        f"--output={work / 'result.npy'}")
    # bf16 looks like an integer of 16 bits in the file, and those have no NaN.
    text = plain.read_text(encoding="utf-8")
    check_finite(work, "bf16" in text and "i16" not in text)


def only_entry(plain):
    """The first function that others may call; npu-isolate-computation left one."""
    for line in plain.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("func.func @"):
            return line.split("@", 1)[1].split("(", 1)[0].strip('"')
    sys.exit(f"error: expected a function in {plain}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("file", type=pathlib.Path)
    arguments.add_argument("--function", default="",
                           help="the function to take; the only one that takes tensors")
    arguments.add_argument("--tiles", type=int, default=4)
    arguments.add_argument("--strategy", default="least",
                           help="as npu-assign-distributions takes it")
    arguments.add_argument("--inputs", default="normal",
                           help="a kind of inputs or .npy files, as npu-run takes them")
    arguments.add_argument("--tolerance", default="0",
                           help="what may differ, as npu-run takes it")
    arguments.add_argument("--keep", type=pathlib.Path,
                           help="a directory for the files in between")
    root = pathlib.Path(__file__).resolve().parent.parent
    arguments.add_argument("--bin", type=pathlib.Path, default=root / "build/bin")
    given = arguments.parse_args()
    if not os.access(given.bin / "npu-opt", os.X_OK):
        sys.exit(f"error: expected npu-opt in {given.bin}; scripts/build.sh builds it")
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        check(given, given.keep)
        return
    with tempfile.TemporaryDirectory() as work:
        check(given, pathlib.Path(work))


if __name__ == "__main__":
    main()
