#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens traces of schedules with speedscope's own importer, and spoils traces for check_trace.py.

For each program, `npu-print-schedule` writes a trace and the schedule in JSON. check_trace.py has to
accept the trace, and to refuse it with a fault of each kind. speedscope has to find one profile for
each engine that works, as long as the time from its first row's begin to its last row's end.
Exits with 77, for "skipped", where Node or speedscope (scripts/viewers.sh) is not there.
"""

import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_trace

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = [(HERE / "Conversion/Schedule/stream.mlir", "compile-from=assigned", ""),
            (HERE.parent / "examples/residual.mlir", "target=npu4000", " target=npu4000")]


def event(trace, phase, number=-1):
    return [each for each in trace["traceEvents"] if each["ph"] == phase][number]


def no_duration(trace):
    del event(trace, "X")["dur"]


def unknown_phase(trace):
    event(trace, "X")["ph"] = "Y"


def two_at_once(trace):
    thread = event(trace, "X")["tid"]
    rows = [each for each in trace["traceEvents"] if each["ph"] == "X" and each["tid"] == thread]
    rows[0]["dur"] = rows[1]["ts"] + rows[1]["dur"] - rows[0]["ts"]


def no_end(trace):
    trace["traceEvents"].remove(event(trace, "f"))


def backwards(trace):
    event(trace, "f")["ts"], event(trace, "s")["ts"] = event(trace, "s")["ts"], event(trace, "f")["ts"]


def counter_goes_back(trace):
    event(trace, "C")["ts"] = 0


def no_row(trace):
    trace["traceEvents"].remove(event(trace, "X", 0))


def other_time(trace):
    event(trace, "X")["ts"] += 1


def other_engine(trace):
    for each in trace["traceEvents"]:
        if each["ph"] == "M" and each["name"] == "thread_name":
            each["args"]["name"] = "tile 7 matrix"


FAULTS = [no_duration, unknown_phase, two_at_once, no_end, backwards, counter_goes_back, no_row,
          other_time, other_engine]


def of_speedscope(modules, file):
    done = subprocess.run(["node", HERE.parent / "scripts/viewers/speedscope.mjs", modules, file],
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        return [f"speedscope: {done.stderr.strip()}"]
    trace = json.loads(file.read_text())
    names = {(each["pid"], each["tid"]): each["args"]["name"] for each in trace["traceEvents"]
             if each["ph"] == "M" and each["name"] == "thread_name"}
    spans = {}
    for each in trace["traceEvents"]:
        if each["ph"] == "X":
            span = spans.setdefault((each["pid"], each["tid"]), [each["ts"], 0])
            span[1] = max(span[1], each["ts"] + each["dur"])
    expected = sorted((names[thread], end - begin) for thread, (begin, end) in spans.items())
    found = sorted((profile["name"].split(", ")[-1].split(" (tid")[0], profile["weight"])
                   for profile in json.loads(done.stdout) if profile["unit"] == "microseconds")
    same = len(found) == len(expected) and all(
        a[0] == b[0] and check_trace.close(a[1], b[1]) for a, b in zip(found, expected))
    return [] if same else [f"speedscope finds {found}, expected {expected}"]


def main():
    binaries = pathlib.Path(sys.argv[1])
    modules = binaries.parent / "viewers/node_modules"
    has_viewer = shutil.which("node") and (modules / "speedscope").is_dir()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for program, compile_, more in PROGRAMS:
            files = []
            for format_ in ("chrome", "json"):
                files.append(folder / f"{program.stem}-{format_}.json")
                subprocess.run([binaries / "npu-opt", program, f"--npu-compile={compile_}",
                                f"--npu-print-schedule=format={format_} output-file={files[-1]}{more}",
                                "-o", "/dev/null"], check=True, timeout=60)
            trace, schedule = (json.loads(file.read_text()) for file in files)
            wrong += check_trace.check(trace, schedule)
            for fault in FAULTS:
                spoiled = copy.deepcopy(trace)
                fault(spoiled)
                if not check_trace.check(spoiled, schedule):
                    wrong.append(f"{program.name}: {fault.__name__} was not found")
            if has_viewer:
                wrong += of_speedscope(modules, files[0])
    print("\n".join(wrong) or f"{len(PROGRAMS)} traces, {len(FAULTS)} faults found in each, nothing wrong")
    if wrong:
        return 1
    if not has_viewer:
        print("skipped: speedscope is not here; scripts/viewers.sh installs it")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
