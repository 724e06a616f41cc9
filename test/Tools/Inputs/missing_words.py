# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints which dialects, passes or pipelines one tool lists and another does not.

    missing_words.py THEIRS OURS

Both are outputs of --show-dialects or --list-passes, or of --help-hidden, which has
the pipelines.

Upstream's own tests are left out: whatever has "test" in its name.
"""
import re
import sys


def words(path):
    text = open(path, encoding="utf-8").read()
    if text.startswith("Available Dialects:"):
        found = re.findall(r"\w+", text.split(":", 1)[1])
    elif "Pass Pipelines:" in text:
        # Indented by six; the next group of options begins further to the left.
        pipelines = re.split(r"^ {0,3}\S", text.split("Pass Pipelines:")[1],
                             flags=re.MULTILINE)[0]
        found = re.findall(r"^ {6}(--[\w-]+)", pipelines, re.MULTILINE)
    else:
        found = re.findall(r"^ {2}(--[\w-]+)", text, re.MULTILINE)
    return {word for word in found if "test" not in word}


theirs, ours = words(sys.argv[1]), words(sys.argv[2])
if len(theirs) < 5:
    sys.exit(f"expected at least 5 words, got {len(theirs)}")
missing = sorted(theirs - ours)
if missing:
    sys.exit("missing: " + " ".join(missing))
print(f"none is missing of {len(theirs)}")
