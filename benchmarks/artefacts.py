#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cache hits beside compilations, and artefacts beside IR, in one run.

For several models: the time of a whole process of npu-compile that finds its
artefact in the cache, relative to the one that compiled it (asked for: at most
0.1), and of npu-run on the artefact relative to npu-run on the model, which
compiles it for one thread without tiles.

    benchmarks/artefacts.py [BUILD/bin]
"""

import pathlib
import subprocess
import sys
import tempfile
import time

MODELS = {
    "decoder, 2 small layers, f32": ["--model=qwen2-7b", "--scale=small"],
    "ResNet, small": ["--model=resnet50", "--scale=small"],
    "MobileNet V2, 96 pixels, f16": ["--model=mobilenet", "--image=96"],
}


def seconds(*command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(binaries, options, folder):
    source = pathlib.Path(__file__).parent.parent / "scripts" / "generate-model.py"
    model, artefact = folder / "model.mlir", folder / "model.npub"
    seconds(source, *options, "--weights=resource", "--form=linalg", "-o", model)
    compile_ = [
        binaries / "npu-compile",
        model,
        "--target=npu4000",
        f"--cache-dir={folder / 'cache'}",
        "-o",
        artefact,
    ]
    miss = seconds(*compile_)
    first = artefact.read_bytes()
    hit = min(seconds(*compile_) for _ in range(5))
    assert artefact.read_bytes() == first, "expected the same bytes from the cache"
    loaded = min(seconds(binaries / "npu-run", artefact, "--inputs=normal") for _ in range(3))
    compiled = seconds(binaries / "npu-run", model, "--inputs=normal")
    return miss, hit, loaded, compiled


def main():
    binaries = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
    print(f"{'model':30} {'miss':>8} {'hit':>8} {'hit/miss':>9} {'run':>8} {'run/IR':>8}")
    for name, options in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            miss, hit, loaded, compiled = measure(binaries, options, pathlib.Path(folder))
        print(
            f"{name:30} {miss:7.2f}s {hit:7.3f}s {hit / miss:9.3f} "
            f"{loaded:7.3f}s {loaded / compiled:8.2f}"
        )


if __name__ == "__main__":
    main()
