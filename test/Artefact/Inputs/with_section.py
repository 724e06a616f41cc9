# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an artefact with text replaced in one of its sections.

    with_section.py model.npub other.npub placement OLD NEW
"""

import sys

import artefact_files

source, target, name, old, new = sys.argv[1:]
table, parts = artefact_files.read(source)
for i, section in enumerate(table["sections"]):
    if section["name"] == name:
        assert old.encode() in parts[i], f"expected {old} in {name}"
        parts[i] = parts[i].replace(old.encode(), new.encode())
artefact_files.write(target, table, parts)
