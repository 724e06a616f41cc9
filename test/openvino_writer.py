# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes OpenVINO IR without OpenVINO: layers and edges as XML, constants as a file of
bytes. A model is built layer by layer; ports are numbered as OpenVINO numbers them, the
operands first and the results after these."""

import math
import pathlib
import struct
from xml.sax.saxutils import quoteattr

# The name of an element type in a port's `precision`, and the format of its numbers.
ELEMENTS = {
    "f64": ("FP64", "d"), "f32": ("FP32", "f"), "f16": ("FP16", "e"), "bf16": ("BF16", None),
    "i64": ("I64", "q"), "i32": ("I32", "i"), "i16": ("I16", "h"), "i8": ("I8", "b"),
    "u64": ("U64", "Q"), "u32": ("U32", "I"), "u16": ("U16", "H"), "u8": ("U8", "B"),
    "boolean": ("BOOL", "?"), "i4": ("I4", None), "u4": ("U4", None),
}


def packed(numbers):
    """Numbers of four bits, two in a byte, the first in the low half."""
    halves = [number & 15 for number in numbers] + [0] * (len(numbers) % 2)
    return bytes(low | high << 4 for low, high in zip(halves[::2], halves[1::2]))


def bf16_bits(number):
    """The bits of the bf16 number that is nearest, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF


def element_bytes(element, numbers):
    if element in ("i4", "u4"):
        return packed(numbers)
    if element == "bf16":
        return struct.pack(f"<{len(numbers)}H", *map(bf16_bits, numbers))
    return struct.pack(f"<{len(numbers)}{ELEMENTS[element][1]}", *numbers)


def text_of(value, separator):
    """An attribute's value as the IR has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return separator.join(text_of(each, separator) for each in value)
    return str(value)


class Value:
    """A result of a layer: the layer's number, the port, the element type and the shape.
    An extent may be -1 where it is dynamic."""

    def __init__(self, layer, port, element, shape):
        self.layer, self.port, self.element, self.shape = layer, port, element, list(shape)


class Network:
    """A network: the layers and edges of a model, or of the body of a layer. Bodies write
    their constants into the model's bytes."""

    def __init__(self, version=11, parent=None, style=None):
        self.version = parent.version if parent else version
        # Random numbers that choose among what files have had over the years; none is the
        # form of today.
        self.style = parent.style if parent else style
        # Whether extents are left open in parameters and ports: what `open_extent` writes.
        self.open_extent = parent.open_extent if parent else None
        self.data = parent.data if parent else bytearray()
        self.layers, self.edges = [], []
        self.first_port = 0
        # What tensors are called that are not called as their layer is, by layer and port.
        self.names = {}
        # MO wrote lists without blanks, serializers of today write them with blanks.
        self.separator = ", " if self.version > 10 else ","

    def layer(self, kind, opset, operands=(), results=(), attributes=None, name=None, inner=""):
        """Adds a layer; `results` are pairs of element type and shape. Gives its values."""
        number = len(self.layers)
        values = [Value(number, len(operands) + at, element, shape)
                  for at, (element, shape) in enumerate(results)]
        for port, operand in enumerate(operands):
            self.edges.append((operand.layer, operand.port, number, port))
        version = opset if isinstance(opset, str) else f"opset{opset}"
        if not name and self.chance(0.2):
            # As converters from PyTorch, TensorFlow and others call layers.
            name = self.style.choice((f"__module.layers.{number}/aten::{kind.lower()}/{kind}",
                                      f"StatefulPartitionedCall/{kind} {number}", f"{kind}_größe<{number}>",
                                      f"aten::{kind}&\"{number}\"", str(number)))
        self.layers.append(
            {"id": number, "name": name or f"{kind}_{number}", "kind": kind, "version": version,
             "attributes": attributes or {}, "operands": list(operands), "values": values,
             "inner": inner})
        return values

    def parameter(self, element, shape, name=None):
        values = self.layer("Parameter", 1, (), [(element, shape)],
                            {"shape": ["?" if extent == -1 else extent for extent in shape],
                             "element_type": element}, name)
        return values[0]

    def constant(self, element, shape, numbers, name=None):
        return self.constant_bytes(element, shape, element_bytes(element, numbers), name)

    def constant_bytes(self, element, shape, data, name=None):
        values = self.layer("Const", 1, (), [(element, shape)],
                            {"element_type": element, "shape": list(shape),
                             "offset": len(self.data), "size": len(data)}, name)
        self.data += data
        return values[0]

    def result(self, value, name=None):
        self.layer("Result", 1, [value], (), {}, name)

    def is_constant(self, value):
        """Whether a value depends on constants alone."""
        layer = self.layers[value.layer]
        return layer["kind"] == "Const" or bool(layer["operands"]) and all(
            map(self.is_constant, layer["operands"]))

    def chance(self, share):
        return self.style is not None and self.style.random() < share

    def port(self, number, value, names="", is_input=False):
        is_open = self.open_extent and not self.is_constant(value)
        inner = "".join(f"<dim>{-1 if is_open else extent}</dim>" for extent in value.shape)
        # Early files said the precision of results alone.
        is_said = not (is_input and self.version == 10 and self.chance(0.5))
        head = f'<port id="{number}"'
        if is_said:
            head += f' precision="{ELEMENTS[value.element][0]}"'
        if names and not (self.version == 10 and self.chance(0.5)):
            head += f" names={quoteattr(names)}"
        if value.shape and self.chance(0.1):
            letters = ",".join("NCDHWABEF"[:len(value.shape)])
            note = f'<rt_info><attribute name="layout" version="0" layout="[{letters}]" /></rt_info>'
            inner = note + inner if self.version == 10 else inner + note
        return f"{head}>{inner}</port>" if inner else f"{head} />"

    def layer_text(self, layer):
        head = (f'<layer id="{layer["id"]}" name={quoteattr(layer["name"])} '
                f'type="{layer["kind"]}" version="{layer["version"]}"')
        if layer["kind"] == "Result" and self.version > 10 and self.chance(0.5):
            head += f' output_names={quoteattr(layer["name"])}'
        lines = [head + ">"]
        if self.open_extent and layer["kind"] == "Parameter":
            shape = [self.open_extent(extent) for extent in layer["values"][0].shape]
            layer = {**layer, "attributes": {**layer["attributes"], "shape": shape}}
        if layer["attributes"]:
            pairs = " ".join(f"{key.replace('__', '-')}={quoteattr(text_of(value, self.separator))}"
                             for key, value in layer["attributes"].items())
            lines.append(f"\t<data {pairs} />")
        if self.version > 10 and layer["id"] % 3 == 0 and layer["kind"] != "Result":
            # What a converter notes about a layer, which says nothing of what it computes.
            lines.append('\t<rt_info><attribute name="fused_names" version="0" '
                         f'value={quoteattr(layer["name"])} /></rt_info>')
        if layer["operands"]:
            ports = "".join(self.port(self.numbered(at), each, is_input=True)
                            for at, each in enumerate(layer["operands"]))
            lines.append(f"\t<input>{ports}</input>")
        if layer["values"]:
            # An input is called as its tensor is.
            is_input = layer["kind"] == "Parameter"
            names = [self.names.get((each.layer, each.port),
                                    layer["name"] + ("" if is_input else f":{at}"))
                     for at, each in enumerate(layer["values"])]
            ports = "".join(self.port(self.numbered(each.port), each, name)
                            for each, name in zip(layer["values"], names))
            lines.append(f"\t<output>{ports}</output>")
        if layer["inner"]:
            lines.append(layer["inner"])
        return "\n".join(lines + ["</layer>"])

    def numbered(self, port):
        """Numbers of ports are any that differ, where nothing inside counts them."""
        return port + self.first_port

    def text(self):
        if self.version == 10 and self.chance(0.3) and not any(layer["inner"] for layer in self.layers):
            self.first_port = self.style.randint(1, 3)
        layers = "\n".join(self.layer_text(layer) for layer in self.layers)
        edges = "\n".join(
            f'\t<edge from-layer="{a}" from-port="{self.numbered(b)}" '
            f'to-layer="{c}" to-port="{self.numbered(d)}" />' for a, b, c, d in self.edges)
        return f"<layers>\n{layers}\n</layers>\n<edges>\n{edges}\n</edges>\n"

    def xml(self, name="model"):
        extra = ('<rt_info><conversion_parameters><framework value="pytorch" />'
                 '</conversion_parameters><Runtime_version value="2025.1" /></rt_info>\n' if self.version > 10 else
                 '<meta_data><MO_version value="2021.4" /></meta_data>\n')
        return (f'<?xml version="1.0"?>\n<net name={quoteattr(name)} version="{self.version}">\n'
                f"{self.text()}{extra}</net>\n")

    def write(self, path):
        """Writes PATH and the file of bytes beside it."""
        path = pathlib.Path(path)
        path.write_text(self.xml(), encoding="utf-8")
        path.with_suffix(".bin").write_bytes(bytes(self.data))


def count_of(shape):
    return math.prod(shape)
