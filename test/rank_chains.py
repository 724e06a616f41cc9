# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of independent chains, for ranks.py: each chain moves one tensor between random
layouts and DDR and computes in between, on tiles or on the host, and chains sometimes meet. The lines
of all chains are mixed, so that what one chain sends can be under way while another one computes;
some tensors are so large that they go in many pieces, and in another order of dimensions.
"""

import random

# Rank 1 sends 2 MiB in pieces to rank 0, and goes on when they have arrived; rank 0 needs what follows
# from that first, and has to go on with the pieces while it waits for it.
PIECES = """
#zero = #npu.layout<SEGMENTED, compute = [[0:512, 0:1024], [0:0, 0:0], [0:0, 0:0]]>
#one = #npu.layout<SEGMENTED, compute = [[0:0, 0:0], [0:512, 0:1024], [0:0, 0:0]]>
#two = #npu.layout<SEGMENTED, compute = [[0:0, 0:0], [0:0, 0:0], [0:512, 0:1024]]>
#turned = #npu.layout<SEGMENTED, compute = [[0:512, 0:1024], [0:0, 0:0], [0:0, 0:0]], order = [1, 0]>
func.func @main(%x: tensor<512x1024xf32, #one>, %y: tensor<512x1024xf32, #one>)
    -> (tensor<512x1024xf32, #turned>, tensor<512x1024xf32, #one>) {
  %x0 = npu.redistribute %x : tensor<512x1024xf32, #one> to tensor<512x1024xf32, #turned>
  %y2 = npu.redistribute %y : tensor<512x1024xf32, #one> to tensor<512x1024xf32, #two>
  %y1 = npu.redistribute %y2 : tensor<512x1024xf32, #two> to tensor<512x1024xf32, #one>
  %again = npu.redistribute %y1 : tensor<512x1024xf32, #one> to tensor<512x1024xf32, #two>
  %y0 = npu.redistribute %again : tensor<512x1024xf32, #two> to tensor<512x1024xf32, #zero>
  %turned = npu.redistribute %y0 : tensor<512x1024xf32, #zero> to tensor<512x1024xf32, #turned>
  %e = tensor.empty() : tensor<512x1024xf32, #turned>
  %sum = linalg.add ins(%x0, %turned : tensor<512x1024xf32, #turned>, tensor<512x1024xf32, #turned>)
      outs(%e : tensor<512x1024xf32, #turned>) -> tensor<512x1024xf32, #turned>
  %f = tensor.empty() : tensor<512x1024xf32, #one>
  %kept = linalg.add ins(%x, %y1 : tensor<512x1024xf32, #one>, tensor<512x1024xf32, #one>)
      outs(%f : tensor<512x1024xf32, #one>) -> tensor<512x1024xf32, #one>
  return %sum, %kept : tensor<512x1024xf32, #turned>, tensor<512x1024xf32, #one>
}
"""


class Chains:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tiles = self.random.choice((2, 3, 4, 5, 6, 8, 12))
        self.names, self.lines, self.arguments, self.results = 0, [], [], []
        large = self.random.random() < 0.15
        shape = ((self.random.choice((512, 640)), self.random.choice((1024, 1536))) if large else
                 (self.random.randint(1, 40), self.random.randint(1, 40)))
        values = []
        for number in range(self.random.randint(1, 3)):
            # Chains of one shape can meet.
            if number and self.random.random() < 0.4:
                shape = (self.random.randint(1, 40), self.random.randint(1, 40))
            layout = self.layout()
            self.arguments.append((f"%x{number}", self.type(shape, layout)))
            values.append((f"%x{number}", shape, layout))
        for _ in range(self.random.randint(2, 5 if large else 14)):
            at = self.random.randrange(len(values))
            values[at] = self.step(values[at], values)
            if self.random.random() < 0.15:
                self.results.append(values[at])
        self.results += values

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def layout(self):
        """A layout, or nothing: a tensor in DDR."""
        kind = self.random.random()
        order = ", order = [1, 0]" if self.random.random() < 0.25 else ""
        if kind < 0.2:
            return ""
        if kind < 0.4:
            return f"#npu.layout<DUPLICATED, tiles = {self.tiles}{order}>"
        split = [self.tiles, 1] if self.random.random() < 0.5 else [1, self.tiles]
        return f"#npu.layout<SEGMENTED, tiles = {split}{order}>"

    @staticmethod
    def type(shape, layout):
        return f"tensor<{shape[0]}x{shape[1]}xf32{layout and ', ' + layout}>"

    def step(self, value, values):
        name, shape, layout = value
        others = [each for each in values if each[1:] == value[1:] and each != value]
        if others and self.random.random() < 0.4:
            return self.compute("add", [value, self.random.choice(others)])
        if self.random.random() < 0.5:
            return self.compute(self.random.choice(("abs", "negf", "tanh")), [value])
        to = self.layout()
        if to == layout:
            return self.compute("negf", [value])
        moved = (self.name(), shape, to)
        self.lines.append(f"{moved[0]} = npu.redistribute {name} : {self.type(shape, layout)} to "
                          f"{self.type(shape, to)}")
        return moved

    def compute(self, op, operands):
        _, shape, layout = operands[0]
        type_, empty, result = self.type(shape, layout), self.name(), self.name()
        self.lines += [
            f"{empty} = tensor.empty() : {type_}",
            f"{result} = linalg.{op} ins({', '.join(name for name, *_ in operands)} : "
            f"{', '.join([type_] * len(operands))}) outs({empty} : {type_}) -> {type_}"]
        return result, shape, layout

    def text(self):
        given = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments)
        types = ", ".join(self.type(*rest) for _, *rest in self.results)
        return (f"func.func @main({given}) -> ({types}) {{\n" + "\n".join(self.lines) +
                f"\nreturn {', '.join(name for name, *_ in self.results)} : {types}\n}}\n")
