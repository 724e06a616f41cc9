#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that retired identifiers and phrases do not come back.

scripts/retired-words.txt lists them, each with what is said instead and the files
that it is retired in. Looks at lib, include, tools, docs and test, in code, comments,
messages and names of files. Prints every place that has one; exits with 1 if there is
one.
"""

import argparse
import bisect
import fnmatch
import functools
import pathlib
import re
import sys

FOLDERS = ("lib", "include", "tools", "docs", "test")
SUFFIXES = {".cpp", ".h", ".td", ".md", ".mlir", ".py", ".sh", ".test", ".txt"}
# A line's end, with the sign of a comment that goes on in the next line.
BREAK = re.compile(r"[ \t]*\n[ \t]*(?:///?|#|\*|\|)?[ \t]*")


@functools.lru_cache(maxsize=None)
def regex_of_patterns(patterns):
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


def regex_of(words):
    """What finds any of the words in one go."""
    return regex_of_patterns(tuple(word.pattern for word in words))


class Word:
    """A retired word or phrase."""

    def __init__(self, line):
        entry, *limits = [part.strip() for part in line.split(" | ")]
        pattern, self.instead = entry.split(" => ")
        self.pattern = f"(?i:{pattern})" if pattern == pattern.lower() else f"(?:{pattern})"
        self.regex = regex_of([self])
        self.inside, self.outside = ["*"], []
        for limit in limits:
            kind, *globs = limit.split()
            if kind not in ("in", "not"):
                raise ValueError(f"expected 'in' or 'not', got '{kind}': {line}")
            if kind == "in":
                self.inside = globs
            else:
                self.outside = globs

    def is_retired_in(self, path):
        return any(fnmatch.fnmatch(path, glob) for glob in self.inside) and not any(
            fnmatch.fnmatch(path, glob) for glob in self.outside)


def read_words(text):
    lines = [line.strip() for line in text.splitlines()]
    return [Word(line) for line in lines if line and not line.startswith("#")]


def joined(text):
    """The text as one line, and where in it each line begins."""
    begins, parts, at, length = [0], [], 0, 0
    for end in BREAK.finditer(text):
        parts += [text[at:end.start()], " "]
        length += end.start() - at + 1
        begins += [length] * end.group().count("\n")
        at = end.end()
    return "".join(parts) + text[at:], begins


def complaints_about(root, words):
    """A line for each place below `root` that has one of the words."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            here = [word for word in words if word.is_retired_in(path)]
            text, begins = joined(file.read_text(encoding="utf-8", errors="replace"))
            if not regex_of(here).search(f"{file.stem} {text}"):
                continue
            for word in here:
                if found := word.regex.search(file.stem):
                    yield f"{path}: name has '{found.group()}', say {word.instead}"
                for found in word.regex.finditer(text):
                    line = bisect.bisect_right(begins, found.start())
                    yield f"{path}:{line}: '{found.group()}', say {word.instead}"


def main():
    scripts = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=scripts.parent)
    parser.add_argument("--words", type=pathlib.Path, default=scripts / "retired-words.txt")
    options = parser.parse_args()
    words = read_words(options.words.read_text(encoding="utf-8"))
    found = list(complaints_about(options.root, words))
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
