# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the one function of each part of a file for scratchpads of many sizes:
what npu-assign-distributions accepts has to fit as buffers, and to be accepted for each
larger scratchpad and for one that the program just fits. Prints the least size that is
accepted, by function, and before it each size of which that does not hold:
near_limit.py NPU_OPT FILE STEP MOST [OPTION...]"""

import re
import subprocess
import sys


SEPARATOR = "// -----"


def run(opt, sources, option):
    """The output for each source, all from one process; empty where one is refused."""
    result = subprocess.run(
        [opt, "-", "--split-input-file", f"--output-split-marker={SEPARATOR}", option],
        input=f"\n{SEPARATOR}\n".join(sources), text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    outputs = [text.strip() for text in result.stdout.split(SEPARATOR)]
    if len(outputs) != len(sources):
        sys.exit(f"expected {len(sources)} outputs of {option}, got {len(outputs)}")
    return outputs


def largest_arena(program):
    return max((int(size) for size in re.findall(r"memref<(\d+)xi8, \d+> {npu.arena", program)),
               default=0)


def main():
    opt, path, step, most, *options = sys.argv[1:]
    options = " ".join(options)
    with open(path, encoding="utf-8") as file:
        parts = file.read().split("// -----")
    for part in parts:
        name = re.search(r"@(\w+)\(", part).group(1)
        sizes = range(int(step), int(most) + 1, int(step))
        sources = [re.sub(r'("npu.scratchpad_bytes" = )\d+', rf"\g<1>{size}", part) for size in sizes]
        assigned = run(opt, sources, f"--npu-assign-distributions={options}")
        compiled = run(opt, sources, f"--npu-compile={options} compile-to=scratchpad")
        least = None
        for size, accepted, program in zip(sizes, assigned, compiled):
            if not accepted:
                if least:
                    print(f"{name}: {size} bytes are refused")
                continue
            least = least or size
            if not program:
                print(f"{name}: {size} bytes are accepted and do not hold it")
            elif largest_arena(program) <= least - int(step):
                print(f"{name}: the program for {size} bytes takes {largest_arena(program)}")
        print(f"{name}: {least}")


if __name__ == "__main__":
    main()
