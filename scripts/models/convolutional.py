# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ResNet-50 and MobileNet share: convolutions with their normalization, and a
classifier after them. Images are 1 x rows x columns x channels."""
from models.weights import Weight


class ConvolutionalModel:
    def __init__(self, form, image, batch_norm):
        self.form, self.image, self.folded = form, image, batch_norm == "folded"

    def entry(self):
        return self.form.argument("image", [1, self.image, self.image, 3])

    def convolved(self, x, name, size, channels, stride=1, ends=None):
        """After it a normalization, folded into the weights or by itself, and the
        activation `ends`."""
        kernel = Weight(name, [size, size, x.shape[3], channels],
                        fan_in=size * size * x.shape[3])
        return self.normalized(x, name, kernel, size, stride, ends)

    def each_convolved(self, x, name, size, stride, ends):
        """Every channel by itself."""
        kernel = Weight(name, [size, size, x.shape[3]], fan_in=size * size)
        return self.normalized(x, name, kernel, size, stride, ends)

    def normalized(self, x, name, kernel, size, stride, ends):
        ends = ends or (lambda s, v: v)
        shift = Weight(f"{name}_shift", [kernel.shape[-1]], centre=0.05, spread=0.1)
        if self.folded:
            return self.form.convolution(x, kernel, size, stride, shift, ends)
        y = self.form.convolution(x, kernel, size, stride, None, lambda s, v: v)
        factor = Weight(f"{name}_factor", shift.shape, centre=1.0, spread=0.1)
        return self.form.elementwise(
            lambda s, v, f, b: ends(s, s.add(s.mul(v, f), b)), y,
            self.form.vector(factor, 4), self.form.vector(shift, 4))

    def classified(self, x, classes):
        form, inner = self.form, x.shape[3]
        y = form.matmul(form.average(x), form.matrix(
            Weight("classifier", [inner, classes], fan_in=inner)))
        bias = form.vector(Weight("classifier_bias", [classes], spread=0.1), len(y.shape))
        y = form.elementwise(lambda s, v, b: s.add(v, b), y, bias)
        return form.reshape(y, [1, classes])
