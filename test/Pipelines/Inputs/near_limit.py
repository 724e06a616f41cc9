# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the one function of each part of a file for scratchpads of many sizes:
what npu-assign-distributions accepts has to fit as buffers, and what the largest of
them holds is accepted. Prints the least size that is accepted, by function:
near_limit.py NPU_OPT FILE STEP MOST [OPTION...]"""

import re
import subprocess
import sys


def accepts(opt, source, *passes):
    return subprocess.run([opt, "-", "-o", "/dev/null", *passes], input=source, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main():
    opt, path, step, most, *options = sys.argv[1:]
    options = " ".join(options)
    with open(path, encoding="utf-8") as file:
        parts = file.read().split("// -----")
    for part in parts:
        name = re.search(r"@(\w+)\(", part).group(1)
        least = None
        for size in range(int(step), int(most) + 1, int(step)):
            source = re.sub(r'("npu.scratchpad_bytes" = )\d+', rf"\g<1>{size}", part)
            if not accepts(opt, source, f"--npu-assign-distributions={options}"):
                continue
            least = least or size
            if not accepts(opt, source, f"--npu-compile={options}"):
                print(f"{name}: {size} bytes are accepted and do not hold it")
        print(f"{name}: {least}")


if __name__ == "__main__":
    main()
