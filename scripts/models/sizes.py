# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes of decoders, and of their small versions."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Decoder:
    hidden: int
    heads: int
    shared_heads: int  # of keys and values
    head_size: int
    inner: int  # of the gated perceptron
    layers: int
    vocabulary: int
    bias: bool = False  # of queries, keys and values
    fused: bool = False  # one product for q, k and v, and one for gate and up
    tied: bool = False  # the head's weight is the embedding's table
    epsilon: float = 1e-6
    base: float = 1e4  # of the rotary angles
    embedding_scale: float = 1.0
    depth_scale: float = 0.0  # branches times this over the root of the layers
    logit_width: int = 0  # the head's rows are divided by hidden / this

    def small(self):
        """The same structure: groups, biases and scales stay, sizes do not."""
        shared = min(self.shared_heads, 2)
        heads = shared * (self.heads // self.shared_heads)
        size = self.head_size // 16
        inner = -(-self.inner * heads * size // self.hidden // 8) * 8
        return dataclasses.replace(
            self, hidden=heads * size, heads=heads, shared_heads=shared,
            head_size=size, inner=inner, layers=2, vocabulary=61,
            logit_width=self.logit_width * heads * size // self.hidden)


QWEN = {"bias": True, "base": 1e6}
MINICPM = {"tied": True, "epsilon": 1e-5, "embedding_scale": 12.0,
           "depth_scale": 1.4, "logit_width": 256}

DECODERS = {
    "qwen2-7b": Decoder(3584, 28, 4, 128, 18944, 28, 152064, **QWEN),
    "qwen2.5-7b": Decoder(3584, 28, 4, 128, 18944, 28, 152064, **QWEN),
    "qwen2-1.5b": Decoder(1536, 12, 2, 128, 8960, 28, 151936, tied=True, **QWEN),
    "qwen2.5-3b": Decoder(2048, 16, 2, 128, 11008, 36, 151936, tied=True, **QWEN),
    "llama-2-7b": Decoder(4096, 32, 32, 128, 11008, 32, 32000, epsilon=1e-5),
    "llama-3-8b": Decoder(4096, 32, 8, 128, 14336, 32, 128256, epsilon=1e-5, base=5e5),
    "minicpm-1b": Decoder(1536, 24, 8, 64, 3840, 52, 73440, **MINICPM),
    "minicpm-2b": Decoder(2304, 36, 36, 64, 5760, 40, 122753, **MINICPM),
    "phi-3-mini": Decoder(3072, 32, 32, 96, 8192, 32, 32064, fused=True, epsilon=1e-5),
}
