#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks schedules that npu-print-schedule has printed, without knowing how it makes them.

    npu-opt model.mlir --npu-compile=target=npu4000 \\
        --npu-print-schedule="format=json target=npu4000" -o /dev/null | test/check_schedule.py -

Prints what is wrong, one line each, or `N rows, nothing wrong`; exits with 1 if something is.

* Rows of one engine do not overlap, and none ends before it begins.
* Each byte that a row reads was written last by the row that it names, which had ended before; where
  it names none, no row has written it. Rows that take no time at one time come in the order of the
  program.
* Of two rows that run at the same time none writes what the other reads or writes.
* Bytes lie inside of the scratchpads, as far as these are given.
* `total` is the end of the last row, `ddr_bytes` the sum of all rows, and neither is below its bound.
"""

import argparse
import bisect
import json
import sys


class Function:
    def __init__(self, function, scratchpad_bytes=None, most=None):
        self.function, self.rows = function, function["rows"]
        self.scratchpad_bytes, self.most = scratchpad_bytes, most
        self.wrong = []

    def check(self):
        self.check_figures()
        self.check_engines()
        self.check_memory()
        return self.wrong

    def refuse(self, text):
        self.wrong.append(f"@{self.function['name']}: {text}")

    def check_figures(self):
        function = self.function
        if function["total"] != max((row["end"] for row in self.rows), default=0):
            self.refuse(f"total {function['total']} is not the end of the last row")
        if function["ddr_bytes"] != sum(row["bytes"] for row in self.rows):
            self.refuse("ddr_bytes is not the sum of all rows")
        for bound in ("compute_bound", "ddr_bound"):
            if function["total"] < function[bound]:
                self.refuse(f"total {function['total']} is below {bound} {function[bound]}")
        if function["ddr_bytes"] < function["ddr_bytes_bound"]:
            self.refuse("ddr_bytes is below ddr_bytes_bound")
        if self.most is not None and function["total"] > self.most:
            self.refuse(f"total {function['total']} is above the costs, {self.most}")

    def check_engines(self):
        last = {}
        for row in sorted(self.rows, key=lambda row: (row["begin"], row["end"])):
            if row["end"] < row["begin"]:
                self.refuse(f"row {row['id']} ends before it begins")
            before = last.get(row["engine"])
            if before is not None and before["end"] > row["begin"]:
                self.refuse(f"rows {before['id']} and {row['id']} overlap on {row['engine']}")
            last[row["engine"]] = row

    def check_memory(self):
        """Cuts each scratchpad at every begin and end of a range, and goes through the
        accesses of each piece in the order of time."""
        tiles = {}
        for row in self.rows:
            for tile, begin, end, *writer in row["reads"] + row["writes"]:
                cuts = tiles.setdefault(tile, set())
                cuts.update((begin, end))
                if begin < 0 or begin >= end or \
                        self.scratchpad_bytes is not None and end > self.scratchpad_bytes:
                    self.refuse(f"row {row['id']}: bytes [{begin}, {end}) of tile {tile}'s scratchpad")
        cuts = {tile: sorted(all_) for tile, all_ in tiles.items()}
        pieces = {}
        for row in self.rows:
            for tile, begin, end, writer in row["reads"]:
                for at in self.between(cuts[tile], begin, end):
                    pieces.setdefault((tile, at), []).append((row, writer, False))
            for tile, begin, end in row["writes"]:
                for at in self.between(cuts[tile], begin, end):
                    pieces.setdefault((tile, at), []).append((row, None, True))
        for place, accesses in pieces.items():
            self.check_piece(place, accesses)

    @staticmethod
    def between(cuts, begin, end):
        return cuts[bisect.bisect_left(cuts, begin):bisect.bisect_left(cuts, end)]

    def check_piece(self, place, accesses):
        where = f"byte {place[1]} of tile {place[0]}"
        writes = sorted((row["begin"], row["end"], row["id"]) for row, _, is_write in accesses if is_write)
        for (_, end, first), (begin, _, second) in zip(writes, writes[1:]):
            if begin < end:
                self.refuse(f"rows {first} and {second} write {where} at the same time")
        # Rows that take no time come in the order of the program.
        order = {write[2]: number for number, write in enumerate(writes)}
        for row, writer, is_write in accesses:
            if is_write:
                continue
            reads, key = f"row {row['id']} reads {where}", (row["begin"], row["end"], row["id"])
            since = -1
            if writer is not None:
                if writer not in order:
                    self.refuse(f"{reads} of row {writer}, which does not write it")
                    continue
                since = order[writer]
                if writes[since][1] > row["begin"] or writes[since] > key:
                    self.refuse(f"{reads} before row {writer} has written it")
            # Another row may write it before the writer, or begin after the reader has ended.
            until = max(bisect.bisect_left(writes, key), bisect.bisect_left(writes, (row["end"],)))
            for _, _, other in writes[since + 1:until]:
                if other != row["id"]:
                    self.refuse(f"{reads}, which row {other} writes after "
                                + ("the start" if writer is None else f"row {writer}, its writer"))


def check(text, scratchpad_bytes=None, most=None):
    """What is wrong with the schedules, and how many rows they have. `most` is the total of the
    costs by function."""
    wrong, rows = [], 0
    for function in json.loads(text)["functions"]:
        wrong += Function(function, scratchpad_bytes, (most or {}).get(function["name"])).check()
        rows += len(function["rows"])
    return wrong, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedule", help="a file of JSON, - for standard input")
    parser.add_argument("--scratchpad-bytes", type=int)
    options = parser.parse_args()
    text = sys.stdin.read() if options.schedule == "-" else open(options.schedule).read()
    wrong, rows = check(text, options.scratchpad_bytes)
    for line in wrong[:20]:
        print(line)
    print(f"{len(wrong)} wrong" if wrong else f"{rows} rows, nothing wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
