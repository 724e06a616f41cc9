#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks traces of schedules against the rules of the trace event format, and against the schedule.

    npu-opt PROGRAM --npu-print-schedule="format=chrome output-file=trace.json" -o /dev/null
    npu-opt PROGRAM --npu-print-schedule="format=json output-file=schedule.json" -o /dev/null
    test/check_trace.py trace.json [schedule.json]

The rules: the members that each kind of event has to have, and their types; events of a thread are
disjoint; each flow has one start and one end, later or at the same time, each inside of an event of
its thread; counters go forward. Of the schedule: each row is one event on the thread with the name
of its engine, at its time in microseconds, and flows are from transfers to the work that reads what
they brought. Prints what is wrong, or `N events, nothing wrong`; exits with 1 if something is.
"""

import collections
import json
import sys

NUMBER = (int, float)
MEMBERS = {
    "M": {"name": str, "pid": int, "tid": int, "args": dict},
    "X": {"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "dur": NUMBER, "args": dict},
    "s": {"name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": NUMBER},
    "f": {"name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": NUMBER, "bp": str},
    "C": {"name": str, "pid": int, "tid": int, "ts": NUMBER, "args": dict},
}


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def check_members(events):
    for number, event in enumerate(events):
        members = MEMBERS.get(event.get("ph"))
        if members is None:
            yield f"event {number}: a phase that is not written here, {event.get('ph')!r}"
            continue
        for name, kind in members.items():
            if not isinstance(event.get(name), kind):
                yield f"event {number}: expected {name}, got {event.get(name)!r}"
        for name in ("ts", "dur"):
            if event.get(name, 0) < 0:
                yield f"event {number}: a negative {name}"
        if set(event) - set(members) - {"ph"}:
            yield f"event {number}: members that its phase does not have"


def check_threads(events):
    threads = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    processes = {event["pid"] for event in events
                 if event["ph"] == "M" and event["name"] == "process_name"}
    for thread, rows in threads.items():
        if thread not in names or thread[0] not in processes:
            yield f"thread {thread} has no name"
        rows.sort(key=lambda event: (event["ts"], event["dur"]))
        for before, after in zip(rows, rows[1:]):
            end = before["ts"] + before["dur"]
            if end > after["ts"] and not close(end, after["ts"]):
                yield f"thread {thread}: two events at {after['ts']}"


def check_flows(events):
    rows = collections.defaultdict(list)
    flows = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in events:
        if event["ph"] == "X":
            rows[event["pid"], event["tid"]].append(event)
        elif event["ph"] in "sf":
            flows[event["id"]][event["ph"]].append(event)
    for id_, ends in flows.items():
        if [len(ends["s"]), len(ends["f"])] != [1, 1]:
            yield f"flow {id_}: expected one start and one end"
            continue
        start, end = ends["s"][0], ends["f"][0]
        if end["ts"] < start["ts"]:
            yield f"flow {id_} ends before it starts"
        for event in (start, end):
            if not any(row["ts"] <= event["ts"] < row["ts"] + row["dur"]
                       for row in rows[event["pid"], event["tid"]]):
                yield f"flow {id_}: no event of its thread at {event['ts']}"


def check_counters(events):
    last = {}
    for event in events:
        if event["ph"] != "C":
            continue
        counter = event["pid"], event["name"]
        if event["ts"] <= last.get(counter, -1):
            yield f"counter {counter} does not go forward at {event['ts']}"
        last[counter] = event["ts"]
        if any(not isinstance(value, NUMBER) or value < 0 for value in event["args"].values()):
            yield f"counter {counter}: expected numbers of 0 or more"


def check_schedule(trace, schedule):
    microseconds = 1e6 / trace["otherData"]["clock_hz"]
    for process, function in enumerate(schedule["functions"], start=1):
        events = [event for event in trace["traceEvents"] if event["pid"] == process]
        names = {event["tid"]: event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        rows = {row["id"]: row for row in function["rows"]}
        drawn = {event["args"]["row"]: event for event in events if event["ph"] == "X"}
        if set(drawn) != set(rows):
            yield f"@{function['name']}: not one event for each row"
            continue
        for id_, row in rows.items():
            event = drawn[id_]
            if names[event["tid"]] != row["engine"] or not event["name"].startswith(row["what"]):
                yield f"row {id_}: another engine, or other work"
            if not (close(event["ts"], row["begin"] * microseconds)
                    and close(event["dur"], (row["end"] - row["begin"]) * microseconds)):
                yield f"row {id_}: another time"
        flows = sum(event["ph"] == "s" for event in events)
        expected = {(read[3], row["id"]) for row in rows.values() for read in row["reads"]
                    if row["engine"].startswith("tile") and row["end"] > row["begin"]
                    and read[3] is not None and rows[read[3]]["engine"].startswith("dma")
                    and rows[read[3]]["end"] > rows[read[3]]["begin"]}
        if flows != len(expected):
            yield f"@{function['name']}: {flows} flows, expected {len(expected)}"


def check(trace, schedule=None):
    """Yields what is wrong."""
    if not isinstance(trace.get("traceEvents"), list):
        return ["expected an array traceEvents"]
    events = trace["traceEvents"]
    wrong = list(check_members(events))
    for part in (check_threads, check_flows, check_counters) if not wrong else ():
        wrong += part(events)
    if schedule and not wrong:
        wrong += check_schedule(trace, schedule)
    return wrong


def main():
    files = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            files.append(json.load(file))
    wrong = check(*files)
    print("\n".join(wrong[:20]) if wrong else f"{len(files[0]['traceEvents'])} events, nothing wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
