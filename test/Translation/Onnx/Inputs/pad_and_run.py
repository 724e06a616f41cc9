# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports every model of a folder with its named dimensions as prompts; then compiles it,
padded on the right and on the left with poison, and compares every bit at every length
with the program as it was imported: pad_and_run.py FOLDER."""

import pathlib
import re
import subprocess
import sys

LONGEST = 6


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(" ".join(command), done.stdout, done.stderr, sep="\n")
        sys.exit(1)
    return done.stdout


def main():
    folder = pathlib.Path(sys.argv[1])
    for model in sorted(folder.glob("*.onnx.txt"), key=lambda path: path.name.split(".")[0]):
        signature = re.search(r"agraph \((.*?)\) =>", model.read_text())[1]
        shapes = [f"--input-shape={name}:" + "x".join(
                      extent if extent.isdigit() else "?" for extent in extents.split(","))
                  for extents, name in re.findall(r"\w+\[([^]]*)\] (\w+)", signature)]
        imported = str(model.with_suffix(".mlir"))
        run("npu-translate", "--import-onnx", str(model), "-o", imported, *shapes)
        sides = []
        # No level of optimization changes a bit: each side is run at another one.
        for side, level in (("right", "-O2"), ("left", "-O0")):
            run("npu-run", imported, level, f"--length=1..{LONGEST}", "--compile=compile-to=tiles "
                f"tiles=2 max-prompt-len={LONGEST} side={side} poison")
            sides.append(f"{side} equal")
        print(f"{model.name.split('.')[0]}: {', '.join(sides)}")


if __name__ == "__main__":
    main()
