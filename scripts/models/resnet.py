# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-50: bottlenecks of three convolutions beside a shortcut, the stride in the
convolution of three rows."""
import dataclasses

from models.convolutional import ConvolutionalModel


@dataclasses.dataclass(frozen=True)
class ResNet:
    blocks: tuple = (3, 4, 6, 3)  # in each stage
    width: int = 64  # of the first stage's inner convolutions
    classes: int = 1000
    image: int = 224
    granule: int = 32  # the image's extent is a multiple of it

    def small(self):
        return ResNet((1, 1, 1, 1), 8, 10, 32)

    @property
    def layers(self):
        return sum(self.blocks)


def relu(s, v):
    return s.clamp(v, 0.0)


class ResNetModel(ConvolutionalModel):
    def __init__(self, form, sizes, layers, image, batch_norm):
        super().__init__(form, image, batch_norm)
        self.sizes, self.layers = sizes, layers

    def write(self):
        x = self.convolved(self.entry(), "stem", 7, self.sizes.width, 2, relu)
        x = self.form.largest(x, 3, 2)
        plan = [(stage, block) for stage, count in enumerate(self.sizes.blocks)
                for block in range(count)]
        for stage, block in plan[:self.layers]:
            stride = 2 if stage and not block else 1
            x = self.bottleneck(x, f"stage{stage}_block{block}",
                                self.sizes.width << stage, stride)
        return [self.classified(x, self.sizes.classes)]

    def bottleneck(self, x, name, width, stride):
        y = self.convolved(x, f"{name}_in", 1, width, 1, relu)
        y = self.convolved(y, f"{name}_middle", 3, width, stride, relu)
        y = self.convolved(y, f"{name}_out", 1, 4 * width)
        if x.shape != y.shape:
            x = self.convolved(x, f"{name}_shortcut", 1, 4 * width, stride)
        return self.form.elementwise(lambda s, a, b: relu(s, s.add(a, b)), x, y)
