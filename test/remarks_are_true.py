#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What legalization remarks is in its result.

Takes every function with layouts of every .mlir file below the given folders,
legalizes it and compares the remarks with what npu-print-transfers says before
and afterwards. Each redistribution and each cast that was not there before has
exactly one remark with its place and its bytes, no other remark has bytes, and
the remark `total` has the totals. Prints every function that breaks this, and
the counts.

usage: remarks_are_true.py DIR_OF_TOOLS FILE_OR_FOLDER...
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

from verified_lowers import REPORT, files_in, functions, in_batches, optimize, reports

REMARK = re.compile(r"^.*?([^/\s]+:\d+:\d+): remark: \[(\w+)\] ([\w-]+) \| "
                    r"Category:npu \| Function=(\S+) \| Reason=\"(.*)\", "
                    r"(\w+=\d+(?:, \w+=\d+)*)$", re.MULTILINE)
LEGALIZE = ["--symbol-dce", "--mlir-disable-threading", REPORT, "--npu-legalize-distributions",
            REPORT, "--remarks-filter=npu", "--remark-format=emitRemark",
            "--mlir-elide-elementsattrs-if-larger=16"]
MOVES = ("redistribute", "narrow", "relabel")
NOBODY = re.compile(r"nobody uses result #\d+")
# Its place in the result is that of the operation with which it is one.
ONE_WITH = "; it has become one with the move beside it"


def bytes_of(row):
    """What a remark counts of a row of npu-print-transfers."""
    return row["bytes_received"] + row["ddr_bytes"]


def rows_of(report, name):
    """Redistributions and casts of a function."""
    return [row for function in report["functions"] if function["name"] == name
            for row in function["redistributions"]
            if row["op"] in ("npu.redistribute", "npu.distribution_cast")]


def totals_of(report, name):
    """What a function moves in all; nothing of tile programs."""
    for function in report["functions"]:
        if function["name"] == name and "transfers" not in function:
            return function["totals"]
    return {}


def made_rows(before, after):
    """(what was made, what stands as it stood) of the rows afterwards."""
    old = collections.Counter(json.dumps(row) for row in before)
    made, kept = [], []
    for row in after:
        key = json.dumps(row)
        (kept if old[key] else made).append(row)
        old[key] -= 1 if old[key] else 0
    return made, kept


def take(rows, fits):
    """Whether one of the rows fits; it is taken out."""
    for row in rows:
        if fits(row):
            rows.remove(row)
            return True
    return False


def faults_of_moves(remarks, before, after):
    """What is wrong with the remarks on the moves of a function."""
    made, kept = made_rows(before, after)
    moves = []
    for place, kind, name, reason, figures in remarks:
        if kind == "Passed" and name in MOVES and not NOBODY.match(reason):
            moves.append((reason.endswith(ONE_WITH), place, name,
                          figures["bytes"]))
        elif figures.get("bytes"):
            yield f"{name} at {place} has bytes and is no move"
    for merged, place, name, count in sorted(moves):
        def fits(row):
            # By chance, the one that two have become may look like the first.
            return (bytes_of(row) == count and
                    (merged or row["location"].endswith(place)) and
                    (row["op"] == "npu.redistribute") ==
                    (name == "redistribute"))
        if not take(made, fits) and not (merged and take(kept, fits)):
            yield f"{name} of {count} bytes at {place} is not in the result"
    for row in made:
        yield (f"{row['op']} of {bytes_of(row)} bytes at {row['location']} "
               "has no remark")


def faults_of_remarks(code, printed, output):
    """(how many remarks, what is wrong) for a function."""
    # 1 is a refusal.
    if code not in (0, 1):
        return 0, [f"exit code {code}"]
    if code == 1:
        return 0, []
    old, new = reports(printed)
    remarks = collections.defaultdict(list)
    for place, kind, what, function, reason, figures in \
            REMARK.findall(output):
        figures = {key: int(value) for key, value in
                   (figure.split("=") for figure in figures.split(", "))}
        remarks[function].append((place, kind, what, reason, figures))
    faults = []
    if sum(map(len, remarks.values())) != output.count("remark: ["):
        faults.append("a remark is not understood")
    for function in {function["name"] for function in new["functions"]}:
        said = remarks[function]
        sums = [figures for *_, what, _, figures in said if what == "total"]
        moves = [remark for remark in said if remark[2] != "total"]
        faults += faults_of_moves(moves, rows_of(old, function),
                                  rows_of(new, function))
        totals = totals_of(new, function)
        # Where nothing moves, nothing may be on tiles.
        if sums != [totals] and (sums or any(totals.values())):
            faults.append(f"total says {sums} instead of {totals}")
    return sum(map(len, remarks.values())), faults


def main():
    bin_dir, files = pathlib.Path(sys.argv[1]), files_in(sys.argv[2:])
    known = [(path, name, chunk) for path in files for name, chunk in functions(path)]
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(temporary)
        said = in_batches(pool, [chunk for *_, chunk in known], lambda batch, number: optimize(
            bin_dir, batch, LEGALIZE, folder / f"{number}.mlir"))
    remarks, faults = 0, []
    for (path, name, _), (code, printed, output) in zip(known, said):
        count, wrong = faults_of_remarks(code, printed, output)
        remarks += count
        faults += [f"{path}: @{name}: {fault}\n{output[:2000]}" for fault in wrong]
    print("\n".join(faults))
    print(f"{len(files)} files, {len(known)} functions, {remarks} remarks, "
          f"{len(faults)} failures")
    # Nothing said would mean that nothing was looked at.
    sys.exit(bool(faults) or remarks == 0)


if __name__ == "__main__":
    main()
