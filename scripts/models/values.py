# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an operation takes and gives: a name, a shape and an element type."""


def spell_type(shape, element):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


def count(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


class Value:
    """`shape` is what broadcasting sees. A value that `kept` only some of its
    dimensions has extent 1 in the others, and its tensor lacks them."""

    def __init__(self, name, shape, element, kept=None):
        self.name, self.shape, self.element = name, list(shape), element
        self.kept = list(range(len(shape))) if kept is None else list(kept)

    @property
    def whole(self):
        return len(self.kept) == len(self.shape)

    @property
    def tensor_shape(self):
        return [self.shape[at] for at in self.kept]

    @property
    def type(self):
        return spell_type(self.tensor_shape, self.element)


class Number(Value):
    """One number, and no tensor."""

    @property
    def type(self):
        return self.element


def broadcast(shapes):
    """The shape that all of `shapes`, aligned at their ends, are stretched to."""
    rank = max(len(shape) for shape in shapes)
    result = [1] * rank
    for shape in shapes:
        for at, extent in enumerate(shape, rank - len(shape)):
            if extent != 1:
                result[at] = extent
    return result
