# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the three files of a report against each other and against a schedule.

usage: check_report.py DIR [SCHEDULE.json]

Prints the layers, and the cycles that they add up to; exits with 1 where the files differ.
"""
import csv
import json
import pathlib
import sys


def expect(fine, what):
    if not fine:
        sys.exit(f"error: {what}")


def main():
    folder = pathlib.Path(sys.argv[1])
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    with open(folder / "layers.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    summary = (folder / "summary.txt").read_text(encoding="utf-8")
    total, clock = report["total_cycles"], report["clock_hz"]
    expect(len(rows) == len(report["layers"]), "layers.csv and report.json have other layers")
    for row, layer in zip(rows, report["layers"]):
        for name in ("name", "kind"):
            expect(row[name] == layer[name], f"{name} of {layer['name']}")
        for name in ("tiles", "cycles", "macs", "ddr_bytes", "waiting"):
            expect(int(row[name]) == layer[name], f"{name} of {layer['name']}")
        expect(float(row["ms"]) == layer["ms"], f"ms of {layer['name']}")
        expect(abs(layer["ms"] - 1000 * layer["cycles"] / clock) <= 1e-15 * total,
               f"time of {layer['name']}")
        used = layer["utilisation"]
        expect((used is None) == (layer["macs"] == 0), f"utilisation of {layer['name']}")
        expect(used is None or 0 < used <= 1, f"utilisation of {layer['name']} is {used}")
        print(layer["name"])
    names = [row["name"] for row in rows]
    expect(len(set(names)) == len(names), "two layers have one name")
    expect(sum(int(row["cycles"]) for row in rows) == total, "the layers do not add up")
    expect(report["seconds"] == total / clock, "seconds are not cycles through the clock")
    expect(f"{1000 * total / clock:.3f} ms" in summary, "summary.txt has another time")
    expect(f"modelled on {report['modelled_on']}" in summary, "summary.txt names no device")
    expect(max(map(len, summary.splitlines())) <= 80, "summary.txt is too wide")
    expect(len(summary.splitlines()) <= 24, "summary.txt is more than one screen")
    if len(sys.argv) > 2:
        functions = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))["functions"]
        function = next(each for each in functions if each["name"] == report["entry"])
        expect(function["total"] == total, f"the schedule has {function['total']} cycles, not {total}")
        for name in ("ddr_bytes", "ddr_bytes_bound", "compute_bound", "ddr_bound"):
            expect(function[name] == report[name], name)
        expect(function.get("bytes_between_machines") == report.get("bytes_between_machines"),
               "bytes_between_machines")
        expect(sum(layer["ddr_bytes"] for layer in report["layers"]) == report["ddr_bytes"],
               "the bytes of the layers do not add up")
    print(f"the layers add up to {total} cycles")


main()
