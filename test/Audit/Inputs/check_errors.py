# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether errors of an audit's first result are below what is asked for.

usage: check_errors.py REPORT.json FIELD MOST [FIELD MOST]...
"""

import json
import pathlib
import sys

report = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
errors = report["results"][0]["accumulated"]
for field, most in zip(sys.argv[2::2], sys.argv[3::2]):
    print(f"{field} {'is' if errors[field] < float(most) else 'is not'} below {most}"
          f" ({errors[field]:.3g})")
