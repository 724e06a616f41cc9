# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an artefact with changed fields of its header.

    with_header.py model.npub other.npub abi=2 host.triple=riscv64-linux
"""

import json
import sys

import artefact_files

source, target, *changes = sys.argv[1:]
table, parts = artefact_files.read(source)
for change in changes:
    path, value = change.split("=", 1)
    *folders, name = path.split(".")
    place = table["description"]
    for folder in folders:
        place = place[folder]
    try:
        place[name] = json.loads(value)
    except json.JSONDecodeError:
        place[name] = value
artefact_files.write(target, table, parts)
