#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/check-words.py finds planted words and phrases, with their lines, where they
are retired and nowhere else."""

import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "check-words.py"
SPEC = importlib.util.spec_from_file_location("check_words", SCRIPT)
check_words = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_words)

WORDS = """
# A comment.
old thing => new thing
OldName => NewName
way => candidate | in lib/A/* | not lib/A/Json.*
"""


class Words(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def complaints(self):
        words = check_words.read_words(WORDS)
        return list(check_words.complaints_about(self.root, words))

    def test_nothing(self):
        self.write("lib/A/A.cpp", "// A new thing, not an old one.\nint oldName, OldNames;\n")
        self.write("scripts/notes.txt", "old thing\n")
        self.assertEqual(self.complaints(), [])

    def test_identifier(self):
        self.write("tools/t.cpp", "\n\nOldName x;\n")
        self.assertEqual(self.complaints(), ["tools/t.cpp:3: 'OldName', say NewName"])

    def test_phrase_across_lines(self):
        self.write("include/a.h", "/// This is an Old\n///   thing.\n\nint x;\n// old thing\n")
        self.assertEqual(self.complaints(),
                         ["include/a.h:1: 'Old thing', say new thing",
                          "include/a.h:5: 'old thing', say new thing"])

    def test_only_in_some_files(self):
        for path in ("lib/A/A.cpp", "lib/A/Json.cpp", "lib/B/B.cpp"):
            self.write(path, "way\n")
        self.assertEqual(self.complaints(), ["lib/A/A.cpp:1: 'way', say candidate"])

    def test_name_of_a_file(self):
        self.write("test/OldName.mlir", "")
        self.assertEqual(self.complaints(),
                         ["test/OldName.mlir: name has 'OldName', say NewName"])


if __name__ == "__main__":
    unittest.main()
