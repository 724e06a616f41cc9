# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MobileNet of the second version: inverted residuals, which widen, convolve every
channel by itself, and narrow."""
import dataclasses

from models.convolutional import ConvolutionalModel


@dataclasses.dataclass(frozen=True)
class MobileNet:
    # Of each stage: how much wider inside, channels, blocks, stride of the first.
    stages: tuple = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                     (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    stem: int = 32
    last: int = 1280
    classes: int = 1000
    image: int = 224
    granule: int = 32  # the image's extent is a multiple of it

    def small(self):
        stages = tuple((wider, channels // 4, min(blocks, 2), stride)
                       for wider, channels, blocks, stride in self.stages)
        return MobileNet(stages, 8, 80, 10, 32)

    @property
    def layers(self):
        return sum(blocks for _, _, blocks, _ in self.stages)


def relu6(s, v):
    return s.clamp(v, 0.0, 6.0)


class MobileNetModel(ConvolutionalModel):
    def __init__(self, form, sizes, layers, image, batch_norm):
        super().__init__(form, image, batch_norm)
        self.sizes, self.layers = sizes, layers

    def write(self):
        x = self.convolved(self.entry(), "stem", 3, self.sizes.stem, 2, relu6)
        plan = [(wider, channels, 1 if block else stride)
                for wider, channels, blocks, stride in self.sizes.stages
                for block in range(blocks)]
        for number, (wider, channels, stride) in enumerate(plan[:self.layers]):
            x = self.inverted(x, f"block{number}", wider, channels, stride)
        x = self.convolved(x, "last", 1, self.sizes.last, 1, relu6)
        return [self.classified(x, self.sizes.classes)]

    def inverted(self, x, name, wider, channels, stride):
        y = x
        if wider != 1:
            y = self.convolved(y, f"{name}_wide", 1, wider * x.shape[3], 1, relu6)
        y = self.each_convolved(y, f"{name}_each", 3, stride, relu6)
        y = self.convolved(y, f"{name}_narrow", 1, channels)
        if x.shape != y.shape:
            return y
        return self.form.elementwise(lambda s, a, b: s.add(a, b), x, y)
