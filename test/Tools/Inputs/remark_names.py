# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the names of remarks that sources have, or those that a page's table has.

usage: remark_names.py sources DIRECTORY... | remark_names.py table PAGE
"""

import pathlib
import re
import sys

kind, *paths = sys.argv[1:]
if kind == "sources":
    # As the name of a remark, or of one of two that a condition chooses from.
    spellings = [
        re.compile(r'(?:remarkDone|decision|RemarkOpts::name|log\.(?:make|note))'
                   r'\(\s*"([a-z-]+)"'),
        re.compile(r'emitAnalysis\(\s*decision,\s*"([a-z-]+)"'),
        re.compile(r'\?\s*"([a-z-]+)"\s*:\s*"([a-z-]+)"\s*,\s*user'),
        re.compile(r'return "(relabel|narrow|redistribute)"'),
    ]
    texts = [file.read_text() for path in paths
             for file in pathlib.Path(path).rglob("*.[ch]*") if file.is_file()]
    found = {name for text in texts for spelling in spellings
             for match in spelling.findall(text)
             for name in ([match] if isinstance(match, str) else match)}
else:
    text = pathlib.Path(paths[0]).read_text()
    table = text[text.index("| name | from |"):]
    found = set(re.findall(r"^\| `([a-z-]+)` \|", table[:table.index("\n\n")],
                           re.MULTILINE))
print("\n".join(sorted(found)))
