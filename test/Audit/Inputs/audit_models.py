# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Audits small models of whole models, and says of each whether an operation is
STRUCTURAL.

usage: audit_models.py GENERATE_MODEL FOLDER few|all
"""

import json
import pathlib
import subprocess
import sys

GENERATE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER.mkdir(parents=True, exist_ok=True)

# Model, form, element type, seed.
FEW = [("llama-2-7b", "linalg", "f16", 0), ("resnet50", "tosa", "f32", 1)]
ALL = [
    (model, form, element, seed)
    for model in ("qwen2-7b", "llama-2-7b", "phi-3-mini", "minicpm-1b", "resnet50", "mobilenet",
                  "swin")
    for form in ("linalg", "tosa")
    for element in ("f16", "bf16", "f32")
    for seed in (0, 1)
]


def generate(model, form, element, seed):
    path = FOLDER / f"{model}-{form}-{element}-{seed}.mlir"
    size = [] if model in ("resnet50", "mobilenet", "swin") else ["--layers=1", "--length=7"]
    subprocess.run(
        [sys.executable, GENERATE, f"--model={model}", "--scale=small", f"--form={form}",
         f"--element={element}", f"--seed={seed}", "--weights=random", "-o", path, *size],
        check=True)
    return path


def audit(name, path, *options):
    done = subprocess.run(
        ["npu-run", path, "--audit", "--inputs=normal", "--format=json", *options],
        capture_output=True, text=True, check=False)
    if not done.stdout:
        print(f"{name}: failed: {done.stderr}")
        return
    report = json.loads(done.stdout)
    classes = {finding["class"] for finding in report["findings"]}
    print(f"{name}: {'structural' if 'STRUCTURAL' in classes else 'not structural'}")
    if "STRUCTURAL" in classes or report["class"] == "STRUCTURAL":
        print("  structural:", report["verdict"])


for variant in ALL if sys.argv[3] == "all" else FEW:
    audit("{} {} {} seed {}".format(*variant), generate(*variant), f"--seed={variant[3]}")
for model in ("resnet50", "qwen2-7b") if sys.argv[3] == "all" else ("resnet50",):
    original = generate(model, "linalg", "f32", 0)
    legal = FOLDER / f"{model}-legal.mlir"
    subprocess.run(
        ["npu-opt", original, "--npu-compile=target=npu4000 compile-to=legal", "-o", legal],
        check=True, capture_output=True)
    audit(f"{model} on tiles", legal, f"--reference={original}")
