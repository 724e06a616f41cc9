# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swin: attention within windows of an image; every other block rolls the image by
half a window first, and back."""
import dataclasses
import itertools
import math

from models.weights import Weight


@dataclasses.dataclass(frozen=True)
class Swin:
    width: int
    depths: tuple
    heads: tuple
    window: int = 7
    classes: int = 1000
    image: int = 224

    def small(self):
        heads = self.heads[:2]
        return Swin(4 * heads[0], (2, 2), heads, 4, 10, 32)

    @property
    def granule(self):
        """Every stage has whole windows: patches of four, halved at every stage."""
        return 4 * self.window << len(self.depths) - 1

    @property
    def layers(self):
        return sum(self.depths)


def added(s, a, b):
    return s.add(a, b)


class SwinModel:
    def __init__(self, form, sizes, layers, image):
        self.form, self.sizes, self.layers, self.image = form, sizes, layers, image

    def write(self):
        form = self.form
        x = form.argument("image", [1, self.image, self.image, 3])
        kernel = Weight("patches", [4, 4, 3, self.sizes.width], fan_in=48)
        x = form.convolution(x, kernel, 4, 4, Weight("patches_bias", [self.sizes.width],
                                                     spread=0.1), lambda s, v: v)
        side, width = self.image // 4, self.sizes.width
        x = self.norm(form.reshape(x, form.rows(side * side, width)), "patches_norm")
        plan = [(stage, block) for stage, depth in enumerate(self.sizes.depths)
                for block in range(depth)]
        for stage, block in plan[:self.layers]:
            if stage and not block:
                x = self.merged(x, side, f"merge{stage}")
                side //= 2
            x = self.block(x, side, self.sizes.heads[stage], block % 2 == 1,
                           f"stage{stage}_block{block}")
        return [self.head(self.norm(x, "last_norm"), side)]

    def head(self, x, side):
        form, width = self.form, x.shape[-1]
        image = form.reshape(form.reshape(x, [side, side, width]), [1, side, side, width])
        pooled = form.average(image)
        return form.reshape(self.projected(pooled, "classifier", self.sizes.classes),
                            [1, self.sizes.classes])

    def norm(self, x, name):
        """By mean and variance, in f32."""
        form, width = self.form, x.shape[-1]
        part = 1.0 / width
        rank = len(x.shape)
        factor = form.vector(Weight(f"{name}_factor", [width], centre=1.0, spread=0.1), rank)
        shift = form.vector(Weight(f"{name}_shift", [width], centre=0.05, spread=0.1), rank)
        wide = form.elementwise(lambda s, v: s.cast(v, "f32"), x) \
            if form.element != "f32" else x
        total = form.reduce("sum", wide)
        centred = form.elementwise(
            lambda s, v, t: s.sub(v, s.mul(t, s.number(part))), wide, total)
        squares = form.reduce("sum", form.elementwise(lambda s, v: s.mul(v, v), centred))

        def normal(s, v, t, f, b):
            root = s.rsqrt(s.add(s.mul(t, s.number(part)), s.number(1e-5)))
            return s.add(s.mul(s.cast(s.mul(v, root), form.element), f), b)

        return form.elementwise(normal, centred, squares, factor, shift)

    def projected(self, x, name, size, bias=True):
        form, inner = self.form, x.shape[-1]
        y = form.matmul(x, form.matrix(Weight(name, [inner, size], fan_in=inner)))
        if not bias:
            return y
        weight = form.vector(Weight(f"{name}_bias", [size], spread=0.1), len(y.shape))
        return form.elementwise(added, y, weight)

    def merged(self, x, side, name):
        """Four neighbours become one of twice the width."""
        form, half, width = self.form, side // 2, x.shape[-1]
        x = form.reshape(x, [half, 2, half, 2, width])
        x = form.transpose(x, [0, 2, 3, 1, 4])
        x = form.reshape(x, form.rows(half * half, 4 * width))
        return self.projected(self.norm(x, f"{name}_norm"), name, 2 * width, bias=False)

    def block(self, x, side, heads, shifted, name):
        # An image of one window has nowhere to roll to.
        shift = self.sizes.window // 2 if shifted and side > self.sizes.window else 0
        attended = self.attention(self.norm(x, f"{name}_norm1"), side, heads, shift, name)
        x = self.form.elementwise(added, x, attended)
        y = self.projected(self.norm(x, f"{name}_norm2"), f"{name}_up", 4 * x.shape[-1])
        y = self.form.elementwise(self.gelu, y)
        return self.form.elementwise(added, x, self.projected(y, f"{name}_down", x.shape[-1]))

    def gelu(self, s, v):
        half, one = (s.number(n, self.form.element) for n in (0.5, 1.0))
        root = s.number(math.sqrt(0.5), self.form.element)
        return s.mul(s.mul(v, half), s.add(s.erf(s.mul(v, root)), one))

    def rolled(self, x, by):
        """The first `by` rows go after the others, and columns likewise."""
        for axis in (0, 1) if by else ():
            extent = x.shape[axis]
            first = by % extent
            x = self.form.concat([self.form.cut(x, axis, first, extent - first),
                                  self.form.cut(x, axis, 0, first)], axis)
        return x

    def windows(self, x, side):
        """side x side x C to the rows of all windows, one window after the other."""
        size, form = self.sizes.window, self.form
        count, width = side // size, x.shape[-1]
        x = form.reshape(x, [count, size, count, size, width])
        x = form.transpose(x, [0, 2, 1, 3, 4])
        return form.reshape(x, form.rows(side * side, width))

    def from_windows(self, x, side):
        size, form = self.sizes.window, self.form
        count, width = side // size, x.shape[-1]
        x = form.reshape(x, [count, count, size, size, width])
        x = form.transpose(x, [0, 2, 1, 3, 4])
        return form.reshape(x, [side, side, width])

    def attention(self, x, side, heads, shift, name):
        form, width, area = self.form, x.shape[-1], self.sizes.window**2
        x = self.rolled(form.reshape(x, [side, side, width]), shift)
        y = self.projected(self.windows(x, side), f"{name}_qkv", 3 * width)
        q, k, v = (self.by_heads(form.cut(y, -1, at * width, width), heads)
                   for at in range(3))
        weights = self.softmax(form.scores(q, k), side, heads, shift, name)
        y = form.mixed(weights, v)
        y = form.reshape(y, [side * side // area, heads, area, width // heads])
        y = form.reshape(form.transpose(y, [0, 2, 1, 3]), form.rows(side * side, width))
        y = self.projected(y, f"{name}_o", width)
        y = self.rolled(self.from_windows(y, side), -shift)
        return form.reshape(y, form.rows(side * side, width))

    def by_heads(self, x, heads):
        form, area = self.form, self.sizes.window**2
        count, size = math.prod(x.shape[:-1]) // area, x.shape[-1] // heads
        x = form.transpose(form.reshape(x, [count, area, heads, size]), [0, 2, 1, 3])
        return form.reshape(x, [count * heads, area, size])

    def softmax(self, scores, side, heads, shift, name):
        form, area = self.form, self.sizes.window**2
        scores = form.reshape(scores, [side * side // area, heads, area, area])
        factor = 1.0 / math.sqrt(self.sizes.width // self.sizes.heads[0])
        more = [self.position_bias(heads, name)]
        if shift:
            more.append(self.mask(side, shift))

        def biased(s, v, bias, mask=None):
            v = s.add(s.mul(s.cast(v, "f32"), s.number(factor)), s.cast(bias, "f32"))
            return v if mask is None else s.add(v, mask)

        scores = form.elementwise(biased, scores, *more)
        powers = form.elementwise(lambda s, v, top: s.exp(s.sub(v, top)), scores,
                                  form.reduce("max", scores))
        weights = form.elementwise(
            lambda s, v, total: s.cast(s.divide(v, total), form.element), powers,
            form.reduce("sum", powers))
        return form.reshape(weights, [side * side // area * heads, area, area])

    def position_bias(self, heads, name):
        """What a head adds for how far apart two entries of a window are: rows of a
        table of all distances."""
        form, size = self.form, self.sizes.window
        area, reach = size * size, 2 * size - 1
        table = form.matrix(Weight(f"{name}_distances", [reach * reach, heads], spread=0.2))

        def distances():
            places = list(itertools.product(range(size), repeat=2))
            return form.numbers(
                [(i - k + size - 1) * reach + j - m + size - 1
                 for i, j in places for k, m in places], [1, area * area], "i32")

        x = form.lookup(table, form.once("distances", distances))
        x = form.transpose(form.reshape(x, [area, area, heads]), [2, 0, 1])
        return form.reshape(x, [1, heads, area, area])

    def mask(self, side, shift):
        """After a roll, entries that were at opposite edges do not see each other."""
        size, form = self.sizes.window, self.form
        area, count = size * size, side // size

        def region(at):
            return 0 if at < side - size else 1 if at < side - shift else 2

        def write():
            data = []
            for high, wide in itertools.product(range(count), repeat=2):
                labels = [(region(high * size + i), region(wide * size + j))
                          for i, j in itertools.product(range(size), repeat=2)]
                data += [0.0 if a == b else -100.0 for a in labels for b in labels]
            return form.numbers(data, [count * count, 1, area, area], "f32")
        return form.once(("mask", side), write)
