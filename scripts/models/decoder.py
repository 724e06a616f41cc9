# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of language models: the prompt at once (prefill), or one token against
the keys and values of those before it (decode)."""
import math

from models.weights import Weight

# Scores of what is not seen: the least number that f16 has.
UNSEEN = -65504.0


class DecoderModel:
    def __init__(self, form, sizes, layers, length, phase, part, stays=False):
        self.form, self.sizes, self.layers = form, sizes, layers
        self.prefill, self.part = phase == "prefill", part
        self.length = length
        self.rows = length if self.prefill else 1
        self.seen = None
        # Whether caches have room for the new token, which is put at a position.
        self.stays, self.kept, self.position = stays, 0, None

    def write(self):
        """The function's results: logits or rows, then the keys and values of
        every layer."""
        form, sizes = self.form, self.sizes
        whole = self.part == "model"
        if whole:
            entry = form.argument("tokens", [1, self.rows], "i32")
        else:
            entry = form.argument("rows", [1, self.rows, sizes.hidden])
        if self.length == "?":
            form.positions = form.argument("positions", [1, "?"], "i32")
        if not self.prefill:
            self.seen = form.argument("seen", [1, 1, self.length], "i1")
        if self.stays:
            self.position = form.position()
        table = self.embedding() if whole else None
        x = self.embedded(table, entry) if whole else form.reshape(
            entry, form.rows(self.rows, sizes.hidden))
        self.angles = self.rotary_tables()
        kept = []
        for number in range(self.layers):
            x, keys, values = self.layer(x, f"layer{number}")
            kept += [keys, values]
        if whole:
            x = self.head(x, table)
        return [form.reshape(x, [1, *x.shape[-2:]]), *kept]

    def embedding(self):
        shape = [self.sizes.vocabulary, self.sizes.hidden]
        spread = 1.0 / math.sqrt(self.sizes.hidden) if self.sizes.tied else 1.0
        return self.form.matrix(Weight("embedding", shape, centre=spread / 2,
                                       spread=spread))

    def embedded(self, table, tokens):
        """Numbers that no token has are those of the nearest one."""
        last = self.sizes.vocabulary - 1
        rows = self.form.lookup(table, self.form.elementwise(
            lambda s, at: s.minimum(s.maximum(at, s.number(0, "i32")),
                                    s.number(last, "i32")), tokens))
        return self.scaled(rows, self.sizes.embedding_scale)

    def scaled(self, x, factor):
        if factor == 1.0:
            return x
        return self.form.elementwise(
            lambda s, v: s.mul(v, s.number(factor, v_element(v))), x)

    def head(self, x, table):
        form, sizes = self.form, self.sizes
        x = self.norm(x, "last_norm")
        if sizes.logit_width:
            x = self.scaled(x, sizes.logit_width / sizes.hidden)
        if sizes.tied:
            return form.matmul_with_rows_of(x, table)
        return self.projected(x, "head", sizes.vocabulary)

    def layer(self, x, name):
        attended, keys, values = self.attention(self.norm(x, f"{name}_norm1"), name)
        x = self.joined(x, attended)
        return self.joined(x, self.perceptron(self.norm(x, f"{name}_norm2"), name)), \
            keys, values

    def joined(self, x, branch):
        factor = self.sizes.depth_scale / math.sqrt(self.sizes.layers)
        if not factor:
            return self.form.elementwise(lambda s, a, b: s.add(a, b), x, branch)
        return self.form.elementwise(
            lambda s, a, b: s.add(a, s.mul(b, s.number(factor, v_element(b)))), x, branch)

    def norm(self, x, name):
        """By the root of the mean square, in f32."""
        form, hidden = self.form, self.sizes.hidden
        weight = form.vector(Weight(name, [hidden], centre=1.0, spread=0.1), len(x.shape))

        def square(s, v):
            v = s.cast(v, "f32")
            return s.mul(v, v)

        def normal(s, v, total, w):
            mean = s.mul(total, s.number(1.0 / hidden))
            root = s.rsqrt(s.add(mean, s.number(self.sizes.epsilon)))
            return s.mul(s.cast(s.mul(s.cast(v, "f32"), root), form.element), w)

        total = form.reduce("sum", form.elementwise(square, x))
        return form.elementwise(normal, x, total, weight)

    def projected(self, x, name, size, bias=False):
        form, inner = self.form, x.shape[-1]
        if form.quantized:
            y = form.matmul_with_rows_of(x, form.widened(name, inner, size))
        else:
            y = form.matmul(x, form.matrix(Weight(name, [inner, size], fan_in=inner)))
        if not bias:
            return y
        added = form.vector(Weight(f"{name}_bias", [size], centre=0.05, spread=0.1),
                            len(y.shape))
        return form.elementwise(lambda s, a, b: s.add(a, b), y, added)

    def projections(self, x, name, names, extents, bias=False):
        """Several products of the same rows, or one that is cut."""
        if not self.sizes.fused:
            return [self.projected(x, f"{name}_{each}", size, bias)
                    for each, size in zip(names, extents)]
        y = self.projected(x, f"{name}_{''.join(names)}", sum(extents), bias)
        begins = [sum(extents[:at]) for at in range(len(extents))]
        return [self.form.cut(y, -1, begin, size)
                for begin, size in zip(begins, extents)]

    def perceptron(self, x, name):
        inner = self.sizes.inner
        gate, up = self.projections(x, name, ["gate", "up"], [inner, inner])
        gated = self.form.elementwise(
            lambda s, g, u: s.mul(s.mul(g, s.sigmoid(g)), u), gate, up)
        return self.projected(gated, f"{name}_down", self.sizes.hidden)

    def by_heads(self, x, heads):
        form = self.form
        x = form.reshape(x, [self.rows, heads, self.sizes.head_size])
        return form.transpose(x, [1, 0, 2])

    def rotary_tables(self):
        """Cosines and sines of the angle of every position and entry of a head."""
        size, form = self.sizes.head_size, self.form
        dynamic = self.length == "?"
        positions = range(2048) if dynamic else \
            range(self.length) if self.prefill else [self.length - 1]
        angles = [at * self.sizes.base ** (-2.0 * (i % (size // 2)) / size)
                  for at in positions for i in range(size)]
        shape = [1, len(positions), size]
        if dynamic:
            shape = form.rows(len(positions), size)
        tables = [form.numbers([turn(a) for a in angles], shape, form.element,
                               None if dynamic else form.kept_of_table)
                  for turn in (math.cos, math.sin)]
        return [self.looked_up(t) for t in tables] if dynamic else tables

    def looked_up(self, table):
        form, last = self.form, 2047
        at = form.elementwise(
            lambda s, p: s.minimum(s.maximum(p, s.number(0, "i32")),
                                   s.number(last, "i32")), form.positions)
        return form.as_table(form.lookup(table, at))

    def rotated(self, x):
        form, half = self.form, self.sizes.head_size // 2
        low, high = form.cut(x, -1, 0, half), form.cut(x, -1, half, half)
        turned = form.concat([form.elementwise(lambda s, v: s.negate(v), high), low], -1)
        return form.elementwise(
            lambda s, v, t, c, z: s.add(s.mul(v, c), s.mul(t, z)),
            x, turned, *self.angles)

    def attention(self, x, name):
        form, sizes = self.form, self.sizes
        heads, shared, size = sizes.heads, sizes.shared_heads, sizes.head_size
        q, k, v = self.projections(x, name, ["q", "k", "v"],
                                   [heads * size, shared * size, shared * size], sizes.bias)
        q = self.rotated(self.by_heads(q, heads))
        k, v = self.rotated(self.by_heads(k, shared)), self.by_heads(v, shared)
        keys, values = k, v
        if not self.prefill:
            keys, values = self.after_cache(k, v, name)
        weights = self.softmax(form.scores(q, keys))
        y = form.transpose(form.mixed(weights, values), [1, 0, 2])
        y = form.reshape(y, form.rows(self.rows, heads * size))
        return self.projected(y, f"{name}_o", sizes.hidden), keys, values

    def after_cache(self, k, v, name):
        if self.stays:
            return [self.in_cache(new, f"{name}_{kind}")
                    for new, kind in ((k, "keys"), (v, "values"))]
        shape = [self.sizes.shared_heads, self.length - 1, self.sizes.head_size]
        old = [self.form.argument(f"{name}_{kind}", shape) for kind in ("keys", "values")]
        return [self.form.concat([before, new], 1) for before, new in zip(old, (k, v))]

    def in_cache(self, new, name):
        """A cache that stays, with the new token at the position."""
        self.kept += 1
        shape = [self.sizes.shared_heads, self.length, self.sizes.head_size]
        cache = self.form.argument(name, shape, marks=f'npu.cache = "#{self.kept}", '
                                   "npu.cache_dim = 1")
        return self.form.insert(new, cache, self.position)

    def softmax(self, scores):
        """Over what is seen: in a prompt the tokens up to this one, against a cache
        what the caller says. In f32."""
        form = self.form
        factor = 1.0 / math.sqrt(self.sizes.head_size)

        def masked(s, v, *seen):
            seen = seen[0] if seen else s.at_least(s.position(-2), s.position(-1))
            v = s.mul(s.cast(v, "f32"), s.number(factor))
            return s.select(seen, v, s.number(UNSEEN))

        scores = form.elementwise(masked, scores, *([self.seen] if self.seen else []))
        powers = form.elementwise(lambda s, v, top: s.exp(s.sub(v, top)), scores,
                                  form.reduce("max", scores))
        return form.elementwise(
            lambda s, v, total: s.cast(s.divide(v, total), form.element), powers,
            form.reduce("sum", powers))


def v_element(value):
    """The element type of a tensor, or of a scalar inside a loop nest."""
    return value[1] if isinstance(value, tuple) else value.element
