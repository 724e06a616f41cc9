#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that operations on tensors are known by name in their models only.

What there is to say of an operation of tensor, tosa or linalg that has no
LinalgOp, or of one of linalg's named operations, stands in lib/ExternalModels;
everybody else asks through npu/Interfaces. Other files may name such an
operation only where they build it, or where it is lowered. Prints every other mention; exits with 1 if
there is one.
"""

import pathlib
import re
import sys

NAMED = re.compile(
    r"\b(?:(?:tensor|tosa)::[A-Z]\w*Op|"
    r"linalg::(?:Softmax|Fill|Transpose|Pack|UnPack|Broadcast|Map|Reduce|Copy)Op)\b"
)
BUILT = re.compile(r"::create|\bcreate<[\w:]+>|NewOp<[\w:]+>|createOrFold<[\w:]+>")
MODELS = pathlib.Path("lib/ExternalModels")
MODEL_HEADERS = pathlib.Path("include/npu/ExternalModels")
# The room that lowers TOSA, of which nothing is left after it.
LOWERED = pathlib.Path("lib/Conversion/Tosa")

# Files that still have mentions, and how many. The numbers may only fall.
STILL = {
}


def mentions(path):
    """Numbers and texts of the lines of `path` that name an operation which
    they do not build."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = line.split("//")[0]
        named = len(NAMED.findall(code))
        if named > len(BUILT.findall(code)):
            yield number, line.strip()


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    failed = False
    for top in ("include/npu", "lib", "tools/npu-fuzz"):
        for path in sorted((root / top).rglob("*")):
            where = path.relative_to(root)
            if path.suffix not in (".h", ".cpp") or MODELS in where.parents:
                continue
            if MODEL_HEADERS in where.parents or LOWERED in where.parents:
                continue
            found = list(mentions(path))
            if len(found) <= STILL.get(str(where), 0):
                continue
            failed = True
            for number, line in found:
                print(f"{where}:{number}: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
