# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles generated models with npu-compile, and compares them with the originals.

usage: compile_models.py GENERATOR [--targets=npu4000,npu3720,sixteen] [--forms=tosa,linalg]
           [--phases=prefill,decode] [--rotate] [--compile=OPTIONS] MODEL... [-- OPTION...]

`sixteen` is a device of 16 tiles that the model's module describes. OPTION is one of
the generator's, OPTIONS are npu-compile's. Prints one line for each compilation; exits
with 1 if one failed. With --rotate, a model is compiled in one form and phase for one
target, and the next model in the next ones.
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

SIXTEEN = (
    'module attributes {dlti.target_system_spec = #dlti.target_system_spec<'
    '"NPU" = #dlti.target_device_spec<"npu.name" = "sixteen", "npu.tiles" = 16, '
    '"npu.scratchpad_bytes" = 4194304, "npu.dma_ports" = 4, '
    '"npu.ddr_bytes_per_second" = 90000000000, "npu.clock_hz" = 1000000000, '
    '"npu.channel_alignment" = 16>>} {')
# They have no phases.
OF_IMAGES = ("resnet50", "mobilenet", "swin", "swin-large")


class Failed(Exception):
    """A command failed; the text is its last words."""


def run(*command):
    done = subprocess.run([str(word) for word in command], check=False, text=True,
                          capture_output=True)
    if done.returncode:
        said = (done.stdout + done.stderr).splitlines()
        errors = [line for line in said if "error" in line] or said
        raise Failed(" | ".join(errors[:2] + done.stdout.splitlines()[-1:])[:600])
    return done.stdout


def check(model, target, given, folder):
    original, compiled = folder / "model.mlir", folder / "compiled.mlir"
    text = run(sys.executable, given.generator, "--scale=small", *model, *given.options)
    if target == "sixteen":
        text = re.sub(r"^module \{", SIXTEEN, text, count=1, flags=re.MULTILINE)
    original.write_text(text, encoding="utf-8")
    device = "" if target == "sixteen" else f"target={target}"
    run("npu-opt", original, f"--npu-compile={device} {given.compile}", "-o", compiled)
    said = run("npu-run", compiled, f"--reference={original}", "--inputs=normal", "-O0")
    finite = "not finite" if "NaN or infinite" in said else "finite"
    return f"{said.splitlines()[-1]}, {finite}"


def combinations(given):
    """What is compiled: model, form, phase, target."""
    if given.rotate:
        return [(model, given.forms[number % len(given.forms)],
                 given.phases[number // 2 % len(given.phases)],
                 given.targets[number % len(given.targets)])
                for number, model in enumerate(given.models)]
    return [words for words in itertools.product(given.models, given.forms, given.phases,
                                                 given.targets)
            if words[0] not in OF_IMAGES or words[2] == given.phases[0]]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("generator")
    arguments.add_argument("models", nargs="+")
    for name, default in (("targets", "npu4000,npu3720,sixteen"), ("forms", "tosa,linalg"),
                          ("phases", "prefill,decode")):
        arguments.add_argument(f"--{name}", default=default, type=lambda text: text.split(","))
    arguments.add_argument("--rotate", action="store_true")
    arguments.add_argument("--compile", default="gather=allow", help="npu-compile's options")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    given = arguments.parse_args(words[:at])
    given.options = words[at + 1:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for model, form, phase, target in combinations(given):
            wanted = [f"--model={model}", f"--form={form}"]
            if model not in OF_IMAGES:
                wanted.append(f"--phase={phase}")
            name = " ".join([model, form, "image" if model in OF_IMAGES else phase, target])
            try:
                print(f"{name}: {check(wanted, target, given, pathlib.Path(folder))}", flush=True)
            except Failed as failed:
                failures += 1
                print(f"{name}: FAILED: {failed}", flush=True)
    sys.exit(failures > 0)


main()
