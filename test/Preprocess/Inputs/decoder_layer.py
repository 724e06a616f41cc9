# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a Qwen2-style decoder layer of small sizes as linalg on tensors.

RMSNorm, q/k/v with bias, rotary embedding by position ids, grouped-query
attention with a causal mask, output projection, SwiGLU, two residuals. Returns
the hidden states and the layer's keys and values.

With --cache, keys and values go into caches of that many positions at an
offset, attention is over all positions up to a row's own, and @main calls
@prefill with the offset that is given.

usage: decoder_layer.py [--length=N|?] [--layers=N] [--type=f32|f16]
                        [--mask=select|additive|argument]
                        [--cache=N] [--offset=N]

The causal mask is a select on positions, a sum with -65504.0, or a sum with what
the caller gives for each pair of positions.
"""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--length", default="?")
parser.add_argument("--layers", type=int, default=1)
parser.add_argument("--type", default="f32")
parser.add_argument("--mask", default="select")
parser.add_argument("--cache", type=int)
parser.add_argument("--offset", type=int, default=0)
args = parser.parse_args()

HIDDEN, HEADS, KV, DIM, INNER = 16, 4, 2, 4, 24
GROUP = HEADS // KV
POSITIONS = 128
S, T = args.length, args.type
lines = []
count = 0


def emit(text):
    lines.append("  " + text)


def fresh():
    global count
    count += 1
    return f"%v{count}"


def tensor(*shape, t=None):
    return "tensor<" + "".join(f"{d}x" for d in shape) + f"{t or T}>"


def empty(*shape, t=None):
    name = fresh()
    sizes = ", ".join("%s" for d in shape if d == "?")
    emit(f"{name} = tensor.empty({sizes}) : {tensor(*shape, t=t)}")
    return name


def filled(value, *shape):
    scalar, name = fresh(), fresh()
    emit(f"{scalar} = arith.constant {value} : {T}")
    emit(f"{name} = linalg.fill ins({scalar} : {T}) outs({empty(*shape)} : "
         f"{tensor(*shape)}) -> {tensor(*shape)}")
    return name


def generic(maps, kinds, ins, out, body):
    """ins and out are (name, shape[, element type]); body uses %i0.. and %o."""
    name = fresh()
    dims = sorted(set("".join(maps)))
    spelled = ", ".join(
        f"affine_map<({', '.join(dims)}) -> ({', '.join(m)})>" for m in maps)
    kinds = ", ".join(
        '"reduction"' if d in kinds else '"parallel"' for d in dims)
    types = [tensor(*i[1], t=i[2] if len(i) > 2 else None) for i in ins]
    result = tensor(*out[1])
    operands = ", ".join(i[0] for i in ins) + " : " + ", ".join(types)
    emit(f"{name} = linalg.generic {{indexing_maps = [{spelled}], "
         f"iterator_types = [{kinds}]}} ins({operands}) "
         f"outs({out[0]} : {result}) {{")
    formals = ", ".join(
        f"%i{k}: {i[2] if len(i) > 2 else T}" for k, i in enumerate(ins))
    emit(f"^bb0({formals}, %o: {T}):")
    for line in body:
        emit("  " + line)
    emit(f"}} -> {result}")
    return name


def elementwise(shape, ins, body, maps=None):
    letters = "abcdef"[: len(shape)]
    maps = maps or [letters] * len(ins)
    return generic(maps + [letters], "", ins, (empty(*shape), shape), body)


def matmul(a, b, m, k, n):
    name = fresh()
    emit(f"{name} = linalg.matmul ins({a}, {b} : {tensor(m, k)}, {tensor(k, n)})"
         f" outs({filled('0.0', m, n)} : {tensor(m, n)}) -> {tensor(m, n)}")
    return name


def binary(op, shape, a, b, maps=None):
    return elementwise(
        shape, [a, b],
        [f"%r = arith.{op} %i0, %i1 : {T}", f"linalg.yield %r : {T}"], maps)


def rms_norm(x, weight):
    total = generic(["ab", "a"], "b", [(x, (S, HIDDEN))],
                    (filled("0.0", S), (S,)),
                    [f"%q = arith.mulf %i0, %i0 : {T}",
                     f"%r = arith.addf %o, %q : {T}", f"linalg.yield %r : {T}"])
    scale = elementwise((S,), [(total, (S,))], [
        f"%n = arith.constant {HIDDEN}.0 : {T}",
        f"%e = arith.constant 1.0e-3 : {T}", f"%m = arith.divf %i0, %n : {T}",
        f"%p = arith.addf %m, %e : {T}", f"%r = math.rsqrt %p : {T}",
        f"linalg.yield %r : {T}"])
    return elementwise(
        (S, HIDDEN), [(x, (S, HIDDEN)), (scale, (S,)), (weight, (HIDDEN,))],
        [f"%p = arith.mulf %i0, %i1 : {T}", f"%r = arith.mulf %p, %i2 : {T}",
         f"linalg.yield %r : {T}"], ["ab", "a", "b"])


def projected(x, weight, bias, heads):
    """[S, hidden] to [heads, S, dim]."""
    width = heads * DIM
    y = matmul(x, weight, S, HIDDEN, width)
    y = binary("addf", (S, width), (y, (S, width)), (bias, (width,)),
               ["ab", "b"])
    split = fresh()
    size = "%s" if S == "?" else S
    emit(f"{split} = tensor.expand_shape {y} [[0], [1, 2]] output_shape "
         f"[{size}, {heads}, {DIM}] : {tensor(S, width)} into "
         f"{tensor(S, heads, DIM)}")
    name = fresh()
    emit(f"{name} = linalg.transpose ins({split} : {tensor(S, heads, DIM)}) "
         f"outs({empty(heads, S, DIM)} : {tensor(heads, S, DIM)}) "
         "permutation = [1, 0, 2]")
    return name


def rotary(x, heads):
    half = DIM // 2
    size = "%s" if S == "?" else S
    shape = (heads, S, DIM)
    parts = []
    for begin in (half, 0):
        part = fresh()
        emit(f"{part} = tensor.extract_slice {x}[0, 0, {begin}] "
             f"[{heads}, {size}, {half}] [1, 1, 1] : {tensor(*shape)} to "
             f"{tensor(heads, S, half)}")
        parts.append(part)
    turned = elementwise(
        (heads, S, half), [(parts[0], (heads, S, half))],
        [f"%r = arith.negf %i0 : {T}", f"linalg.yield %r : {T}"])
    rotated = fresh()
    emit(f"{rotated} = tensor.concat dim(2) {turned}, {parts[1]} : "
         f"({tensor(heads, S, half)}, {tensor(heads, S, half)}) -> "
         f"{tensor(*shape)}")
    table = tensor(POSITIONS, DIM)
    return elementwise(
        shape, [(x, shape), (rotated, shape), ("%position", (S,), "i32")],
        # Generated inputs begin at -8.
        ["%eight = arith.constant 8 : i32",
         "%place = arith.addi %i2, %eight : i32",
         "%at = arith.index_cast %place : i32 to index",
         "%d = linalg.index 2 : index",
         f"%c = tensor.extract %cos[%at, %d] : {table}",
         f"%n = tensor.extract %sin[%at, %d] : {table}",
         f"%p = arith.mulf %i0, %c : {T}", f"%q = arith.mulf %i1, %n : {T}",
         f"%r = arith.addf %p, %q : {T}", f"linalg.yield %r : {T}"],
        ["abc", "abc", "b"])


def cached(rows, cache):
    """The cache with the prompt's rows from the offset on."""
    name, size = fresh(), "%s" if S == "?" else S
    emit(f"{name} = tensor.insert_slice {rows} into {cache}[0, %offset, 0] "
         f"[{KV}, {size}, {DIM}] [1, 1, 1] : {tensor(KV, S, DIM)} into "
         f"{tensor(KV, args.cache, DIM)}")
    return name


def attention(q, k, v):
    positions = args.cache or S
    size = "%s" if S == "?" else S
    grouped = fresh()
    emit(f"{grouped} = tensor.expand_shape {q} [[0, 1], [2], [3]] output_shape "
         f"[{KV}, {GROUP}, {size}, {DIM}] : {tensor(HEADS, S, DIM)} into "
         f"{tensor(KV, GROUP, S, DIM)}")
    shape = (KV, GROUP, S, positions)
    rows = (KV, GROUP, S)
    scores = generic(
        ["abce", "ade", "abcd"], "e",
        [(grouped, (KV, GROUP, S, DIM)), (k, (KV, positions, DIM))],
        (filled("0.0", *shape), shape),
        [f"%p = arith.mulf %i0, %i1 : {T}", f"%r = arith.addf %o, %p : {T}",
         f"linalg.yield %r : {T}"])
    scaled = [f"%h = arith.constant 0.5 : {T}",
              f"%p = arith.mulf %i0, %h : {T}"]
    if args.mask == "argument":
        scaled += [f"%r = arith.addf %p, %i1 : {T}"]
        ins, maps = [(scores, shape), ("%mask", (S, S))], ["abcd", "cd"]
    else:
        place = "%i" if args.cache else "%row"
        scaled += ["%row = linalg.index 2 : index",
                   "%j = linalg.index 3 : index"]
        if args.cache:
            scaled += ["%i = arith.addi %row, %offset : index"]
        scaled += [f"%seen = arith.cmpi sle, %j, {place} : index"]
        ins, maps = [(scores, shape)], None
    if args.mask == "select":
        scaled += [f"%far = arith.constant {'0xFC00' if T == 'f16' else '0xFF800000'} : {T}",
                   f"%r = arith.select %seen, %p, %far : {T}"]
    elif args.mask == "additive":
        scaled += [f"%far = arith.constant -65504.0 : {T}",
                   f"%zero = arith.constant 0.0 : {T}",
                   f"%m = arith.select %seen, %zero, %far : {T}",
                   f"%r = arith.addf %p, %m : {T}"]
    masked = elementwise(shape, ins, scaled + [f"linalg.yield %r : {T}"], maps)
    low = "0xFC00" if T == "f16" else "0xFF800000"
    largest = generic(["abcd", "abc"], "d", [(masked, shape)],
                      (filled(low, *rows), rows),
                      [f"%r = arith.maximumf %o, %i0 : {T}",
                       f"linalg.yield %r : {T}"])
    weights = elementwise(
        shape, [(masked, shape), (largest, rows)],
        [f"%p = arith.subf %i0, %i1 : {T}", f"%r = math.exp %p : {T}",
         f"linalg.yield %r : {T}"], ["abcd", "abc"])
    total = generic(["abcd", "abc"], "d", [(weights, shape)],
                    (filled("0.0", *rows), rows),
                    [f"%r = arith.addf %o, %i0 : {T}", f"linalg.yield %r : {T}"])
    share = binary("divf", shape, (weights, shape), (total, rows),
                   ["abcd", "abc"])
    mixed = (KV, GROUP, S, DIM)
    out = generic(["abce", "aed", "abcd"], "e",
                  [(share, shape), (v, (KV, positions, DIM))],
                  (filled("0.0", *mixed), mixed),
                  [f"%p = arith.mulf %i0, %i1 : {T}",
                   f"%r = arith.addf %o, %p : {T}", f"linalg.yield %r : {T}"])
    turned, merged = fresh(), fresh()
    back = (S, KV, GROUP, DIM)
    emit(f"{turned} = linalg.transpose ins({out} : {tensor(*mixed)}) outs("
         f"{empty(*back)} : {tensor(*back)}) permutation = [2, 0, 1, 3]")
    emit(f"{merged} = tensor.collapse_shape {turned} [[0], [1, 2, 3]] : "
         f"{tensor(*back)} into {tensor(S, HEADS * DIM)}")
    return merged


def swiglu(x, gate, up, down):
    wide = (S, INNER)
    g = matmul(x, gate, S, HIDDEN, INNER)
    u = matmul(x, up, S, HIDDEN, INNER)
    y = elementwise(wide, [(g, wide), (u, wide)], [
        f"%one = arith.constant 1.0 : {T}", f"%n = arith.negf %i0 : {T}",
        f"%e = math.exp %n : {T}", f"%d = arith.addf %one, %e : {T}",
        f"%s1 = arith.divf %i0, %d : {T}", f"%r = arith.mulf %s1, %i1 : {T}",
        f"linalg.yield %r : {T}"])
    return matmul(y, down, S, INNER, HIDDEN)


flat = (S, HIDDEN)
x = "%x"
emit("%c0 = arith.constant 0 : index")
if S == "?":
    emit(f"%s = tensor.dim %x, %c0 : {tensor(*flat)}")
caches = []
for layer in range(args.layers):
    n = rms_norm(x, "%norm1")
    q = rotary(projected(n, "%wq", "%bq", HEADS), HEADS)
    k = rotary(projected(n, "%wk", "%bk", KV), KV)
    v = projected(n, "%wv", "%bv", KV)
    if args.cache:
        k = cached(k, f"%keys{layer}")
        v = cached(v, f"%values{layer}")
        caches += [k, v]
    a = matmul(attention(q, k, v), "%wo", S, HEADS * DIM, HIDDEN)
    x = binary("addf", flat, (x, flat), (a, flat))
    f = swiglu(rms_norm(x, "%norm2"), "%wgate", "%wup", "%wdown")
    x = binary("addf", flat, (x, flat), (f, flat))

marked = "" if S == "?" else " {npu.prompt_dim = 0}"
inputs = [("%x", tensor(*flat), marked),
          ("%position", tensor(S, t="i32"), marked)]
inputs += [(name, tensor(*shape), "") for name, shape in [
    ("%cos", (POSITIONS, DIM)), ("%sin", (POSITIONS, DIM)),
    ("%norm1", (HIDDEN,)), ("%norm2", (HIDDEN,)),
    ("%wq", (HIDDEN, HEADS * DIM)), ("%bq", (HEADS * DIM,)),
    ("%wk", (HIDDEN, KV * DIM)), ("%bk", (KV * DIM,)),
    ("%wv", (HIDDEN, KV * DIM)), ("%bv", (KV * DIM,)),
    ("%wo", (HEADS * DIM, HIDDEN)), ("%wgate", (HIDDEN, INNER)),
    ("%wup", (HIDDEN, INNER)), ("%wdown", (INNER, HIDDEN))]]
if args.mask == "argument":
    both = "" if S == "?" else " {npu.prompt_dim = [0, 1]}"
    inputs += [("%mask", tensor(S, S), both)]
outputs = [(x, tensor(*flat))]
if args.cache:
    cache = tensor(KV, args.cache, DIM)
    inputs += [(f"%{kind}{layer}", cache, " {npu.cache_dim = 1}")
               for layer in range(args.layers) for kind in ("keys", "values")]
    outputs += [(name, cache) for name in caches]
else:
    outputs += [(name, tensor(KV, S, DIM)) for name in (k, v)]


def signature(attributes):
    return ", ".join(f"{name}: {type}{attribute if attributes else ''}"
                     for name, type, attribute in inputs)


results = ", ".join(type for _, type in outputs)
offset = ", %offset: index {npu.cache_offset}" if args.cache else ""
name = "prefill" if args.cache else "main"
print(f"func.func @{name}({signature(True)}{offset}) -> ({results}) {{")
print("\n".join(lines))
print(f"  return {', '.join(name for name, _ in outputs)} : {results}")
print("}")
if args.cache:
    names = ", ".join(name for name, _, _ in inputs)
    types = ", ".join(type for _, type, _ in inputs)
    print(f"func.func @main({signature(False)}) -> ({results}) {{")
    print(f"  %offset = arith.constant {args.offset} : index")
    print(f"  %r:{len(outputs)} = call @prefill({names}, %offset) : "
          f"({types}, index) -> ({results})")
    print("  return " + ", ".join(f"%r#{i}" for i in range(len(outputs))) +
          f" : {results}")
    print("}")
