# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What happens to every element in linalg: each step is a line in a loop nest."""


class LinalgSteps:
    """What happens to one element; a scalar is its name and its type."""

    def __init__(self, form, rank, loop):
        self.form, self.rank, self.loop = form, rank, loop
        self.lines = []

    def step(self, text, element):
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name, element

    def number(self, number, element="f32"):
        return self.form.scalar(number, element), element

    def binary(self, name, a, b):
        kind = "i" if a[1] == "i32" else "f"
        return self.step(f"arith.{name}{kind} {a[0]}, {b[0]} : {a[1]}", a[1])

    def add(self, a, b):
        return self.binary("add", a, b)

    def sub(self, a, b):
        return self.binary("sub", a, b)

    def mul(self, a, b):
        return self.binary("mul", a, b)

    def divide(self, a, b):
        return self.binary("div", a, b)

    def minimum(self, a, b):
        return self.binary("minimum" if a[1] != "i32" else "mins", a, b)

    def maximum(self, a, b):
        return self.binary("maximum" if a[1] != "i32" else "maxs", a, b)

    def at_least(self, a, b):
        return self.step(f"arith.cmpi sge, {a[0]}, {b[0]} : {a[1]}", "i1")

    def clamp(self, a, low, high=None):
        a = self.maximum(a, self.number(low, a[1]))
        return a if high is None else self.minimum(a, self.number(high, a[1]))

    def unary(self, name, a):
        return self.step(f"{name} {a[0]} : {a[1]}", a[1])

    def exp(self, a):
        return self.unary("math.exp", a)

    def rsqrt(self, a):
        return self.unary("math.rsqrt", a)

    def tanh(self, a):
        return self.unary("math.tanh", a)

    def erf(self, a):
        return self.unary("math.erf", a)

    def negate(self, a):
        return self.unary("arith.negf", a)

    def sigmoid(self, a):
        one = self.number(1.0, a[1])
        return self.divide(one, self.add(one, self.exp(self.negate(a))))

    def cast(self, a, element):
        if a[1] == element:
            return a
        verb = "extf" if element == "f32" else "truncf"
        return self.step(f"arith.{verb} {a[0]} : {a[1]} to {element}", element)

    def select(self, condition, a, b):
        return self.step(f"arith.select {condition[0]}, {a[0]}, {b[0]} : {a[1]}", a[1])

    def position(self, axis):
        loop = self.loop[axis % self.rank]
        return self.step(f"linalg.index {loop} : index", "index")
