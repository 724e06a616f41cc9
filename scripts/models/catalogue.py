# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models by name, and what their options may be."""
import dataclasses

from models import weights
from models.decoder import DecoderModel
from models.linalg_form import LinalgForm
from models.refusal import Refusal
from models.sizes import DECODERS
from models.tosa_form import TosaForm

MODELS = dict(DECODERS)
FORMS = {"tosa": TosaForm, "linalg": LinalgForm}


def one_of(chosen, option, known):
    value = getattr(chosen, option)
    if value not in known:
        said = "nothing" if value is None else f"'{value}'"
        raise Refusal(option, f"expected one of {', '.join(known)}, got {said}")
    return value


def number(chosen, option, default, least, most):
    text = getattr(chosen, option)
    if text is None:
        return default
    # Digits alone: int() takes underlines, blanks and signs as well.
    if not (text.isascii() and text.isdigit()) or not least <= int(text[:10]) <= most:
        raise Refusal(option, f"expected a number from {least} to {most}, got '{text}'")
    return int(text)


def describe():
    lines = ["decoders                hidden  heads/kv/size  inner  layers  vocabulary"]
    for name, m in DECODERS.items():
        heads = f"{m.heads}/{m.shared_heads}/{m.head_size}"
        lines.append(f"  {name:<20} {m.hidden:>7} {heads:>14} {m.inner:>6} {m.layers:>7}"
                     f" {m.vocabulary:>11}")
    return "\n".join(lines)


def write(chosen):
    """The text that the options ask for."""
    sizes = MODELS[one_of(chosen, "model", MODELS)]
    small = one_of(chosen, "scale", ["full", "small"]) == "small"
    make = FORMS[one_of(chosen, "form", FORMS)]
    kind = one_of(chosen, "weights", weights.KINDS)
    chosen.element = chosen.element or ("f32" if small else "f16")
    element = one_of(chosen, "element", ["f16", "bf16", "f32"])
    form = make(element, kind, number(chosen, "seed", 0, 0, 2**31))
    results = decoder(chosen, form, sizes, small)
    return form.text(results, comment(chosen))


def comment(chosen):
    said = [f"--{option}={value}" for option, value in vars(chosen).items()
            if value not in (None, False) and option != "output"]
    return f"Written by generate-model.py {' '.join(said)}"


def decoder(chosen, form, sizes, small):
    layers = number(chosen, "layers", min(sizes.layers, 2) if small else sizes.layers, 1, 1024)
    if small:
        sizes = dataclasses.replace(sizes.small(), layers=sizes.layers)
    phase = one_of(chosen, "phase", ["prefill", "decode"])
    part = one_of(chosen, "part", ["model", "layers"])
    if chosen.length == "?":
        if phase == "decode":
            raise Refusal("length", "expected a number with --phase=decode, whose cache "
                          "has a known extent, got '?'")
        length = "?"
    else:
        least = 1 if phase == "prefill" else 2
        length = number(chosen, "length", 12 if small else 512, least, 131072)
    return DecoderModel(form, sizes, layers, length, phase, part).write()
