# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every tensor type with a dimension of some extent a layout that splits
the first such dimension over tiles. For functions that do not have it in their
signatures.

usage: split_over_tiles.py EXTENT TILES < IN > OUT
"""

import re
import sys

extent, tiles = sys.argv[1:3]


def with_layout(match):
    dims = match.group(1).split("x")
    if extent not in dims[:-1]:
        return match.group(0)
    counts = ["1"] * (len(dims) - 1)
    counts[dims.index(extent)] = tiles
    return (f"tensor<{match.group(1)}, "
            f"#npu.layout<SEGMENTED, tiles = [{', '.join(counts)}]>>")


print(re.sub(r"tensor<([0-9x]+x(?:f|bf|i)[0-9]+)>", with_layout,
             sys.stdin.read()))
