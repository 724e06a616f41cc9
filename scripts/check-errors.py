#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that errors are data: a Result below MLIR (npu/Placement/Result.h), a
diagnostic with a kind above it (npu/Support/RefusalKind.h).

Refuses another kind of error, and code that looks into the text of a message:
- a type that is true where something is wrong (std::optional<Error>),
- a string that an error is written into (std::string &error),
- a function that returns an error message or an empty string,
- a search in `message`, in what a diagnostic prints, or in an error's message.

Prints every such line; exits with 1 if there is one. The optional argument is
the folder to check instead of the repository's.
"""

import pathlib
import re
import sys

SEARCH = r"(?:contains|find|rfind|starts_with|ends_with|split|rsplit|consume_front|substr)"
RULES = (
    (
        re.compile(r"\boptional<(?:npu::)?Error>|\bCheck (?:\w+::)*\w+\("),
        "return a Result<>",
    ),
    (
        re.compile(r"(?<!const )\bstd::string &(?:error|message|why\w*|reason)\s*[,)]"),
        "return a Result",
    ),
    (re.compile(r"error message,? or (?:\"\"|an empty)"), "return a Result<>"),
    (
        re.compile(
            r"\b(?:message|said|why|diagnostic\.str\(\))(?:\(\)|\.str\(\)|\.text|\))*"
            rf"\.{SEARCH}\("
        ),
        "read a field of the error or the kind of the diagnostic",
    ),
    (
        re.compile(r"\bsays\(\""),
        "read a field of the error or the kind of the diagnostic",
    ),
)
# What reads the messages of others: the ONNX library's parser.
OF_OTHERS = {"lib/Translation/Onnx/Model/ReadModel.cpp": 1}


def found(text):
    """Numbers, lines and advice of the lines that break a rule."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, advice in RULES:
            if pattern.search(line):
                yield number, line.strip(), advice
                break


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if len(sys.argv) > 1:
        root = pathlib.Path(sys.argv[1])
    failed = False
    for top in ("include/npu", "lib", "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".td"):
                continue
            where = path.relative_to(root)
            lines = list(found(path.read_text(encoding="utf-8")))
            if len(lines) <= OF_OTHERS.get(where.as_posix(), 0):
                continue
            failed = True
            for number, line, advice in lines:
                print(f"{where}:{number}: {advice}: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
