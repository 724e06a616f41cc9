# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every phase of npu-compile goes on from what each phase before it has printed, and
prints what it prints where all of them run in one go.

usage: compile_pairs.py MODEL [OPTIONS]     (OPTIONS of npu-compile)
"""
import pathlib
import subprocess
import sys
import tempfile

PHASES = ("input", "padded", "assigned", "streamed", "legal", "tiles", "scratchpad", "llvm")


def compiled(text, options, first, last):
    options = f"{options} compile-from={first} compile-to={last}"
    done = subprocess.run(["npu-opt", "-", f"--npu-compile={options}"], input=text, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"error: from {first} to {last}: {done.stderr}")
    return done.stdout


def main():
    model = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    options = sys.argv[2] if len(sys.argv) > 2 else ""
    written = {"start": model}
    for phase in PHASES:
        written[phase] = compiled(model, options, "start", phase)
    pairs = 0
    for first in PHASES:
        for last in PHASES[PHASES.index(first):]:
            if compiled(written[first], options, first, last) != written[last]:
                sys.exit(f"error: from {first} to {last} differs from one go")
            pairs += 1
    with tempfile.TemporaryDirectory() as folder:
        for phase in ("input", "padded", "legal", "tiles", "scratchpad"):
            path = pathlib.Path(folder, "compiled.mlir")
            path.write_text(written[phase], encoding="utf-8")
            done = subprocess.run(["npu-run", path, f"--reference={sys.argv[1]}", "-O0"],
                                  text=True, capture_output=True, check=False)
            print(f"{phase}: {(done.stdout or done.stderr).splitlines()[-1]}")
    print(f"{pairs} pairs are the same")


main()
