# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy files without NumPy: what the tools of this project read and write."""

import array
import math
import pathlib
import re
import struct

CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|i1": "b", "|u1": "B", "|b1": "B",
         "<i2": "h", "<u2": "H", "<u4": "I", "<u8": "Q"}


def read(path):
    """Shape and numbers of a file."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + length].decode("latin1")
    descr = re.search(r"'descr': '([^']*)'", header)[1]
    shape = [int(n) for n in re.search(r"'shape': \(([^)]*)\)", header)[1].split(",") if n.strip()]
    numbers = array.array(CODES[descr])
    numbers.frombytes(data[10 + length :])
    if len(numbers) != math.prod(shape):
        raise ValueError(f"{path}: expected {math.prod(shape)} elements, got {len(numbers)}")
    return shape, numbers


def write(path, descr, shape, numbers):
    """Writes numbers as elements `descr`."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), }}"
    text += " " * ((64 - (10 + len(text) + 1) % 64) % 64) + "\n"
    data = array.array(CODES[descr], numbers).tobytes()
    pathlib.Path(path).write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1") + data
    )
