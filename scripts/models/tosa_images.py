# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows over images in TOSA."""
from models.windows import spreads


class TosaImages:
    """What a form of TOSA knows of images."""

    def reached(self, x, high, wide):
        """The image without the rows and columns that no window reaches: TOSA
        wants windows to end at the edge."""
        for axis, (_, _, after) in ((1, high), (2, wide)):
            if after < 0:
                x = self.cut(x, axis, 0, x.shape[axis] + after)
        return x

    def window_attributes(self, high, wide, stride, **more):
        pads = [high[1], max(high[2], 0), wide[1], max(wide[2], 0)]
        arrays = {**more, "pad": pads, "stride": [stride, stride]}
        return ", ".join(f"{name} = array<i64: {', '.join(map(str, numbers))}>"
                         for name, numbers in sorted(arrays.items()))

    def convolution(self, x, kernel, size, stride, bias, then):
        """`kernel` is rows, columns, in, out; or rows, columns, channels where each
        channel is by itself. `then` is what happens to each element."""
        each = len(kernel.shape) == 3
        channels = kernel.shape[-1]
        weight = self.weight(kernel, shape=[*kernel.shape, 1]) if each else \
            self.weight(kernel, order=[3, 0, 1, 2])
        high, wide = spreads(x, size, stride, (size - 1) // 2 if stride < size else 0)
        added = self.weight(bias) if bias else self.once(
            ("bias", channels), lambda: self.numbers(0.0, [channels], self.element))
        zero = self.scalar(0.0, x.element, 1)
        attributes = "acc_type = f32, " + self.window_attributes(
            high, wide, stride, dilation=[1, 1])
        y = self.op("depthwise_conv2d" if each else "conv2d",
                    [1, high[0], wide[0], channels], self.reached(x, high, wide),
                    weight, added, zero, zero, attributes=attributes)
        return self.elementwise(then, y)

    def largest(self, x, size, stride):
        high, wide = spreads(x, size, stride, (size - 1) // 2)
        return self.op("max_pool2d", [1, high[0], wide[0], x.shape[3]],
                       self.reached(x, high, wide), attributes=self.window_attributes(
                           high, wide, stride, kernel=[size, size]))

    def average(self, x):
        """Over all rows and columns."""
        whole = x.shape[1:3]
        zero = self.scalar(0.0, x.element, 1)
        spelled = ", ".join(map(str, whole))
        y = self.op("avg_pool2d", [1, 1, 1, x.shape[3]], x, zero, zero,
                    attributes=f"acc_type = f32, kernel = array<i64: {spelled}>, "
                    "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>")
        return self.reshape(y, self.rows(1, x.shape[3]))
