#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of copies that elementwise operations read, on a device that runs them in steps.

Transposes, concatenations, slices and reshapes between elementwise operations of linalg: some
read their output or their position, some are read twice or are results, and some copies are read
in another order. An operation that is too large for the scratchpads makes the function one that
runs in steps, where copies are read through. Each function is compiled with and without a price on
bytes and compared bit for bit with itself as it was. Prints what the functions had and
`N passed, N failed`; exits with 1 if one failed.
"""

import random
import subprocess

import random_cases

ELEMENTS = ("f32", "f16", "i32")


class Case:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.element = self.random.choice(ELEMENTS)
        self.lines, self.arguments, self.results, self.kinds = [], [], [], []
        self.values = []
        self.count = 0
        for _ in range(self.random.randint(1, 3)):
            self.values.append(self.argument(self.shape()))
        for _ in range(self.random.randint(3, 9)):
            self.random.choice((self.transpose, self.concat, self.slices, self.reshape, self.turned,
                                self.turned, self.elementwise, self.elementwise))()
        for value in self.values[-self.random.randint(1, 3):]:
            self.results.append(value)
        large = self.argument((90, 90))
        self.results.append(self.generic([large], (90, 90), "large"))

    def shape(self):
        return tuple(self.random.choice((1, 2, 3, 4, 6, 8, 12, 30))
                     for _ in range(self.random.randint(1, 3)))

    def type(self, shape):
        return f"tensor<{''.join(f'{extent}x' for extent in shape)}{self.element}>"

    def name(self, what="v"):
        self.count += 1
        return f"%{what}{self.count}"

    def argument(self, shape):
        value = (self.name("a"), shape)
        self.arguments.append(value)
        return value

    def add(self, text, shape):
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, shape))
        return self.values[-1]

    def empty(self, shape):
        name = self.name("e")
        self.lines.append(f"  {name} = tensor.empty() : {self.type(shape)}")
        return name

    def any(self):
        return self.random.choice(self.values[-4:] if self.random.random() < 0.7 else self.values)

    def transpose(self):
        name, shape = self.any()
        order = self.random.sample(range(len(shape)), len(shape))
        made = tuple(shape[dim] for dim in order)
        self.kinds.append("transpose")
        self.add(f"linalg.transpose ins({name} : {self.type(shape)}) outs({self.empty(made)} : "
                 f"{self.type(made)}) permutation = {order}", made)

    def concat(self):
        name, shape = self.any()
        parts = [name] + [self.random.choice([other for other, same in self.values if same == shape] +
                                             [self.argument(shape)[0]])
                          for _ in range(self.random.randint(1, 3))]
        self.random.shuffle(parts)
        dim = self.random.randrange(len(shape))
        made = tuple(extent * len(parts) if place == dim else extent
                     for place, extent in enumerate(shape))
        self.kinds.append("concat")
        self.add(f"tensor.concat dim({dim}) {', '.join(parts)} : "
                 f"({', '.join([self.type(shape)] * len(parts))}) -> {self.type(made)}", made)

    def turned(self):
        """Parts that nobody else reads, beside each other, and what reads them."""
        name, shape = self.any()
        parts = [self.random.choice((self.generic([(name, shape)], shape, "part", ordered=True)[0], name))
                 for _ in range(self.random.randint(2, 3))]
        dim = self.random.randrange(len(shape))
        made = tuple(extent * len(parts) if place == dim else extent
                     for place, extent in enumerate(shape))
        self.kinds.append("concat")
        whole = self.name()
        self.lines.append(f"  {whole} = tensor.concat dim({dim}) {', '.join(parts)} : "
                          f"({', '.join([self.type(shape)] * len(parts))}) -> {self.type(made)}")
        inputs = [(whole, made)] + [value for value in self.values if value[1] == made][-1:]
        self.random.shuffle(inputs)
        self.values.append(self.generic(inputs, made, "elementwise"))

    def slices(self):
        """Slices of one tensor, mostly its halves."""
        name, shape = self.any()
        dim = self.random.randrange(len(shape))
        if shape[dim] < 2:
            return
        extent = shape[dim] // 2 if self.random.random() < 0.8 else self.random.randint(1, shape[dim] - 1)
        for begin in {0, shape[dim] - extent}:
            made = tuple(extent if place == dim else other for place, other in enumerate(shape))
            offsets = [begin if place == dim else 0 for place in range(len(shape))]
            self.kinds.append("slice")
            self.add(f"tensor.extract_slice {name}{offsets} {list(made)} {[1] * len(shape)} : "
                     f"{self.type(shape)} to {self.type(made)}", made)

    def reshape(self):
        name, shape = self.any()
        if len(shape) < 2:
            return
        dim = self.random.randrange(len(shape) - 1)
        made = shape[:dim] + (shape[dim] * shape[dim + 1],) + shape[dim + 2:]
        groups = [[place] for place in range(dim)] + [[dim, dim + 1]] + [
            [place] for place in range(dim + 2, len(shape))]
        self.kinds.append("reshape")
        self.add(f"tensor.collapse_shape {name} {groups} : {self.type(shape)} into {self.type(made)}",
                 made)

    def elementwise(self):
        name, shape = self.any()
        inputs = [(name, shape)] + [
            self.random.choice([value for value in self.values if value[1] == shape])
            for _ in range(self.random.randint(0, 2))]
        self.values.append(self.generic(inputs, shape, "elementwise"))

    def generic(self, inputs, shape, kind, ordered=False):
        """Reads its inputs in one order, which is not always that of its result."""
        self.kinds.append(kind)
        rank = len(shape)
        order = list(range(rank))
        if not ordered and self.random.random() < 0.3:
            self.random.shuffle(order)
        loops = ", ".join(f"d{dim}" for dim in range(rank))
        made = tuple(shape[dim] for dim in order)
        read = f"affine_map<({loops}) -> ({loops})>"
        written = f"affine_map<({loops}) -> ({', '.join(f'd{dim}' for dim in order)})>"
        reads_output = self.random.random() < 0.2
        output = self.argument(made)[0] if reads_output else self.empty(made)
        steps, last = [], "%i0"

        def step(text):
            nonlocal last
            value = f"%s{len(steps)}"
            steps.append(f"    {value} = {text}")
            last = value

        add, subtract = (("arith.addi", "arith.subi") if self.element == "i32" else
                         ("arith.addf", "arith.subf"))
        for number in range(1, len(inputs)):
            step(f"{self.random.choice((add, subtract))} {last}, %i{number} : {self.element}")
        if reads_output:
            step(f"{subtract} {last}, %out : {self.element}")
        if self.random.random() < 0.2:
            at = self.random.randrange(rank)
            steps.append(f"    %at = linalg.index {at} : index\n"
                         f"    %number = arith.index_cast %at : index to i32")
            if self.element != "i32":
                steps.append(f"    %position = arith.sitofp %number : i32 to {self.element}")
            step(f"{add} {last}, {'%number' if self.element == 'i32' else '%position'} : {self.element}")
            self.kinds.append("position")
        if last == "%i0":
            step(f"{add} {last}, {last} : {self.element}")
        name = self.name()
        arguments = ", ".join(f"%i{number}: {self.element}" for number in range(len(inputs)))
        kinds = ", ".join(['"parallel"'] * rank)
        self.lines.append(
            f"  {name} = linalg.generic {{indexing_maps = [{', '.join([read] * len(inputs) + [written])}], "
            f"iterator_types = [{kinds}]}} ins({', '.join(each for each, _ in inputs)} : "
            f"{', '.join([self.type(shape)] * len(inputs))}) outs({output} : {self.type(made)}) {{\n"
            f"  ^bb0({arguments}, %out: {self.element}):\n" + "\n".join(steps) +
            f"\n    linalg.yield {last} : {self.element}\n  }} -> {self.type(made)}")
        return name, made

    def text(self):
        given = ", ".join(f"{name}: {self.type(shape)}" for name, shape in self.arguments)
        names = ", ".join(name for name, _ in self.results)
        types = ", ".join(self.type(shape) for _, shape in self.results)
        size = self.random.choice((512, 1024, 2048, 4096))
        return (f"""module attributes {{dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = {size} : i64>>}} {{
func.func @main({given}) -> ({types}) {{
""" + "\n".join(self.lines) + f"\n  return {names} : {types}\n}}\n}}\n")


def check(bin_, folder, number, kinds):
    case = Case(number)
    model = folder / "model.mlir"
    text = case.text()
    model.write_text(text)
    kinds.update(case.kinds)
    for price in (0, 4000):
        done = subprocess.run([bin_ / "npu-run", model, f"--compile=byte-price={price}", "-O0"],
                              capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
        if done.returncode == 1 and "no assignment of layouts" in said:
            kinds["refused"] += 1
        elif done.returncode != 0 or not said.rstrip().endswith("equal"):
            return f"price {price}, exit {done.returncode}\n{said}\n{text}"
    return ""


if __name__ == "__main__":
    random_cases.run_numbered(__doc__, 40, check)
