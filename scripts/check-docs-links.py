#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that what the documentation points to is there.

Links to files and to their headings, and names of files in `backticks` that
begin with a folder of the project or with a room: `lib/Placement/Boxes/Box.cpp`,
`Placement/Boxes/Box`. A part in capitals stands for any name. Prints one line
for everything that is missing; exits with 1 if something is.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("benchmarks", "docs", "examples", "include", "lib", "scripts", "test", "tools")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`([A-Za-z][\w.-]*(?:/[\w.*-]+)+)/?`")
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


def headings(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")


def is_there(name):
    """Whether a file is there, by its path or by its room and its stem."""
    pattern = re.sub(r"\b[A-Z]{2,}\b", "*", name)
    if name.split("/")[0] in FOLDERS:
        return any(ROOT.glob(pattern))
    return any(any((ROOT / top).glob(pattern + end))
               for top in ("lib", "include/npu") for end in ("", ".h", ".cpp", ".td"))


def complaints(page):
    text = CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"no file '{link}'"
        elif anchor and anchor not in headings(target):
            yield f"no heading '{link}'"
    rooms = {path.name for top in ("lib", "include/npu") for path in (ROOT / top).iterdir()}
    for name in PATH.findall(text):
        if name.split("/")[0] in rooms.union(FOLDERS) and not is_there(name):
            yield f"no file '{name}'"


def main():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("benchmarks/*.md"),
             *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    found = [f"{page.relative_to(ROOT)}: {what}" for page in sorted(pages)
             for what in complaints(page)]
    print("".join(line + "\n" for line in found), end="", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
