# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports every model of a folder and runs it on 0 1 2 ...; then compiles it for two
tiles and compares every bit with the run without tiles. Prints each model's name before
what it gives: import_and_run.py FOLDER WORK_DIRECTORY."""

import pathlib
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(" ".join(command), done.stdout, done.stderr, sep="\n")
        sys.exit(1)
    return done.stdout


def main():
    folder, work = map(pathlib.Path, sys.argv[1:])
    work.mkdir(parents=True, exist_ok=True)
    for model in sorted(folder.glob("*.onnx.txt"),
                        key=lambda path: path.name.removesuffix(".onnx.txt")):
        name = model.name.removesuffix(".onnx.txt")
        imported, legal = str(work / f"{name}.mlir"), str(work / f"{name}.legal.mlir")
        run("npu-translate", "--import-onnx", str(model), "-o", imported)
        print(name, run("npu-run", imported, "--inputs=iota"), sep="\n")
        run("npu-opt", imported, "--npu-compile=tiles=2 compile-to=legal gather=allow",
            "-o", legal)
        run("npu-run", legal, f"--reference={imported}", "--inputs=normal")


if __name__ == "__main__":
    main()
