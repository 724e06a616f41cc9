# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random decoders in ONNX have in common: a graph, and what is drawn for it."""

import math
import random

from onnx_writer import FLOAT, Graph


class RandomGraph:
    """A graph that follows from a seed."""

    def __init__(self, seed):
        self.random, self.graph = random.Random(seed), Graph()

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def weights(self, *shape):
        """A constant of small numbers."""
        numbers = [round(self.random.uniform(-0.7, 0.7), 3) for _ in range(math.prod(shape))]
        return self.graph.constant(FLOAT, list(shape), numbers)

    def extent(self, value, dim):
        """An extent of a tensor, a scalar."""
        return self.graph.node("Gather", self.graph.node("Shape", value), self.graph.int(dim), axis=0)
