# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that what --help says of tools is in their manual pages and completions.

    check_manual.py BUILD TOOL...
"""
import pathlib
import re
import subprocess
import sys

build = pathlib.Path(sys.argv[1])
for tool in sys.argv[2:]:
    text = subprocess.run([build / "bin" / tool, "--help"], text=True,
                          capture_output=True, check=True).stdout
    page = (build / "share/man/man1" / f"{tool}.1").read_text()
    completed = (build / "share/bash-completion/completions" / tool).read_text().split()
    options = re.findall(r"^ +(--?[A-Za-z][\w-]*)", text, re.MULTILINE)
    if len(options) < 3:
        sys.exit(f"{tool}: expected options in --help, got {options}")
    for option in options:
        if "\\fB" + option.replace("-", r"\-") not in page:
            sys.exit(f"{tool}: {option} is not in the manual page")
        if option not in completed:
            sys.exit(f"{tool}: {option} is not completed")
    print(f"{tool}: every option of --help is in the page and is completed")
