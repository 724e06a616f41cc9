#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where a file has a number that is not 0: all_zero.py SCRIPTS FILE..."""
import sys

sys.path.insert(0, sys.argv[1])
import npy_files  # noqa: E402

for path in sys.argv[2:]:
    _, _, numbers = npy_files.read(path)
    wrong = [at for at, number in enumerate(numbers) if number]
    if wrong:
        sys.exit(f"{path}: not 0 at {wrong}")
