# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does npu-run read what is a .npy file, and refuse what is none?

usage: bad_npy.py MLIR FOLDER             # a table of files, each with its reason
       bad_npy.py MLIR FOLDER COUNT SEED  # files with bytes changed at random,
                                          # against a reader written in Python

MLIR has functions @f4 of a 2x3xf32 and @b1 of a 2x3xi1.
"""

import ast
import os
import random
import struct
import subprocess
import sys

MLIR, FOLDER = sys.argv[1:3]
F4 = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
B1 = F4.replace("<f4", "|b1")
DATA = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
BOOLS = bytes([0, 1, 1, 0, 1, 0])


def file(header=F4, data=DATA, version=(1, 0), length=None):
    text = header.encode() if isinstance(header, str) else header
    count = len(text) if length is None else length
    return (b"\x93NUMPY" + bytes(version)
            + struct.pack("<H" if version[0] == 1 else "<I", count) + text + data)


def shaped(shape):
    return file(F4.replace("(2, 3)", shape))


DESCRIPTOR = "expected descr, fortran_order and shape"
TABLE = [
    ("plain", file(), None),
    ("line-break", file(F4 + "      \n"), None),
    ("version-2", file(version=(2, 0)), None),
    ("version-3", file(version=(3, 0)), None),
    ("no-spaces", file(F4.replace(" ", "")), None),
    ("double-quotes", file(F4.replace("'", '"')), None),
    ("other-order", file("{'shape': (2, 3,), 'descr': '<f4', "
                         "'fortran_order': False}"), None),
    ("bools", file(B1, BOOLS), None),
    ("bool-2", file(B1, bytes([0, 1, 1, 0, 2, 0])),
     "expected 0 or 1 as element [1, 1] of i1, got 2"),
    ("bool-255", file(B1, bytes([255, 1, 1, 0, 1, 0])),
     "expected 0 or 1 as element [0, 0] of i1, got 255"),
    ("trailing", file(data=DATA + b"\0"), "expected 24 bytes of data, got more"),
    ("two-arrays", file() + file(), "expected 24 bytes of data, got more"),
    ("cut", file(data=DATA[:-1]), "expected 24 bytes of data, got 23"),
    ("no-data", file(data=b""), "expected 24 bytes of data, got 0"),
    ("empty", b"", "expected a .npy file"),
    ("magic", b"\x93NUMPX" + file()[6:], "expected a .npy file"),
    ("zip", b"PK\3\4" + bytes(60), "expected a .npy file"),
    ("only-magic", file()[:8], "expected the header's length"),
    ("version-0", file(version=(0, 0)), "version 1.0, 2.0 or 3.0, got 0.0"),
    ("version-4", file(version=(4, 0)), "version 1.0, 2.0 or 3.0, got 4.0"),
    ("version-1-1", file(version=(1, 1)), "version 1.0, 2.0 or 3.0, got 1.1"),
    ("header-cut", file(data=b"", length=200), "expected a header of 200 bytes"),
    ("header-huge", file(version=(3, 0), length=2 ** 32 - 1),
     "expected a header of at most 1048576 bytes, got 4294967295"),
    ("header-short", file(length=20), "header: expected"),
    ("no-dictionary", file("[1, 2]"), "expected a dictionary, got '[1, 2]'"),
    ("nothing", file(""), "expected a dictionary, got the end of the header"),
    ("garbage", file(F4 + "garbage"),
     "expected nothing after the dictionary, got 'garbage'"),
    ("zero-bytes", file(F4 + "\0\0"),
     "expected nothing after the dictionary, got '??'"),
    ("no-shape", file("{'descr': '<f4', 'fortran_order': False}"),
     DESCRIPTOR + ", got no shape"),
    ("twice", file(F4.replace("{", "{'shape': (2, 3), ")), "got 'shape' again"),
    ("other-key", file(F4.replace("{", "{'more': 1, ")), "got 'more'"),
    ("key-in-value", file("{'descr': 'shape', 'fortran_order': False, "
                          "'shape': (2, 3)}"),
     "expected elements of f32 (<f4), got shape"),
    ("negative", shaped("(-2, 3)"), "expected an extent from 0 to 2^63 - 1, got "
                                    "'-2, 3)"),
    ("both-negative", shaped("(-2, -3)"), "expected an extent from 0"),
    ("overflow", shaped("(2, 18446744073709551619)"), "expected an extent from 0"),
    ("product", shaped("(4611686018427387904, 4611686018427387904, 6)"),
     "expected shape [2, 3], got [4611686018427387904,"),
    ("no-comma", shaped("(2 3)"), "expected ',' after the first extent"),
    ("no-comma-later", shaped("(2, 3 4)"), "expected ',' or ')' in a shape"),
    ("two-commas", shaped("(2,, 3)"), "expected an extent from 0"),
    ("only-comma", shaped("(,)"), "expected an extent from 0"),
    ("word", shaped("(2, x)"), "expected an extent from 0"),
    ("float", shaped("(2, 3.0)"), "expected ',' or ')' in a shape"),
    ("list", shaped("[2, 3]"), "expected a shape in parentheses"),
    ("number", shaped("6"), "expected a shape in parentheses"),
    ("no-tuple", shaped("(6)"), "expected ',' after the first extent"),
    ("open", file(F4.split("3)")[0]), "got the end of the header"),
    ("one-dimension", shaped("(6,)"), "expected shape [2, 3], got [6]"),
    ("rank-0", shaped("()"), "expected shape [2, 3], got []"),
    ("transposed", shaped("(3, 2)"), "expected shape [2, 3], got [3, 2]"),
    ("many", shaped("(" + "1, " * 65 + ")"), "expected at most 64 dimensions"),
    ("big-endian", file(F4.replace("<f4", ">f4")),
     "expected elements of f32 (<f4), got >f4"),
    ("f8", file(F4.replace("<f4", "<f8")), "expected elements of f32 (<f4), got "
                                           "<f8"),
    ("fields", file(F4.replace("'<f4'", "[('a', '<f4')]")),
     "expected a type's name in quotes, got '[("),
    ("control", file(F4.replace("<f4", "<f4\x1b[31m")), "got <f4?[31m"),
    ("fortran", file(F4.replace("False", "True")),
     "expected C order, got Fortran order"),
    ("order-word", file(F4.replace("False", "0")), "expected True or False"),
]


def npu_run(name, content, entry):
    path = os.path.join(FOLDER, name + ".npy")
    with open(path, "wb") as out:
        out.write(content)
    return subprocess.run(["npu-run", MLIR, f"--entry={entry}",
                           f"--inputs={path}"], capture_output=True), path


def check_table():
    for name, content, reason in TABLE:
        out, path = npu_run(name, content, "b1" if "bool" in name else "f4")
        error = out.stderr.decode()
        if reason is None:
            assert out.returncode == 0, (name, error)
            continue
        assert out.returncode == 1, (name, out.returncode, error)
        assert error.startswith(f"npu-run: error: argument #0: {path}: "), error
        assert reason in error, (name, reason, error)
        assert error.count("\n") == 1 and error[:-1].isprintable(), error
    print(f"{len(TABLE)} files")


def is_right(content):
    """The same rules once more."""
    if len(content) < 10 or content[:6] != b"\x93NUMPY":
        return False
    if content[6] not in (1, 2, 3) or content[7] != 0:
        return False
    wide = content[6] > 1
    begin = 12 if wide else 10
    if len(content) < begin:
        return False
    (count,) = struct.unpack("<I" if wide else "<H", content[8:begin])
    text = content[begin:begin + count]
    if count > 2 ** 20 or len(text) != count:
        return False
    try:
        # Python's literals have more forms; no mutation makes one that counts.
        header = ast.literal_eval(text.decode("latin1").strip(" \n"))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return False
    data = content[begin + count:]
    return (isinstance(header, dict)
            and header == {"descr": "<f4", "fortran_order": False,
                           "shape": (2, 3)}
            and header["fortran_order"] is False and len(data) == 24)


def fuzz(count, seed):
    random.seed(seed)
    starts = [content for _, content, _ in TABLE]
    alphabet = b"{}()[],:'\" 0123456789-<>|fbiu\0\n\xff" + bytes(range(4))
    read = 0
    for number in range(count):
        content = bytearray(starts[random.randrange(8)
                                   if random.random() < 0.5
                                   else random.randrange(len(starts))])
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            at = random.randrange(len(content) + 1)
            what = random.random()
            if what < 0.4 and content:
                content[at % len(content)] = random.choice(alphabet)
            elif what < 0.6:
                content.insert(at, random.choice(alphabet))
            elif what < 0.8:
                del content[at:at + random.choice([1, 1, 2, 5])]
            elif what < 0.9:
                content = content[:at]
            else:
                content[at:at] = content[at:at + random.randrange(1, 9)]
        content = bytes(content)
        out, _ = npu_run("mutated", content, "f4")
        assert out.returncode in (0, 1), (seed, number, content, out)
        assert (out.returncode == 0) == is_right(content), (seed, number, content,
                                                            out)
        read += out.returncode == 0
    print(f"{count} files, {read} read, {count - read} refused")


os.makedirs(FOLDER, exist_ok=True)
if len(sys.argv) > 3:
    fuzz(int(sys.argv[3]), sys.argv[4])
else:
    check_table()
