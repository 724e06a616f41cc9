#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills in what the commands in the documentation print, and runs those that it shows.

A line `<!-- output: COMMAND -->` in a page is followed by a code block with the
output of COMMAND, standard error included, run from the project's root (build/
and examples/ are there) with the imported field log as failing.mlir. With
--check nothing is written, and a block that is not what the command prints is
an error.

With --commands, every command block of README.md, CONTRIBUTING.md, docs/*.md and
the READMEs of examples/ and benchmarks/ is run as it is printed: all blocks of a
page one after the other, in a new folder that has build/, examples/ and scripts/,
with the tools on PATH. A command block is one that is indented, or fenced as
`sh`; every other block is fenced with its language. A command has to exit with 0,
or with what its line says (`# exit 1`). A block that is not run has the reason on
the line before it: `<!-- not run: it takes an hour -->`.

    scripts/update-doc-outputs.py [--check | --commands] [BUILD_DIRECTORY] [PAGE...]
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = re.compile(r"(<!-- output: (.+?) -->\n)(\n?```text\n(?:(?!```).*\n)*```\n)?")
IMPORT = ["build/bin/npu-translate", "--import-npu-log",
          "examples/prompt-336.log", "-o", "failing.mlir"]
SHOWN = ("README.md", "CONTRIBUTING.md", "docs/*.md", "examples/README.md",
         "benchmarks/README.md")
FENCE = re.compile(r"^ *```(\w*)")
NOT_RUN = re.compile(r"^<!-- not run:(.*)-->$")
TIMEOUT = 300  # seconds for a block, on a machine that does other things as well
EXIT = re.compile(r"# exit (\d+)")
# What a block that is not run as commands may not have at the beginning of a line.
COMMAND = re.compile(r"^ *\$? *(?:build/bin/)?(?:npu-(?:opt|run|compile|inspect|translate|"
                     r"fuzz)|scripts/[\w.-]+|mlir-opt) ")


def prepare(work, build):
    """What a page's commands find in their folder."""
    (work / "build").symlink_to(build)
    for name in ("examples", "scripts", "test"):
        (work / name).symlink_to(ROOT / name)


class Block:
    """Lines that a page shows as commands, or as something else."""

    def __init__(self, line, language):
        self.line, self.language, self.text = line, language, []
        self.reason = None  # why it is not run; None where it is
        self.is_output = False


def blocks(text):
    """All code blocks of a page."""
    block, fenced, above, reason, is_output = None, False, "", None, False
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fenced and not fence:
            block.text.append(line)
            continue
        if fence and fenced:
            yield block
            block, fenced, above = None, False, line
            continue
        if not fence and block and (line.startswith("    ") or not line.strip()):
            block.text.append(line[4:])
            continue
        if block:
            yield block
            block = None
        if fence or (line.startswith("    ") and not above.strip()):
            block = Block(number, fence[1] if fence else "sh")
            block.reason, block.is_output = reason, is_output
            fenced = bool(fence)
            if not fence:
                block.text.append(line[4:])
        if line.strip():
            mark = NOT_RUN.match(line.strip())
            reason = mark[1].strip() if mark else None
            is_output = line.startswith("<!-- output:")
        above = line
    if block:
        yield block


def commands(block):
    """The commands of a block, each with the number of its line: a command goes on
    where a quote is open, and after a backslash."""
    text, begin = "", 0
    for offset, line in enumerate(block.text):
        if not text and not line.split("#")[0].strip():
            continue
        begin = begin if text else block.line + offset
        text += line + "\n"
        try:
            shlex.split(text, comments=True)
        except ValueError:
            continue
        if not line.endswith("\\"):
            yield begin, text
            text = ""
    if text:
        yield begin, text


def script(block):
    """The block as one program of the shell, which says on descriptor 3 in which line
    a command did not exit as it should."""
    lines = ["set -o pipefail"]
    for number, text in commands(block):
        code = EXIT.search(text)
        lines += [text, f"status=$?; if [ $status != {code[1] if code else 0} ]; "
                  f"then echo {number} $status >&3; exit; fi"]
    return "\n".join(lines) + "\n"


def complaints(page, build, without_onnx=False):
    """What is wrong with the command blocks of a page, which are run."""
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        prepare(work, build)
        environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}"}
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language != "sh":
                shown = [line for line in block.text if COMMAND.match(line)]
                if shown and not block.is_output:
                    yield f"{block.line}: a command in a block that is not run: {shown[0].strip()}"
                continue
            if block.reason == "":
                yield f"{block.line}: expected a reason in '<!-- not run: -->'"
            if block.reason is not None or (without_onnx and "onnx" in "".join(block.text)):
                continue
            with open(work / ".failed", "w+", encoding="utf-8") as failed:
                try:
                    ran = subprocess.run(
                        ["bash", "-c", f"exec 3>&{failed.fileno()}\n" + script(block)],
                        cwd=work, env=environment, text=True, pass_fds=[failed.fileno()],
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, timeout=TIMEOUT)
                except subprocess.TimeoutExpired:
                    yield f"{block.line}: takes longer than {TIMEOUT} s"
                    continue
                failed.seek(0)
                answer = failed.read().split()
            if answer:
                yield (f"{answer[0]}: exits with {answer[1]}: " +
                       page.read_text(encoding="utf-8").splitlines()[int(answer[0]) - 1].strip() +
                       "\n" + "\n".join(line[:160] for line in ran.stdout.splitlines()[-5:]))
            elif ran.returncode != 0:
                yield f"{block.line}: exits with {ran.returncode}\n{ran.stdout[-400:]}"


def run_commands(build, pages, without_onnx):
    found = [f"{page.relative_to(ROOT)}:{what}" for page in pages
             for what in complaints(page, build, without_onnx)]
    if found:
        sys.exit("\n".join(found))


def update(build, pages, check, without_onnx):
    stale = []
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        prepare(work, build)
        subprocess.run(IMPORT, cwd=work, check=True, stderr=subprocess.DEVNULL)

        def filled(match):
            if without_onnx and "onnx" in match[2]:
                return match[0]
            ran = subprocess.run(match[2], shell=True, cwd=work, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            # Source lines that diagnostics quote are a whole log wide.
            lines = [line if len(line) <= 160 else line[:157] + "..."
                     for line in ran.stdout.strip("\n").splitlines()]
            return f"{match[1]}\n```text\n" + "\n".join(lines) + "\n```\n"

        for page in pages:
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--commands", action="store_true", help="run the commands that pages show")
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="only these")
    given = parser.parse_args()
    build = given.build.resolve()
    help_text = subprocess.run([build / "bin/npu-translate", "--help"],
                               capture_output=True, text=True, check=True).stdout
    without_onnx = "not in this build" in help_text
    patterns = SHOWN if given.commands else ("docs/**/*.md",)
    pages = [page.resolve() for page in given.pages] or [
        page for pattern in patterns for page in sorted(ROOT.glob(pattern))]
    if given.commands:
        run_commands(build, pages, without_onnx)
    else:
        update(build, pages, given.check, without_onnx)


if __name__ == "__main__":
    main()
