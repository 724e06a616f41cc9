# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Breaks one transfer of a tile program on standard input, and prints the rest
# as it was:
#
#     edit_transfer.py kill WORDS           it is deleted; its result is what it
#                                           would have written into
#     edit_transfer.py shift WORDS DIM BY   it reads its source BY further along
#                                           memory dimension DIM
#
# WORDS have to be in exactly one transfer with one destination.

import re
import sys

TRANSFER = re.compile(r"\s*(%\S+) = npu\.transfer (%\S+)\[([^]]*)\] .* into (%\S+?)\[")


def main(action, words, dim="0", by="0"):
    lines = sys.stdin.readlines()
    found = [i for i, line in enumerate(lines) if "npu.transfer" in line and words in line]
    if len(found) != 1:
        sys.exit(f"error: expected one transfer with '{words}', got {len(found)}")
    result, source, offsets, destination = TRANSFER.match(lines[found[0]]).groups()
    if action == "kill":
        del lines[found[0]]
        name = re.compile(re.escape(result) + r"(?![\w#:])")
        lines = [name.sub(destination, line) for line in lines]
    else:
        moved = offsets.split(", ")
        moved[int(dim)] = str(int(moved[int(dim)]) + int(by))
        lines[found[0]] = lines[found[0]].replace(
            f"{source}[{offsets}]", f"{source}[{', '.join(moved)}]", 1)
    sys.stdout.writelines(lines)


main(*sys.argv[1:])
