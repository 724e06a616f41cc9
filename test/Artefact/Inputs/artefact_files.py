# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes artefacts, with the right hashes."""

import hashlib
import json
import struct


def read(path):
    """The table of an artefact and the bytes of its sections."""
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[16:24])
    table = json.loads(data[56 : 56 + size])
    return table, [data[s["offset"] : s["offset"] + s["bytes"]] for s in table["sections"]]


def write(path, table, parts):
    """Writes an artefact whose table fits its sections."""
    text = b""
    while True:
        end = 56 + len(text)
        for section, part in zip(table["sections"], parts):
            section["offset"] = (end + 63) // 64 * 64
            section["bytes"] = len(part)
            section["sha256"] = hashlib.sha256(part).hexdigest()
            end = section["offset"] + len(part)
        now = json.dumps(table).encode()
        if len(now) == len(text):
            break
        text = now
    front = b"NPUBIN\r\n" + struct.pack("<IIQ", 1, 0, len(now))
    out = front + hashlib.sha256(now).digest() + now
    for section, part in zip(table["sections"], parts):
        out = out.ljust(section["offset"], b"\0") + part
    open(path, "wb").write(out)
