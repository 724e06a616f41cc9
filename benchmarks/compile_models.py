#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what compiling whole models costs, against upstream in the same run.

    benchmarks/compile_models.py [--bin=build/bin] [--mlir-opt=mlir-opt-22] [--runs=5]

* The whole of Qwen2-7B in linalg, 28 layers, 512 tokens: processor time of --npu-compile to the
  phase `legal`, over that of mlir-opt --canonicalize --cse on the same file. At most 5.
* The same of four decoders and three networks of images in TOSA.
* 1 to 80 layers: processor time for each layer more, and memory. Constant, and below 1 GiB.
* 28 and 80 layers to the phase `scratchpad`: at most 0.8 s and 2.5 s, and growth with the
  number of layers to the power of at most 1.1.
* 4 to 512 tiles, one layer: time and size of the IR; 256 and 1,024 tiles to the phase
  `assigned`: at most 0.5 s and 5 s.
* Chains of 500 and 5,000 elementwise operations, to buffers and run: at most 2 s and 20 s;
  to buffers also beside upstream's bufferization of the same chain where each operation has
  an output of its own, and growth with the number to the power of at most 1.1.

Times are the least of several runs, of user and system together.
"""
import argparse
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
IN_TOSA = ("qwen2-7b", "qwen2-1.5b", "llama-3-8b", "phi-3-mini", "resnet50", "mobilenet",
           "swin")
DEVICE = ('module attributes {{dlti.target_system_spec = #dlti.target_system_spec<"NPU" = '
          '#dlti.target_device_spec<"npu.name" = "npu4000", "npu.tiles" = {0}, '
          '"npu.max_tiles" = {0}, "npu.scratchpad_bytes" = 68719476736>>}} {{')


def measured(command, runs):
    """The least processor time in seconds, and the most memory in bytes."""
    times, memory = [], 0
    for _ in range(runs):
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"error: {command[0]} ends with status {status}")
        times.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss * 1024)
    return min(times), memory


def written(work, tiles, *options):
    """A generated model on a device of that many tiles."""
    text = subprocess.run([sys.executable, ROOT / "scripts" / "generate-model.py",
                           "--weights=elided", *options], check=True, capture_output=True,
                          text=True).stdout
    path = work / "model.mlir"
    path.write_text(text.replace("module {", DEVICE.format(tiles), 1))
    return path


def chain(work, count, separate):
    """A chain of elementwise operations, as arith or with an output for each."""
    body, tensor = [], "tensor<1024xf32>"
    for i in range(count):
        name = "tanh" if i % 2 else "exp"
        if separate:
            body.append(f"  %e{i} = tensor.empty() : {tensor}\n"
                        f"  %v{i + 1} = linalg.{name} ins(%v{i} : {tensor}) "
                        f"outs(%e{i} : {tensor}) -> {tensor}\n")
        else:
            body.append(f"  %v{i + 1} = math.{name} %v{i} : {tensor}\n")
    path = work / "chain.mlir"
    path.write_text(f"func.func @main(%v0: {tensor}) -> {tensor} {{\n{''.join(body)}"
                    f"  return %v{count} : {tensor}\n}}\n")
    return path


def growth(less, more):
    """The exponent of growth between two pairs of size and time."""
    return math.log(more[1] / less[1]) / math.log(more[0] / less[0])


def main():
    """Prints the tables; exit code 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--mlir-opt", default=shutil.which("mlir-opt-22") or
                        "/usr/lib/llvm-22/bin/mlir-opt")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    opt, missed = given.bin / "npu-opt", []
    legal = [opt, "--npu-compile=compile-to=legal"]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        print("to legal, times mlir-opt --canonicalize --cse:")
        for name, form in (("qwen2-7b", "linalg"), *((name, "tosa") for name in IN_TOSA)):
            model = written(work, 4, f"--model={name}", f"--form={form}")
            ours, memory = measured([*legal, model], given.runs)
            theirs, _ = measured([given.mlir_opt, "--canonicalize", "--cse", model], given.runs)
            print(f"  {name}, {form}: {ours:.3f} s, {theirs:.3f} s, ratio {ours / theirs:.2f}; "
                  f"{memory / 2**20:.0f} MiB", flush=True)
            if ours > 5 * theirs:
                missed.append(f"{name} in {form} takes more than 5 times mlir-opt")
        print("layers: time, and for each layer more than one; memory")
        first = 0
        for layers in (1, 10, 20, 40, 80):
            model = written(work, 4, "--model=qwen2-7b", "--length=512", f"--layers={layers}")
            ours, memory = measured([*legal, model], given.runs)
            first = ours if layers == 1 else first
            each = (ours - first) / (layers - 1) * 1000 if layers > 1 else 0
            print(f"  {layers}: {ours:.3f} s, {each:.2f} ms; {memory / 2**20:.0f} MiB", flush=True)
            if memory > 2**30:
                missed.append(f"{layers} layers take more than 1 GiB")
        print("layers to scratchpad: time")
        times = []
        for layers, limit in ((28, 0.8), (80, 2.5)):
            model = written(work, 4, "--model=qwen2-7b", "--length=512", f"--layers={layers}",
                            "--part=layers")
            ours, _ = measured([opt, "--npu-compile=compile-to=scratchpad", model], given.runs)
            times.append((layers, ours))
            print(f"  {layers}: {ours:.3f} s", flush=True)
            if ours > limit:
                missed.append(f"{layers} layers to scratchpad take more than {limit} s")
        print(f"  growth: {growth(*times):.2f}")
        if growth(*times) > 1.1:
            missed.append("growth with layers to the power of more than 1.1")
        print("tiles: time, bytes of IR")
        for tiles in (4, 16, 64, 128, 256, 512):
            model = written(work, tiles, "--model=qwen2-7b", "--length=512", "--layers=1",
                            "--part=layers")
            output = work / "legal.mlir"
            ours, _ = measured([*legal, model, "-o", output], 2)
            print(f"  {tiles}: {ours:.3f} s, {output.stat().st_size} bytes", flush=True)
        print("tiles to assigned: time")
        for tiles, limit in ((256, 0.5), (1024, 5)):
            model = written(work, tiles, "--model=qwen2-7b", "--length=512", "--layers=1",
                            "--part=layers")
            ours, _ = measured([opt, "--npu-compile=compile-to=assigned", model], 2)
            print(f"  {tiles}: {ours:.3f} s", flush=True)
            if ours > limit:
                missed.append(f"{tiles} tiles are assigned in more than {limit} s")
        print("chains: to buffers, upstream's, ratio; run")
        times = []
        for count, limit in ((500, 2), (5000, 20)):
            upstream, _ = measured([given.mlir_opt, "--one-shot-bufferize="
                                    "bufferize-function-boundaries", chain(work, count, True)],
                                   given.runs)
            model = chain(work, count, False)
            ours, _ = measured([opt, "--npu-to-buffers", model], given.runs)
            run, _ = measured([given.bin / "npu-run", model], 1)
            times.append((count, ours))
            print(f"  {count}: {ours:.3f} s, {upstream:.3f} s, {ours / upstream:.2f}; "
                  f"{run:.2f} s", flush=True)
            if run > limit:
                missed.append(f"a chain of {count} runs in more than {limit} s")
        print(f"  growth: {growth(*times):.2f}")
        if growth(*times) > 1.1:
            missed.append("growth with chains to the power of more than 1.1")
    for limit in missed:
        print("error:", limit, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
