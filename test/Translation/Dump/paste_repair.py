# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pastes the repair that --explain-npu-dump writes into the dump.

    paste_repair.py DUMP EXPLANATION
"""
import re
import sys

dump = open(sys.argv[1]).read()
# Lines end where a terminal's do, and go on further in.
said = re.sub(r"\n {9,}", " ", open(sys.argv[2]).read())
made = re.search(r"let (\S+) give (%\S+) : (.*)", said)
cast = re.search(r"^ *(%\S+ = VPU\.DistributedCast.*)$", said, re.MULTILINE)
name = cast.group(1).split(" ")[0]
line = re.search(rf"^ *{name} = {re.escape(made.group(1))}\(.*$", dump,
                 re.MULTILINE).group(0)
repaired = line.replace(f"{name} =", f"{made.group(2)} =", 1)
repaired = repaired[: repaired.rindex("->")] + "-> " + made.group(3)
print(dump.replace(line, repaired + "\n    " + cast.group(1)), end="")
