# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models by name, and what their options may be."""
import dataclasses

from models import weights
from models.decoder import DecoderModel
from models.linalg_form import LinalgForm
from models.mobilenet import MobileNet, MobileNetModel
from models.refusal import Refusal
from models.resnet import ResNet, ResNetModel
from models.sizes import DECODERS
from models.swin import Swin, SwinModel
from models.tosa_form import TosaForm

IMAGE_MODELS = {"resnet50": ResNet(), "mobilenet": MobileNet(),
                "swin": Swin(96, (2, 2, 6, 2), (3, 6, 12, 24)),
                "swin-large": Swin(192, (2, 2, 18, 2), (6, 12, 24, 48))}
MODELS = {**DECODERS, **IMAGE_MODELS}
FORMS = {"tosa": TosaForm, "linalg": LinalgForm}


def one_of(chosen, option, known):
    value = getattr(chosen, option)
    if value not in known:
        said = "nothing" if value is None else f"'{value}'"
        raise Refusal(option.replace("_", "-"), f"expected one of {', '.join(known)}, got {said}")
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
    lines.append("of images                 rows  blocks  classes")
    for name, m in IMAGE_MODELS.items():
        lines.append(f"  {name:<20} {m.image:>7} {m.layers:>7} {m.classes:>8}")
    return "\n".join(lines)


def write(chosen):
    """The text that the options ask for."""
    sizes = MODELS[one_of(chosen, "model", MODELS)]
    small = one_of(chosen, "scale", ["full", "small"]) == "small"
    make = FORMS[one_of(chosen, "form", FORMS)]
    kind = one_of(chosen, "weights", weights.KINDS)
    chosen.element = chosen.element or ("f32" if small else "f16")
    element = one_of(chosen, "element", ["f16", "bf16", "f32"])
    form = make(element, kind, number(chosen, "seed", 0, 0, 2**31), quantization(chosen, small))
    family = decoder if chosen.model in DECODERS else image_model
    results = family(chosen, form, sizes, small)
    return form.text(results, comment(chosen))


def quantization(chosen, small):
    """How the weights of projections are quantized; nothing where they are floats."""
    if chosen.quantize is None:
        refuse(chosen, ["group"], "has no groups without --quantize")
        return None
    name = one_of(chosen, "quantize", weights.Quantization.FORMS)
    if chosen.form != "linalg" or chosen.model not in DECODERS:
        raise Refusal("quantize", "expected a decoder in --form=linalg")
    sizes = MODELS[chosen.model].small() if small else MODELS[chosen.model]
    group = number(chosen, "group", None, 2, 1 << 16)
    if group and any(inner % group for inner in (sizes.hidden, sizes.inner,
                                                 sizes.heads * sizes.head_size)):
        raise Refusal("group", f"expected a divisor of {sizes.hidden} and {sizes.inner}, "
                      f"got {group}")
    return weights.Quantization(name, group)


def comment(chosen):
    said = [f"--{option}={value}" for option, value in vars(chosen).items()
            if value not in (None, False) and option != "output"]
    return f"Written by generate-model.py {' '.join(said)}"


def refuse(chosen, options, reason):
    for option in options:
        if getattr(chosen, option) is not None:
            raise Refusal(option.replace("_", "-"), f"'{chosen.model}' {reason}")


def image_model(chosen, form, sizes, small):
    refuse(chosen, ["length", "phase", "part", "caches"], "has no prompt")
    sizes = sizes.small() if small else sizes
    layers = number(chosen, "layers", sizes.layers, 1, sizes.layers)
    image = number(chosen, "image", sizes.image, sizes.granule, 65536)
    if image % sizes.granule:
        raise Refusal("image", f"expected a multiple of {sizes.granule}, got {image}")
    if isinstance(sizes, Swin):
        refuse(chosen, ["batch_norm"], "has no batch normalization")
        return SwinModel(form, sizes, layers, image).write()
    chosen.batch_norm = chosen.batch_norm or "folded"
    norm = one_of(chosen, "batch_norm", ["folded", "separate"])
    make = ResNetModel if isinstance(sizes, ResNet) else MobileNetModel
    return make(form, sizes, layers, image, norm).write()


def decoder(chosen, form, sizes, small):
    layers = number(chosen, "layers", min(sizes.layers, 2) if small else sizes.layers, 1, 1024)
    if small:
        sizes = dataclasses.replace(sizes.small(), layers=sizes.layers)
    refuse(chosen, ["image", "batch_norm"], "has no image")
    chosen.phase, chosen.part = chosen.phase or "prefill", chosen.part or "model"
    phase = one_of(chosen, "phase", ["prefill", "decode"])
    part = one_of(chosen, "part", ["model", "layers"])
    stays = chosen.caches is not None and one_of(chosen, "caches", ["grow", "stay"]) == "stay"
    if stays and (phase != "decode" or chosen.form != "linalg"):
        raise Refusal("caches", "expected --phase=decode and --form=linalg beside "
                      "--caches=stay")
    if chosen.length == "?":
        if phase == "decode":
            raise Refusal("length", "expected a number with --phase=decode, whose cache "
                          "has a known extent, got '?'")
        length = "?"
    else:
        least = 1 if phase == "prefill" else 2
        length = number(chosen, "length", 12 if small else 512, least, 131072)
    return DecoderModel(form, sizes, layers, length, phase, part, stays).write()
