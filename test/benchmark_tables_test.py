#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of benchmarks/run must not call a wrong program right: programs that are
changed in one place are found, and bounds hold.

    test/benchmark_tables_test.py BUILD
"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
from tables import page, resharding  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
GRID, SHAPE = resharding.Grid((2, 2)), (4, 4)
ALL = resharding.shardings(2, 2)
PAIRS = [(a, b) for a in ALL for b in ALL if a != b]
ROWS, COLUMNS = ((0, 1), ()), ((), (0, 1))


def lowered(pairs):
    return subprocess.run(
        [BUILD / "bin" / "npu-opt", "-", "--npu-lower-to-tiles"],
        input=resharding.our_text(GRID, SHAPE, pairs),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


class Shardings(unittest.TestCase):
    def test_there_are_as_many_as_orders_of_axes(self):
        self.assertEqual([len(resharding.shardings(2, 2)), len(resharding.shardings(2, 3))], [11, 19])
        self.assertEqual(len(PAIRS), 110)

    def test_no_sequence_of_collectives_is_below_the_bound(self):
        for start in ALL:
            best = resharding.best_sequences(GRID, SHAPE, start, ALL)
            self.assertEqual(set(best), set(ALL))
            for end in ALL:
                bound = resharding.missing(GRID.boxes(start, SHAPE), GRID.boxes(end, SHAPE))
                self.assertGreaterEqual(best[end], bound)


class Ours(unittest.TestCase):
    def test_all_pairs_are_right_at_their_bounds(self):
        for (outcome, received), (before, after) in zip(resharding.judged(lowered(PAIRS), GRID, SHAPE, PAIRS), PAIRS):
            self.assertEqual(outcome, "correct")
            self.assertEqual(received, resharding.missing(GRID.boxes(before, SHAPE), GRID.boxes(after, SHAPE)))

    def test_a_transfer_of_a_wrong_element_is_found(self):
        text = lowered([(ROWS, COLUMNS)])
        changed = text.replace("%t0[0, 1] from tile 0 to tile 1", "%t0[0, 2] from tile 0 to tile 1")
        self.assertNotEqual(text, changed)
        self.assertEqual(resharding.judged(changed, GRID, SHAPE, [(ROWS, COLUMNS)])[0][0], "silently wrong")

    def test_reading_the_memory_of_another_tile_is_found(self):
        text = lowered([(ROWS, COLUMNS)])
        changed = text.replace("%t0[0, 1] from tile 0 to tile 1", "%t0[0, 1] from tile 2 to tile 1")
        self.assertNotEqual(text, changed)
        with self.assertRaises(ValueError):
            resharding.judged(changed, GRID, SHAPE, [(ROWS, COLUMNS)])


class Upstream(unittest.TestCase):
    """A program by hand: rows over all devices are gathered, and columns sliced."""

    RIGHT = """
    %all_gather = shard.all_gather %arg0 on @g grid_axes = [0, 1] gather_axis = 0 : tensor<1x4xf32> -> tensor<4x4xf32>
    %all_slice = shard.all_slice %all_gather on @g grid_axes = [0, 1] slice_axis = 1 : tensor<4x4xf32> -> tensor<4x1xf32>
    """

    def outcome(self, text):
        held = {device: resharding.part(SHAPE, box) for device, box in zip(GRID.devices, GRID.boxes(ROWS, SHAPE))}
        held, received = resharding.run_upstream(text, GRID, held)
        wanted = [resharding.part(SHAPE, box) for box in GRID.boxes(COLUMNS, SHAPE)]
        return [held[device].elements for device in GRID.devices] == [each.elements for each in wanted], received

    def test_the_right_one(self):
        self.assertEqual(self.outcome(self.RIGHT), (True, 4 * 3 * 4))

    def test_axes_in_another_order_are_wrong(self):
        self.assertFalse(self.outcome(self.RIGHT.replace("[0, 1] slice", "[1, 0] slice"))[0])

    def test_an_all_to_all_moves_less(self):
        text = "%0 = shard.all_to_all %arg0 on @g grid_axes = [0, 1] split_axis = 1 concat_axis = 0 : x"
        self.assertEqual(self.outcome(text), (True, 4 * 3))


class Page(unittest.TestCase):
    def test_a_spread_is_the_median_and_both_ends(self):
        self.assertEqual(page.spread([3.0, 1.0, 2.0], 1, " ms"), "2.0 ms (1.0 to 3.0)")

    def test_a_missing_tool_skips(self):
        with self.assertRaises(page.Skipped):
            page.Options(True, BUILD, BUILD).tool("no-such-tool")

    def test_the_command_line(self):
        run = [ROOT / "benchmarks" / "run"]
        self.assertEqual(subprocess.run([*run, "--help"], capture_output=True).returncode, 0)
        wrong = subprocess.run([*run, "--only=nothing"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("invalid choice: 'nothing'", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
