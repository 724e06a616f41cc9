# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of ONNX's conformance tests: what a test needs of them, without
ONNX's library."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from npy_files import write_bytes

# Element types, by TensorProto.DataType, as .npy files have them. bf16 is its bits.
ELEMENTS = {1: "<f4", 2: "|u1", 3: "|i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "|b1",
            10: "<f2", 11: "<f8", 12: "<u4", 13: "<u8", 16: "<u2"}


def numbered(data, kind):
    files = list(data.glob(f"{kind}_*.pb"))
    return sorted(files, key=lambda file: int(re.search(r"_(\d+)\.pb", file.name)[1]))


def fields(data):
    """The fields of a protocol buffer message: number and value."""
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            length = varint()
            yield key >> 3, data[at : at + length]
            at += length
        else:
            at += 8 if key & 7 == 1 else 4


def tensor_name(file):
    for number, value in fields(file.read_bytes()):
        if number == 8:
            return value.decode()
    return ""


def operators(model):
    """Names of the operators of a model's nodes, without those of inner graphs."""
    if not model.exists():
        return []
    found = set()
    for number, graph in fields(model.read_bytes()):
        if number != 7:
            continue
        for kind, node in fields(graph):
            if kind == 1:
                found |= {value.decode() for each, value in fields(node) if each == 4}
    return sorted(found)


def tensor_shape(file):
    """The extents of a tensor; packed or one by one."""
    shape = []
    for number, value in fields(file.read_bytes()):
        if number == 1 and isinstance(value, int):
            shape.append(value)
        elif number == 1:
            shape += varints(value)
    return shape


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            yield value
            value = shift = 0


def is_bf16(file):
    return any(field == (2, 16) for field in fields(file.read_bytes()))


def write_npy(file, path):
    """Writes the tensor as a .npy file; false where its data is not in one piece or of
    another type, which npu-translate --onnx-tensor-to-npy reads."""
    found = dict(fields(file.read_bytes()))
    descr, data = ELEMENTS.get(found.get(2)), found.get(9)
    if descr is None or data is None or found.get(14):
        return False
    write_bytes(path, descr, tensor_shape(file), data)
    return True
