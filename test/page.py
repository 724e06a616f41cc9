#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes pages of everything that the page takes, and has a browser walk through
them; runs the tests of the page's own source first.

    test/page.py BUILD              BUILD has bin/ and web/, where packages are
    test/page.py BUILD --keep=DIR   leaves the pages there
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A location, a name, a file and an operation that would do something if they were
# more than text.
SCRIPT = r"""
func.func @main(%a: tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> loc("<script>window.broken = 1</script>")) -> tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> {
  %0 = npu.redistribute %a : tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> to tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 2>> loc(fused["<script>window.broken = 1</script>", "</script><img src=x onerror='window.broken = 2'>", "-->\"<!--<script>", "<b>.mlir":1:2])
  %1 = npu.redistribute %0 : tensor<4x4xf32, #npu.layout<DUPLICATED, tiles = 2>> to tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  return %1 : tensor<4x4xf32, #npu.layout<SEGMENTED, tiles = [2, 1]>> loc("<img src=x onerror='window.broken = 3'>")
} loc("<script>window.broken = 1</script>")
"""

NOWHERE = r"""
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
func.func @main(%a: tensor<4x4xf32, #rows> loc(unknown)) -> tensor<4x4xf32, #columns> {
  %0 = npu.permute_cast %a mem_perm = [0, 1] : tensor<4x4xf32, #rows> to tensor<4x4xf32, #columns> loc(unknown)
  return %0 : tensor<4x4xf32, #columns> loc(unknown)
} loc(unknown)
"""


def run(*command, **options):
    subprocess.run([str(each) for each in command], check=True, **options)


def check_types(packages, folder):
    """Has TypeScript check the source of the page, which the bundler does not do."""
    settings = json.loads((ROOT / "web/tsconfig.json").read_text(encoding="utf-8"))
    settings["include"] = [str(ROOT / "web/src")]
    settings["compilerOptions"]["paths"] = {"@dagrejs/*": [str(packages / "@dagrejs/*")]}
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    run("node", packages / "typescript/bin/tsc", "-p", folder)


def make_pages(tools, folder):
    """One page for each kind of file."""
    examples = ROOT / "examples"

    def page(name, source, *options):
        run(tools / "npu-translate", "--npu-to-html", source, "-o", folder / f"{name}.html", *options,
            stderr=subprocess.DEVNULL)

    page("field-log", examples / "prompt-336.log", "--npu-page-compile=target=npu4000")
    page("field-dump", examples / "field-dump.mlir", "--npu-page-compile=target=npu4000")
    # A dump of operations that passes know by name only.
    page("field-edges", ROOT / "test/Translation/Dump/edges.mlir")
    generate = [sys.executable, ROOT / "scripts/generate-model.py", "--weights=splat"]
    decoder, images = folder / "decoder-layer.mlir", folder / "convolutions.mlir"
    run(*generate, "--model=qwen2-1.5b", "--part=layers", "--layers=1", "--length=128", "-o", decoder)
    run(*generate, "--model=resnet50", "--scale=small", "--layers=2", "-o", images)
    page("decoder-layer", decoder, "--npu-page-compile=target=npu4000")
    page("convolutions", images, "--npu-page-compile=target=npu4000")
    artefact = folder / "feed-forward.npub"
    run(tools / "npu-compile", examples / "feed-forward.mlir", "--target=npu4000", "-o", artefact,
        stderr=subprocess.DEVNULL)
    page("artefact", artefact)
    # Nothing says where it comes from.
    nowhere = folder / "nowhere.mlir"
    nowhere.write_text(NOWHERE, encoding="utf-8")
    page("nowhere", nowhere)
    script = folder / "script.mlir"
    script.write_text(SCRIPT, encoding="utf-8")
    page("script", script)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    chosen = parser.parse_args()
    build = chosen.build.resolve()
    packages = build / "web/node_modules"
    if not packages.exists():
        print("skipped: the page is not built, because Node.js or its packages are missing")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_types(packages, folder)
        run("node", ROOT / "web/build.mjs", f"--packages={packages}", f"--tests={folder / 'tests'}")
        run("node", "--test", *sorted((folder / "tests").glob("*.mjs")), stdout=subprocess.DEVNULL)
        make_pages(build / "bin", folder)
        if chosen.keep:
            shutil.copytree(folder, chosen.keep, dirs_exist_ok=True)
        if not shutil.which("chromium"):
            print("skipped: chromium is missing")
            return 77
        run("node", ROOT / "web/test/page.mjs", packages, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
