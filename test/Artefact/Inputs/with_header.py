# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an artefact with changed fields of its header, and the right hashes.

    with_header.py model.npub other.npub abi=2 host.triple=riscv64-linux
"""

import hashlib
import json
import struct
import sys


def align(offset):
    return (offset + 63) // 64 * 64


source, target, *changes = sys.argv[1:]
data = open(source, "rb").read()
(size,) = struct.unpack("<Q", data[16:24])
table = json.loads(data[56 : 56 + size])
parts = [data[s["offset"] : s["offset"] + s["bytes"]] for s in table["sections"]]
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
text = b""
while True:
    end = 56 + len(text)
    for section in table["sections"]:
        section["offset"] = align(end)
        end = section["offset"] + section["bytes"]
    now = json.dumps(table).encode()
    if len(now) == len(text):
        text = now
        break
    text = now
out = data[:16] + struct.pack("<Q", len(text)) + hashlib.sha256(text).digest() + text
for section, part in zip(table["sections"], parts):
    out = out.ljust(section["offset"], b"\0") + part
open(target, "wb").write(out)
