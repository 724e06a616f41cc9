#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes OpenVINO IR from a few lines of a test.

    ir.py TEST NAME -o model.xml

reads the lines of TEST after `// NAME:` (or `# NAME:`), one for each layer:

    x: f32[1,?] = Parameter@1
    w: i64[2] = Const@1 1 -1
    y: f32[1,4] = Reshape@1(x, w) special_zero="true"
    a: f32[2], b: f32[2] = Split@1(y, axis) num_splits="2"
    Result(a)

Results are named by the line, with their element types and shapes. The number after
`@` is the operation set; attributes follow as XML has them. model.bin has the numbers
of constants, one after the other.
"""

import re
import struct
import sys

FORMATS = {"f32": "f", "f64": "d", "f16": "e", "i64": "q", "i32": "i", "i16": "h", "i8": "b",
           "u64": "Q", "u32": "I", "u16": "H", "u8": "B", "boolean": "?"}
PRECISIONS = {"f32": "FP32", "f64": "FP64", "f16": "FP16", "boolean": "BOOL"}
LINE = re.compile(r"(?:(.*?)\s*=\s*)?(\w+)(?:@(\w+))?(?:\(([^)]*)\))?\s*(.*)")


def port(number, element, dims, name):
    names = f' names="{name}"' if name else ""
    text = "".join(f"<dim>{'-1' if not dim.isdigit() else dim}</dim>" for dim in dims)
    return f'<port id="{number}" precision="{PRECISIONS.get(element, element.upper())}"{names}>{text}</port>'


def data_of(element, words):
    numbers = [float(word) if element[0] in "fb" else int(word) for word in words]
    if element in ("i4", "u4"):
        halves = [number & 15 for number in numbers] + [0]
        return bytes(halves[at] | halves[at + 1] << 4 for at in range(0, len(numbers), 2))
    if element == "boolean":
        numbers = [bool(number) for number in numbers]
    return struct.pack(f"<{len(numbers)}{FORMATS[element]}", *numbers)


class Writer:
    def __init__(self):
        self.layers, self.edges, self.data, self.values = [], [], b"", {}

    def add(self, line):
        results, kind, version, operands, rest = LINE.fullmatch(line).groups()
        number = len(self.layers)
        operands = [name.strip() for name in (operands or "").split(",") if name.strip()]
        results = re.findall(r"(\S+): (\w+)\[([^\]]*)\]", results or "")
        attributes = rest
        if kind == "Parameter":
            attributes = f'shape="{results[0][2]}" element_type="{results[0][1]}" {rest}'
        elif kind == "Const":
            _, element, shape = results[0]
            data = data_of(element, rest.split())
            attributes = (f'element_type="{element}" shape="{shape}" offset="{len(self.data)}" '
                          f'size="{len(data)}"')
            self.data += data
        text = f'<layer id="{number}" name="{results[0][0] if results else "result" + str(number)}"'
        text += f' type="{kind}" version="opset{version or 1}">'
        text += f"<data {attributes}/>" if attributes else ""
        if operands:
            text += "<input>"
            for at, name in enumerate(operands):
                layer, output, element, dims = self.values[name]
                text += port(at, element, dims, "")
                self.edges.append(f'<edge from-layer="{layer}" from-port="{output}" '
                                  f'to-layer="{number}" to-port="{at}"/>')
            text += "</input>"
        if results:
            text += "<output>"
            for at, (name, element, shape) in enumerate(results):
                dims = [dim.strip() for dim in shape.split(",") if dim.strip()]
                text += port(len(operands) + at, element, dims, name)
                self.values[name] = number, len(operands) + at, element, dims
            text += "</output>"
        self.layers.append(text + "</layer>")

    def text(self):
        return "\n".join(['<?xml version="1.0"?>', '<net name="made" version="11">', "<layers>",
                          *self.layers, "</layers>", "<edges>", *self.edges, "</edges>", "</net>", ""])


def main():
    test, name, _, path = sys.argv[1:]
    writer = Writer()
    for line in open(test, encoding="utf-8"):
        if match := re.fullmatch(rf"(?://|#) {name}: (.*)\n", line):
            writer.add(match.group(1).strip())
    with open(path, "w", encoding="utf-8") as xml:
        xml.write(writer.text())
    with open(re.sub(r"\.xml$", ".bin", path), "wb") as data:
        data.write(writer.data)


if __name__ == "__main__":
    main()
