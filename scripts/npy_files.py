# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy files without NumPy, for scripts and tests: what npu-run reads and
writes."""

import math
import pathlib
import re
import struct

FORMATS = {
    "|b1": "?", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i",
    "<u4": "I", "<i8": "q", "<u8": "Q", "<f2": "e", "<f4": "f", "<f8": "d",
}


def read(path):
    """Element type, shape and numbers of a file."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + length].decode("latin1")
    descr = re.search(r"'descr': '([^']*)'", header)[1]
    shape = [int(n) for n in re.search(r"'shape': \(([^)]*)\)", header)[1].split(",") if n.strip()]
    numbers = struct.unpack(f"<{math.prod(shape)}{FORMATS[descr]}", data[10 + length :])
    return descr, shape, numbers


def write(path, descr, shape, numbers):
    """Writes numbers as elements `descr`."""
    write_bytes(path, descr, shape, struct.pack(f"<{len(numbers)}{FORMATS[descr]}", *numbers))


def write_bytes(path, descr, shape, data):
    """Writes elements `descr` that are bytes already."""
    header = str({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    pathlib.Path(path).write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1") + data
    )
