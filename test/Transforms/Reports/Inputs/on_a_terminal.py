# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a terminal and prints what it wrote there."""

import os
import pty
import sys

os.environ["TERM"] = "xterm-256color"
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
