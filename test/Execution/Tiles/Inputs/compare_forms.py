# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model in TOSA and in linalg, lowers the first with upstream's passes, and
runs both on the same inputs.

usage: compare_forms.py GENERATOR MODEL... [-- OPTION...]
"""
import pathlib
import subprocess
import sys
import tempfile

# Upstream's way from TOSA to linalg.
LOWER = ("builtin.module(func.func(tosa-optional-decompositions,tosa-infer-shapes,"
         "tosa-make-broadcastable,tosa-to-linalg-named,canonicalize,tosa-to-linalg,"
         "tosa-to-arith,tosa-to-tensor),canonicalize,cse)")


def compare(generator, model, options, folder):
    tosa, linalg, lowered = (folder / f"{name}.mlir" for name in ("tosa", "linalg", "lowered"))
    for form, path in (("tosa", tosa), ("linalg", linalg)):
        run(sys.executable, generator, f"--model={model}", f"--form={form}",
            "--scale=small", f"--output={path}", *options)
    run("mlir-opt", tosa, f"--pass-pipeline={LOWER}", "-o", lowered)
    run("mlir-opt", linalg, "-o", "/dev/null")
    return run("npu-run", lowered, f"--reference={linalg}", "--inputs=normal",
               "--tolerance=0.0001", "-O0")


def run(*command):
    done = subprocess.run([str(word) for word in command], check=False, text=True,
                          stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"error: exit code {done.returncode}: {' '.join(map(str, command))}\n"
                 f"{done.stdout}")
    return done.stdout


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    with tempfile.TemporaryDirectory() as folder:
        for model in words[1:at]:
            said = compare(words[0], model, words[at + 1:], pathlib.Path(folder))
            ending = said.splitlines()[-1]
            finite = "not finite" if "NaN or infinite" in said else "finite"
            print(f"{model}: {ending}, {finite}")


main()
