#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/check-errors.py finds planted lines that hand errors on as text, or
read them from it, and says nothing about the lines that should be written
instead."""

import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "check-errors.py"
SPEC = importlib.util.spec_from_file_location("check_errors", SCRIPT)
check_errors = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_errors)

WRONG = (
    "using Outcome = std::optional<Error>;",
    "Check checkPlan(std::span<const Buffer> buffers);",
    "bool read(StringRef text, std::string &error);",
    "std::optional<int> parse(StringRef text, std::string &why,",
    '/// Reads the options. Returns an error message, or "".',
    'bool gaveUp = message.contains("nothing that fits");',
    'if (diagnostic.str().find("nobody") != std::string::npos)',
    'if (StringRef(said).contains("expected one prompt"))',
    'if (result.error().message.starts_with("operation "))',
    'if (session.says("is TOSA"))',
)
RIGHT = (
    "Result<> checkPlan(std::span<const Buffer> buffers);",
    "int fail(const std::string &message);",
    "  // Check a plan, because it may have been edited.",
    "bool lacks = mark && mark->kind == RefusalKind::ReadsUnwritten;",
    "return emitError(loc) << parsed.error().message;",
    'std::string path = text.substr(0, text.find(","));',
)


class Errors(unittest.TestCase):
    def test_wrong(self):
        for line in WRONG:
            with self.subTest(line):
                self.assertEqual(len(list(check_errors.found(line))), 1)

    def test_right(self):
        for line in RIGHT:
            with self.subTest(line):
                self.assertEqual(list(check_errors.found(line)), [])


if __name__ == "__main__":
    unittest.main()
