# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models with elements of 4 bits into a folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
from onnx_writer import FLOAT, INT4, UINT4, UINT8, Graph, field, model  # noqa: E402

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def write(name, graph, opset=21):
    (folder / name).write_bytes(model(graph, opset, ["com.microsoft"]))


# 64 rows of 4 blocks of 32 weights, two in a byte.
graph = Graph()
x = graph.input("x", FLOAT, [2, 128])
weights = graph.constant(UINT8, [64, 4, 16], [number % 251 for number in range(64 * 4 * 16)])
scales = graph.constant(FLOAT, [64, 4], [1 / 16] * 255 + [1.0])
graph.named("MatMulNBits", [x, weights, scales], ["y"], domain="com.microsoft", K=128, N=64, bits=4, block_size=32)
graph.output("y", FLOAT, [2, 64])
write("nbits.onnx", graph)

# Three elements in two bytes, each of which is an integer of int32_data.
for name, element in (("signed.onnx", INT4), ("unsigned.onnx", UINT4)):
    graph = Graph()
    x = graph.input("x", FLOAT, [3])
    graph.initializers.append(
        field(1, 3) + field(2, element) + field(8, "c") + field(5, b"\x78\x0f"))
    graph.named("Add", [x, graph.node("Cast", "c", to=FLOAT)], ["y"])
    graph.output("y", FLOAT, [3])
    write(name, graph)

# A byte too few.
graph = Graph()
x = graph.input("x", FLOAT, [3])
graph.initializers.append(field(1, 3) + field(2, INT4) + field(8, "c") + field(9, b"\x78"))
graph.named("Add", [x, graph.node("Cast", "c", to=FLOAT)], ["y"])
graph.output("y", FLOAT, [3])
write("short.onnx", graph)

# What is quantized to 4 bits and back has only 16 numbers.
graph = Graph()
x = graph.input("x", FLOAT, [5])
scale = graph.float(0.5)
small = graph.node("QuantizeLinear", x, scale, output_dtype=INT4)
graph.named("DequantizeLinear", [small, scale], ["y"])
graph.output("y", FLOAT, [5])
write("round.onnx", graph)
