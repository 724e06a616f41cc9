# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes functions that read, and functions that write, through every kind of
quasi-affine map of two loops, i = 0 .. 6 and j = 0 .. 3, under several splits.

usage: quasi_affine_maps.py reads|writes
"""

import itertools
import re
import sys

I, J = 7, 4

EXPRESSIONS = [
    "2", "i + 3", "6 - i", "9 - j", "i * 2 + 1", "12 - i * 2",
    "i floordiv 2", "i ceildiv 3", "i mod 3", "(i floordiv 2) * 2",
    "(i floordiv 3) * 4 + i mod 3", "(8 - i) floordiv 3", "(8 - i) ceildiv 3",
    "i * 4 + j", "i + j", "i - j + 3", "(i + j) floordiv 3",
    "(i * 5 + j) mod 6", "i floordiv 2 + j mod 2",
]

# Numbers of tiles that begin inside, at and beyond multiples of the divisors.
ROWS = [f"#npu.layout<SEGMENTED, tiles = [{tiles}, 1]>" for tiles in (2, 3, 5)]
COLUMNS = ["#npu.layout<SEGMENTED, tiles = [1, 2]>",
           "#npu.layout<SEGMENTED, tiles = [2, 2], order = [1, 0]>"]


def extent(expression):
    """One more than the largest value."""
    text = re.sub(r"(\([^()]*\)|\w+) ceildiv (\d+)", r"(-(-(\1) // \2))",
                  expression).replace("floordiv", "//").replace("mod", "%")
    return 1 + max(eval(text, {"i": i, "j": j})
                   for i, j in itertools.product(range(I), range(J)))


def write(name, arguments, operations, results):
    """A function of so many operations, each with a result of its own."""
    values = ", ".join(f"%y{n}" for n in range(len(operations)))
    types = ", ".join(results)
    print(f"func.func @{name}({arguments}) -> ({types}) {{")
    print("\n".join(operations))
    print(f"  return {values} : {types}\n}}\n")


def generic(result, source, source_map, output, output_map, kinds, body, used):
    """A linalg.generic of one input and one output, of type i32."""
    return (
        f"  %y{result} = linalg.generic {{indexing_maps = ["
        f"affine_map<(i, j) -> ({source_map})>, "
        f"affine_map<(i, j) -> (i, j)>, "
        f"affine_map<(i, j) -> ({output_map})>], iterator_types = {kinds}}}\n"
        f"      ins(%{source[0]}, %shape : {source[1]}, {used})"
        f" outs(%{output[0]} : {output[1]}) {{\n"
        f"  ^bb0(%v: i32, %s: i32, %o: i32):\n    {body}\n"
        f"    linalg.yield %r : i32\n  }} -> {output[1]}")


def reads(layout, name):
    """Every tile reads through the map what it needs for its own part."""
    arguments, operations = [f"%shape: tensor<{I}x{J}xi32>"], []
    result = f"tensor<{I}x{J}xi32, {layout}>"
    arguments.append(f"%out: {result}")
    for number, expression in enumerate(EXPRESSIONS):
        table = f"tensor<{extent(expression) + 1}xi32>"
        arguments.append(f"%x{number}: {table}")
        # The index is the whole function's, whatever the tile's loops are.
        body = ("%n = linalg.index 0 : index\n"
                "    %m = arith.index_cast %n : index to i32\n"
                "    %w = arith.addi %v, %o : i32\n"
                "    %q = arith.muli %w, %s : i32\n"
                "    %r = arith.addi %q, %m : i32")
        operations.append(generic(number, (f"x{number}", table), expression,
                                  ("out", result), "i, j",
                                  '["parallel", "parallel"]', body,
                                  f"tensor<{I}x{J}xi32>"))
    write(f"reads_{name}", ", ".join(arguments), operations,
          [result] * len(operations))


def writes(tiles, body, name):
    """Every tile writes what lies in its own part, and nothing else; where
    that is no box of iterations, it falls back to the host."""
    arguments = [f"%shape: tensor<{I}x{J}xi32>", f"%x: tensor<{I}x{J}xi32>"]
    operations, results = [], []
    for expression in EXPRESSIONS:
        for output_map, shape, split in (
                (expression, f"{extent(expression) + 1}", f"[{tiles}]"),
                (f"{expression}, j", f"{extent(expression) + 1}x{J}",
                 f"[{tiles}, 1]")):
            number = len(operations)
            output = (f"tensor<{shape}xi32, #npu.layout<SEGMENTED, "
                      f"tiles = {split}>>")
            arguments.append(f"%o{number}: {output}")
            operations.append(
                generic(number, ("x", f"tensor<{I}x{J}xi32>"), "i, j",
                        (f"o{number}", output), output_map,
                        '["reduction", "reduction"]', body,
                        f"tensor<{I}x{J}xi32>"))
            results.append(output)
    write(f"writes_{name}_{tiles}", ", ".join(arguments), operations, results)


if sys.argv[1] == "reads":
    for n, distributed in enumerate(ROWS + COLUMNS):
        reads(distributed, n)
else:
    for n in (2, 3):
        # The order of what is written matters in both: the last one stays, or
        # each is multiplied by three before the next is added.
        writes(n, "%r = arith.addi %v, %s : i32", "over")
        writes(n, "%c = arith.constant 3 : i32\n"
               "    %t = arith.muli %o, %c : i32\n"
               "    %r = arith.addi %t, %v : i32", "into")
