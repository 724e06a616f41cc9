#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills in what the commands in the documentation print.

A line `<!-- output: COMMAND -->` in a page is followed by a code block with the
output of COMMAND, standard error included, run from the project's root (build/
and examples/ are there) with the imported field log as failing.mlir. With
--check nothing is written, and a block that is not what the command prints is
an error.

    scripts/update-doc-outputs.py [--check] [BUILD_DIRECTORY]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = re.compile(r"(<!-- output: (.+?) -->\n)(\n?```text\n.*?\n```\n)?", re.DOTALL)
IMPORT = ["build/bin/npu-translate", "--import-npu-log",
          "examples/prompt-336.log", "-o", "failing.mlir"]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    check = len(arguments) != len(sys.argv) - 1
    build = pathlib.Path(arguments[0] if arguments else ROOT / "build").resolve()
    stale = []
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        (work / "build").symlink_to(build)
        (work / "examples").symlink_to(ROOT / "examples")
        subprocess.run(IMPORT, cwd=work, check=True, stderr=subprocess.DEVNULL)

        def filled(match):
            ran = subprocess.run(match[2], shell=True, cwd=work, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            # Source lines that diagnostics quote are a whole log wide.
            lines = [line if len(line) <= 160 else line[:157] + "..."
                     for line in ran.stdout.strip("\n").splitlines()]
            return f"{match[1]}\n```text\n" + "\n".join(lines) + "\n```\n"

        help_text = subprocess.run(["build/bin/npu-translate", "--help"], cwd=work,
                                   capture_output=True, text=True).stdout
        without_onnx = "not in this build" in help_text
        for page in sorted(ROOT.glob("docs/**/*.md")):
            if without_onnx and page.name == "onnx.md":
                continue
            text = page.read_text()
            new = MARKER.sub(filled, text)
            if new == text:
                continue
            stale.append(page.relative_to(ROOT))
            if not check:
                page.write_text(new)
    if check and stale:
        sys.exit("stale output in " + ", ".join(map(str, stale)) +
                 "; run scripts/update-doc-outputs.py")


if __name__ == "__main__":
    main()
