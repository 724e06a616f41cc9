# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What happens to every element in TOSA: each step is an operation on tensors."""
from models.values import broadcast

# What a clamp without an upper end ends at.
LARGEST = {"f32": 3.4028234e38, "f16": 65504.0, "bf16": 3.3895313e38}


class TosaSteps:
    """What happens to every element, each step an operation on whole tensors."""

    def __init__(self, form, shape, rank):
        self.form, self.shape, self.rank = form, shape, rank

    def number(self, number, element="f32"):
        return self.form.scalar(number, element, self.rank)

    def binary(self, name, a, b, element=None, *more):
        shape = broadcast([a.shape, b.shape])
        return self.form.op(name, shape, a, b, *more, element=element)

    def add(self, a, b):
        return self.binary("add", a, b)

    def sub(self, a, b):
        return self.binary("sub", a, b)

    def mul(self, a, b):
        return self.binary("mul", a, b, None, self.form.scalar(0, "i8", 1))

    def minimum(self, a, b):
        return self.binary("minimum", a, b)

    def maximum(self, a, b):
        return self.binary("maximum", a, b)

    def at_least(self, a, b):
        return self.binary("greater_equal", a, b, "i1")

    def clamp(self, a, low, high=None):
        if high is None:
            high = LARGEST[a.element]
        return self.form.op("clamp", a.shape, a, attributes=
                            f"min_val = {low:.9e} : {a.element}, "
                            f"max_val = {high:.9e} : {a.element}")

    def unary(self, name, a):
        return self.form.op(name, a.shape, a)

    def exp(self, a):
        return self.unary("exp", a)

    def rsqrt(self, a):
        return self.unary("rsqrt", a)

    def sigmoid(self, a):
        return self.unary("sigmoid", a)

    def tanh(self, a):
        return self.unary("tanh", a)

    def erf(self, a):
        return self.unary("erf", a)

    def divide(self, a, b):
        return self.mul(a, self.unary("reciprocal", b))

    def negate(self, a):
        zero = self.form.scalar(0.0, a.element, 1)
        return self.form.op("negate", a.shape, a, zero, zero)

    def cast(self, a, element):
        if a.element == element:
            return a
        return self.form.op("cast", a.shape, a, element=element)

    def select(self, condition, a, b):
        shape = broadcast([condition.shape, a.shape, b.shape])
        return self.form.op("select", shape, condition, a, b, element=a.element)

    def position(self, axis):
        """The position along a dimension: counted, or what the caller says where
        the extent is dynamic."""
        shape = [1] * self.rank
        shape[axis] = self.shape[axis]
        if shape[axis] == "?":
            return self.form.reshape(self.form.positions, shape)
        return self.form.once(
            ("positions", tuple(shape)),
            lambda: self.form.numbers(list(range(shape[axis])), shape, "i32"))
