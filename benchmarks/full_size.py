#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles full-size models for the devices as they are, down to planned scratchpads.

    benchmarks/full_size.py [--bin=build/bin] [--quick] [WORD...]

One layer of each decoder, 128, 336, 512 and 1,024 tokens of prefill and decodes with caches
of 128, 512 and 1,024; the models of images at 224; and Qwen2-7B with all its layers, its
embedding and its head. For each, on npu3720 and npu4000: how many operations run in steps,
the modelled time, what DDR moves beside every argument and result once, how long compiling
takes, and its memory. With words, only rows that have all of them; with --quick, decodes and
prefill of 128 and 512 tokens. Exits with 1 if something does not compile.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECODERS = ("qwen2-7b", "qwen2.5-7b", "qwen2-1.5b", "qwen2.5-3b", "llama-2-7b", "llama-3-8b",
            "minicpm-1b", "minicpm-2b", "phi-3-mini")
IMAGES = ("resnet50", "mobilenet", "swin", "swin-large")
CLOCKS = {"npu3720": 1.3e9, "npu4000": 1.7e9}


def rows(quick):
    """Names of rows, and how their model is generated."""
    prefill = (128, 512) if quick else (128, 336, 512, 1024)
    for model in DECODERS:
        for phase, lengths in (("prefill", prefill), ("decode", (128, 512, 1024))):
            for length in lengths:
                yield (f"{model} layer {phase} {length}",
                       [f"--model={model}", f"--phase={phase}", f"--length={length}",
                        "--layers=1", "--part=layers", "--weights=arguments"])
    for model in IMAGES:
        yield f"{model} 224", [f"--model={model}", "--weights=arguments"]
    yield "qwen2-7b whole 512", ["--model=qwen2-7b", "--weights=arguments"]


def measured(command):
    """Seconds of processor time, bytes of memory, and what it printed as an error."""
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL,
                                 stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        errors.seek(0)
        error = next((line for line in errors if "error:" in line), "ends without an error\n")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, error if status else ""


def compiled(opt, model, device, folder):
    """What compiling a model for a device gives, by name; {"error": ...} where it is
    refused."""
    assigned, costs = folder / "assigned.mlir", folder / "costs.txt"
    seconds, memory, error = measured(
        [opt, model, f"--npu-compile=target={device} compile-to=scratchpad", "-o", os.devnull])
    if error:
        return {"error": error.strip()[:200]}
    measured([opt, model, f"--npu-compile=target={device} compile-to=assigned", "-o", assigned])
    measured([opt, assigned, f"--npu-print-costs=target={device} output-file={costs}", "-o",
              os.devnull])
    text = costs.read_text()
    total = int(re.search(r"^ *(\d+)  total$", text, re.MULTILINE).group(1))
    moved, bound = map(int, re.search(r"^ *(\d+) bytes from and to DDR, at least (\d+)", text,
                                      re.MULTILINE).groups())
    return {"steps": assigned.read_text().count("npu.steps"), "ms": 1000 * total / CLOCKS[device],
            "moved": moved, "bound": bound, "seconds": seconds, "bytes": memory}


def generate(arguments, model):
    subprocess.run([sys.executable, ROOT / "scripts" / "generate-model.py", *arguments,
                    f"--output={model}"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    failed = 0
    print("| model | device | in steps | modelled ms | DDR bytes | of its bound | compiled in s | MB |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.mlir"
        for name, arguments in rows(options.quick):
            devices = [device for device in CLOCKS
                       if all(word in f"{name} {device}".split() for word in options.words)]
            if not devices:
                continue
            generate(arguments, model)
            for device in devices:
                row = compiled(options.bin / "npu-opt", model, device, pathlib.Path(folder))
                if "error" in row:
                    failed += 1
                    print(f"| {name} | {device} | {row['error']} | | | | | |", flush=True)
                    continue
                print(f"| {name} | {device} | {row['steps']} | {row['ms']:.2f} | {row['moved']:,} "
                      f"| {row['moved'] / row['bound']:.2f} | {row['seconds']:.1f} "
                      f"| {row['bytes'] / 1e6:.0f} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
