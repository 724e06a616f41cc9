#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/update-doc-outputs.py --commands refuses what it is there to refuse: planted
pages with a wrong option, an unknown tool, a missing file, another exit code, a mark
without a reason, and commands in a block that is not run; and says nothing about pages
without them.

    docs_commands_test.py BUILD_DIRECTORY
"""
import importlib.util
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "update-doc-outputs.py"
SPEC = importlib.util.spec_from_file_location("update_doc_outputs", SCRIPT)
docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(docs)
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


class Commands(unittest.TestCase):
    def complaints(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("\n".join(lines) + "\n")
            return list(docs.complaints(page, BUILD))

    def complaint(self, *lines):
        found = self.complaints(*lines)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_nothing_wrong(self):
        self.assertEqual(self.complaints(
            "Text.", "",
            "    npu-opt examples/residual.mlir \\",
            "        --npu-compile='target=npu4000", "        compile-to=legal' -o legal.mlir",
            "    npu-opt legal.mlir | head -1    # every value's type", "",
            "The next block finds what the one before it wrote:", "",
            "```sh", "npu-run legal.mlir --reference=examples/residual.mlir",
            "npu-run missing.mlir    # exit 1: there is none", "```", "",
            "<!-- not run: it takes an hour -->", "",
            "    npu-opt missing.mlir", "",
            "```text", "npu-run: error: what a tool prints is no command", "```"), [])

    def test_wrong_option(self):
        self.assertIn("4: exits with 1: npu-opt examples/residual.mlir --npu-compil",
                      self.complaint("Text.", "", "    npu-opt --version",
                                     "    npu-opt examples/residual.mlir --npu-compil"))

    def test_unknown_tool(self):
        self.assertIn("3: exits with 127: npu-optt", self.complaint("", "", "    npu-optt --version"))

    def test_missing_file(self):
        self.assertIn("exits with 1: npu-run missing.mlir", self.complaint("", "    npu-run missing.mlir"))

    def test_error_before_a_pipe(self):
        self.assertIn("exits with 1", self.complaint("", "    npu-opt missing.mlir 2>&1 | cat"))

    def test_other_exit_code(self):
        self.assertIn("exits with 0", self.complaint("", "    npu-opt --version    # exit 1"))

    def test_no_reason(self):
        self.assertIn("expected a reason", self.complaint("<!-- not run: -->", "", "    npu-opt missing.mlir"))

    def test_mark_of_another_block(self):
        self.assertIn("exits with 1", self.complaint(
            "<!-- not run: only the next block is meant -->", "", "    npu-opt missing.mlir", "",
            "Text.", "", "    npu-opt missing.mlir"))

    def test_command_that_is_not_run(self):
        self.assertIn("a command in a block that is not run: npu-opt missing.mlir",
                      self.complaint("```text", "npu-opt missing.mlir", "```"))

    def test_no_command(self):
        self.assertIn("exits with 127", self.complaint("", "    what a tool prints"))


if __name__ == "__main__":
    unittest.main()
