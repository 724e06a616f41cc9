#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares steps of operations and chains of them with how the field compiler tiles them.

    benchmarks/tilings.py [--bin=build/bin] [WORD...]

tilings.jsonl has operations in f16, and chains of them that run in the same pieces, whose tiling
public tests of the field compiler pin: shapes, kernel, strides, pads, the tiles of the device that
they may use, bytes of a scratchpad, the number of pieces, and the bytes that these move from and to
DDR. Each is a function of its own, whose steps are chosen for the fewest bytes. Prints the bytes
beside the field compiler's and beside every tensor once, and the number of steps beside its pieces.
With words, only rows that have all of them.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BODIES = {"max pool": "arith.maximumf", "average pool": "arith.addf"}


def tensor(shape, element="f16"):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def padded(name, shape, pads, value):
    """Lines that pad rows and columns of %name, and the shape of %p."""
    top, left, bottom, right = pads
    if not any(pads):
        return "", name, shape
    made = [*shape[:2], shape[2] + top + bottom, shape[3] + left + right]
    return (f"%pv = arith.constant {value} : f16\n%p = tensor.pad {name} low[0, 0, {top}, {left}] "
            f"high[0, 0, {bottom}, {right}] {{\n^bb0(%i0: index, %i1: index, %i2: index, %i3: index):\n"
            f"tensor.yield %pv : f16\n}} : {tensor(shape)} to {tensor(made)}\n", "%p", made)


def generic(name, inputs, shape, maps, body):
    """An elementwise operation: `maps` are the dimensions that each input has."""
    dims = ", ".join(f"d{dim}" for dim in range(len(shape)))
    all_maps = [f"affine_map<({dims}) -> ({', '.join(read)})>"
                for read in (*maps, [f"d{dim}" for dim in range(len(shape))])]
    arguments = ", ".join(f"%x{number}: f16" for number in range(len(inputs)))
    kinds = ", ".join(['"parallel"'] * len(shape))
    return (f"%e{name} = tensor.empty() : {tensor(shape)}\n%{name} = linalg.generic {{indexing_maps = "
            f"[{', '.join(all_maps)}], iterator_types = [{kinds}]}} ins("
            f"{', '.join(value for value, _ in inputs)} : {', '.join(type_ for _, type_ in inputs)}) "
            f"outs(%e{name} : {tensor(shape)}) {{\n^bb0({arguments}, %o: f16):\n%y = {body} : f16\n"
            f"linalg.yield %y : f16\n}} -> {tensor(shape)}\n")


def windowed(row):
    """A convolution or a pooling of the first argument."""
    data, made = row["inputs"][0], row["output"]
    begin = "0.0" if row["op"] != "max pool" else "0xFC00"
    text, source, shape = padded("%a0", data, row["pads"], begin)
    strides = f"strides = dense<{row['strides']}> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>"
    text += (f"%z = arith.constant {begin} : f16\n%e = tensor.empty() : {tensor(made)}\n"
             f"%f = linalg.fill ins(%z : f16) outs(%e : {tensor(made)}) -> {tensor(made)}\n")
    if row["op"] == "convolution":
        name, second, type_ = "conv_2d_nchw_fchw", "%a1", tensor(row["inputs"][1])
    else:
        name = "pooling_nchw_max" if row["op"] == "max pool" else "pooling_nchw_sum"
        second, type_ = "%w", tensor(row["kernel"])
        text += f"%w = tensor.empty() : {type_}\n"
    text += (f"%m = linalg.{name} {{{strides}}} ins({source}, {second} : {tensor(shape)}, {type_}) "
             f"outs(%f : {tensor(made)}) -> {tensor(made)}\n")
    whole = [f"d{dim}" for dim in range(4)]
    if row["op"] == "average pool":
        return text + generic("r", [("%m", tensor(made))], made, [whole], "arith.mulf %x0, %x0")
    if len(row["inputs"]) > 2:
        bias = [made[1]]
        text += f"%b = tensor.collapse_shape %a2 [[0, 1, 2, 3]] : {tensor(row['inputs'][2])} into {tensor(bias)}\n"
        return text + generic("r", [("%m", tensor(made)), ("%b", tensor(bias))], made,
                              [whole, ["d1"]], "arith.addf %x0, %x1")
    return text.replace("%m = ", "%r = ")


ELEMENTWISE = {
    "eltwise add": ["arith.addf %x0, %x1"],
    "multiply": ["arith.mulf %x0, %x1"],
    "average pool": ["arith.mulf %x0, %x0"],
    "sigmoid": ["arith.negf %x0", "math.exp %t0", "arith.addf %t1, %one", "arith.divf %one, %t2"],
    "swish": ["arith.negf %x0", "math.exp %t0", "arith.addf %t1, %one", "arith.divf %x0, %t2"],
    "gelu": ["arith.mulf %x0, %root", "math.erf %t0", "arith.addf %t1, %one", "arith.mulf %x0, %t2",
             "arith.mulf %t3, %half"],
    "prelu": ["arith.mulf %x0, %x1", "arith.maximumf %x0, %zero", "arith.minimumf %t0, %zero",
              "arith.addf %t1, %t2"],
    "depthwise convolution": ["arith.mulf %x0, %x1"],
}


class Chain:
    """The body of a function that makes one operation of a row after the other."""

    def __init__(self, row):
        self.text = ("%zero = arith.constant 0.0 : f16\n%one = arith.constant 1.0 : f16\n"
                     "%half = arith.constant 0.5 : f16\n%root = arith.constant 0.7071 : f16\n"
                     "%least = arith.constant 0xFC00 : f16\n%small = arith.constant 1.0e-4 : f16\n")
        self.count = 0
        made = []
        for op in row["ops"]:
            self.operands = [made[arg["op"]] if "op" in arg
                             else (f"%a{arg['in']}", row["inputs"][arg["in"]]) for arg in op["args"]]
            form = op["op"] if op["op"] not in ELEMENTWISE else "elementwise"
            made.append((getattr(self, form.replace(" ", "_"))(op), op["output"]))
        self.text += f"return {made[-1][0]} : {tensor(row['output'])}\n"

    def line(self, text):
        self.count += 1
        self.text += f"%v{self.count} = {text}\n"
        return f"%v{self.count}"

    def generic(self, inputs, shape, lines, loops=4, made=None, begin="%zero"):
        """`inputs` are values, shapes and the loops of their dimensions; `made` those of the result."""
        made = made or list(range(len(shape)))
        dims = ", ".join(f"d{loop}" for loop in range(loops))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{loop}' for loop in read)})>"
                         for read in (*(read for _, _, read in inputs), made))
        kinds = ", ".join('"parallel"' if loop in made else '"reduction"' for loop in range(loops))
        out = self.line(f"tensor.empty() : {tensor(shape)}")
        if len(made) < loops:
            out = self.line(f"linalg.fill ins({begin} : f16) outs({out} : {tensor(shape)}) -> {tensor(shape)}")
        body = "".join(f"%t{number} = {line} : f16\n" for number, line in enumerate(lines))
        arguments = ", ".join(f"%x{number}: f16" for number in range(len(inputs)))
        return self.line(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(value for value, _, _ in inputs)} : "
            f"{', '.join(tensor(each) for _, each, _ in inputs)}) outs({out} : {tensor(shape)}) {{\n"
            f"^bb0({arguments}, %o: f16):\n{body}linalg.yield %t{len(lines) - 1} : f16\n}} -> {tensor(shape)}")

    def flat(self, value, shape, groups):
        made = [math.prod(shape[dim] for dim in group) for group in groups]
        name = self.line(f"tensor.collapse_shape {value} {groups} : {tensor(shape)} into {tensor(made)}")
        return name, made

    def elementwise(self, op):
        inputs = []
        for value, shape in self.operands:
            if shape == op["output"]:
                inputs.append((value, shape, [0, 1, 2, 3]))
            else:
                inputs.append((*self.flat(value, shape, [[0, 1, 2, 3]]), [1]))
        return self.generic(inputs, op["output"], ELEMENTWISE[op["op"]])

    def convolution(self, op):
        (x, shape), (w, filters) = self.operands
        made = op["output"]
        if op["kernel"] == [1, 1] and op["strides"] == [1, 1]:
            weights = self.flat(w, filters, [[0], [1, 2, 3]])
            return self.generic([(x, shape, [0, 4, 2, 3]), (*weights, [1, 4])], made,
                                ["arith.mulf %x0, %x1", "arith.addf %o, %t0"], 5, [0, 1, 2, 3])
        text, source, larger = padded(x, shape, op["pads"], "0.0")
        self.text += text
        out = self.line(f"tensor.empty() : {tensor(made)}")
        out = self.line(f"linalg.fill ins(%zero : f16) outs({out} : {tensor(made)}) -> {tensor(made)}")
        return self.line(
            f"linalg.conv_2d_nchw_fchw {{strides = dense<{op['strides']}> : tensor<2xi64>, dilations = "
            f"dense<1> : tensor<2xi64>}} ins({source}, {w} : {tensor(larger)}, {tensor(filters)}) "
            f"outs({out} : {tensor(made)}) -> {tensor(made)}")

    def over(self, value, shape, axes, lines, begin="%zero", more=()):
        """A reduction over `axes`."""
        rest = [dim for dim in range(len(shape)) if dim not in axes]
        made = [shape[dim] for dim in rest]
        return (self.generic([(value, shape, [0, 1, 2, 3]), *more], made, lines, 4, rest, begin), made, rest)

    def softmax(self, op):
        (x, shape), = self.operands
        whole = [0, 1, 2, 3]
        largest = self.over(x, shape, op["axes"], ["arith.maximumf %o, %x0"], "%least")
        powers = self.generic([(x, shape, whole), largest], shape, ["arith.subf %x0, %x1", "math.exp %t0"])
        sums = self.over(powers, shape, op["axes"], ["arith.addf %o, %x0"])
        return self.generic([(powers, shape, whole), sums], shape, ["arith.divf %x0, %x1"])

    def mvn(self, _):
        (x, shape), = self.operands
        whole = [0, 1, 2, 3]
        sums = self.over(x, shape, [2, 3], ["arith.addf %o, %x0"])
        apart = self.generic([(x, shape, whole), sums], shape, ["arith.mulf %x1, %small", "arith.subf %x0, %t0"])
        squares = self.over(apart, shape, [2, 3], ["arith.mulf %x0, %x0", "arith.addf %o, %t0"])
        return self.generic([(apart, shape, whole), squares], shape,
                            ["arith.addf %x1, %small", "math.rsqrt %t0", "arith.mulf %x0, %t1"])

    def depth_to_space(self, op):
        (x, (n, c, h, w)), = self.operands
        block, made = op["block_size"], op["output"]
        apart = [n, made[1], block, block, h, w]
        value = self.line(f"tensor.expand_shape {x} [[0], [1, 2, 3], [4], [5]] output_shape {apart} : "
                          f"{tensor([n, c, h, w])} into {tensor(apart)}")
        order = [0, 1, 4, 2, 5, 3]
        turned = [apart[dim] for dim in order]
        out = self.line(f"tensor.empty() : {tensor(turned)}")
        value = self.line(f"linalg.transpose ins({value} : {tensor(apart)}) outs({out} : {tensor(turned)}) "
                          f"permutation = {order}")
        return self.flat(value, turned, [[0], [1], [2, 3], [4, 5]])[0]


def function(row):
    arguments = ", ".join(f"%a{number}: {tensor(shape)}" for number, shape in enumerate(row["inputs"]))
    made = row["output"]
    if "ops" in row:
        body = Chain(row).text
    elif row["op"] in ("convolution", "max pool", "average pool"):
        body = windowed(row)
    else:
        whole = [f"d{dim}" for dim in range(len(made))]
        inputs = [(f"%a{number}", tensor(shape)) for number, shape in enumerate(row["inputs"])]
        body = generic("r", inputs, made, [whole] * len(inputs),
                       "arith.addf %x0, %x1" if len(inputs) == 2 else "math.absf %x0")
    device = (f'"npu.name" = "{row["device"]} as tested", "npu.like" = "{row["device"]}", '
              f'"npu.tiles" = {row["tiles"]}, "npu.scratchpad_bytes" = {row["cmx_bytes"] // 64 * 64}')
    return (f'module attributes {{dlti.target_system_spec = #dlti.target_system_spec<"NPU" = '
            f"#dlti.target_device_spec<{device}>>}} {{\nfunc.func @main({arguments}) -> {tensor(made)} "
            f"{{\n{body}" + ("" if "ops" in row else f"return %r : {tensor(made)}\n") + "}\n}\n")


def steps_in(text):
    """The steps of all operations that have loops of steps."""
    total = 0
    for line in text.splitlines():
        found = re.search(r"loops = array<i64: ([^>]*)>, sizes = array<i64: ([^>]*)>", line)
        if not found:
            continue
        loops, sizes = ([int(each) for each in group.split(",")] for group in found.groups())
        total += loops_of(line, loops, sizes)
    return max(total, 1)


def loops_of(line, loops, sizes):
    """Steps of one operation: the extents of its loops follow from its types."""
    shapes = [[int(each) for each in re.findall(r"\d+(?=x)", type_)]
              for type_ in re.findall(r"tensor<([0-9x]+)f16", line)]
    made = shapes[-1]
    extents = list(made)
    if line.count('"parallel"') == 4 and '"reduction"' in line:
        extents += shapes[1][1:]
    elif '"reduction"' in line:
        extents = shapes[0]
    elif "conv_2d" in line:
        extents += shapes[1][1:]
    elif "pooling" in line:
        extents += shapes[1]
    return math.prod(-(-extents[loop] // size) for loop, size in zip(loops, sizes))


def compared(opt, row, folder):
    """Bytes of DDR and steps of one row here; {"error": ...} where it is refused."""
    model, assigned, costs = (folder / name for name in ("model.mlir", "assigned.mlir", "costs.json"))
    model.write_text(function(row))
    done = subprocess.run([opt, model, "--npu-compile=compile-to=assigned byte-price=4000", "-o", assigned],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return {"error": next((each for each in done.stderr.splitlines() if "error:" in each), "")[:150]}
    subprocess.run([opt, assigned, f"--npu-print-costs=format=json output-file={costs}", "-o", "/dev/null"],
                   check=True, stderr=subprocess.DEVNULL)
    return {"moved": json.loads(costs.read_text())["functions"][0]["ddr_bytes"],
            "steps": steps_in(assigned.read_text())}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--rows", type=pathlib.Path, default=ROOT / "benchmarks" / "tilings.jsonl")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    print("| operation | device, tiles | bytes, of the field compiler's | of every tensor once "
          "| steps | its pieces |")
    print("|---|---|--:|--:|--:|--:|")
    above, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for line in options.rows.read_text().splitlines():
            row = json.loads(line)
            if not all(word in f"{row['op']} {row['device']} {row['id']}" for word in options.words):
                continue
            count += 1
            ours = compared(options.bin / "npu-opt", row, pathlib.Path(folder))
            if "error" in ours:
                print(f"| {row['op']} {row['id']} | {row['device']}, {row['tiles']} | {ours['error']} | | | |")
                above.append(row["id"])
                continue
            if ours["moved"] > 1.005 * row["ddr_bytes"] or ours["steps"] > row["pieces"]:
                above.append(row["id"])
            print(f"| {row['op']} {row['id']} | {row['device']}, {row['tiles']} "
                  f"| {ours['moved'] / row['ddr_bytes']:.3f} | {ours['moved'] / row['ddr_bytes_bound']:.3f} "
                  f"| {ours['steps']} | {row['pieces']} |", flush=True)
    print(f"{count - len(above)} of {count} operations move no more bytes in no more steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
