#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a whole model without layouts as MLIR text, in TOSA or in linalg.

    scripts/generate-model.py --model=qwen2-7b --form=tosa --layers=2 --length=336
    scripts/generate-model.py --model=qwen2-7b --scale=small --weights=random
    scripts/generate-model.py --list

--scale=small is a small model of the same structure that runs in a second.
"""
import argparse
import pathlib
import sys

# No compiled files among the sources.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
from models.catalogue import MODELS, describe, write
from models.refusal import Refusal
from models.weights import KINDS


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--list", action="store_true", help="the models and their sizes")
    add("--model", help=", ".join(MODELS))
    add("--form", default="linalg", help="tosa or linalg (default)")
    add("--layers", help="how many layers or blocks, from the first on; all without it")
    add("--length", help="of the prompt, or in decode of what is attended to; "
        "? for a dynamic one; 512 without it, 12 in small models")
    add("--phase", help="prefill (default) or decode")
    add("--caches", help="in decode: grow (default) by the new token, or stay: of what is "
        "attended to, with the new token put at a position")
    add("--part", help="model (default), or layers: without the "
        "embedding, the last norm and the head")
    add("--image", help="rows and columns of a model of images; 224 without it, 32 in "
        "small models")
    add("--batch-norm", help="folded (default) into weights, or separate: a product and "
        "a sum after each convolution")
    add("--scale", default="full", help="full (default) or small")
    add("--element", help="f16 (default), bf16 or f32 (default of small models)")
    add("--quantize", help="weights of projections of decoders as int4, uint4, int8 or uint8; "
        "those without a sign have zero points")
    add("--group", help="so many entries that are summed up have one scale; an output "
        "channel without it")
    add("--weights", default="splat",
        help="; ".join(f"{kind}: {what}" for kind, what in KINDS.items()))
    add("--seed", default="0", help="of random weights")
    add("--output", "-o", help="a file; standard output without it")
    return parser.parse_args()


def main():
    chosen = options()
    if chosen.list:
        print(describe())
        return
    try:
        text = write(chosen)
        if chosen.output:
            pathlib.Path(chosen.output).write_text(text, encoding="ascii")
        else:
            sys.stdout.write(text)
    except Refusal as refusal:
        sys.exit(f"error: {refusal}")
    except OSError as error:
        sys.exit(f"error: --output={chosen.output}: {error.strerror.lower()}")


if __name__ == "__main__":
    main()
