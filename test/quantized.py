#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random products of quantized numbers on tiles with exact arithmetic.

Each case is a product of a matrix with quantized weights: integers of 2, 4 or 8 bits, with or without a
sign, with scales and zero points for the tensor, for output channels, or for groups of entries that are
summed up; or a product of integers, which stay integers, with what makes integers of 8 bits of its sums.
Weights are arguments, constants or resources, in both orders, and their extents are odd as often as even.
All numbers are such that floats represent every sum, so that the oracle, in fractions of Python's integers,
has the same bits. The function is compiled for a small device, so that some run in steps, with one of the
strategies of the assignment, and its tiles run at the same time in every second case; the results of the
function as it stands and of the compiled one have to be those of the oracle. What is refused because it does not fit is counted.
Prints how many cases of each kind there were and `N passed, N failed`; exits with 1 if one failed,
and says how to run that one alone.
"""

import fractions
import random
import struct
import subprocess

import random_cases

TILE_BYTES = (256, 512, 1024, 4096, 65536)
STRATEGIES = ("least", "least", "greedy", "beam", "duplicate", "rows")


def product(extents):
    total = 1
    for extent in extents:
        total *= extent
    return total


def spell(shape, element):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


class Tensor:
    """Numbers row by row; `element` is the type in the IR."""

    def __init__(self, shape, element, numbers):
        self.shape, self.element, self.numbers = list(shape), element, list(numbers)

    @property
    def type(self):
        return spell(self.shape, self.element)

    def at(self, *position):
        index = 0
        for extent, place in zip(self.shape, position):
            index = index * extent + place
        return self.numbers[index]

    @property
    def bits(self):
        return int(self.element.lstrip("bfi"))

    def words(self):
        """Each number as an integer of its bits."""
        if self.element.startswith("i"):
            return [number % (1 << self.bits) for number in self.numbers]
        packs = {"f16": "<e", "f32": "<f"}
        if self.element == "bf16":
            return [struct.unpack("<I", struct.pack("<f", number))[0] >> 16 for number in self.numbers]
        size = struct.calcsize(packs[self.element])
        return [int.from_bytes(struct.pack(packs[self.element], number), "little")
                for number in self.numbers for _ in (size,)]

    def bytes(self, packed):
        if packed and self.bits < 8:
            per = 8 // self.bits
            made = bytearray(-(-len(self.numbers) // per))
            for place, word in enumerate(self.words()):
                made[place // per] |= word << place % per * self.bits
            return bytes(made)
        size = max(1, self.bits // 8)
        # Integers of less than a byte have their sign in a file of NumPy.
        if self.bits < 8:
            return bytes(number % 256 for number in self.numbers)
        return b"".join(word.to_bytes(size, "little") for word in self.words())

    def write(self, path):
        kinds = {"f16": "<f2", "bf16": "<u2", "f32": "<f4", "i32": "<i4"}
        kind = kinds.get(self.element, "|u1" if self.numbers and min(self.numbers) >= 0 else "|i1")
        shape = "".join(f"{extent}, " for extent in self.shape)
        header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                         self.bytes(packed=False))


class Case:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arguments, self.lines, self.resources = [], [], []
        self.kinds = []
        self.named = 0
        if self.random.random() < 0.35:
            self.integers()
        else:
            self.weights()

    def choose(self, *options):
        return self.random.choice(options)

    def name(self):
        self.named += 1
        return f"%v{self.named}"

    def line(self, text):
        self.lines.append("  " + text)

    def value(self, tensor, may_be_constant=True):
        """A value that has the numbers: an argument, a constant, or a resource."""
        kind = self.choose("argument", "constant", "resource") if may_be_constant else "argument"
        name = self.name()
        if kind == "argument" or tensor.element == "bf16":
            self.arguments.append((name, tensor))
        elif kind == "constant":
            data = tensor.bytes(packed=False).hex().upper()
            if tensor.bits < 8:
                data = bytes(word for word in tensor.words()).hex().upper()
            self.line(f'{name} = arith.constant dense<"0x{data}"> : {tensor.type}')
        else:
            resource = f"r{self.named}"
            self.resources.append(f'      {resource}: "0x04000000{tensor.bytes(packed=True).hex().upper()}"')
            self.line(f"{name} = arith.constant dense_resource<{resource}> : {tensor.type}")
        return name

    def quantized(self, shape, bits, signed):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        return Tensor(shape, f"i{bits}", [self.random.randint(low, high) for _ in range(product(shape))])

    def generic(self, maps, reductions, operands, out, body):
        rank = len(maps[-1]) + len(reductions)
        dims = ", ".join(f"d{at}" for at in range(rank))
        spelled = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{at}' for at in each)})>"
                            for each in maps)
        kinds = ", ".join('"reduction"' if at in reductions else '"parallel"' for at in range(rank))
        name = self.name()
        takes = ", ".join(each for each, _ in operands)
        types = ", ".join(kind for _, kind in operands)
        arguments = ", ".join(f"%a{at}: {kind[:-1].split('x')[-1].split('<')[-1]}"
                              for at, (_, kind) in enumerate(operands))
        element = out[1][:-1].split("x")[-1].split("<")[-1]
        self.line(f"{name} = linalg.generic {{indexing_maps = [{spelled}], iterator_types = [{kinds}]}} "
                  f"ins({takes} : {types}) outs({out[0]} : {out[1]}) {{")
        self.line(f"^bb0({arguments}, %out: {element}):")
        for text in body:
            self.line("  " + text)
        self.line(f"}} -> {out[1]}")
        return name

    def empty(self, kind):
        name = self.name()
        self.line(f"{name} = tensor.empty() : {kind}")
        return name

    def zeros(self, kind, element):
        number, name = self.name(), self.name()
        self.line(f"{number} = arith.constant {'0' if element.startswith('i') else '0.0'} : {element}")
        empty = self.empty(kind)
        self.line(f"{name} = linalg.fill ins({number} : {element}) outs({empty} : {kind}) -> {kind}")
        return name

    def weights(self):
        """A product of floats with quantized weights."""
        bits, signed = self.choose(2, 4, 4, 4, 8, 8), self.choose(True, False)
        rows, outputs = self.random.randint(1, 6), self.random.randint(1, 40)
        grouped = self.random.random() < 0.6
        group = self.random.randint(1, 9) if grouped else self.random.randint(1, 48)
        groups = self.random.randint(1, 6) if grouped else 1
        inner = group * groups
        element = self.choose("f16", "f32", "f32", "bf16")
        by_rows = self.choose(True, True, False)
        full = ([outputs, groups, group] if by_rows else [groups, group, outputs]) if grouped else \
            ([outputs, inner] if by_rows else [inner, outputs])
        # Where output channels and groups are among the dimensions of the weights.
        channel = 0 if by_rows else len(full) - 1
        shared = [channel] if not grouped else [0, 1] if by_rows else [0, 2]
        if self.random.random() < 0.2:
            shared = []
        few = [full[at] for at in shared]
        # Floats of 16 bits have few bits for sums.
        small = element == "bf16" or element == "f16" and bits == 8
        weights = self.quantized(full, bits, signed)
        if small and bits == 8:
            weights.numbers = [number % 8 for number in weights.numbers]
        scales = Tensor(few, element, [self.choose(0.5, 1.0, 2.0) if not small else 1.0
                                       for _ in range(product(few))])
        has_zeros = self.choose(True, False)
        zeros = self.quantized(few, bits, signed)
        if small and bits == 8:
            zeros.numbers = [number % 8 for number in zeros.numbers]
        reach = 1 if element != "f32" else 4
        x = Tensor([rows, inner], element, [float(self.random.randint(-reach, reach)) if
                                            self.random.random() < (0.1 if small else 0.5) else 0.0
                                            for _ in range(rows * inner)])
        self.kinds += [weights.element if signed else "u" + weights.element, element,
                       "groups" if grouped else "channels" if shared else "tensor",
                       "zero points" if has_zeros else "symmetric"]

        operands = [(self.value(weights), weights.type), (self.value(scales), scales.type)]
        if has_zeros:
            operands.append((self.value(zeros), zeros.type))
        verb = "sitofp" if signed else "uitofp"
        extend = "extsi" if signed else "extui"
        body = []
        if has_zeros and self.choose(True, False):
            # Subtracted as integers, which is exact as well.
            body += [f"%q = arith.{extend} %a0 : {weights.element} to i32",
                     f"%z = arith.{extend} %a2 : {weights.element} to i32",
                     "%c = arith.subi %q, %z : i32", f"%n = arith.sitofp %c : i32 to {element}"]
        elif has_zeros:
            body += [f"%q = arith.{verb} %a0 : {weights.element} to {element}",
                     f"%z = arith.{verb} %a2 : {weights.element} to {element}",
                     f"%n = arith.subf %q, %z : {element}"]
        else:
            body += [f"%n = arith.{verb} %a0 : {weights.element} to {element}"]
        swapped = self.choose(True, False)
        body += [f"%m = arith.mulf {'%a1, %n' if swapped else '%n, %a1'} : {element}",
                 f"linalg.yield %m : {element}"]
        whole = spell(full, element)
        dims = range(len(full))
        wide = self.generic([dims, shared] + ([shared] if has_zeros else []) + [dims], [], operands,
                            (self.empty(whole), whole), body)
        matrix = spell([outputs, inner] if by_rows else [inner, outputs], element)
        if grouped:
            name = self.name()
            groups_of = "[[0], [1, 2]]" if by_rows else "[[0, 1], [2]]"
            self.line(f"{name} = tensor.collapse_shape {wide} {groups_of} : {whole} into {matrix}")
            wide = name
        if self.random.random() < 0.25:
            turned = spell([inner, outputs] if by_rows else [outputs, inner], element)
            name, empty = self.name(), self.empty(turned)
            self.line(f"{name} = linalg.transpose ins({wide} : {matrix}) outs({empty} : {turned}) "
                      "permutation = [1, 0]")
            wide, matrix, by_rows = name, turned, not by_rows
            self.kinds.append("transposed")
        given = self.value(x, may_be_constant=False)
        made = spell([rows, outputs], element)
        result = self.generic([[0, 2], [1, 2] if by_rows else [2, 1], [0, 1]], [2],
                              [(given, x.type), (wide, matrix)], (self.zeros(made, element), made),
                              [f"%m = arith.mulf %a0, %a1 : {element}", f"%s = arith.addf %out, %m : {element}",
                               f"linalg.yield %s : {element}"])
        self.results = [(result, made)]

        def weight(channel_at, k):
            group_at, place = divmod(k, group)
            first = full[0] == outputs and channel == 0
            position = ([channel_at, group_at, place] if first else [group_at, place, channel_at]) \
                if grouped else ([channel_at, k] if first else [k, channel_at])
            of = [position[at] for at in shared]
            zero = zeros.at(*of) if has_zeros else 0
            return (weights.at(*position) - zero) * fractions.Fraction(scales.at(*of))

        table = [[weight(n, k) for k in range(inner)] for n in range(outputs)]
        self.expected = [Tensor([rows, outputs], element, [
            float(sum((fractions.Fraction(x.at(m, k)) * table[n][k] for k in range(inner)), fractions.Fraction()))
            for m in range(rows) for n in range(outputs)])]

    def integers(self):
        """A product of integers, whose sums are made integers of 8 bits."""
        bits = self.choose(8, 8, 4)
        signs = [self.choose(True, False), self.choose(True, False)]
        rows, outputs, inner = (self.random.randint(1, 7), self.random.randint(1, 33),
                                self.random.randint(1, 40))
        x = self.quantized([rows, inner], 8, signs[0])
        weights = self.quantized([inner, outputs], bits, signs[1])
        has_zeros = self.choose(True, False)
        x_zero = self.quantized([], 8, signs[0])
        zeros = self.quantized([outputs], bits, signs[1])
        self.kinds += [f"i8 times i{bits}", "zero points" if has_zeros else "symmetric"]
        wide = []
        for tensor, zero, signed, shared in ((x, x_zero, signs[0], []), (weights, zeros, signs[1], [1])):
            kind = spell(tensor.shape, "i32")
            extend = "extsi" if signed else "extui"
            operands = [(self.value(tensor), tensor.type)]
            body = [f"%q = arith.{extend} %a0 : {tensor.element} to i32"]
            if has_zeros:
                operands.append((self.value(zero), zero.type))
                body += [f"%z = arith.{extend} %a1 : {tensor.element} to i32", "%c = arith.subi %q, %z : i32"]
            body.append(f"linalg.yield {'%c' if has_zeros else '%q'} : i32")
            wide.append((self.generic([[0, 1]] + ([shared] if has_zeros else []) + [[0, 1]], [], operands,
                                      (self.empty(kind), kind), body), kind))
        made = spell([rows, outputs], "i32")
        sums = self.generic([[0, 2], [2, 1], [0, 1]], [2], wide, (self.zeros(made, "i32"), made),
                            ["%m = arith.muli %a0, %a1 : i32", "%s = arith.addi %out, %m : i32",
                             "linalg.yield %s : i32"])
        total = Tensor([rows, outputs], "i32", [
            sum((x.at(m, k) - (x_zero.at() if has_zeros else 0)) *
                (weights.at(k, n) - (zeros.at(n) if has_zeros else 0)) for k in range(inner))
            for m in range(rows) for n in range(outputs)])
        narrow = spell([rows, outputs], "i8")
        shift = self.random.randint(2, 9)
        result = self.generic([[0, 1], [0, 1]], [], [(sums, made)], (self.empty(narrow), narrow),
                              [f"%k = arith.constant {shift} : i32", "%low = arith.constant -128 : i32",
                               "%high = arith.constant 127 : i32", "%t = arith.shrsi %a0, %k : i32",
                               "%u = arith.maxsi %t, %low : i32", "%v = arith.minsi %u, %high : i32",
                               "%w = arith.trunci %v : i32 to i8", "linalg.yield %w : i8"])
        self.results = [(result, narrow), (sums, made)]
        self.expected = [Tensor([rows, outputs], "i8", [max(-128, min(127, number >> shift))
                                                        for number in total.numbers]), total]

    def text(self):
        takes = ", ".join(f"{name}: {tensor.type}" for name, tensor in self.arguments)
        types = ", ".join(kind for _, kind in self.results)
        names = ", ".join(name for name, _ in self.results)
        size = self.choose(*TILE_BYTES)
        like = self.choose("npu3720", "npu4000")
        text = f"""module attributes {{dlti.target_system_spec = #dlti.target_system_spec<"NPU" =
    #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "{like}", "npu.scratchpad_bytes" = {size} : i64>>}} {{
func.func @main({takes}) -> ({types}) {{
""" + "\n".join(self.lines) + f"\n  return {names} : {types}\n}}\n}}\n"
        if self.resources:
            text += "{-#\n  dialect_resources: {\n    builtin: {\n" + ",\n".join(self.resources) + "\n    }\n  }\n#-}\n"
        return text


def data_of(path):
    content = path.read_bytes()
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    return content[begin:]


def check(bin_, folder, number, kinds):
    case = Case(number)
    model = folder / "model.mlir"
    text = case.text()
    model.write_text(text)
    paths = []
    for at, (_, tensor) in enumerate(case.arguments):
        paths.append(folder / f"input.{at}.npy")
        tensor.write(paths[-1])
    strategy = case.choose(*STRATEGIES)
    kinds.update(case.kinds)
    results = folder / "result.npy"
    given = [f"--inputs={','.join(map(str, paths))}"] if paths else []
    at_once = ["--tiles=parallel"] if number % 2 else []
    for how in ([], [f"--compile=strategy={strategy}", *at_once]):
        for old in folder.glob("result*"):
            old.unlink()
        done = subprocess.run([bin_ / "npu-run", model, *given, *how, "-O0", f"--output={results}"],
                              capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
        if how and done.returncode == 1 and ("no assignment of layouts" in said or "does not fit" in said
                                             or "scratchpad" in said):
            kinds["refused"] += 1
            continue
        if done.returncode != 0:
            return f"{how}: exit {done.returncode}\n{said}\n{text}"
        several = len(case.expected) > 1
        for at, expected in enumerate(case.expected):
            path = folder / f"result.{at}.npy" if several else results
            if data_of(path) != expected.bytes(packed=False):
                return f"{how}: result {at} is not the oracle's\n{said}\n{text}"
    kinds["in steps"] += "npu.steps" in subprocess.run(
        [bin_ / "npu-opt", model, f"--npu-compile=compile-to=assigned strategy={strategy}"],
        capture_output=True, text=True, timeout=120).stdout
    return ""


if __name__ == "__main__":
    random_cases.run_numbered(__doc__, 40, check)
