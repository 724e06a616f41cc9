# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of ONNX's conformance tests: what a test needs of them, without
ONNX's library."""

import re

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
