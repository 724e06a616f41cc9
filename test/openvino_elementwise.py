# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenVINO's operations that work on elements, and reductions: each as a function that
adds the operation to both networks of a pair (openvino_pair.py)."""

import math

from onnx_writer import BOOL, FLOAT, INT32, INT64
from openvino_pair import FLOATS, NPY, ONNX_ELEMENTS, broadcast_shape, f32

STEPS = {}


class Step:
    """A function that adds an operation: of which versions, on which values.

    `kind` is any (floats of any shape), rows (rank 2 and up), image (rank 4), or own, which
    makes its own inputs. `elements` are those that the value may have.
    """

    def __init__(self, name, versions, function, kind, elements, exact):
        self.name, self.versions, self.function = name, versions, function
        self.kind, self.elements, self.exact = kind, elements, exact


def step(name, *versions, kind="any", elements=("f32",), exact=False):
    def add(function):
        STEPS[name] = Step(name, versions, function, kind, elements, exact)
        return function
    return add


HALF = ("f32", "f32", "f16")
ALL_FLOATS = ("f32", "f16", "bf16")
ANY = ("f32", "f16", "bf16", "i32", "i64", "u8", "i8", "boolean")
NUMBERS = ("f32", "f32", "i32", "i64")


def unary(name, since, build, elements=HALF, exact=False, prepare=None, bound=None,
          attributes=None):
    """An operation of one operand: `build` gives the ONNX value."""
    def function(t, x):
        if prepare:
            x = prepare(t, x)
        drawn = attributes(t) if attributes else {}
        ir = t.layer(name, t.since(since), [x], x.element, x.shape, **drawn)
        above = bound if isinstance(bound, (int, float)) else (bound or (lambda b: 1e9))(x.bound)
        return t.both(ir, build(t.g, x.onnx, **drawn), False, above)
    step(name, since, elements=elements, exact=exact)(function)


def onnx(operator, **attributes):
    return lambda g, x: g.node(operator, x, **attributes)


def same(bound):
    return bound


def tamed(t, x):
    return t.tamed(x)


def small(t, x):
    return x if x.bound <= 4 else t.tamed(x, 1)


def above_one(t, x):
    return t.positive(x, 1.25)


unary("Abs", 1, onnx("Abs"), ALL_FLOATS, bound=same)
unary("Negative", 1, onnx("Neg"), ALL_FLOATS, bound=same)
unary("ReLU", 1, onnx("Relu"), ALL_FLOATS, bound=same)
unary("Acos", 1, onnx("Acos"), prepare=tamed, bound=3.2)
unary("Asin", 1, onnx("Asin"), prepare=tamed, bound=1.6)
unary("Atanh", 4, onnx("Atanh"), prepare=tamed, bound=2)
unary("Acosh", 4, onnx("Acosh"), prepare=above_one, bound=9)
unary("Asinh", 4, onnx("Asinh"), prepare=small, bound=4)
unary("Atan", 1, onnx("Atan"), bound=1.6)
unary("Ceiling", 1, onnx("Ceil"), ALL_FLOATS, exact=True, bound=lambda b: b + 1)
unary("Floor", 1, onnx("Floor"), ALL_FLOATS, exact=True, bound=lambda b: b + 1)
unary("Sign", 1, onnx("Sign"), ALL_FLOATS, exact=True, bound=1)
unary("Cos", 1, onnx("Cos"), prepare=small, bound=1)
unary("Sin", 1, onnx("Sin"), prepare=small, bound=1)
unary("Tan", 1, onnx("Tan"), prepare=tamed, bound=2)
unary("Cosh", 1, onnx("Cosh"), prepare=small, bound=30)
unary("Sinh", 1, onnx("Sinh"), prepare=small, bound=30)
unary("Tanh", 1, onnx("Tanh"), bound=1)
unary("Erf", 1, onnx("Erf"), bound=1)
unary("Exp", 1, onnx("Exp"), prepare=small, bound=60)
unary("Log", 1, onnx("Log"), prepare=lambda t, x: t.positive(x), bound=4)
unary("Sqrt", 1, onnx("Sqrt"), prepare=lambda t, x: t.positive(x), bound=3)
unary("Sigmoid", 1, onnx("Sigmoid"), bound=1)
unary("SoftPlus", 4, onnx("Softplus"), prepare=small, bound=5)
unary("SoftSign", 9, onnx("Softsign"), bound=1)
unary("Mish", 4, lambda g, x: g.node("Mul", x, g.node("Tanh", g.node("Softplus", x))),
      prepare=small, bound=same)
unary("HSigmoid", 5, lambda g, x: g.node(
    "Div", g.node("Min", g.node("Relu", g.node("Add", x, g.float(3.0))), g.float(6.0)),
    g.float(6.0)), bound=1)
unary("HSwish", 4, lambda g, x: g.node("Div", g.node("Mul", x, g.node(
    "Min", g.node("Relu", g.node("Add", x, g.float(3.0))), g.float(6.0))), g.float(6.0)),
      bound=same)
unary("Elu", 1, lambda g, x, alpha: g.node("Elu", x, alpha=alpha), bound=lambda b: b + 3,
      prepare=small, attributes=lambda t: {"alpha": t.pick(1.0, 0.5, 2.25)})


@step("Clamp", 1, elements=ALL_FLOATS + ("i32", "i64"))
def clamp(t, x):
    low = t.pick(-1.5, -0.5, 0.0, -3.4e38) if x.element in FLOATS else t.pick(-3, -1.5)
    high = t.pick(1.0, 0.5, 6.0, 3.4e38) if x.element in FLOATS else t.pick(4, 2.75)
    ir = t.layer("Clamp", t.since(1), [x], x.element, x.shape, min=low, max=high)
    if x.element not in FLOATS:
        # The least integer that is not below `min`, and the largest that is not above `max`.
        low, high = math.ceil(low), math.floor(high)
    bounds = [t.g.constant(ONNX_ELEMENTS[x.element], [], [each]) for each in (low, high)]
    clipped = t.g.node("Min", t.g.node("Max", x.onnx, bounds[0]), bounds[1])
    return t.both(ir, clipped, x.exact, x.bound)


@step("Gelu", 2, 7, elements=HALF)
def gelu(t, x):
    g, attributes, mode = t.g, {}, "erf"
    if t.version == 7 and t.chance(0.8):
        mode = t.pick("erf", "tanh")
        attributes["approximation_mode"] = mode.upper() if t.chance(0.5) else mode
    ir = t.layer("Gelu", t.since(2, 7), [x], x.element, x.shape, **attributes)
    if mode == "erf":
        inner = g.node("Erf", g.node("Div", x.onnx, g.float(math.sqrt(2))))
    else:
        cube = g.node("Mul", x.onnx, g.node("Mul", x.onnx, x.onnx))
        inner = g.node("Add", x.onnx, g.node("Mul", cube, g.float(0.044715)))
        inner = g.node("Tanh", g.node("Mul", inner, g.float(math.sqrt(2 / math.pi))))
    half = g.node("Mul", g.float(0.5), g.node("Add", inner, g.float(1.0)))
    return t.both(ir, g.node("Mul", x.onnx, half), False, x.bound)


@step("HardSigmoid", 1, elements=HALF)
def hard_sigmoid(t, x):
    alpha, beta = t.pick(0.25, 0.5, 1.0), t.pick(0.5, 0.25)
    ir = t.layer("HardSigmoid", t.since(1), [x, t.float_scalar(x.element, alpha),
                                             t.float_scalar(x.element, beta)], x.element, x.shape)
    g = t.g
    line = g.node("Add", g.node("Mul", x.onnx, g.float(alpha)), g.float(beta))
    return t.both(ir, g.node("Max", g.float(0.0), g.node("Min", g.float(1.0), line)), False, 1)


@step("Selu", 1, elements=HALF)
def selu(t, x):
    x = small(t, x)
    alpha, scale = t.pick(1.5, 0.75), t.pick(1.0, 1.25)
    constant = lambda number: t.ir.constant(x.element, *t.pick(([], [number]), ([1], [number])))
    ir = t.layer("Selu", t.since(1), [x, constant(alpha), constant(scale)], x.element, x.shape)
    return t.both(ir, t.g.node("Selu", x.onnx, alpha=alpha, gamma=scale), False, 2 * x.bound + 2)


@step("Swish", 4, elements=HALF)
def swish(t, x):
    beta = t.pick(None, 1.0, 0.5, 1.75)
    operands = [x] if beta is None else [x, t.float_scalar(x.element, beta)]
    ir = t.layer("Swish", t.since(4), operands, x.element, x.shape)
    inner = t.g.node("Mul", x.onnx, t.g.float(1.0 if beta is None else beta))
    return t.both(ir, t.g.node("Mul", x.onnx, t.g.node("Sigmoid", inner)), False, x.bound)


@step("PReLU", 1, kind="rows", elements=HALF)
def prelu(t, x):
    # A slope of rank 1 goes along the channels; any other is broadcast as by NumPy.
    shape = t.pick([x.shape[1]], [1], [x.shape[-1]], [1] * (x.rank - 1) + [x.shape[-1]], x.shape)
    count = math.prod(shape)
    slope = t.constant(x.element, shape, t.numbers(count, 1.0))
    ir = t.layer("PReLU", t.since(1), [x, slope], x.element, x.shape)
    along = slope.onnx
    if len(shape) == 1 and shape[0] == x.shape[1]:
        along = t.g.node("Reshape", along, t.g.ints(*([1, -1] + [1] * (x.rank - 2))))
    below = t.g.node("Mul", along, t.g.node("Min", x.onnx, t.g.float(0.0)))
    return t.both(ir, t.g.node("Add", t.g.node("Max", x.onnx, t.g.float(0.0)), below),
                  x.exact and x.element == "f32", x.bound)


@step("Round", 5, elements=ALL_FLOATS, exact=True)
def rounded(t, x):
    mode = t.pick(None, "half_to_even", "half_away_from_zero")
    ir = t.layer("Round", t.since(5), [x], x.element, x.shape, **({"mode": mode} if mode else {}))
    g = t.g
    if mode == "half_away_from_zero":
        up = g.node("Floor", g.node("Add", g.node("Abs", x.onnx), g.float(0.5)))
        return t.both(ir, g.node("Mul", g.node("Sign", x.onnx), up), True, x.bound + 1)
    return t.both(ir, g.node("Round", x.onnx), True, x.bound + 1)


@step("SoftMax", 1, 8, kind="any", elements=HALF)
def softmax(t, x):
    x = small(t, x)
    written, axis = t.axis(x.rank, signed=t.version == 8)
    ir = t.layer("SoftMax", t.since(1, 8), [x], x.element, x.shape, axis=written)
    return t.both(ir, t.g.node("Softmax", x.onnx, axis=axis), False, 1)


@step("LogSoftmax", 5, kind="any", elements=HALF)
def log_softmax(t, x):
    x = small(t, x)
    written, axis = t.axis(x.rank)
    ir = t.layer("LogSoftmax", t.since(5), [x], x.element, x.shape, axis=written)
    return t.both(ir, t.g.node("LogSoftmax", x.onnx, axis=axis), False, 20)


def partner_shape(t, x):
    """A shape that is broadcast with that of x."""
    shape = [1 if t.chance(0.3) else extent for extent in x.shape]
    kind = t.pick("same", "ones", "suffix", "scalar", "longer")
    if kind == "same":
        return list(x.shape)
    if kind == "suffix":
        return shape[t.random.randint(0, x.rank):]
    if kind == "scalar":
        return t.pick([], [1])
    if kind == "longer" and x.rank < 5 and not t.in_graph:
        return [t.random.randint(1, 3)] + shape
    return shape


def binary(name, since, operator, kind="any", elements=NUMBERS + ("f16", "bf16"), exact=False,
           result=None, prepare=None, attributes=None, second=None, onnx_name=None):
    """An operation of two operands that are broadcast."""
    def function(t, x):
        if prepare:
            x = prepare(t, x)
        shape = partner_shape(t, x)
        y = second(t, x, shape) if second else t.parameter_or_constant(x.element, shape)
        drawn = dict(attributes(t) if attributes else {})
        if t.chance(0.7):
            drawn["auto_broadcast"] = "none" if shape == x.shape and t.chance(0.3) else "numpy"
        to = broadcast_shape(x.shape, shape)
        pair = [x, y]
        # The second operand first, where an operation may be so.
        if second is None and t.chance(0.3):
            pair.reverse()
        ir = t.layer(name, t.since(since), pair, result or x.element, to, **drawn)
        onnx = operator(t, pair[0], pair[1], **drawn) if callable(operator) else t.g.node(
            operator, pair[0].onnx, pair[1].onnx)
        exactly = x.exact and y.exact and x.element not in FLOATS
        bound = {"Add": x.bound + y.bound, "Subtract": x.bound + y.bound,
                 "Multiply": x.bound * y.bound, "Maximum": max(x.bound, y.bound),
                 "Minimum": max(x.bound, y.bound)}.get(name, 1e9)
        if name in ("Maximum", "Minimum"):
            exactly = x.exact and y.exact
        return t.both(ir, onnx, exactly, 1 if result else bound)
    step(name, since, kind=kind, elements=elements, exact=exact)(function)


binary("Add", 1, "Add")
binary("Subtract", 1, "Sub")
binary("Multiply", 1, "Mul")
binary("Maximum", 1, "Max")
binary("Minimum", 1, "Min")
binary("SquaredDifference", 1, lambda t, a, b, **_: t.g.node(
    "Mul", *[t.g.node("Sub", a.onnx, b.onnx)] * 2), elements=HALF)
for _name, _operator in (("Equal", "Equal"), ("Greater", "Greater"), ("Less", "Less"),
                         ("GreaterEqual", "GreaterOrEqual"), ("LessEqual", "LessOrEqual")):
    binary(_name, 1, _operator, exact=True, result="boolean", elements=NUMBERS + ("f16",))
binary("NotEqual", 1, lambda t, a, b, **_: t.g.node("Not", t.g.node("Equal", a.onnx, b.onnx)),
       exact=True, result="boolean")
for _name, _operator in (("LogicalAnd", "And"), ("LogicalOr", "Or"), ("LogicalXor", "Xor")):
    binary(_name, 1, _operator, elements=("boolean",), second=lambda t, x, shape: t.input(
        "boolean", shape))
for _name, _operator in (("BitwiseAnd", "BitwiseAnd"), ("BitwiseOr", "BitwiseOr"),
                         ("BitwiseXor", "BitwiseXor")):
    binary(_name, 13, _operator, elements=("i32", "i64", "u8", "i8"))


def nonzero(t, x, shape):
    """A second operand that is not 0."""
    count = math.prod(shape)
    if x.element in FLOATS:
        numbers = [t.random.choice((-1, 1)) * t.random.randint(16, 128) / 64 for _ in range(count)]
    else:
        numbers = [t.random.choice((-3, -2, -1, 1, 2, 3, 5)) for _ in range(count)]
    return t.parameter_or_constant(x.element, shape, numbers)


def floor_division(g, a, b):
    """Integers: the quotient towards minus infinity; Mod has the divisor's sign."""
    return g.node("Div", g.node("Sub", a, g.node("Mod", a, b)), b)


def divide(t, a, b, m_pythondiv=True, **_):
    if a.element in FLOATS or not m_pythondiv:
        return t.g.node("Div", a.onnx, b.onnx)
    return floor_division(t.g, a.onnx, b.onnx)


binary("Divide", 1, divide, second=nonzero, elements=("f32", "f16", "i32", "i64"),
       attributes=lambda t: t.pick({}, {"m_pythondiv": True}, {"m_pythondiv": False}))


def floor_mod(t, a, b, **_):
    if a.element in FLOATS:
        quotient = t.g.node("Floor", t.g.node("Div", a.onnx, b.onnx))
        return t.g.node("Sub", a.onnx, t.g.node("Mul", quotient, b.onnx))
    return t.g.node("Mod", a.onnx, b.onnx)


def powers_of_two(t, x, shape):
    """Divisors for which quotients are exact."""
    if x.element not in FLOATS:
        return nonzero(t, x, shape)
    return t.parameter_or_constant(
        x.element, shape, [t.random.choice((-1, 1)) * 2.0 ** t.random.randint(-2, 1)
                           for _ in range(math.prod(shape))])


binary("FloorMod", 1, floor_mod, second=powers_of_two, exact=True, elements=NUMBERS)
binary("Mod", 1, lambda t, a, b, **_: t.g.node("Mod", a.onnx, b.onnx, fmod=1),
       second=powers_of_two, exact=True, elements=NUMBERS)


@step("Power", 1, elements=HALF)
def power(t, x):
    shape = partner_shape(t, x)
    if t.chance(0.5):
        exponent = t.constant(x.element, [], [t.pick(2.0, 2.0, 3.0)])
        x, shape = small(t, x), []
    else:
        x = t.positive(x, 0.5)
        exponent = t.parameter_or_constant(x.element, shape, t.numbers(math.prod(shape), 2.0))
    ir = t.layer("Power", t.since(1), [x, exponent], x.element, broadcast_shape(x.shape, shape),
                 auto_broadcast="numpy")
    return t.both(ir, t.g.node("Pow", x.onnx, exponent.onnx), False, 30)


@step("LogicalNot", 1, elements=("boolean",))
def logical_not(t, x):
    return t.both(t.layer("LogicalNot", t.since(1), [x], "boolean", x.shape),
                  t.g.node("Not", x.onnx), True, 1)


@step("BitwiseNot", 13, elements=("i32", "i64", "u8", "i8", "boolean"))
def bitwise_not(t, x):
    ir = t.layer("BitwiseNot", t.since(13), [x], x.element, x.shape)
    return t.both(ir, t.g.node("Not" if x.element == "boolean" else "BitwiseNot", x.onnx), True, 300)


@step("BitwiseLeftShift", 15, kind="own")
def left_shift(t):
    return shift(t, "BitwiseLeftShift", lambda a, b: a << b)


@step("BitwiseRightShift", 15, kind="own")
def right_shift(t):
    return shift(t, "BitwiseRightShift", lambda a, b: a >> b)


def shift(t, name, formula):
    shape, element = t.shape(), t.pick("u8", "i32")
    x = t.input(element, shape, [t.random.randint(0, 99) for _ in range(math.prod(shape))])
    by = t.parameter_or_constant(element, shape, [t.random.randint(0, 5) for _ in x.numbers])
    ir = t.layer(name, 15, [x, by], element, shape, auto_broadcast="numpy")
    kept = 255 if element == "u8" else -1
    return t.known(ir, [formula(a, b) & kept for a, b in zip(x.numbers, by.numbers)])


@step("Select", 1, elements=ALL_FLOATS + ("i32", "i64"))
def select(t, x):
    y = t.parameter_or_constant(x.element, partner_shape(t, x))
    hidden = partner_shape(t, x)
    # Both may be longer than x, and then do not agree.
    condition = boolean_of(t, hidden if len(hidden) <= x.rank else list(x.shape))
    shape = broadcast_shape(condition.shape, x.shape, y.shape)
    attributes = {"auto_broadcast": "numpy"} if t.chance(0.7) else {}
    ir = t.layer("Select", t.since(1), [condition, x, y], x.element, shape, **attributes)
    return t.both(ir, t.g.node("Where", condition.onnx, x.onnx, y.onnx), x.exact and y.exact,
                  max(x.bound, y.bound))


def boolean_of(t, shape):
    numbers = [t.random.randint(0, 1) for _ in range(math.prod(shape))]
    make = t.constant if t.in_graph or t.chance(0.3) else t.input
    return make("boolean", shape, numbers)


SPECIAL = (float("nan"), float("inf"), -float("inf"), 0.0, 1.5, -2.0)


def classified(name, formula, attributes=lambda t: {}):
    def function(t):
        shape = t.shape()
        x = t.input("f32", shape, [t.random.choice(SPECIAL) for _ in range(math.prod(shape))])
        drawn = attributes(t)
        ir = t.layer(name, t.since(10), [x], "boolean", shape, **drawn)
        return t.known(ir, [bool(formula(number, drawn)) for number in x.numbers])
    step(name, 10, kind="own")(function)


classified("IsNaN", lambda n, _: n != n)
classified("IsFinite", lambda n, _: math.isfinite(n))
classified("IsInf", lambda n, drawn: (n == float("inf") and drawn.get("detect_positive", True)) or (
    n == -float("inf") and drawn.get("detect_negative", True)),
    lambda t: {key: t.chance(0.5) for key in ("detect_negative", "detect_positive")
               if t.chance(0.6)})


def reduction(name, since, operator, elements=("f32",), bound=1e9, prepare=None):
    def function(t, x):
        if prepare:
            x = prepare(t, x)
        written, axes = t.axes(x.rank)
        keep = t.chance(0.5)
        operand = t.list(written)
        if len(written) == 1 and t.chance(0.4):
            operand = t.scalar(written[0])
        shape = [1 if at in axes else extent for at, extent in enumerate(x.shape)
                 if keep or at not in axes]
        ir = t.layer(name, t.since(since), [x, operand], x.element, shape, keep_dims=keep)
        onnx = t.g.node(operator, x.onnx, t.g.ints(*axes), keepdims=int(keep))
        above = x.bound if operator in ("ReduceMax", "ReduceMin", "ReduceMean") else bound
        return t.both(ir, onnx, x.exact and operator in ("ReduceMax", "ReduceMin"), above)
    step(name, since, elements=elements)(function)


reduction("ReduceMax", 1, "ReduceMax", ("f32", "f16", "i32", "i64"))
reduction("ReduceMin", 1, "ReduceMin", ("f32", "f16", "i32", "i64"))
reduction("ReduceMean", 1, "ReduceMean")
reduction("ReduceSum", 1, "ReduceSum", ("f32", "f32", "i32", "i64"))


def factors(t, x):
    """Numbers whose products stay in range."""
    if x.element == "f32":
        return t.tamed(x, 1)
    return t.both(t.layer("Sign", 1, [x], x.element, x.shape), t.g.node("Sign", x.onnx), True, 1)


reduction("ReduceProd", 1, "ReduceProd", ("f32", "i64"), prepare=factors, bound=1)
reduction("ReduceL1", 4, "ReduceL1")
reduction("ReduceL2", 4, "ReduceL2")


def logical_reduction(name, operator):
    def function(t, x):
        written, axes = t.axes(x.rank)
        keep = t.chance(0.5)
        shape = [1 if at in axes else extent for at, extent in enumerate(x.shape)
                 if keep or at not in axes]
        ir = t.layer(name, t.since(1), [x, t.list(written)], "boolean", shape, keep_dims=keep)
        number = t.g.node("Cast", x.onnx, to=INT32)
        all_of = t.g.node(operator, number, t.g.ints(*axes), keepdims=int(keep))
        return t.both(ir, t.g.node("Cast", all_of, to=BOOL), True, 1)
    step(name, 1, elements=("boolean",))(function)


logical_reduction("ReduceLogicalAnd", "ReduceMin")
logical_reduction("ReduceLogicalOr", "ReduceMax")


@step("CumSum", 3, elements=("f32", "f32", "i32", "i64"))
def cumulative_sum(t, x):
    written, axis = t.axis(x.rank)
    drawn = {key: t.chance(0.5) for key in ("exclusive", "reverse") if t.chance(0.6)}
    operands = [x, t.scalar(written)]
    if t.chance(0.2):
        operands, axis = [x], 0
    ir = t.layer("CumSum", t.since(3), operands, x.element, x.shape, **drawn)
    onnx = t.g.node("CumSum", x.onnx, t.g.int(axis), exclusive=int(drawn.get("exclusive", False)),
                    reverse=int(drawn.get("reverse", False)))
    return t.both(ir, onnx, x.exact and x.element != "f32", x.bound * 6)


CONVERTED = {"f32": ("f16", "bf16", "i32", "i64", "u8", "i8", "boolean"),
             "i32": ("f32", "i64", "u8", "i8", "boolean", "f16"),
             "i64": ("f32", "i32", "u8", "i8", "boolean"), "u8": ("f32", "i32", "f16"),
             "i8": ("f32", "i32", "f16"), "boolean": ("f32", "i32", "u8"), "f16": ("f32", "i32")}


def converted(t, x, to):
    """The ONNX value of a conversion: towards 0, and to true where not 0."""
    unsigned = to == "u8"
    numbers = t.g.node("Abs", x.onnx) if unsigned and x.element != "boolean" else x.onnx
    return t.g.node("Cast", numbers, to=BOOL if to == "boolean" else ONNX_ELEMENTS[to])


def convert_operand(t, to):
    element = t.pick(*(each for each in CONVERTED if to in CONVERTED[each]))
    shape = t.shape()
    x = t.input(element, shape)
    if to == "u8" and element != "boolean":
        # Only what is in range is defined.
        x = t.both(t.layer("Abs", 1, [x], element, shape), t.g.node("Abs", x.onnx), True, 9)
    return x, shape


@step("Convert", 1, kind="own")
def convert(t):
    to = t.pick("f32", "f16", "bf16", "i32", "i64", "u8", "i8", "boolean")
    x, shape = convert_operand(t, to)
    ir = t.layer("Convert", t.since(1), [x], to, shape, destination_type=to)
    return t.both(ir, converted(t, x, to))


@step("ConvertLike", 1, kind="own")
def convert_like(t):
    to = t.pick("f32", "f16", "i32", "i64", "u8", "i8", "boolean")
    x, shape = convert_operand(t, to)
    like = t.input(to, t.shape())
    ir = t.layer("ConvertLike", t.since(1), [x, like], to, shape)
    # What only says a type is an input of the ONNX model too.
    return t.both(ir, converted(t, x, to))


@step("FakeQuantize", 1, exact=True)
def fake_quantize(t, x):
    levels = t.pick(2, 4, 16, 255, 256, 256)
    channels = x.shape[1] if x.rank > 1 and t.chance(0.5) else None
    shape = t.pick([], [1], [1] * x.rank)
    if channels:
        shape = [1, channels] + [1] * (x.rank - 2)
    count = math.prod(shape)
    # Ranges of powers of two, in which every step but the last is exact.
    low = [t.pick(-1.0, -2.0, 0.0, -0.5) for _ in range(count)]
    high = [each + t.pick(1.0, 2.0, 4.0) for each in low]
    to_low = low if t.chance(0.6) else t.numbers(count)
    to_high = high if to_low is low else [each + t.pick(1.0, 0.75) for each in to_low]
    ranges = [t.constant(x.element, shape, each) for each in (low, high, to_low, to_high)]
    drawn = {"auto_broadcast": "numpy"} if t.chance(0.7) else {}
    ir = t.layer("FakeQuantize", t.since(1), [x, *ranges], x.element, x.shape, levels=levels, **drawn)
    g = t.g
    a, b, c, d = (each.onnx for each in ranges)
    span = g.float(float(levels - 1))
    at = g.node("Mul", g.node("Div", g.node("Sub", x.onnx, a), g.node("Sub", b, a)), span)
    inside = g.node("Add", g.node("Mul", g.node("Div", g.node("Round", at), span),
                                  g.node("Sub", d, c)), c)
    above = g.node("Where", g.node("Greater", x.onnx, b), d, inside)
    return t.both(ir, g.node("Where", g.node("LessOrEqual", x.onnx, a), c, above), False, 4)
