# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows over images in linalg."""
from models.values import Value
from models.windows import spreads


class LinalgImages:
    """What a form of linalg knows of images."""

    def padded(self, x, high, wide, number):
        """`number` around the image, as far as windows read it."""
        low = [0, high[1], wide[1], 0]
        after = [0, max(high[2], 0), max(wide[2], 0), 0]
        if not any(low + after):
            return x
        scalar = self.scalar(number, x.element)
        shape = [sum(three) for three in zip(low, x.shape, after)]
        result = Value(self.fresh(), shape, x.element)
        self.line(f"{result.name} = tensor.pad {x.name} low{low} high{after} {{")
        self.line("^bb0(%i: index, %j: index, %k: index, %l: index):")
        self.line(f"  tensor.yield {scalar} : {x.element}")
        self.line(f"}} : {x.type} to {result.type}")
        return result

    def windowed(self, name, x, window, out, stride):
        result = Value(self.fresh(), out.shape, out.element)
        self.line(f"{result.name} = linalg.{name} {{dilations = dense<1> : tensor<2xi64>, "
                  f"strides = dense<{stride}> : tensor<2xi64>}} ins({x.name}, "
                  f"{window.name} : {x.type}, {window.type}) outs({out.name} : "
                  f"{out.type}) -> {out.type}")
        return result

    def convolution(self, x, kernel, size, stride, bias, then):
        """`kernel` is rows, columns, in, out; or rows, columns, channels where each
        channel is by itself. `then` is what happens to each element."""
        name = "depthwise_conv_2d_nhwc_hwc" if len(kernel.shape) == 3 else \
            "conv_2d_nhwc_hwcf"
        high, wide = spreads(x, size, stride, (size - 1) // 2 if stride < size else 0)
        shape = [1, high[0], wide[0], kernel.shape[-1]]
        y = self.windowed(name, self.padded(x, high, wide, 0.0), self.weight(kernel),
                          self.filled(0.0, self.empty(shape, x.element)), stride)
        if not bias:
            return self.elementwise(then, y)
        return self.elementwise(lambda s, v, b: then(s, s.add(v, b)), y,
                                self.vector(bias, 4))

    def largest(self, x, size, stride):
        least = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[x.element]
        high, wide = spreads(x, size, stride, (size - 1) // 2)
        out = self.filled(least, self.empty([1, high[0], wide[0], x.shape[3]], x.element))
        return self.windowed("pooling_nhwc_max", self.padded(x, high, wide, least),
                             self.empty([size, size], x.element), out, stride)

    def average(self, x):
        """Over all rows and columns."""
        out = self.filled(0.0, self.empty([1, x.shape[3]], x.element))
        total = self.generic(
            ["parallel", "reduction", "reduction", "parallel"],
            [range(4), [0, 3]], [x], out,
            [f"%r = arith.addf %out, %a0 : {x.element}", f"linalg.yield %r : {x.element}"])
        part = 1.0 / (x.shape[1] * x.shape[2])
        return self.elementwise(lambda s, v: s.mul(v, s.number(part, x.element)), total)
