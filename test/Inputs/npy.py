# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# .npy files without NumPy: `npy.py write FILE DESCR SHAPE VALUE...` and
# `npy.py read FILE`. SHAPE is 2x3, or - for rank 0.

import ast
import struct
import sys

FORMATS = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
           "u1": "B", "u2": "H", "f2": "e", "f4": "f", "f8": "d"}


def write(path, descr, shape, *values):
    extents = () if shape == "-" else tuple(map(int, shape.split("x")))
    header = str({"descr": descr, "fortran_order": False, "shape": extents})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = FORMATS[descr[1:]]
    numbers = [float(v) if code in "efd" else int(v) for v in values]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers))


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0
    header = ast.literal_eval(data[10:10 + length].decode())
    code = FORMATS[header["descr"][1:]]
    body = data[10 + length:]
    values = struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
    print(header["descr"], header["shape"], *values)


{"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
