# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the decoder layer of decoder_layer.py in TOSA.

usage: decoder_layer_tosa.py [--length=N|?] [--layers=N]
"""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--length", default="?")
parser.add_argument("--layers", type=int, default=1)
args = parser.parse_args()

HIDDEN, HEADS, KV, DIM, INNER, POSITIONS = 16, 4, 2, 4, 24, 128
GROUP = HEADS // KV
S = "?" if args.length == "?" else int(args.length)
lines = []
count = 0


def tensor(shape, t="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + f"{t}>"


def fresh():
    global count
    count += 1
    return f"%v{count}"


class Value:
    def __init__(self, name, shape, t="f32"):
        self.name, self.shape, self.t = name, tuple(shape), t
        self.type = tensor(shape, t)


def op(text, shape, *operands, attributes="", t="f32"):
    name = fresh()
    names = ", ".join(o.name for o in operands)
    types = ", ".join(o.type for o in operands)
    result = Value(name, shape, t)
    lines.append(f"  {name} = tosa.{text} {names}{attributes} : ({types}) -> "
                 f"{result.type}")
    return result


def constant(value, shape, t="f32"):
    name = fresh()
    result = Value(name, shape, t)
    lines.append(f'  {name} = "tosa.const"() <{{values = dense<{value}> : '
                 f"{result.type}}}> : () -> {result.type}")
    return result


def shape_value(dims):
    name = fresh()
    result = Value(name, ())
    result.type = f"!tosa.shape<{len(dims)}>"
    # -1: what is left of the operand.
    spelled = ", ".join("-1" if d == "?" else str(d) for d in dims)
    lines.append(f"  {name} = tosa.const_shape {{values = dense<[{spelled}]> : "
                 f"tensor<{len(dims)}xindex>}} : () -> {result.type}")
    return result


def broadcast(a, b):
    return [y if x == 1 else x for x, y in zip(a.shape, b.shape)]


def add(a, b):
    return op("add", broadcast(a, b), a, b)


def mul(a, b):
    return op("mul", broadcast(a, b), a, b, constant(0, [1], "i8"))


def sub(a, b):
    return op("sub", broadcast(a, b), a, b)


def matmul(a, b):
    zero = constant("0.0", [1])
    return op("matmul", [a.shape[0], a.shape[1], b.shape[2]], a, b, zero,
              constant("0.0", [1]))


def reshape(a, shape):
    return op("reshape", shape, a, shape_value(shape), t=a.t)


def transpose(a, perm):
    perms = ", ".join(map(str, perm))
    return op("transpose", [a.shape[p] for p in perm], a,
              attributes=f" {{perms = array<i32: {perms}>}}")


def cut(a, start, size):
    return op("slice", size, a, shape_value(start), shape_value(size))


def reduce(kind, a, axis):
    shape = list(a.shape)
    shape[axis] = 1
    return op(f"reduce_{kind}", shape, a, attributes=f" {{axis = {axis} : i32}}")


def rms_norm(x, weight):
    total = reduce("sum", mul(x, x), 2)
    mean = mul(total, constant(str(1.0 / HIDDEN), [1, 1, 1]))
    scale = op("rsqrt", mean.shape, add(mean, constant("1.0e-3", [1, 1, 1])))
    return mul(mul(x, scale), weight)


def projected(x, weight, bias, heads):
    y = add(matmul(x, weight), bias)
    return transpose(reshape(y, [1, S, heads, DIM]), [0, 2, 1, 3])


def rotary(x, heads, cos, sin):
    half = DIM // 2
    low = cut(x, [0, 0, 0, 0], [1, heads, S, half])
    high = cut(x, [0, 0, 0, half], [1, heads, S, half])
    turned = op("negate", high.shape, high, constant("0.0", [1]),
                constant("0.0", [1]))
    rotated = op("concat", x.shape, turned, low,
                 attributes=" {axis = 3 : i32}")
    return add(mul(x, cos), mul(rotated, sin))


def looked_up(table, at):
    rows = op("gather", [1, S, DIM], table, at)
    return reshape(rows, [1, 1, S, DIM])


def attention(q, k, v, rows, columns):
    # The heads of a group share their keys and values.
    def shared(x):
        x = reshape(x, [KV, 1, S, DIM])
        x = op("concat", [KV, GROUP, S, DIM], x, x,
               attributes=" {axis = 1 : i32}")
        return reshape(x, [HEADS, S, DIM])

    q = reshape(q, [HEADS, S, DIM])
    scores = matmul(q, transpose(shared(k), [0, 2, 1]))
    scores = mul(scores, constant("0.5", [1, 1, 1]))
    seen = op("greater_equal", [1, S, S], rows, columns, t="i1")
    masked = op("select", scores.shape, seen, scores,
                constant("-65504.0", [1, 1, 1]))
    weights = op("exp", scores.shape, sub(masked, reduce("max", masked, 2)))
    total = reduce("sum", weights, 2)
    share = mul(weights, op("reciprocal", total.shape, total))
    out = matmul(share, shared(v))
    return reshape(transpose(out, [1, 0, 2]), [1, S, HEADS * DIM])


def swiglu(x, gate, up, down):
    g = matmul(x, gate)
    y = mul(mul(g, op("sigmoid", g.shape, g)), matmul(x, up))
    return matmul(y, down)


inputs = {
    "x": Value("%x", [1, S, HIDDEN]),
    "position": Value("%position", [1, S], "i32"),
    "cos": Value("%cos", [1, POSITIONS, DIM]),
    "sin": Value("%sin", [1, POSITIONS, DIM]),
    "norm1": Value("%norm1", [1, 1, HIDDEN]),
    "norm2": Value("%norm2", [1, 1, HIDDEN]),
    "wq": Value("%wq", [1, HIDDEN, HEADS * DIM]),
    "bq": Value("%bq", [1, 1, HEADS * DIM]),
    "wk": Value("%wk", [1, HIDDEN, KV * DIM]),
    "bk": Value("%bk", [1, 1, KV * DIM]),
    "wv": Value("%wv", [1, HIDDEN, KV * DIM]),
    "bv": Value("%bv", [1, 1, KV * DIM]),
    "wo": Value("%wo", [1, HEADS * DIM, HIDDEN]),
    "wgate": Value("%wgate", [1, HIDDEN, INNER]),
    "wup": Value("%wup", [1, HIDDEN, INNER]),
    "wdown": Value("%wdown", [1, INNER, HIDDEN]),
}
w = inputs
# Generated positions begin at -8.
at = op("add", [1, S], w["position"], constant(8, [1, 1], "i32"), t="i32")
cos, sin = looked_up(w["cos"], at), looked_up(w["sin"], at)
if S == "?":
    # A constant has no dynamic length: who sees whom is asked of the positions.
    numbers = w["position"]
else:
    numbers = constant("[" + ", ".join(map(str, range(S))) + "]", [S], "i32")
rows = op("reshape", [1, S, 1], numbers, shape_value([1, S, 1]), t="i32")
columns = op("reshape", [1, 1, S], numbers, shape_value([1, 1, S]), t="i32")
x = w["x"]
for layer in range(args.layers):
    n = rms_norm(x, w["norm1"])
    q = rotary(projected(n, w["wq"], w["bq"], HEADS), HEADS, cos, sin)
    k = rotary(projected(n, w["wk"], w["bk"], KV), KV, cos, sin)
    v = projected(n, w["wv"], w["bv"], KV)
    x = add(x, matmul(attention(q, k, v, rows, columns), w["wo"]))
    x = add(x, swiglu(rms_norm(x, w["norm2"]), w["wgate"], w["wup"],
                      w["wdown"]))

mark = "" if S == "?" else " {npu.prompt_dim = 1}"
marks = {"x": mark, "position": mark}
signature = ", ".join(
    f"{value.name}: {value.type}{marks.get(name, '')}"
    for name, value in inputs.items())
results = ", ".join(value.type for value in (x, k, v))
print(f"func.func @main({signature}) -> ({results}) {{")
print("\n".join(lines))
print(f"  return {x.name}, {k.name}, {v.name} : {results}")
print("}")
