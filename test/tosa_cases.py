# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one TOSA operation each: every operation that MLIR's dialect has, with every
combination of element types that the standard's tables have (MLIR carries these tables),
a few beyond them, and the forms that attributes and shapes give. Each knows what it should
compute (tosa_evaluate.py)."""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

import tosa_evaluate as tosa
from tosa_types import (FLOATS, NAMES, Tensor, carrier, is_float, least, made, most, numbers, rounded, tensor_type,
                        width)


@dataclass
class Case:
    operation: str
    types: tuple
    form: str
    text: str
    arguments: list
    expected: list  # Tensors, or None where nothing is said about values.
    tolerance: float
    magnitude: float = 1e-3  # Of what is added up, where results may be small differences.

    @property
    def name(self):
        return f"{self.operation} ({', '.join(self.types)}){', ' + self.form if self.form else ''}"


@dataclass
class Function:
    """The text of a function as it is put together."""

    arguments: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    before: list = field(default_factory=list)
    count: int = 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append(text)

    def argument(self, tensor):
        """A tensor of the caller's, brought to its type where a caller cannot have it."""
        name, outside = f"%arg{len(self.arguments)}", carrier(tensor.kind)
        self.arguments.append(tensor)
        if outside == tensor.kind:
            return name, tensor.type
        value = self.fresh()
        self.line(f"{value} = arith.{'truncf' if is_float(tensor.kind) else 'trunci'} {name} : "
                  f"{tensor_type(outside, tensor.shape)} to {tensor.type}")
        return value, tensor.type

    def constant(self, tensor):
        value = self.fresh()
        data = [repr(float(v)) if is_float(tensor.kind) else str(v) for v in tensor.data]
        self.line(f'{value} = "tosa.const"() <{{values = dense<{nested(data, tensor.shape)}> : {tensor.type}}}> : () -> {tensor.type}')
        return value, tensor.type

    def shape(self, extents):
        value, kind = self.fresh(), f"!tosa.shape<{len(extents)}>"
        self.line(f'{value} = "tosa.const_shape"() <{{values = dense<{list(extents)}> : tensor<{len(extents)}xindex>}}> '
                  f": () -> {kind}")
        return value, kind

    def call(self, operation, operands, attributes, *types):
        values = [self.fresh() for _ in types]
        given = f" <{{{attributes}}}>" if attributes else ""
        self.line(f"{', '.join(values)}{' = ' if values else ''}\"tosa.{operation}\"("
                  f"{', '.join(o[0] for o in operands)}){given} : ({', '.join(o[1] for o in operands)}) -> "
                  f"({', '.join(types)})")
        return list(zip(values, types))

    def returning(self, results):
        """The whole text; what no caller can take is returned as what one can."""
        outer = []
        for value, kind in results:
            shape, element = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", kind).groups()
            if carrier(element) != element:
                wide, there = self.fresh(), f"tensor<{shape}{carrier(element)}>"
                self.line(f"{wide} = arith.{'extf' if is_float(element) else 'extsi'} {value} : {kind} to {there}")
                value, kind = wide, there
            outer.append((value, kind))
        given = ", ".join(f"%arg{i}: {tensor_type(carrier(t.kind), t.shape)}" for i, t in enumerate(self.arguments))
        kinds = ", ".join(kind for _, kind in outer)
        lines = self.lines + [f"return {', '.join(v for v, _ in outer)} : {kinds}"]
        return "\n".join(self.before + [f"func.func @main({given}) -> ({kinds}) {{"] + ["  " + l for l in lines] + ["}", ""])


def nested(data, shape):
    """The elements as MLIR writes them: a list for every dimension."""
    if not shape:
        return data[0]
    step = len(data) // shape[0]
    return "[" + ", ".join(nested(data[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"


def nan_attribute(mode):
    return f"nan_mode = #tosa.nan_mode<{mode}>"


def tolerance_of(kind, ulps=4):
    """How far a float result may be from the double, relative to it."""
    return ulps * 2.0 ** -FLOATS[kind][0] if is_float(kind) else 0.0


class Cases:
    """All cases, made up in order."""

    def __init__(self, tables):
        self.tables = tables
        self.all = []
        self.names = set()

    def types_of(self, operation):
        return sorted(self.tables.get("tosa." + operation, ()), key=str)

    def add(self, operation, types, form, function, results, expected, tolerance=0.0, magnitude=1e-3):
        text = function.returning(results)
        expected = expected and [Tensor(t.kind, t.shape, [rounded(v, t.kind) for v in t.data]) for t in expected]
        case = Case(operation, tuple(types), form, text, function.arguments, expected, tolerance,
                    magnitude)
        if case.name not in self.names:
            self.names.add(case.name)
            self.all.append(case)

    # Elementwise.

    def unary(self, operation, compute, low=-4, high=4, extra=(), ulps=4):
        for types in [*self.types_of(operation), *extra]:
            kind = types[0]
            shape = (2, 5, 6)
            x = numbers(kind, shape, operation, low, high)
            function = Function()
            given = function.argument(x)
            results = function.call(operation, [given], "", tensor_type(types[-1], shape))
            self.add(operation, types, "", function, results,
                     [made(types[-1], shape, lambda *i, x=x, k=kind: compute(x.at(*i), k))], tolerance_of(kind, ulps))

    def binary(self, operation, compute, attributes=("",), low=-4, high=4, second=None, extra=(), ulps=1):
        for types in [*self.types_of(operation), *extra]:
            for attribute in attributes:
                if "nan_mode" in attribute and not is_float(types[0]) and "IGNORE" in attribute:
                    continue
                for form, a_shape, b_shape in (("", (2, 5, 6), (2, 5, 6)), ("broadcast", (2, 1, 6), (1, 5, 6)),
                                               ("rank 0", (), ())):
                    self.binary_case(operation, types, compute, attribute, form, a_shape, b_shape, low, high,
                                     second or (low, high), ulps)

    def binary_case(self, operation, types, compute, attribute, form, a_shape, b_shape, low, high, second, ulps):
        a = numbers(types[0], a_shape, operation + "a", low, high)
        b = numbers(types[1], b_shape, operation + "b", *second)
        if is_float(types[0]) and "nan_mode" in attribute and a_shape:
            a.data[1] = b.data[2] = a.data[3] = b.data[3] = math.nan
        function = Function()
        operands = [function.argument(a), function.argument(b)]
        shape = tuple(max(x, y) for x, y in zip(a_shape, b_shape))
        results = function.call(operation, operands, attribute, tensor_type(types[-1], shape))
        mode = re.search("IGNORE|PROPAGATE|true|false", attribute)
        self.add(operation, types, " ".join(filter(None, [mode and mode.group(), form])), function, results,
                 [tosa.broadcast(lambda x, y: compute(x, y, types[0], mode and mode.group()), types[-1], a, b)],
                 tolerance_of(types[0], ulps))

    def elementwise(self):
        wide = [("i8", "i8", "i8"), ("i16", "i16", "i16"), ("f64", "f64", "f64")]
        self.unary("abs", lambda x, k: abs(x), extra=[("i8", "i8"), ("i16", "i16"), ("f64", "f64")])
        self.unary("bitwise_not", lambda x, k: ~x)
        self.unary("ceil", lambda x, k: float(math.ceil(x)))
        self.unary("floor", lambda x, k: float(math.floor(x)))
        self.unary("clz", tosa.leading_zeros, -100, 1000, extra=[("i8", "i8"), ("i16", "i16")])
        self.unary("cos", lambda x, k: math.cos(x), extra=[("f64", "f64")])
        self.unary("sin", lambda x, k: math.sin(x), extra=[("f64", "f64")])
        self.unary("exp", lambda x, k: math.exp(x), extra=[("f64", "f64")])
        self.unary("log", lambda x, k: math.log(x), 0.5, 9, extra=[("f64", "f64")])
        self.unary("erf", lambda x, k: math.erf(x), extra=[("f64", "f64")])
        self.unary("tanh", lambda x, k: math.tanh(x), extra=[("f64", "f64")])
        self.unary("sigmoid", lambda x, k: 1 / (1 + math.exp(-x)), extra=[("f64", "f64")], ulps=6)
        self.unary("reciprocal", lambda x, k: 1 / x, 0.5, 9, extra=[("f64", "f64")])
        self.unary("rsqrt", lambda x, k: 1 / math.sqrt(x), 0.5, 9, extra=[("f64", "f64")])
        self.unary("logical_not", lambda x, k: 1 - x, 0, 1)
        self.unary("identity", lambda x, k: x)
        self.binary("add", lambda a, b, k, m: a + b, extra=wide)
        self.binary("sub", lambda a, b, k, m: a - b, extra=wide)
        self.binary("pow", lambda a, b, k, m: a ** b, low=0.5, high=3, ulps=8)
        self.binary("intdiv", lambda a, b, k, m: int(math.trunc(a / b)), low=-99, high=99, second=(1, 9))
        for name, compute in (("and", lambda a, b, k, m: a & b), ("or", lambda a, b, k, m: a | b),
                              ("xor", lambda a, b, k, m: a ^ b)):
            self.binary("bitwise_" + name, compute)
            self.binary("logical_" + name, compute, low=0, high=1)
        self.binary("logical_left_shift", lambda a, b, k, m: a << b, second=(0, 6), extra=[("i64", "i64", "i64")])
        self.binary("logical_right_shift", lambda a, b, k, m: (a & ((1 << width(k)) - 1)) >> b, second=(0, 6))
        self.binary("arithmetic_right_shift", lambda a, b, k, m: tosa.shift_right(a, b, m == "true"),
                    ("round = true", "round = false"), -100, 100, (0, 6))
        modes = (nan_attribute("PROPAGATE"), nan_attribute("IGNORE"))
        self.binary("maximum", lambda a, b, k, m: tosa.extreme(a, b, m, max), modes, extra=wide)
        self.binary("minimum", lambda a, b, k, m: tosa.extreme(a, b, m, min), modes, extra=wide)
        bytes_ = [("i8", "i8", "i1"), ("i1", "i1", "i1"), ("f64", "f64", "i1")]
        self.binary("equal", lambda a, b, k, m: int(a == b), extra=bytes_)
        self.binary("greater", lambda a, b, k, m: int(a > b), extra=bytes_[:1])
        self.binary("greater_equal", lambda a, b, k, m: int(a >= b), extra=bytes_[:1])
        self.multiply()
        self.negate()
        self.clamps()
        self.select()
        self.casts()
        self.table()

    def multiply(self):
        for types in [*self.types_of("mul"), ("i8", "i8", "i8"), ("i16", "i16", "i16"), ("f64", "f64", "f64")]:
            for shift in (0, 3) if types[0] == "i32" else (0,):
                for form, b_shape in (("", (2, 5, 6)), ("broadcast", (1, 5, 1))):
                    a = numbers(types[0], (2, 5, 6), "mul", -50, 50)
                    b = numbers(types[1], b_shape, "by", -2 if types[2] == "i8" else -50, 2 if types[2] == "i8" else 50)
                    function = Function()
                    operands = [function.argument(a), function.argument(b),
                                function.constant(Tensor("i8", (1,), [shift]))]
                    results = function.call("mul", operands, "", tensor_type(types[2], (2, 5, 6)))

                    def product(x, y, shift=shift):
                        return tosa.shift_right(x * y, shift, True) if shift else x * y
                    self.add("mul", types, " ".join(filter(None, [f"shift {shift}" if shift else "", form])), function,
                             results, [tosa.broadcast(product, types[2], a, b)], tolerance_of(types[2], 1))

    def negate(self):
        for types in [*self.types_of("negate"), ("f64",) * 4]:
            for zeros in ((0, 0), (3, -2)) if types[0] == "i8" else ((0, 0),):
                kind, shape = types[0], (2, 5, 6)
                x = numbers(kind, shape, "negate", -128, 127)
                function = Function()
                operands = [function.argument(x)] + [function.constant(Tensor(kind, (1,), [z])) for z in zeros]
                results = function.call("negate", operands, "", tensor_type(kind, shape))

                def negated(v, zeros=zeros, kind=kind):
                    return -v if is_float(kind) else tosa.fitting(zeros[1] - (v - zeros[0]), kind)
                if kind == "i8" and zeros == (0, 0):
                    x.data = [max(v, -127) for v in x.data]
                self.add("negate", types, "zero points" if any(zeros) else "", function, results,
                         [made(kind, shape, lambda *i, x=x: negated(x.at(*i)))])

    def clamps(self):
        for types in [*self.types_of("clamp"), ("i32", "i32"), ("i64", "i64"), ("ui8", "ui8"), ("f64", "f64")]:
            kind, shape = types[0], (2, 5, 6)
            for mode in ("PROPAGATE", "IGNORE") if is_float(kind) else ("PROPAGATE",):
                low, high = (2, 3) if kind == "ui8" else (-2, 3)
                x = numbers(kind, shape, "clamp", -6, 6)
                if is_float(kind):
                    x.data[4] = math.nan
                function = Function()
                given = function.argument(x)
                bound = (lambda v: f"{v}.5 : {kind}") if is_float(kind) else lambda v: f"{v} : {kind}"
                results = function.call("clamp", [given], f"min_val = {bound(low)}, max_val = {bound(high)}, "
                                        f"{nan_attribute(mode)}", tensor_type(kind, shape))
                more = 0.5 if is_float(kind) else 0
                self.add("clamp", types, mode if is_float(kind) else "", function, results,
                         [made(kind, shape, lambda *i, x=x, m=mode: tosa.clamp(
                             x.at(*i), low - more if low < 0 else low + more, high + more, m))])

    def select(self):
        for types in [*self.types_of("select"), ("f64",) * 3]:
            kind, shape = types[-1], (2, 5, 6)
            for form, which_shape in (("", shape), ("broadcast", (1, 5, 1))):
                which = numbers("i1", which_shape, "which", 0, 1)
                a, b = numbers(kind, shape, "then"), numbers(kind, shape, "else")
                function = Function()
                operands = [function.argument(t) for t in (which, a, b)]
                results = function.call("select", operands, "", tensor_type(kind, shape))
                self.add("select", types, form, function, results,
                         [tosa.broadcast(lambda w, x, y: x if w else y, kind, which, a, b)])

    def casts(self):
        beyond = [("i1", "f32"), ("f32", "i1"), ("f64", "f32"), ("f32", "f64"), ("i64", "f32"), ("f32", "i64"),
                  ("i4", "i8"), ("i8", "i4"), ("i8", "i8"), ("i32", "i64"), ("i64", "i32"), ("ui8", "f32")]
        beyond += [("f16", "bf16"), ("bf16", "f16")]
        for source, to in [*self.types_of("cast"), *(b for b in beyond if b not in self.types_of("cast"))]:
            shape = (2, 5, 6)
            x = numbers(source, shape, "cast", -300 if width_ok(source) else -4, 300 if width_ok(source) else 4)
            if source in ("f16", "bf16", "f32", "f64") and to in ("i8", "i16", "i32"):
                x.data[:6] = [rounded(v, source) for v in (-0.5, 0.5, 1.5, 2.5, math.inf, -math.inf)]
            if is_float(to) and is_float(source):
                x = Tensor(source, shape, [max(-4.0, min(4.0, v)) for v in x.data])
            function = Function()
            given = function.argument(x)
            results = function.call("cast", [given], "", tensor_type(to, shape))
            self.add("cast", (source, to), "", function, results,
                     [made(to, shape, lambda *i, x=x, t=to, s=source: tosa.cast(x.at(*i), t, s))])

    def table(self):
        for types in self.types_of("table"):
            source, entries = types[0], 256 if types[0] == "i8" else 513
            x = numbers(source, (2, 5, 6), "table", least(source), most(source))
            table = numbers(types[1], (entries,), "entries", -100, 100)
            for form in ("constant table", "table is an argument"):
                function = Function()
                given = function.argument(x)
                given_table = function.constant(table) if form == "constant table" else function.argument(table)
                results = function.call("table", [given, given_table], "", tensor_type(types[2], x.shape))
                self.add("table", types, form, function, results,
                         [made(types[2], x.shape, lambda *i, x=x, s=source: tosa.lookup(x.at(*i), table.data, s))])

    # Reductions.

    def reductions(self):
        sums = [("i8", "i8"), ("i16", "i16"), ("f64", "f64")]
        rows = (("reduce_all", min, [("i1", "i1")]), ("reduce_any", max, [("i1", "i1")]),
                ("reduce_max", None, [("f64", "f64")]), ("reduce_min", None, [("f64", "f64")]),
                ("reduce_product", lambda v: math.prod(v), [("i32", "i32"), ("f64", "f64")]),
                ("reduce_sum", sum, sums))
        for name, combine, extra in rows:
            for types in [*self.types_of(name), *(e for e in extra if e not in self.types_of(name))]:
                modes = ("PROPAGATE", "IGNORE") if combine is None and is_float(types[0]) else \
                    ("PROPAGATE",) if combine is None else ("",)
                for mode in modes:
                    for axis in (0, 1, 2):
                        self.reduction(name, types, combine, mode, axis)
        for types in [*self.types_of("argmax"), ("f64", "i32"), ("i32", "i32")]:
            for mode in ("PROPAGATE", "IGNORE") if is_float(types[0]) else ("PROPAGATE",):
                for axis in (0, 2):
                    self.arg_max(types, mode, axis)

    def reduction(self, name, types, combine, mode, axis):
        shape = (3, 4, 5)
        low, high = (0, 1) if types[0] == "i1" else (1, 2) if "product" in name else (-4, 4)
        x = numbers(types[0], shape, name, low, high, whole=True)
        form = f"{mode + ' ' if is_float(types[0]) and mode else ''}axis {axis}"
        if mode and is_float(types[0]):
            x.data[7] = math.nan
            for i in range(3 if axis == 0 else 5):
                x.data[20 * i + 1 if axis == 0 else 20 + i] = -math.inf if "max" in name else math.inf
        function = Function()
        given = function.argument(x)
        attributes = f"axis = {axis} : i32" + (f", {nan_attribute(mode)}" if mode else "")
        out = tuple(1 if d == axis else e for d, e in enumerate(shape))
        results = function.call(name, [given], attributes, tensor_type(types[-1], out))
        if combine is None:
            choose = max if "max" in name else min
            combine = lambda values: tosa.fold(values, lambda a, b: tosa.extreme(a, b, mode, choose))
        self.add(name, types, form, function, results, [tosa.reduce(x, axis, combine)])

    def arg_max(self, types, mode, axis):
        shape = (3, 4, 5)
        x = numbers(types[0], shape, "argmax")
        if is_float(types[0]) and types[0] in FLOATS and FLOATS[types[0]][0] > 3:
            x.data[7] = x.data[27] = math.nan
        function = Function()
        given = function.argument(x)
        out = tuple(e for d, e in enumerate(shape) if d != axis)
        results = function.call("argmax", [given], f"axis = {axis} : i32, {nan_attribute(mode)}",
                                tensor_type(types[1], out))
        kept = tosa.reduce(x, axis, lambda values: tosa.argmax(values, mode), types[1])
        self.add("argmax", types, f"{mode + ' ' if is_float(types[0]) else ''}axis {axis}", function, results,
                 [tosa.reshaped(kept, out)])

    # Data layout.

    def layouts(self):
        some = [("f64", "f64"), ("i64", "i64"), ("ui8", "ui8")]
        for types in [*self.types_of("concat"), ("f64", "f64"), ("ui8", "ui8")]:
            for axis in (0, 1, 2):
                shapes = [tuple(k if d == axis else e for d, e in enumerate((2, 3, 4))) for k in (2, 1, 3)]
                self.laid_out("concat", types, f"axis {axis}", [numbers(types[0], s, i) for i, s in enumerate(shapes)],
                              f"axis = {axis} : i32", lambda *t, axis=axis: tosa.concat(t, axis))
            self.laid_out("concat", types, "one operand", [numbers(types[0], (2, 3), 0)], "axis = 0 : i32", lambda t: t)
        for types in [*self.types_of("reshape"), *some]:
            for form, shape in (("", (4, 15)), ("to rank 4", (2, 2, 3, 5)), ("to rank 1", (60,))):
                self.laid_out("reshape", types, form, [numbers(types[0], (3, 4, 5), "reshape")], "",
                              lambda x, s=shape: tosa.reshaped(x, s), [shape])
            self.laid_out("reshape", types, "to rank 0", [numbers(types[0], (1, 1), "reshape")], "",
                          lambda x: tosa.reshaped(x, ()), [()])
        for types in [*self.types_of("reverse"), *some]:
            for axis in (0, 1, 2):
                self.laid_out("reverse", types, f"axis {axis}", [numbers(types[0], (3, 4, 5), "reverse")],
                              f"axis = {axis} : i32", lambda x, axis=axis: made(x.kind, x.shape, lambda *i: x.at(
                                  *(x.shape[d] - 1 - k if d == axis else k for d, k in enumerate(i)))))
        for types in [*self.types_of("slice"), *some]:
            for form, start, size in (("", (1, 0, 2), (2, 4, 3)), ("one element", (2, 3, 4), (1, 1, 1))):
                self.laid_out("slice", types, form, [numbers(types[0], (3, 4, 5), "slice")], "",
                              lambda x, b=start, s=size: made(x.kind, s, lambda *i: x.at(*(k + o for k, o in zip(i, b)))),
                              [start, size])
        for types in [*self.types_of("tile"), *some]:
            for form, shape, multiples in (("", (2, 3, 4), (2, 1, 3)), ("extent 1", (1, 3, 1), (2, 1, 3)),
                                           ("once", (2, 3), (1, 1)), ("rank 1", (3,), (4,)),
                                           ("rank 4", (1, 3, 2, 1), (2, 1, 2, 3))):
                self.laid_out("tile", types, form, [numbers(types[0], shape, "tile")], "",
                              lambda x, m=multiples: made(x.kind, [e * k for e, k in zip(x.shape, m)], lambda *i: x.at(
                                  *(k % e for k, e in zip(i, x.shape)))), [multiples])
        for types in [*self.types_of("transpose"), *some]:
            for perms in ((2, 0, 1), (1, 0, 2), (0, 1, 2)):
                self.laid_out("transpose", types, "perms " + " ".join(map(str, perms)),
                              [numbers(types[0], (3, 4, 5), "transpose")],
                              f"perms = array<i32: {', '.join(map(str, perms))}>",
                              lambda x, p=perms: made(x.kind, [x.shape[d] for d in p], lambda *i: x.at(
                                  *(i[p.index(d)] for d in range(3)))))
        self.pads(some)
        self.gathers()

    def laid_out(self, operation, types, form, tensors, attributes, compute, shapes=()):
        function = Function()
        operands = [function.argument(t) for t in tensors] + [function.shape(s) for s in shapes]
        expected = compute(*tensors)
        results = function.call(operation, operands, attributes, tensor_type(expected.kind, expected.shape))
        self.add(operation, types, form, function, results, [expected])

    def pads(self, some):
        for types in [*self.types_of("pad"), *((t[0],) * 3 for t in some)]:
            kind = types[0]
            for form, padding in (("", (1, 0, 0, 2, 1, 1)), ("by nothing", (0,) * 6)):
                for of in ("", "value is an argument"):
                    x = numbers(kind, (2, 3, 4), "pad")
                    value = Tensor(kind, (1,), [1.5 if is_float(kind) else 1])
                    function = Function()
                    given = function.argument(x)
                    operands = [given, function.shape(padding), function.argument(value) if of else function.constant(value)]
                    expected = tosa.pad(x, padding, value.data[0])
                    results = function.call("pad", operands, "", expected.type)
                    self.add("pad", types, " ".join(filter(None, [form, of])), function, results, [expected])

    def gathers(self):
        for types in [*self.types_of("gather"), ("f64", "i32", "f64")]:
            for form in ("", "constant indices"):
                values = numbers(types[0], (2, 5, 3), "values")
                places = numbers(types[1], (2, 4), "places", 0, 4)
                function = Function()
                operands = [function.argument(values),
                            function.constant(places) if form else function.argument(places)]
                expected = made(types[0], (2, 4, 3), lambda n, w, c: values.at(n, places.at(n, w), c))
                results = function.call("gather", operands, "", expected.type)
                self.add("gather", types, form, function, results, [expected])
        for types in [*self.types_of("scatter"), ("f64", "i32", "f64", "f64")]:
            for form in ("", "constant indices"):
                values, updates = numbers(types[0], (2, 5, 3), "values"), numbers(types[0], (2, 2, 3), "updates")
                places = Tensor(types[1], (2, 2), [0, 3, 4, 1])
                function = Function()
                operands = [function.argument(values),
                            function.constant(places) if form else function.argument(places), function.argument(updates)]
                expected = tosa.scatter(values, places, updates)
                results = function.call("scatter", operands, "", expected.type)
                self.add("scatter", types, form, function, results, [expected])

    # Convolutions, products, pools.

    def contractions(self):
        for types in [*self.types_of("matmul"), ("f64",) * 5]:
            for form, zeros in (("", (0, 0)), ("zero points", (2, -1))) if types[0] == "i8" else (("", (0, 0)),):
                a, b = numbers(types[0], (2, 3, 4), "a", whole=True), numbers(types[1], (2, 4, 5), "b", whole=True)
                function = Function()
                operands = [function.argument(a), function.argument(b),
                            *(function.constant(Tensor(k, (1,), [z])) for k, z in zip(types[2:4], zeros))]
                expected = tosa.matmul(a, b, *zeros, types[4])
                results = function.call("matmul", operands, "", expected.type)
                self.add("matmul", types, form, function, results, [expected])
        plain = ("", (5, 6), (3, 2), (0, 0, 0, 0), (1, 1), (1, 1))
        forms = [plain, ("padding", (5, 6), (3, 2), (1, 1, 0, 1), (1, 1), (1, 1)),
                 ("stride and dilation", (7, 7), (2, 2), (0, 0, 0, 0), (2, 1), (2, 3)), ("1x1", (4, 4), (1, 1), (0,) * 4, (1, 1), (1, 1)),
                 ("1x1 padding", (4, 4), (1, 1), (0, 0, 2, 0), (1, 1), (1, 1)),
                 ("1x1 stride", (5, 5), (1, 1), (0,) * 4, (2, 2), (1, 1))]
        double = [("f64", "f64", "f64", "f64", "f64", "f32", "f64")]
        for operation in ("conv2d", "depthwise_conv2d"):
            for types in [*self.types_of(operation), *double]:
                for row in forms:
                    self.convolution(operation, types, *row)
                self.convolution(operation, types, "one bias", *plain[1:], one_bias=True)
                if types[0] == "i8" and types[1] == "i8":
                    self.convolution(operation, types, "zero points", *plain[1:], zeros=(2, -1))
                    self.convolution(operation, types, "zero points and padding", *forms[1][1:], zeros=(2, -1))
                    self.convolution(operation, types, "1x1 zero points and padding", *forms[4][1:], zeros=(2, -1))
                if types[0] == "f32":
                    self.convolution(operation, types, "constant weights", *plain[1:], constant=True)
        for types in [*self.types_of("conv3d"), *double]:
            for form, pads, strides, dilations in (("", (0,) * 6, (1, 1, 1), (1, 1, 1)),
                                                   ("padding", (1, 0, 0, 1, 1, 1), (1, 1, 1), (1, 1, 1)),
                                                   ("stride and dilation", (0,) * 6, (2, 1, 1), (1, 2, 1))):
                self.convolution("conv3d", types, form, (5, 4, 5), (3, 2, 2), pads, strides, dilations)
        for types in [*self.types_of("transpose_conv2d"), *double]:
            for form, out_pad, stride in (("", (0,) * 4, (1, 1)), ("stride", (0,) * 4, (2, 3)),
                                          ("negative padding", (-1, -1, 0, -1), (1, 1)),
                                          ("padding and stride", (1, 0, 0, 1), (2, 2))):
                self.transposed(types, form, out_pad, stride, (0, 0))
            if types[0] == "i8" and types[1] == "i8":
                self.transposed(types, "zero points", (0,) * 4, (1, 1), (2, -1))
                self.transposed(types, "zero points and stride", (0,) * 4, (2, 2), (2, -1))

    def operands_of(self, types, x_shape, w_shape, outputs, zeros, one_bias, constant):
        x = numbers(types[0], x_shape, "x", whole=True)
        weight = numbers(types[1], w_shape, "weight", whole=True)
        bias = numbers(types[2], (1 if one_bias else outputs,), "bias", whole=True)
        function = Function()
        hold = function.constant if constant else function.argument
        operands = [function.argument(x), hold(weight), hold(bias),
                    *(function.constant(Tensor(k, (1,), [z])) for k, z in zip(types[3:5], zeros))]
        return function, operands, x, weight, bias

    def convolution(self, operation, types, form, size, kernel, pads, strides, dilations, zeros=(0, 0), one_bias=False,
                    constant=False):
        depthwise, channels, outputs = operation == "depthwise_conv2d", 3, 6 if operation == "depthwise_conv2d" else 4
        w_shape = (*kernel, channels, 2) if depthwise else (outputs, *kernel, channels)
        function, operands, x, weight, bias = self.operands_of(types, (2, *size, channels), w_shape, outputs, zeros,
                                                               one_bias, constant)
        expected = tosa.convolution(x, weight, bias, *zeros, pads, strides, dilations, types[-1], depthwise)
        attributes = (f"pad = array<i64: {joined(pads)}>, stride = array<i64: {joined(strides)}>, "
                      f"dilation = array<i64: {joined(dilations)}>, acc_type = {types[5]}")
        results = function.call(operation, operands, attributes, expected.type)
        self.add(operation, types, form, function, results, [expected])

    def transposed(self, types, form, out_pad, stride, zeros):
        function, operands, x, weight, bias = self.operands_of(types, (2, 4, 3, 3), (4, 3, 2, 3), 4, zeros, False, False)
        expected = tosa.transposed_convolution(x, weight, bias, *zeros, out_pad, stride, types[-1])
        results = function.call("transpose_conv2d", operands,
                                f"out_pad = array<i64: {joined(out_pad)}>, stride = array<i64: {joined(stride)}>, "
                                f"acc_type = {types[5]}", expected.type)
        self.add("transpose_conv2d", types, form, function, results, [expected])

    def pools(self):
        forms = (("", (5, 6), (2, 2), (1, 2), (0, 0, 0, 0)), ("padding", (5, 6), (3, 2), (1, 1), (1, 1, 1, 0)))
        for form, size, kernel, stride, pads in forms:
            attributes = (f"kernel = array<i64: {joined(kernel)}>, stride = array<i64: {joined(stride)}>, "
                          f"pad = array<i64: {joined(pads)}>")
            for types in [*self.types_of("avg_pool2d"), ("f64", "f64", "f64", "f32", "f64")]:
                for zeros in ((0, 0), (3, -2)) if types[0] == "i8" else ((0, 0),):
                    x = numbers(types[0], (2, *size, 3), "pool", -50 if not is_float(types[0]) else -4,
                                50 if not is_float(types[0]) else 4, whole=True)
                    function = Function()
                    operands = [function.argument(x), *(function.constant(Tensor(k, (1,), [z]))
                                                        for k, z in zip(types[1:3], zeros))]
                    expected = tosa.windows(x, kernel, stride, pads,
                                            lambda v, z=zeros, k=types[-1]: tosa.average(v, *z, k), types[-1])
                    results = function.call("avg_pool2d", operands, attributes + f", acc_type = {types[3]}", expected.type)
                    self.add("avg_pool2d", types, " ".join(filter(None, [form, "zero points" if any(zeros) else ""])),
                             function, results, [expected], tolerance_of(types[-1]))
            for types in [*self.types_of("max_pool2d"), ("i32", "i32"), ("f64", "f64")]:
                for mode in ("PROPAGATE", "IGNORE") if is_float(types[0]) else ("PROPAGATE",):
                    x = numbers(types[0], (2, *size, 3), "pool")
                    if is_float(types[0]) and FLOATS[types[0]][0] > 3:
                        x.data[20] = math.nan
                        # Windows that have no other numbers.
                        for channel in (0, 1):
                            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                                x.data[(i * size[1] + j) * 3 + channel] = -math.inf if channel else math.nan
                    function = Function()
                    given = function.argument(x)
                    expected = tosa.windows(x, kernel, stride, pads, lambda v, m=mode: tosa.fold(
                        v, lambda a, b: tosa.extreme(a, b, m, max)), types[-1])
                    results = function.call("max_pool2d", [given], attributes + f", {nan_attribute(mode)}", expected.type)
                    self.add("max_pool2d", types, " ".join(filter(None, [form, mode if is_float(types[0]) else ""])),
                             function, results, [expected])

    # Images, quantization, transforms.

    def resizes(self):
        forms = (("twice as large", (4, 2, 4, 2), (0, 0), (2, 2)), ("corners", (6, 2, 6, 2), (0, 0), (0, 0)),
                 ("half", (1, 2, 1, 2), (0, 0), (1, 1)), ("offset", (4, 2, 4, 2), (-1, -1), (1, 1)),
                 ("far offset", (4, 2, 4, 2), (-4, -3), (0, 1)),
                 ("rows alone", (4, 2, 1, 1), (0, 0), (2, 0)), ("same", (1, 1, 1, 1), (0, 0), (0, 0)))
        for types in [*self.types_of("resize"), ("f64", "f64"), ("i32", "i32")]:
            modes = ("NEAREST_NEIGHBOR", "BILINEAR") if is_float(types[0]) else \
                ("NEAREST_NEIGHBOR",) if types[0] == types[1] else ("BILINEAR",)
            for mode in modes:
                for form, scales, offset, border in forms:
                    x = numbers(types[0], (2, 4, 4, 3), "resize", -50, 50, whole=True)
                    expected = tosa.resize(x, scales, offset, border, mode, types[1])
                    function = Function()
                    operands = [function.argument(x), *(function.shape(s) for s in (scales, offset, border))]
                    results = function.call("resize", operands, f"mode = #tosa.resize_mode<{mode}>", expected.type)
                    self.add("resize", types, f"{mode} {form}", function, results, [expected], tolerance_of(types[1]), 50)
            x = numbers(types[0], (2, 1, 1, 3), "resize", -50, 50, whole=True)
            expected = tosa.resize(x, (4, 2, 4, 2), (0, 0), (2, 2), modes[0], types[1])
            function = Function()
            operands = [function.argument(x), *(function.shape(s) for s in ((4, 2, 4, 2), (0, 0), (2, 2)))]
            results = function.call("resize", operands, f"mode = #tosa.resize_mode<{modes[0]}>", expected.type)
            self.add("resize", types, f"{modes[0]} of one element", function, results, [expected], tolerance_of(types[1]))

    def rescales(self):
        for types in self.types_of("rescale"):
            source, to = types[0], types[-1]
            rows = [("", False, "SINGLE_ROUND", False, False, False), ("per channel", False, "SINGLE_ROUND", True, False, False)]
            if source != "i48":
                rows += [("32 bit", True, "SINGLE_ROUND", False, False, False),
                         ("32 bit per channel", True, "SINGLE_ROUND", True, False, False),
                         ("32 bit, two roundings", True, "DOUBLE_ROUND", False, False, False),
                         ("32 bit, inexact", True, "INEXACT_ROUND", False, False, False)]
            if source in ("i8", "i16") and to in ("i8", "i16"):
                rows += [("unsigned input", True, "SINGLE_ROUND", False, True, False)]
            if to in ("i8", "i16") and source in ("i8", "i16", "i32"):
                rows += [("unsigned output", True, "SINGLE_ROUND", False, False, True)]
            for row in rows:
                self.rescale(source, to, types, *row)

    def rescale(self, source, to, types, form, scale32, rounding, per_channel, unsigned_in, unsigned_out):
        shape = (2, 5, 4)
        x = numbers(source, shape, "rescale", least(source) if width(source) < 32 else -70000,
                    most(source) if width(source) < 32 else 70000)
        count = 4 if per_channel else 1
        multipliers = [(1 << (30 if scale32 else 14)) + 12345 // (i + 1) for i in range(count)]
        shifts = [(33 if scale32 else 17) + i % 3 - (3 if width(to) > 8 else 0) for i in range(count)]
        zeros = (3 if source == "i8" else 0, -5 if to == "i8" and not unsigned_out else 0)
        function = Function()
        operands = [function.argument(x), function.constant(Tensor("i32" if scale32 else "i16", (count,), multipliers)),
                    function.constant(Tensor("i8", (count,), shifts)),
                    function.constant(Tensor(source, (1,), [zeros[0]])), function.constant(Tensor(to, (1,), [zeros[1]]))]
        attributes = (f"scale32 = {text(scale32)}, rounding_mode = #tosa.rounding_mode<{rounding}>, per_channel = {text(per_channel)}, "
                      f"input_unsigned = {text(unsigned_in)}, output_unsigned = {text(unsigned_out)}")
        results = function.call("rescale", operands, attributes, tensor_type(to, shape))
        expected = made(to, shape, lambda *i: tosa.rescale(
            x.at(*i), multipliers[i[2] % count], shifts[i[2] % count], *zeros, rounding == "DOUBLE_ROUND", to, unsigned_in,
            unsigned_out, source))
        self.add("rescale", types, form, function, results, [expected])

    def transforms(self):
        for types in self.types_of("fft2d"):
            for inverse in (False, True):
                re_, im = numbers("f32", (2, 4, 8), "re"), numbers("f32", (2, 4, 8), "im")
                function = Function()
                operands = [function.argument(re_), function.argument(im)]
                results = function.call("fft2d", operands, f"inverse = {text(inverse)}", re_.type, re_.type)
                self.add("fft2d", types, "inverse" if inverse else "", function, results,
                         tosa.fourier(re_, im, inverse, 8), 1e-5, 4)
        for types in self.types_of("rfft2d"):
            x = numbers("f32", (2, 4, 8), "re")
            function = Function()
            results = function.call("rfft2d", [function.argument(x)], "", *[tensor_type("f32", (2, 4, 5))] * 2)
            self.add("rfft2d", types, "", function, results, tosa.fourier(x, None, False, 5), 1e-5, 4)

    # Constants, control flow, shapes, and what there is no value of.

    def rest(self):
        for types in self.types_of("const"):
            kind = types[0]
            function = Function()
            if kind.startswith("!"):
                continue
            values = numbers(kind, (3, 4), "const", 1 if kind == "f8E8M0FNU" else -4, 4, whole=True) \
                if kind in FLOATS or not is_float(kind) else Tensor(kind, (3, 4), [1.0, 2.0, 4.0] * 4)
            results = [function.constant(values)]
            self.add("const", types, "", function, results, [values])
        self.control_flow()
        self.shapes()
        self.scales()
        self.block_scaled()
        for kind in ("f32",):
            function = Function()
            given = function.argument(numbers(kind, (2, 3), "custom"))
            results = function.call("custom", [given], 'operator_name = "name", domain_name = "domain", '
                                    'implementation_attrs = ""', given[1])
            self.add("custom", (kind, kind), "", function, results, None)
        for operation in ("variable", "variable_read", "variable_write"):
            for types in self.types_of(operation):
                function, kind = Function(), types[0]
                value = "1.0" if is_float(kind) else "1"
                type_ = tensor_type(kind, (2, 3))
                function.before = [f"tosa.variable @state = dense<{value}> : {type_}"]
                given = function.argument(numbers(kind, (2, 3), "variable"))
                if operation == "variable_write":
                    function.line(f"tosa.variable_write @state, {given[0]} : {type_}")
                results = [given]
                if operation == "variable_read":
                    function.line(f"%read = tosa.variable_read @state : {type_}")
                    results = [("%read", type_)]
                self.add(operation, types, "", function, results, None)

    def control_flow(self):
        for kind in ("f32", "i32", "i8", "f16"):
            a, b = numbers(kind, (3, 4), "then"), numbers(kind, (3, 4), "else")
            for which in (0, 1):
                function = Function()
                c, x, y = (function.argument(t) for t in (Tensor("i1", (), [which]), a, b))
                function.line(f"%chosen = tosa.cond_if {c[0]} : tensor<i1> -> {x[1]} {{")
                function.line(f"  %sum = tosa.add {x[0]}, {y[0]} : ({x[1]}, {x[1]}) -> {x[1]}")
                function.line(f"  tosa.yield %sum : {x[1]}")
                function.line(f"}} else {{\n    tosa.yield {y[0]} : {x[1]}\n  }}")
                expected = tosa.broadcast(lambda x, y: x + y, kind, a, b) if which else b
                self.add("cond_if", (kind,), "true" if which else "false", function, [("%chosen", x[1])], [expected],
                         tolerance_of(kind, 1))
            function = Function()
            x = function.argument(a)
            limit = function.constant(Tensor("i32", (), [3]))
            one = function.constant(Tensor("i32", (), [1]))
            start = function.constant(Tensor("i32", (), [0]))
            function.line(f"%n, %last = tosa.while_loop (%i = {start[0]}, %v = {x[0]}) : (tensor<i32>, {x[1]}) -> "
                          f"(tensor<i32>, {x[1]}) {{")
            function.line(f"  %more = tosa.greater {limit[0]}, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>")
            function.line("  tosa.yield %more : tensor<i1>\n  } do {")
            function.line(f"^bb0(%i: tensor<i32>, %v: {x[1]}):")
            function.line(f"  %next = tosa.add %i, {one[0]} : (tensor<i32>, tensor<i32>) -> tensor<i32>")
            function.line(f"  %sum = tosa.add %v, {x[0]} : ({x[1]}, {x[1]}) -> {x[1]}")
            function.line(f"  tosa.yield %next, %sum : tensor<i32>, {x[1]}\n  }}")

            def four_times(v, kind=kind):
                total = v
                for _ in range(3):
                    total = rounded(total + v, kind)
                return total
            self.add("while_loop", (kind,), "", function, [("%n", "tensor<i32>"), ("%last", x[1])],
                     [Tensor("i32", (), [3]), made(kind, a.shape, lambda *i, a=a: four_times(a.at(*i)))])

    def shapes(self):
        """What computes shapes, for a reshape of 24 numbers to 4x6."""
        x = numbers("f32", (2, 12), "shapes")
        rows = (("add_shape", [(1, 2), (3, 4)]), ("sub_shape", [(5, 8), (1, 2)]), ("mul_shape", [(2, 3), (2, 2)]),
                ("div_ceil_shape", [(7, 12), (2, 2)]), ("div_floor_shape", [(9, 13), (2, 2)]),
                ("max_shape", [(4, 3), (1, 6)]), ("min_shape", [(4, 8), (9, 6)]), ("mod_shape", [(9, 13), (5, 7)]),
                ("concat_shape", [(4,), (6,)]), ("exp2_shape", [(2, 1)]), ("log2_ceil_shape", [(13, 3)]),
                ("log2_floor_shape", [(17, 3)]), ("slice_shape", [(9, 4, 6)]), ("dim", []), ("const_shape", []))
        for operation, given in rows:
            function = Function()
            value, shape = function.argument(x), (4, 6)
            operands = [function.shape(s) for s in given]
            if operation == "const_shape":
                made_shape = [function.shape(shape)]
            elif operation == "dim":
                made_shape = function.call("dim", [value], "axis = 1 : i32", "!tosa.shape<1>")
                shape = (12,)
                function.line("// of the slice's rows")
            elif operation == "slice_shape":
                operands += [function.constant(Tensor("i32", (1,), [n])) for n in (1, 2)]
                made_shape = function.call(operation, operands, "", "!tosa.shape<2>")
            else:
                made_shape = function.call(operation, operands, "", "!tosa.shape<2>")
            if operation in ("exp2_shape", "log2_ceil_shape", "log2_floor_shape"):
                shape = {"exp2_shape": (4, 2), "log2_ceil_shape": (4, 2), "log2_floor_shape": (4, 1)}[operation]
            first = made("f32", (math.prod(shape),), lambda i: x.data[i])
            function.arguments[0] = first
            results = function.call("reshape", [(value[0], first.type), *made_shape], "", tensor_type("f32", shape))
            if operation == "dim":
                function.lines = [l.replace(tensor_type("f32", (2, 12)), first.type).replace("axis = 1", "axis = 0")
                                  for l in function.lines]
            self.add(operation, (), "", function, results, [tosa.reshaped(first, shape)])

    def scales(self):
        for kind in ("i32",):
            for rounding in ("SINGLE_ROUND", "DOUBLE_ROUND", "INEXACT_ROUND"):
                shape = (3, 4)
                x = numbers(kind, shape, "apply", -70000, 70000)
                function = Function()
                operands = [function.argument(x),
                            function.constant(made("i32", shape, lambda *i: (1 << 30) + 999 * i[1])),
                            function.constant(made("i8", shape, lambda *i: 32 + i[1] % 2))]
                results = function.call("apply_scale", operands, f"rounding_mode = #tosa.rounding_mode<{rounding}>", x.type)
                self.add("apply_scale", (kind, "i32", "i8", kind), rounding, function, results,
                         [made(kind, shape, lambda *i: tosa.scale(x.at(*i), (1 << 30) + 999 * i[1], 32 + i[1] % 2,
                                                                  rounding == "DOUBLE_ROUND"))])

    def block_scaled(self):
        block = "block_size = #tosa.block_size<BLOCK_SIZE_32>"
        for types in self.types_of("cast_from_block_scaled"):
            function = Function()
            operands = [function.argument(Tensor(types[0], (2, 32), [1.0] * 64)),
                        function.argument(Tensor(types[1], (2, 1), [1.0] * 2))]
            results = function.call("cast_from_block_scaled", operands, block, tensor_type(types[2], (2, 32)))
            self.add("cast_from_block_scaled", types, "", function, results, None)
        for types in self.types_of("cast_to_block_scaled"):
            function = Function()
            given = function.argument(Tensor(types[0], (2, 32), [1.0] * 64))
            results = function.call("cast_to_block_scaled", [given], block, tensor_type(types[1], (2, 32)),
                                    tensor_type(types[2], (2, 1)))
            self.add("cast_to_block_scaled", types, "", function, results, None)
        for types in self.types_of("matmul_t_block_scaled"):
            function = Function()
            operands = [function.argument(Tensor(k, s, [1.0] * math.prod(s)))
                        for k, s in zip(types[:4], ((1, 4, 32), (1, 4, 1), (1, 3, 32), (1, 3, 1)))]
            results = function.call("matmul_t_block_scaled", operands, block, tensor_type(types[4], (1, 4, 3)))
            self.add("matmul_t_block_scaled", types, "", function, results, None)


def width_ok(kind):
    return is_float(kind) and kind in ("f16", "bf16", "f32", "f64") or not is_float(kind) and width(kind) > 8


def joined(values):
    return ", ".join(map(str, values))


def text(value):
    return "true" if value else "false"


def read_tables(include):
    """The combinations of element types that MLIR's copy of the standard's tables has, by operation."""
    text_ = (Path(include) / "mlir/Dialect/Tosa/IR/TosaComplianceData.h.inc").read_text(encoding="utf-8")
    tables, operation = {}, None
    for name, types in re.findall(r'\{"(tosa\.\w+)"|\{((?:\w+T(?:,\s*)?)+)\}', text_):
        if name:
            operation = name
        else:
            tables.setdefault(operation, set()).add(tuple(NAMES[t.strip()] for t in types.split(",")))
    return tables


def operations(include):
    """Every operation that the dialect has, from its definitions."""
    found = set()
    for file in ("TosaOps.td", "TosaShapeOps.td", "TosaUtilOps.td"):
        content = (Path(include) / "mlir/Dialect/Tosa/IR" / file).read_text(encoding="utf-8")
        found |= set(re.findall(r"def Tosa_\w+\s*:\s*Tosa_\w+<\s*\"(\w+)\"", content))
    return found


def all_cases(include):
    cases = Cases(read_tables(include))
    cases.elementwise()
    cases.reductions()
    cases.layouts()
    cases.contractions()
    cases.pools()
    cases.resizes()
    cases.rescales()
    cases.transforms()
    cases.rest()
    return cases.all
