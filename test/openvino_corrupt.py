#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports damaged OpenVINO IR: each ends with a module, or with an error.

A small model has bytes of its XML flipped, in all bits and in one, and is cut off. Others
are wrong in one thing: an edge, a port, a layer, an attribute, an extent, the place of a
constant's bytes. Every run ends with exit code 0 and a module that npu-opt reads, or with
exit code 1 and an error at the model's file, and no file written. Where one thing is wrong
that is known, it has to be an error that names the line or the layer. Prints
`N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import openvino_layers  # noqa: F401
from openvino_elementwise import STEPS
from openvino_pair import Pair
from openvino_writer import Network

# No damage makes an import take more memory, in bytes, or more seconds.
MEMORY, SECONDS = 8 << 30, 30


def small_model(version=11):
    """Weights of four bits that are widened, a product, a bias and a reshape."""
    n = Network(version)
    x = n.parameter("f32", [2, 4], "x")
    w = n.constant("u4", [3, 4], [number % 16 for number in range(12)], "weights")
    w = n.layer("Convert", 1, [w], [("f32", [3, 4])], {"destination_type": "f32"}, "widened")[0]
    y = n.layer("MatMul", 1, [x, w], [("f32", [2, 3])],
                {"transpose_a": False, "transpose_b": True}, "product")[0]
    b = n.constant("f32", [3], [0.5, -1.0, 2.0], "bias")
    y = n.layer("Add", 1, [y, b], [("f32", [2, 3])], {"auto_broadcast": "numpy"}, "sum")[0]
    s = n.constant("i64", [1], [-1], "shape")
    y = n.layer("Reshape", 1, [y, s], [("f32", [6])], {"special_zero": True}, "flat")[0]
    n.result(y, "y")
    return n


def layer_model(kind, opset, attributes, shape=(1, 4, 6, 6), out=(1, 4, 6, 6), constants=()):
    """A layer named `culprit` on an input and on constants (element, shape, numbers)."""
    n = Network()
    operands = [n.parameter("f32", shape, "x")]
    operands += [n.constant(*each) for each in constants]
    y = n.layer(kind, opset, operands, [("f32", out)], attributes, "culprit")[0]
    n.result(y, "y")
    return n


class Case:
    """A model: what is wrong with it, its text and bytes, and what its error says. `exit` is
    1, 0, or None where both are fine."""

    def __init__(self, what, text, data, exit=None, says=()):
        self.what, self.exit, self.says = what, exit, says
        self.text = text if isinstance(text, bytes) else text.encode("utf-8")
        self.data = data


def of(network):
    return network.xml(), bytes(network.data)


def flips(every, offset):
    """Bytes flipped, and cuts."""
    text, data = of(small_model())
    raw = text.encode("utf-8")
    for at in range(offset % every, len(raw), every):
        for mask in (255, 1):
            flipped = bytearray(raw)
            flipped[at] ^= mask
            yield Case(f"byte {at} ^ {mask}", bytes(flipped), data)
    for at in range(offset % every, len(raw), every * 4):
        yield Case(f"cut at {at}", raw[:at], data, 1 if at < len(raw) - 8 else None)
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 255
        # Bytes of numbers are numbers, but not those of a shape.
        yield Case(f"constant byte {at}", text, bytes(flipped), 0 if at < len(data) - 8 else 1)
    for at in range(len(data)):
        yield Case(f"constants cut at {at}", text, data[:at], 1)


def replaced(what, old, new, says=(), exit=1, version=11, count=1):
    text, data = of(small_model(version))
    assert old in text, (what, old)
    return Case(what, text.replace(old, new, count), data, exit, says)


def edges():
    edge = '<edge from-layer="2" from-port="1" to-layer="3" to-port="1" />'
    new = lambda a, b, c, d: f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}" />'
    yield replaced("an edge from no layer", edge, new(99, 1, 3, 1))
    yield replaced("an edge to no layer", edge, new(2, 1, 99, 1))
    yield replaced("an edge from no port", edge, new(2, 9, 3, 1))
    yield replaced("an edge to no port", edge, new(2, 1, 3, 9))
    yield replaced("an edge from an input", edge, new(2, 0, 3, 1))
    yield replaced("an edge to an output", edge, new(2, 1, 3, 2))
    yield replaced("a missing edge", edge, "", says=["product"])
    yield replaced("an edge twice", edge, edge + edge)
    yield replaced("two edges to a port", edge, edge + new(1, 0, 3, 1))
    yield replaced("an edge to its own layer", edge, new(3, 2, 3, 1))
    yield replaced("a cycle", edge, new(5, 2, 3, 1))
    yield replaced("a negative layer", edge, new(-1, 1, 3, 1))
    yield replaced("a layer that is no number", edge, new("two", 1, 3, 1))
    yield replaced("a layer beyond 64 bits", edge, new(2**70, 1, 3, 1))
    yield replaced("an edge without a port", edge, '<edge from-layer="2" to-layer="3" to-port="1" />')
    yield replaced("an edge with one more attribute", edge, edge.replace(" />", ' colour="red" />'))
    text, data = of(small_model())
    begin, end = text.index("<edges>"), text.index("</edges>") + len("</edges>")
    yield Case("no edges", text[:begin] + text[end:], data, 1)
    yield Case("edges twice", text[:end] + text[begin:end] + text[end:], data, 1)


def layers():
    yield replaced("a layer's number twice", '<layer id="2"', '<layer id="1"')
    yield replaced("a layer without a number", '<layer id="2" ', "<layer ")
    yield replaced("a layer without a type", 'type="MatMul" ', "", says=["product"])
    yield replaced("a layer without a version", 'type="MatMul" version="opset1"', 'type="MatMul"',
                   exit=None)
    yield replaced("a layer without a name", 'name="product" ', "", exit=None)
    yield replaced("an unknown type", 'type="MatMul"', 'type="MatMal"', says=["MatMal", "product"])
    yield replaced("an empty type", 'type="MatMul"', 'type=""', says=["product"])
    yield replaced("an unknown operation set", 'type="MatMul" version="opset1"',
                   'type="MatMul" version="opset99"', says=["product"])
    yield replaced("a custom operation set", 'type="MatMul" version="opset1"',
                   'type="MatMul" version="extension"', says=["product"])
    yield replaced("an operation before its set", 'type="MatMul" version="opset1"',
                   'type="ScaledDotProductAttention" version="opset5"', says=["product"])
    yield replaced("an unknown attribute", 'transpose_b="true"', 'transpose_b="true" colour="red"',
                   says=["product", "colour"])
    yield replaced("an attribute that is no boolean", 'transpose_b="true"', 'transpose_b="perhaps"',
                   says=["product"])
    yield replaced("an attribute twice", 'transpose_b="true"', 'transpose_b="true" transpose_b="false"')
    yield replaced("data twice", '<data special_zero="true" />',
                   '<data special_zero="true" /><data special_zero="false" />')
    yield replaced("a missing attribute", ' destination_type="f32"', "", says=["widened"])
    yield replaced("an unknown element type", 'destination_type="f32"', 'destination_type="q7"',
                   says=["widened"])
    for element in ("string", "nf4", "f8e4m3", "u1", "", "dynamic"):
        yield replaced(f"a parameter of {element or 'nothing'}", 'shape="2, 4" element_type="f32"',
                       f'shape="2, 4" element_type="{element}"', says=["x"])
    port = '<port id="0" precision="FP32"><dim>2</dim><dim>4</dim></port>'
    yield replaced("a port's number twice", port, port + port, says=["product"])
    yield replaced("a port without a number", port, port.replace('id="0" ', ""))
    yield replaced("a port that is no number", port, port.replace('"0"', '"zero"'))
    yield replaced("one input more", port, port + '<port id="7" precision="FP32"><dim>2</dim></port>')
    yield replaced("a missing port", port, "")
    yield replaced("another precision", port, port.replace("FP32", "FP99"))
    yield replaced("an element in ports", port, port + "<gate />", exit=None)
    yield replaced("an unknown element in a layer", "<input>", "<surprise /><input>", exit=None)
    yield replaced("no result", 'type="Result"', 'type="Tanh"')
    n = small_model()
    n.layer("Result", 1, [n.layers[0]["values"][0], n.layers[0]["values"][0]], [], {}, "both")
    yield Case("a result of two values", *of(n), 1, ["both"])
    yield replaced("no layers", "<layers>", "<strata>")
    yield replaced("a model without version", ' version="11">', ">")
    for version in ("9", "12", "-11", "eleven", "99999999999999999999"):
        yield replaced(f"version {version}", 'version="11">', f'version="{version}">')
    yield replaced("another root", "<net ", "<graph ")
    yield replaced("layers in rt_info", "<rt_info>", "<rt_info><layers><layer /></layers>", exit=0)


def extents():
    for extent in ("-5", "-1", "9223372036854775807", "99999999999999999999999", "4.5", "four", "", "0x4"):
        yield replaced(f"a parameter's extent of {extent or 'nothing'}", 'shape="2, 4" element_type',
                       f'shape="2, {extent}" element_type', says=["x"],
                       exit=None if extent == "-1" else 1)
    yield replaced("extents whose product overflows", 'shape="2, 4" element_type',
                   'shape="4294967296, 4294967296" element_type')
    for text in ("5..2", "..", "1..2..3", "2,,4", "?..", "2;4"):
        yield replaced(f"a parameter's extents of {text}", 'shape="2, 4" element_type',
                       f'shape="{text}" element_type', exit=None if text == ".." else 1)
    for extent in ("-2", "3000000000", "three", "", "18446744073709551616"):
        yield replaced(f"a dimension of {extent or 'nothing'}", "<dim>3</dim>", f"<dim>{extent}</dim>",
                       exit=None)
    yield replaced("ranks of 5,000", "<dim>3</dim>", "<dim>1</dim>" * 5000, exit=None)
    yield replaced("a parameter of rank 5,000", 'shape="2, 4" element_type',
                   f'shape="{", ".join(["1"] * 5000)}" element_type')


def places():
    """Where a constant's bytes are."""
    bias = 'shape="3" offset="6" size="12"'
    text, data = of(small_model())
    assert bias in text, text
    new = lambda shape, offset, size: f'shape="{shape}" offset="{offset}" size="{size}"'
    for what, place in (
            ("after the end", new(3, len(data), 12)), ("across the end", new(3, len(data) - 4, 12)),
            ("at a negative offset", new(3, -4, 12)), ("at an offset beyond 64 bits", new(3, 2**64, 12)),
            ("at the last offset of 64 bits", new(3, 2**64 - 4, 12)),
            ("at the last signed offset", new(3, 2**63 - 4, 12)),
            ("at an offset that is no number", new(3, "six", 12)), ("of too few bytes", new(3, 6, 8)),
            ("of too many bytes", new(3, 6, 16)), ("of a negative size", new(3, 6, -12)),
            ("of a size beyond 64 bits", new(3, 6, 2**64 + 12)), ("of no size", 'shape="3" offset="6"'),
            ("of no offset", 'shape="3" size="12"'), ("of another shape", new(4, 6, 12)),
            ("of a dynamic shape", new("?", 6, 12)), ("of a negative shape", new(-3, 6, 12)),
            ("of a huge shape", new(2**62, 6, 12)), ("of a shape that overflows", new("4294967296, 4294967296", 6, 12)),
            ("of an overflow to its size", new("4611686018427387907", 6, 12))):
        yield Case(f"a constant {what}", text.replace(bias, place), data, 1, ["bias"])
    weights = 'shape="3, 4" offset="0" size="6"'
    assert weights in text
    for what, place in (("a byte too many", 'shape="3, 4" offset="0" size="7"'),
                        ("a byte for each element", 'shape="3, 4" offset="0" size="12"'),
                        ("a byte too few", 'shape="3, 4" offset="0" size="5"')):
        yield Case(f"four bits: {what}", text.replace(weights, place), data, 1, ["weights"])
    yield Case("no file of bytes", text, None, 1)
    yield Case("an empty file of bytes", text, b"", 1)
    yield Case("a longer file of bytes", text, data + b"more", 0)


def attributes():
    """Layers whose attributes say what cannot be."""
    weights = ("f32", [4, 4, 3, 3], [0.0] * 144)
    window = {"strides": [1, 1], "pads_begin": [1, 1], "pads_end": [1, 1], "dilations": [1, 1]}

    def convolution(what, **changed):
        return Case(f"a convolution with {what}", *of(layer_model(
            "Convolution", 1, {**window, **changed}, constants=[weights])), 1, ["culprit"])
    yield convolution("strides of 0", strides=[0, 1])
    yield convolution("negative strides", strides=[-1, 1])
    yield convolution("one stride too many", strides=[1, 1, 1])
    yield convolution("dilations of 0", dilations=[0, 0])
    yield convolution("huge dilations", dilations=[2**40, 1])
    yield convolution("huge paddings", pads_begin=[2**62, 1])
    yield convolution("an unknown auto_pad", auto_pad="most")
    yield convolution("no number", strides=["a", 1])
    n = layer_model("Convolution", 1, window, constants=[("f32", [4, 3, 3, 3], [0.0] * 108)])
    yield Case("a convolution with other channels", *of(n), 1, ["culprit"])
    pool = {"strides": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "kernel": [1, 1]}
    yield Case("a pool with a kernel of 0", *of(layer_model("MaxPool", 1, {**pool, "kernel": [0, 1]})), 1, ["culprit"])
    yield Case("a pool that is wider than the data", *of(layer_model(
        "MaxPool", 1, {**pool, "kernel": [9, 9]})), 1, ["culprit"])
    yield Case("an unknown rounding", *of(layer_model("MaxPool", 1, {**pool, "rounding_type": "up"})), 1, ["culprit"])
    for axis in (4, -5, 2**40, "a"):
        yield Case(f"a SoftMax with axis {axis}", *of(layer_model("SoftMax", 8, {"axis": axis})), 1, ["culprit"])
        yield Case(f"a Concat with axis {axis}", *of(layer_model(
            "Concat", 1, {"axis": axis}, out=(2, 4, 6, 6),
            constants=[("f32", [1, 4, 6, 6], [0.0] * 144)])), 1, ["culprit"])
    i64 = lambda *numbers: ("i64", [len(numbers)], numbers)
    for what, numbers, out in (("two open extents", (-1, -1), (12, 12)), ("another count", (7,), (7,)),
                               ("negative extents", (-2, -72), (2, 72)), ("huge extents", (2**62, 4), (2**62, 4))):
        yield Case(f"a Reshape with {what}", *of(layer_model(
            "Reshape", 1, {"special_zero": False}, out=out, constants=[i64(*numbers)])), 1, ["culprit"])
    yield Case("a Transpose with an axis twice", *of(layer_model(
        "Transpose", 1, {}, constants=[i64(0, 1, 1, 3)])), 1, ["culprit"])
    yield Case("a Transpose with too few axes", *of(layer_model(
        "Transpose", 1, {}, constants=[i64(1, 0)])), 1, ["culprit"])
    yield Case("a Split that leaves a rest", *of(layer_model(
        "Split", 1, {"num_splits": 5}, constants=[("i64", [], [3])])), 1, ["culprit"])
    yield Case("a Split with 0 parts", *of(layer_model(
        "Split", 1, {"num_splits": 0}, constants=[("i64", [], [3])])), 1, ["culprit"])
    yield Case("a VariadicSplit of another sum", *of(layer_model(
        "VariadicSplit", 1, {}, constants=[("i64", [], [3]), i64(7)])), 1, ["culprit"])
    yield Case("FakeQuantize with one level", *of(layer_model(
        "FakeQuantize", 1, {"levels": 1}, constants=[("f32", [], [0.0]), ("f32", [], [1.0])] * 2)), 1, ["culprit"])
    yield Case("a step of 0", *of(layer_model(
        "Slice", 8, {}, constants=[i64(0), i64(6), i64(0), i64(3)])), 1, ["culprit"])
    yield Case("a StridedSlice with two ellipses", *of(layer_model(
        "StridedSlice", 1, {"begin_mask": [0, 0], "end_mask": [0, 0], "ellipsis_mask": [1, 1]},
        constants=[i64(0, 0), i64(1, 1)])), 1, ["culprit"])
    yield Case("a StridedSlice with a mask of 2", *of(layer_model(
        "StridedSlice", 1, {"begin_mask": [2], "end_mask": [0]}, constants=[i64(0), i64(1)])), 1, ["culprit"])
    yield Case("an Interpolate to nothing", *of(layer_model(
        "Interpolate", 11, {"mode": "nearest", "shape_calculation_mode": "sizes"},
        constants=[i64(0, 0), i64(2, 3)])), 1, ["culprit"])
    yield Case("an Interpolate to huge extents", *of(layer_model(
        "Interpolate", 11, {"mode": "nearest", "shape_calculation_mode": "sizes"}, out=(1, 4, 2**40, 2**40),
        constants=[i64(2**40, 2**40), i64(2, 3)])), 1)
    yield Case("a Broadcast to huge extents", *of(layer_model(
        "Broadcast", 3, {"mode": "bidirectional"}, out=(2**40, 4, 6, 6), constants=[i64(2**62, 1, 1, 1)])), 1)
    yield Case("a Tile by huge counts", *of(layer_model(
        "Tile", 1, {}, constants=[i64(2**62, 2**62, 1, 1)])), 1)
    yield Case("a Pad by huge counts", *of(layer_model(
        "Pad", 1, {"pad_mode": "constant"}, constants=[i64(0, 0, 0, 2**62), i64(0, 0, 0, 2**62)])), 1)
    yield Case("an Einsum that is none", *of(layer_model("Einsum", 7, {"equation": "ab->"}, out=())), 1, ["culprit"])
    for kind, opset in (("NonZero", 3), ("TensorIterator", 1), ("FakeConvert", 13), ("RandomUniform", 8)):
        yield Case(f"{kind} is refused by name", *of(layer_model(kind, opset, {})), 1, [kind, "culprit"])


def nested():
    """Deep and wide texts, and what XML can say besides."""
    text, data = of(small_model())
    for count in (10_000, 300_000):
        deep = "<a>" * count + "</a>" * count
        yield Case(f"{count} nested elements", text.replace("<edges>", deep + "<edges>"), data, None)
        yield Case(f"{count} nested elements in rt_info", text.replace(
            "<rt_info><conversion", f"<rt_info>{deep}<conversion"), data, None)
        yield Case(f"{count} elements that do not end", text.replace("<edges>", "<a>" * count), data, 1)
    laughs = '<!DOCTYPE net [<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30)) + "]>\n"
    head, rest = text.split("\n", 1)
    yield Case("entities that expand", head + "\n" + laughs + rest.replace('name="x"', 'name="&a29;"'), data, 1)
    yield Case("entities in an extent", head + "\n" + laughs + rest.replace("<dim>3</dim>", "<dim>&a29;</dim>"),
               data, 1)
    outside = '<!DOCTYPE net [<!ENTITY file SYSTEM "file:///etc/hostname">]>\n'
    yield Case("an entity of another file", head + "\n" + outside + rest.replace('name="x"', 'name="&file;"'),
               data, 1)
    yield Case("an unknown entity", text.replace('name="x"', 'name="&none;"'), data, None)
    yield Case("a name in other letters", text.replace('name="x"', 'name="größe 名&amp;&lt;"'), data, 0)
    yield Case("a name with a line break", text.replace('name="x"', 'name="a&#10;b"'), data, None)
    yield Case("a name with quotes", text.replace('name="x"', "name=\"a&quot;b\\\""), data, None)
    yield Case("a name of 100,000 letters", text.replace('name="x"', f'name="{"x" * 100_000}"'), data, None)
    yield Case("comments", text.replace("<edges>", "<!-- <edges> --><edges>"), data, 0)
    yield Case("a byte order mark", b"\xef\xbb\xbf" + text.encode(), data, None)
    yield Case("UTF-16", text.encode("utf-16"), data, None)
    yield Case("lines that end as on Windows", text.replace("\n", "\r\n"), data, 0)
    yield Case("an empty file", b"", data, 1)
    yield Case("zeros", bytes(1000), data, 1)
    yield Case("a zero in the text", text.replace("product", "pro\0duct").encode(), data, None)
    yield Case("no XML", "#" * 500, data, 1)
    yield Case("text after the end", text + "</net>", data, None)
    yield Case("two models", text + text.split("\n", 1)[1], data, None)

    chain = Network()
    value = chain.parameter("f32", [2], "x")
    for _ in range(3000):
        value = chain.layer("ReLU", 1, [value], [("f32", [2])])[0]
    chain.result(value)
    yield Case("3,000 layers", *of(chain), 0)
    # The same in the opposite order: layers may come in any.
    lines = chain.text().split("<edges>")
    layers = re.findall(r"<layer .*?</layer>", lines[0], re.S)
    turned = "<layers>\n" + "\n".join(reversed(layers)) + "\n</layers>\n<edges>" + lines[1]
    yield Case("3,000 layers from the last", chain.xml().replace(chain.text(), turned), bytes(chain.data), 0)


def states():
    def stateful(read=1, assign=1, read_id="v", assign_id="v", assign_type="f32"):
        n = Network()
        x = n.parameter("f32", [1, 2], "x")
        zero = n.constant("f32", [1, 2], [0.0, 0.0])
        says = lambda name, element="f32": {"variable_id": name, "variable_type": element, "variable_shape": [1, 2]}
        values = [n.layer("ReadValue", 6, [zero], [("f32", [1, 2])], says(read_id), f"read{at}")[0]
                  for at in range(read)]
        total = x
        for value in values:
            total = n.layer("Add", 1, [total, value], [("f32", [1, 2])], {"auto_broadcast": "numpy"})[0]
        n.result(total, "y")
        for at in range(assign):
            n.layer("Assign", 6, [total], [], says(assign_id, assign_type), f"assign{at}")
        return of(n)
    yield Case("a variable", *stateful(), 0)
    yield Case("a variable that no layer assigns", *stateful(assign=0), 1, ["v"])
    yield Case("a variable that no layer reads", *stateful(read=0), 1, ["assign0"])
    yield Case("a variable that two layers assign", *stateful(assign=2), 1, ["v"])
    yield Case("a variable that two layers read", *stateful(read=2), 1, ["v"])
    yield Case("another variable assigned", *stateful(assign_id="w"), 1)
    yield Case("a variable of another type", *stateful(assign_type="i64"), 1)
    yield Case("a variable without a name", *stateful(read_id="", assign_id=""), 1)


def with_body(name, version):
    """A Loop or an If that is as it should be: text and bytes."""
    for seed in range(100):
        t = Pair(seed)
        t.version = version
        if t.is_open or t.ir.version < 11:
            continue
        t.result(STEPS[name].function(t))
        text = t.ir.xml()
        if 'axis="0" start="0"' in text or name == "If":
            return text, bytes(t.ir.data)
    raise AssertionError(name)


def bodies():
    """What is wrong in a body, or in what connects it."""
    text, data = with_body("Loop", 5)
    yield Case("a loop", text, data, 0)

    def loop(what, old, new, exit=1, count=1):
        found = re.search(old, text, re.S)
        assert found, (what, old)
        return Case(f"a loop: {what}", text[:found.start()] + found.expand(new) + text[found.end():], data, exit)
    first = r'<input external_port_id="3" internal_layer_id="0"([^>]*)/>'
    yield loop("an input of no layer", first, r'<input external_port_id="3" internal_layer_id="99"\1/>')
    yield loop("an input from no port", first, r'<input external_port_id="77" internal_layer_id="0"\1/>')
    yield loop("an input from a negative port", first, r'<input external_port_id="-7" internal_layer_id="0"\1/>')
    yield loop("an input without a port", first, r'<input internal_layer_id="0"\1/>')
    yield loop("an input without a layer", first, r'<input external_port_id="3"\1/>')
    yield loop("an input into no parameter", first, r'<input external_port_id="3" internal_layer_id="4"\1/>')
    yield loop("an input twice", first, r"\g<0>\g<0>")
    yield loop("a parameter that nothing feeds", first, "")
    yield loop("an unknown attribute of an input", first, r'<input external_port_id="3" internal_layer_id="0"\1 colour="red"/>')
    for name, value in (("axis", 7), ("axis", -9), ("axis", "x"), ("stride", 0), ("stride", 2**40), ("part_size", 0),
                        ("part_size", -1), ("start", 99), ("end", 99), ("start", "x")):
        yield loop(f"an input with {name} {value}", rf'( {name})="[^"]*"', rf'\1="{value}"')
    result = r'<output external_port_id="5" internal_layer_id="(\d+)" />'
    yield loop("a result of no layer", result, '<output external_port_id="5" internal_layer_id="99" />')
    yield loop("a result to no port", result, r'<output external_port_id="55" internal_layer_id="\1" />')
    yield loop("a result of a parameter", result, '<output external_port_id="5" internal_layer_id="0" />')
    yield loop("a result that nothing gives", result, "")
    yield loop("an unknown purpose", "current_iteration", "next_iteration")
    yield loop("no condition", r'<output external_port_id="-1"[^>]*/>', "")
    yield loop("a condition of numbers", r'<output external_port_id="-1" internal_layer_id="\d+"',
               '<output external_port_id="-1" internal_layer_id="0"')
    edge = r'<edge from-layer="(\d+)" to-layer="1" />'
    yield loop("a back edge from no layer", edge, '<edge from-layer="99" to-layer="1" />')
    yield loop("a back edge to no layer", edge, r'<edge from-layer="\1" to-layer="99" />')
    yield loop("a back edge to a sliced input", edge, r'<edge from-layer="\1" to-layer="0" />')
    yield loop("a back edge to a result", edge, r'<edge from-layer="\1" to-layer="\1" />')
    yield loop("a back edge twice", edge, r"\g<0>\g<0>")
    yield loop("no port map", r"<port_map>.*</port_map>", "")
    yield loop("no body", r"<body>.*</body>", "")
    yield loop("two bodies", r"<body>.*</body>", r"\g<0>\g<0>")
    yield loop("a body without results", r'(<body>.*?)type="Result"(.*?)type="Result"', r'\1type="Tanh"\2type="Tanh"')
    yield loop("a body with a number twice", r'(<body>.*?)<layer id="1"', r'\1<layer id="0"')
    yield loop("a body with an unknown type", r'(<body>.*?)type="Tanh"', r'\1type="Tank"')
    yield loop("a body with an unknown attribute", r'(<body>.*?)auto_broadcast="numpy"', r'\1auto_broadcast="numpy" a="b"')
    yield loop("a body with an edge to nowhere", r"(<body>.*?<edges>)",
               r'\1<edge from-layer="0" from-port="0" to-layer="99" to-port="0" />')

    text, data = with_body("If", 8)
    yield Case("a condition", text, data, 0)
    port = r'(<else_port_map>.*?<output external_port_id=)"\d+"( internal_layer_id="\d+" />)'
    yield loop("If: a result to no port", port, r'\1"44"\2')
    yield loop("If: a branch without results", port, r"\1\2".replace("<output external_port_id=", ""))
    yield loop("If: no branch", r"<else_body>.*</else_body>", "")
    yield loop("If: no map", r"<else_port_map>.*</else_port_map>", "")
    yield loop("If: a branch with another input", r'(<else_port_map><input external_port_id=)"1"', r'\1"0"')
    yield loop("If: a condition of numbers", r'element_type="boolean"', 'element_type="i64"')
    yield loop("If: a back edge", r"</else_port_map>", r'\g<0><back_edges><edge from-layer="2" to-layer="0" /></back_edges>',
               exit=None)
    for depth in (5, 400):
        yield Case(f"loops in loops, {depth} deep", *nested_loops(depth), None if depth > 5 else 0)


def nested_loops(depth):
    """Each loop runs once and hands its state on."""
    model = Network()

    def inside(network, value, depth):
        if depth == 0:
            return network.layer("Tanh", 1, [value], [("f32", [2])])[0]
        body = Network(parent=network)
        made = inside(body, body.parameter("f32", [2], "state"), depth - 1)
        body.result(made, "next")
        state = len(body.layers) - 1
        body.result(body.constant("boolean", [], [True]), "go")
        inner = ('<port_map><input external_port_id="2" internal_layer_id="0" />'
                 f'<output external_port_id="3" internal_layer_id="{state}" />'
                 f'<output external_port_id="-1" internal_layer_id="{len(body.layers) - 1}" '
                 'purpose="execution_condition" /></port_map>'
                 f'<back_edges><edge from-layer="{state}" to-layer="0" /></back_edges>'
                 f"<body>{body.text()}</body>")
        operands = [network.constant("i64", [], [1]), network.constant("boolean", [], [True]), value]
        return network.layer("Loop", 5, operands, [("f32", [2])], {}, inner=inner)[0]
    model.result(inside(model, model.parameter("f32", [2], "x"), depth), "y")
    return of(model)


def all_cases(every, offset):
    for version in (10, 11):
        yield Case(f"the small model, version {version}", *of(small_model(version)), 0)
    for family in (edges, layers, extents, places, attributes, nested, states, bodies):
        yield from family()
    yield from flips(every, offset)


class Check:
    def __init__(self, bin_dir, folder):
        self.bin, self.folder = pathlib.Path(bin_dir), folder

    def judge(self, numbered):
        """What is wrong with importing one model; empty where nothing is."""
        number, case = numbered
        folder = self.folder / str(number)
        folder.mkdir()
        path, out = folder / "m.xml", folder / "m.mlir"
        path.write_bytes(case.text)
        if case.data is not None:
            (folder / "m.bin").write_bytes(case.data)
        try:
            wrong = self.run(case, path, out)
        except subprocess.TimeoutExpired:
            wrong = f"more than {SECONDS} s"
        for file in folder.iterdir():
            file.unlink()
        return f"{case.what}: {wrong}" if wrong else ""

    def run(self, case, path, out):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        done = subprocess.run(
            [self.bin / "npu-translate", "--import-openvino", path, "-o", out],
            capture_output=True, text=True, errors="replace", timeout=SECONDS, preexec_fn=limit)
        said = done.stderr
        short = said.strip()[:200].replace(str(path), "m.xml")
        if done.returncode not in (0, 1):
            return f"exit code {done.returncode}: {said.strip()[-200:]}"
        if case.exit is not None and done.returncode != case.exit:
            return f"expected exit code {case.exit}, got {done.returncode}: {short}"
        if done.returncode == 1:
            located = re.search(re.escape(str(path)) + r":(\d+)", said)
            if "error: " not in said or str(path) not in said:
                return f"no located error: {short}"
            if out.exists():
                return "a file beside an error"
            if case.says and case.exit == 1 and not any(
                    re.search(rf"\b{re.escape(word)}\b", said.replace(str(path), "")) for word in case.says) and not (
                    located and int(located[1]) > 1):
                return f"expected the line, or one of {', '.join(case.says)}, got {short}"
            return ""
        read = subprocess.run([self.bin / "npu-opt", out, "-o", os.devnull], capture_output=True, text=True,
                              timeout=SECONDS)
        return f"npu-opt does not read it: {read.stderr[-200:]}" if read.returncode else ""

    def over_its_bytes(self):
        """The file of bytes is an input: what is wrong with writing over it."""
        folder = self.folder / "over"
        folder.mkdir()
        small_model().write(folder / "m.xml")
        content = (folder / "m.bin").read_bytes()
        os.link(folder / "m.bin", folder / "hard.bin")
        for name in ("m.bin", "hard.bin", "m.xml"):
            done = subprocess.run(
                [self.bin / "npu-translate", "--import-openvino", folder / "m.xml", "-o", folder / name],
                capture_output=True, text=True, timeout=SECONDS)
            if done.returncode != 1 or "error: " not in done.stderr:
                yield f"-o {name}: exit code {done.returncode}: {done.stderr[-200:]}"
            if (folder / "m.bin").read_bytes() != content:
                yield f"-o {name}: the data was written over"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with npu-translate and npu-opt")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th byte is flipped")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--only", help="cases whose description has this text")
    options = parser.parse_args()
    cases = [case for case in all_cases(options.every, options.seed)
             if not options.only or options.only in case.what]
    with tempfile.TemporaryDirectory(prefix="openvino-corrupt-") as folder:
        check = Check(options.bin, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failures = [wrong for wrong in pool.map(check.judge, enumerate(cases)) if wrong]
        if not options.only:
            failures += check.over_its_bytes()
    for wrong in failures:
        print("fail:", wrong)
    print(f"{len(cases) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
