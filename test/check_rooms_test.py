#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/check-rooms.py refuses what it is there to refuse: trees of a few files
with a planted circle of folders, an inclusion that goes up and a room that nobody
has listed, and says nothing about the same trees without them."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "check-rooms.py"
SPEC = importlib.util.spec_from_file_location("check_rooms", SCRIPT)
check_rooms = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_rooms)


class Rooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def write(self, path, *includes):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f'#include "{name}"\n' for name in includes))

    def complaints(self, *rooms):
        return list(check_rooms.complaints_about(self.root.resolve(), rooms))

    def low_b_high(self):
        """Files of A/Low, B and A/High, in this order: B needs A/Low."""
        self.write("include/npu/A/Low/Low.h")
        self.write("include/npu/B/B.h", "npu/A/Low/Low.h")
        self.write("lib/A/High/High.cpp")

    def test_no_circle(self):
        self.low_b_high()
        self.assertEqual(self.complaints("A/Low", "B", "A/High"), [])

    def test_circle_that_the_order_hides(self):
        self.low_b_high()
        self.write("lib/A/High/High.cpp", "npu/B/B.h")
        (complaint,) = self.complaints("A/Low", "B", "A/High")
        self.assertIn("circle of folders A -> B -> A: ", complaint)
        self.assertIn("lib/A/High/High.cpp includes include/npu/B/B.h", complaint)

    def test_circle_of_three(self):
        self.write("include/npu/A/One/A.h", "npu/B/One/B.h")
        self.write("include/npu/B/Two/B.h", "npu/C/One/C.h")
        self.write("include/npu/C/Two/C.h", "npu/A/Two/A.h")
        for room in ("B/One/B", "C/One/C", "A/Two/A"):
            self.write(f"include/npu/{room}.h")
        rooms = ("B/One", "A/One", "C/One", "B/Two", "A/Two", "C/Two")
        (complaint,) = self.complaints(*rooms)
        self.assertIn("circle of folders A -> B -> C -> A: ", complaint)

    def test_circle_below_the_top(self):
        self.write("include/npu/A/X/Low/Low.h")
        self.write("include/npu/A/Y/Y.h", "npu/A/X/Low/Low.h")
        self.write("lib/A/X/High/High.cpp", "npu/A/Y/Y.h")
        (complaint,) = self.complaints("A/X/Low", "A/Y", "A/X/High")
        self.assertIn("circle of folders A/X -> A/Y -> A/X: ", complaint)

    def test_the_dialects_path_is_no_room(self):
        self.write("include/npu/Dialect/NPU/IR/IR.h")
        self.write("include/npu/A/A.h", "npu/Dialect/NPU/IR/IR.h")
        self.write("lib/Dialect/NPU/Transforms/T.cpp", "npu/A/A.h")
        rooms = ("Dialect/NPU/IR", "A", "Dialect/NPU/Transforms")
        self.assertEqual(self.complaints(*rooms), [])

    def test_upwards(self):
        self.low_b_high()
        (complaint,) = self.complaints("B", "A/Low", "A/High")
        self.assertIn("which is above it", complaint)

    def test_unlisted(self):
        self.low_b_high()
        (complaint,) = self.complaints("A/Low", "B")
        self.assertIn("room 'A/High' is not in", complaint)

    def test_command(self):
        """The rooms of the project: Host and Artefact include each other."""
        self.write("include/npu/Host/Host.h", "npu/Artefact/Artefact.h")
        self.write("include/npu/Artefact/Artefact.h", "npu/Host/Host.h")
        run = subprocess.run(
            [sys.executable, SCRIPT, f"--root={self.root}"],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertEqual(run.returncode, 1)
        self.assertIn("circle of folders Artefact -> Host -> Artefact: ", run.stderr)


if __name__ == "__main__":
    unittest.main()
