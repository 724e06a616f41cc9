# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does npu-run see a split reduction that is wrong?

Makes functions of many split sums, legalizes them, spoils one place of every
sum, runs them beside the undivided sums, and counts the results that are
called different: 99 of 100 have to be, and each that has another bit than the
function as it was legalized. Functions that are not spoilt have to pass.

usage: spoil_splits.py FOLDER TYPE HOW COUNT [SEED] [MOST-TERMS]

FOLDER is for files that are compared. TYPE is f32, f16 or bf16. HOW: none,
neutral (parts begin with another number), lost (a part is not added), twice (a
part is added twice), instead (a part is added in the place of another). Prints
how many of how many are different, and, of what passes, the median and 99 % of
the rounding shares that npu-run states.
"""

import os
import random
import re
import subprocess
import sys

FOLDER, TYPE, HOW, COUNT = sys.argv[1:4] + [int(sys.argv[4])]
SEED = sys.argv[5] if len(sys.argv) > 5 else "0"
LARGEST = int(sys.argv[6]) if len(sys.argv) > 6 else 256
SUMS_PER_FUNCTION = 10
random.seed(f"{TYPE} {HOW} {SEED}")


def tensor(shape, tiles=None):
    """The type, and with `tiles` = (dimension, number) a layout: the dimension
    is split, or None for a copy on each tile."""
    dims = "x".join(map(str, shape))
    if tiles is None:
        return f"tensor<{dims}x{TYPE}>"
    dim, number = tiles
    if dim is None:
        layout = f"<DUPLICATED, tiles = {number}>"
    else:
        counts = [number if d == dim else 1 for d in range(len(shape))]
        layout = f"<SEGMENTED, tiles = {counts}>"
    return f"tensor<{dims}x{TYPE}, #npu.layout{layout}>"


def sum_of(kind, number, tiles):
    """One reduction: its arguments' types, its result's, and its text."""
    m, n = random.randint(2, 6), random.randint(1, 4)
    terms = int(2 ** random.uniform(3, LARGEST.bit_length() - 1))
    terms = max(terms, 2 * tiles)
    a, b, c = (f"%a{number}", f"%b{number}", f"%c{number}")
    if kind == "matmul":
        x, y = tensor((m, terms), (1, tiles)), tensor((terms, n), (0, tiles))
        z = tensor((m, n), (None, tiles))
        text = f"linalg.matmul ins({a}, {b} : {x}, {y}) outs({c} : {z}) -> {z}"
    elif kind == "reduce":
        x, y = tensor((m, terms), (1, tiles)), None
        z = tensor((m,), (None, tiles))
        text = (f"linalg.reduce {{ arith.addf }} ins({a} : {x}) "
                f"outs({c} : {z}) dimensions = [1]")
    else:
        terms = max(terms // 9, 2 * tiles)
        x = tensor((1, terms, 4, 4), (1, tiles))
        y = tensor((n, terms, 3, 3), (1, tiles))
        z = tensor((1, n, 2, 2), (None, tiles))
        text = (f"linalg.conv_2d_nchw_fchw ins({a}, {b} : {x}, {y}) "
                f"outs({c} : {z}) -> {z}")
    arguments = [f"{a}: {x}", f"{c}: {z}"] + ([f"{b}: {y}"] if y else [])
    return arguments, z, f"  %r{number} = {text}\n"


def function():
    tiles = random.randint(2, 6)
    arguments, results, body = [], [], ""
    for number in range(SUMS_PER_FUNCTION):
        kind = random.choice(["matmul", "reduce", "conv"])
        more, result, text = sum_of(kind, number, tiles)
        arguments += more
        results.append(result)
        body += text
    names = ", ".join(f"%r{n}" for n in range(SUMS_PER_FUNCTION))
    types = ", ".join(results)
    return (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{body}"
            f"  return {names} : {types}\n}}\n")


def spoil(text):
    """The legalized function with one mistake in every split sum."""
    if HOW == "none":
        return text
    if HOW == "neutral":
        wrong = ["1.0", "-1.0", "0.5", "-2.0", "0.125", "3.0e+4", "0.03", "NAN"]
        nan = {"f32": "0x7FC00000", "f16": "0x7E00", "bf16": "0x7FC0"}[TYPE]
        return re.sub(
            rf"arith.constant -0.000000e\+00 : {TYPE}",
            lambda _: "arith.constant "
            f"{random.choice(wrong).replace('NAN', nan)} : {TYPE}",
            text)
    # The operations that combine rows of partial results.
    combine = re.compile(
        r"(?P<head>[^\n]*linalg\.generic [^\n]*?ins\((?P<rows>%\w+) : "
        r"(?P<type>tensor<(?P<count>\d+)x[^\n]*?>)\) outs"
        r"[^\n]*npu\.split_reduction = [^\n]*\n[^\n]*\n"
        r"\s*(?P<sum>%\w+) = arith\.addf %out, (?P<term>%\w+) : \w+)\n"
        r"\s*linalg\.yield %\w+")
    layouts = dict(re.findall(r"^(#\w+) = (#npu\.layout<.*>)$", text, re.M))
    spoil_one = take_another_row if HOW == "instead" else spoil_row
    return combine.sub(lambda match: spoil_one(match, layouts), text)


def spoil_row(match, _):
    """A combination that leaves out one row, or adds it twice."""
    again, wrong = "", "%out"
    if HOW == "twice":
        again = (f"      %again = arith.addf {match['sum']}, {match['term']} : "
                 f"{TYPE}\n")
        wrong = "%again"
    row = random.randrange(int(match["count"]))
    return (f"{match['head']}\n"
            f"      %row = linalg.index 0 : index\n"
            f"      %number = arith.constant {row} : index\n"
            f"      %is = arith.cmpi eq, %row, %number : index\n{again}"
            f"      %spoilt = arith.select %is, {wrong}, {match['sum']} : "
            f"{TYPE}\n"
            f"      linalg.yield %spoilt")


def take_another_row(match, layouts):
    """The combination, of partial results one of which stands there twice."""
    count, whole = int(match["count"]), match["type"]
    row, other = random.sample(range(count), 2)
    shape, layout = re.fullmatch(r"tensor<([\dx]+)x\w+, (.*)>", whole).groups()
    # The layout of one row: boxes that are written out have all rows.
    layout = layouts.get(layout, layout).replace(f"[0:{count},", "[0:1,")
    sizes = shape.split("x")
    sizes[0] = "1"
    one = f"tensor<{'x'.join(sizes)}x{TYPE}, {layout}>"
    rest = ", 0" * (len(sizes) - 1)
    box = f"[{', '.join(sizes)}] [{', '.join('1' for _ in sizes)}]"
    name = "%of" + match["rows"][1:]
    rows = (f"    {name}row = tensor.extract_slice {match['rows']}"
            f"[{other}{rest}] {box} : {whole} to {one}\n"
            f"    {name}spoilt = tensor.insert_slice {name}row into "
            f"{match['rows']}[{row}{rest}] {box} : {one} into {whole}\n")
    return rows + match.group(0).replace(f"ins({match['rows']} ",
                                         f"ins({name}spoilt ")


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True)


def npu_run(text, name, more):
    """What is printed, and the bytes of every result."""
    path = os.path.join(FOLDER, name)
    out = run(["npu-run", "-", "-O0", f"--output={path}.npy"] + more, text)
    results = []
    for number in range(SUMS_PER_FUNCTION):
        with open(f"{path}.{number}.npy", "rb") as file:
            results.append(file.read())
    return out, results


def main():
    seen = different = unchanged = 0
    shares = []
    os.makedirs(FOLDER, exist_ok=True)
    reference = os.path.join(FOLDER, "original.mlir")
    while seen < COUNT:
        original = function()
        legal = run(["npu-opt", "--npu-legalize-distributions"], original)
        assert legal.returncode == 0, legal.stderr
        split = {int(n) for n in re.findall(r"split_reduction = .*?number = (\d+)",
                                            legal.stdout)}
        with open(reference, "w") as file:
            file.write(original)
        seed = f"--seed={random.randrange(1000)}"
        _, right = npu_run(legal.stdout, "legal", [seed])
        out, spoilt = npu_run(spoil(legal.stdout), "spoilt",
                              [seed, f"--reference={reference}"])
        results = re.split(r"^result #(\d+) ", out.stdout, flags=re.M)[1:]
        assert len(results) == 2 * SUMS_PER_FUNCTION, out.stdout + out.stderr
        for number, text in zip(results[::2], results[1::2]):
            if int(number) in split and seen < COUNT:
                is_different = "first difference at" in text
                is_changed = right[int(number)] != spoilt[int(number)]
                assert HOW == "none" or is_different == is_changed, out.stdout
                seen += 1
                different += is_different
                unchanged += not is_changed
        assert (out.returncode == 0) == out.stdout.rstrip().split("\n")[-1] \
            .startswith("equal"), out.stdout
        if HOW == "none" and out.returncode != 0:
            print(out.stdout + out.stderr)
        shares += [float(s) for s in re.findall(r"apart by at most (\S+)",
                                                out.stdout)]
    print(f"{TYPE} {HOW}: {different} of {seen} different; the bits of "
          f"{unchanged} are right")
    if HOW == "none" and shares:
        shares.sort()
        print(f"  rounding shares: median {shares[len(shares) // 2]:.2g}, 99 % "
              f"{shares[len(shares) * 99 // 100]:.2g}, largest {shares[-1]:.2g}")
    enough = different == 0 if HOW == "none" else 100 * different >= 99 * seen
    return 0 if enough else 1


sys.exit(main())
