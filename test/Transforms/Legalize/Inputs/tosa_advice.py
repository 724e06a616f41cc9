# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows the advice that a warning gives about TOSA operations on layouts.

usage: tosa_advice.py WARNINGS NPU_OPT FILE LAYOUT

Takes the command that the warnings name, runs it on FILE, which has no layouts,
with NPU_OPT for the tool, and prints the result with LAYOUT on every tensor of
rank 3.
"""
import re
import shlex
import subprocess
import sys

warnings, tool, source, layout = sys.argv[1:]
with open(warnings) as text:
    commands = set(re.findall(r"note: upstream lowers TOSA, .*: (npu-opt.*)", text.read()))
assert len(commands) == 1, commands
words = shlex.split(commands.pop())
lowered = subprocess.run([tool, *words[1:], source], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
print(re.sub(r"tensor<(\d+x\d+x\d+xf32)>", rf"tensor<\1, {layout}>", lowered))
