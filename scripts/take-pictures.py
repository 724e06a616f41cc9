#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the pictures of docs/page.md anew, with the tools of a build and Chromium.

    scripts/take-pictures.py build
    scripts/take-pictures.py build --time=MODEL.mlir    how long it takes to open the
                                                        page of a file and all its layers
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))
# pylint: disable=wrong-import-position
from page import make_pages, run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--time", type=pathlib.Path)
    chosen = parser.parse_args()
    build = chosen.build.resolve()
    packages, web = build / "web/node_modules", ROOT / "web/test"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if chosen.time:
            page = folder / "page.html"
            run(build / "bin/npu-translate", "--npu-to-html", chosen.time, "-o", page)
            run("node", web / "time.mjs", packages, page)
            return 0
        make_pages(build / "bin", folder)
        run(build / "bin/npu-translate", "--npu-to-html", ROOT / "examples/residual.mlir",
            "--npu-page-compile=target=npu4000", "-o", folder / "residual.html", stderr=subprocess.DEVNULL)
        pictures = ROOT / "docs/pictures"
        pictures.mkdir(exist_ok=True)
        run("node", web / "pictures.mjs", packages, folder, pictures)
        for picture in sorted(pictures.glob("*.png")):
            print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
