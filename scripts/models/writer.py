# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of one function: its arguments, operations, constants and results."""
import math

from models import weights
from models.refusal import Refusal
from models.values import Value


class Writer:
    """What both forms share. A form says how a constant is spelled."""

    def __init__(self, element="f32", weight_kind="splat", seed=0, quantized=None):
        self.element, self.weight_kind, self.seed = element, weight_kind, seed
        self.quantized = quantized
        self.lines, self.arguments, self.resources = [], [], []
        # What is written behind the type of an argument, by its name.
        self.marks = {}
        self.numbered = self.written = 0
        self.shared = {}

    def fresh(self):
        self.numbered += 1
        return f"%{self.numbered - 1}"

    def argument(self, name, shape, element=None, marks=""):
        value = Value(f"%{name}", shape, element or self.element)
        self.arguments.append(value)
        if marks:
            self.marks[value.name] = f" {{{marks}}}"
        return value

    def line(self, text):
        self.lines.append("    " + text)

    def once(self, key, make):
        """What `make` writes, once for every key: constants that many share."""
        if key not in self.shared:
            self.shared[key] = make()
        return self.shared[key]

    def numbers(self, data, shape, element, kept=None):
        """A constant of one number, or of a list of them."""
        value = Value("", shape, element, kept)
        if isinstance(data, list):
            data = f'"0x{weights.packed(data, element).hex().upper()}"'
        elif element.startswith("f") or element == "bf16":
            data = f"{data:.9e}"
        return self.constant(f"dense<{data}>", value)

    def weight(self, weight, order=None, shape=None, kept=None):
        """A weight, its dimensions in another order or shape where the form
        wants that."""
        stored = [weight.shape[at] for at in order] if order else weight.shape
        element = weight.element or self.element
        value = Value("", shape or stored, element, kept)
        if self.weight_kind == "arguments":
            value.name = f"%{weight.name}"
            self.arguments.append(value)
            return value
        if self.weight_kind == "splat":
            number = weight.splat if weight.element is None else round(weight.splat)
            return self.numbers(number, shape or stored, element, kept)
        if self.weight_kind == "elided":
            return self.constant(f"dense_resource<{weight.name}>", value)
        self.written += math.prod(weight.shape)
        if self.written > weights.MOST_ENTRIES:
            raise Refusal("weights", f"expected at most {weights.MOST_ENTRIES} entries of "
                          f"data, got more with {weight.name} (splat, elided and "
                          "arguments are for models of any size)")
        data = weights.numbers(weight, self.seed)
        if order:
            data = weights.permuted(data, weight.shape, order)
        if self.weight_kind == "random":
            text = weights.packed(data, "i8" if element == "i4" else element).hex().upper()
            return self.constant(f'dense<"0x{text}">', value)
        text = weights.packed(data, element).hex().upper()
        # The alignment of the data comes first, in four bytes.
        self.resources.append(f'      {weight.name}: "0x04000000{text}"')
        return self.constant(f"dense_resource<{weight.name}>", value)

    def text(self, results, comment):
        """The file. `results` are returned in their order."""
        takes = ", ".join(f"{a.name}: {a.type}{self.marks.get(a.name, '')}"
                          for a in self.arguments)
        types = ", ".join(r.type for r in results)
        names = ", ".join(r.name for r in results)
        parts = [f"// {comment}", "module {",
                 f"  func.func @main({takes}) -> ({types}) {{", *self.lines,
                 f"    return {names} : {types}", "  }", "}"]
        if self.resources:
            parts += ["{-#", "  dialect_resources: {", "    builtin: {",
                      ",\n".join(self.resources), "    }", "  }", "#-}"]
        return "\n".join(parts) + "\n"


def type_list(values):
    return ", ".join(value.type for value in values)


def name_list(values):
    return ", ".join(value.name for value in values)

