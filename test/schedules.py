#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the schedules of random functions, and that spoiled schedules are refused.

Functions are those of npu-fuzz --assign and of steps.py, on a device with a small scratchpad.
check_schedule.py, which knows nothing of how schedules are made, has to accept each. Its total may
not be above that of npu-print-costs by more than 2 %: what two tiles send each other at the same
time may end later than the cost of a plan says, which is a bound of its busiest link. It has to refuse the same schedule with a fault of
each kind, as far as the schedule has room for one: two rows at one time on an engine, a read that
names no writer or another one, a load after its use, two buffers at one place, a slot that is
off by one, a last step that is missing.
Prints how many faults of each kind were refused and `N passed, N failed`; exits with 1 if one failed.
"""

import copy
import json
import random
import re
import subprocess

import check_schedule
import random_cases
import steps


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


def on_small_device(text, random_):
    """The module on its device, or on npu4000, with a scratchpad of few bytes."""
    size = random_.choice([4096, 16384, 65536, 65536])
    if '"npu.scratchpad_bytes"' in text:
        return re.sub(r'"npu.scratchpad_bytes" = \d+', f'"npu.scratchpad_bytes" = {size}', text, count=1)
    device = re.search(r'"npu.name" = "(\w+)"', text)
    entries = (f'"npu.name" = "small", "npu.like" = "{device.group(1) if device else "npu4000"}", '
               f'"npu.scratchpad_bytes" = {size} : i64')
    if device:
        return text.replace(device.group(0), entries, 1)
    return ('module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = '
            f'#dlti.target_device_spec<{entries}>>}} {{\n{text}}}\n')


class Faults:
    """Spoils copies of a schedule."""

    def __init__(self, schedule, seed):
        self.schedule, self.random = schedule, random.Random(seed)

    def spoiled(self):
        for kind in (self.engine_taken_twice, self.no_writer, self.wrong_writer, self.load_after_use,
                     self.two_at_one_place, self.slot_off_by_one, self.missing_last_step):
            spoiled = copy.deepcopy(self.schedule)
            rows = spoiled["functions"][0]["rows"]
            if kind(rows):
                yield kind.__name__, spoiled

    def pick(self, rows):
        return self.random.choice(rows) if rows else None

    def engine_taken_twice(self, rows):
        long = [row for row in rows if row["end"] > row["begin"]]
        row = self.pick(long)
        other = self.pick([each for each in long if row and each is not row and each["engine"] == row["engine"]])
        if not other:
            return False
        other["begin"], other["end"] = row["begin"], row["end"]
        return True

    def no_writer(self, rows):
        read = self.pick([read for row in rows if row["end"] > row["begin"]
                          for read in row["reads"] if read[3] is not None])
        if not read:
            return False
        read[3] = None
        return True

    def wrong_writer(self, rows):
        found = self.pick([(row, read) for row in rows for read in row["reads"] if read[3] is not None])
        others = found and [row["id"] for row in rows if row["id"] not in (found[1][3], found[0]["id"])]
        if not others:
            return False
        found[1][3] = self.random.choice(others)
        return True

    def load_after_use(self, rows):
        used = {read[3] for row in rows if row["end"] > row["begin"] for read in row["reads"]}
        load = self.pick([row for row in rows if row["what"] == "load" and row["id"] in used
                          and row["end"] > row["begin"]])
        if not load:
            return False
        late = max(row["end"] for row in rows)
        load["begin"], load["end"] = late, late + load["end"] - load["begin"]
        return True

    def alive(self, rows):
        """A write whose bytes another row reads later, and when it does."""
        by_id = {row["id"]: row for row in rows}
        return [(by_id[read[3]], row, read) for row in rows for read in row["reads"]
                if read[3] is not None and by_id[read[3]]["end"] < row["end"]]

    def two_at_one_place(self, rows):
        found = self.pick(self.alive(rows))
        if not found:
            return False
        writer, reader, read = found
        others = [row for row in rows if row is not writer and row is not reader and row["writes"]
                  and row["end"] > writer["end"] and row["begin"] < reader["end"]
                  and row["end"] > row["begin"]]
        other = self.pick(others)
        if not other:
            return False
        other["writes"].append([read[0], read[1], read[2]])
        return True

    def slot_off_by_one(self, rows):
        """A write goes to the other slot of its buffer."""
        row = self.pick([row for row in rows if row["what"] == "load" and row["writes"] and
                         any(read[3] == row["id"] for other in rows for read in other["reads"])])
        if not row:
            return False
        for write in row["writes"]:
            size = write[2] - write[1]
            write[1], write[2] = write[1] + size, write[2] + size
        return True

    def missing_last_step(self, rows):
        last = max(rows, key=lambda row: (row["end"], row["end"] - row["begin"]), default=None)
        if not last or last["end"] == last["begin"]:
            return False
        rows.remove(last)
        return not any(row["end"] == last["end"] for row in rows) or last["bytes"] > 0


def check(bin_, folder, number, kinds):
    random_ = random.Random(number)
    if number % 3 == 0:
        text = steps.Case(number).text()
        phase = "compile-from=assigned"
    else:
        code, text, said = run(bin_ / "npu-fuzz", "--assign", "--print", f"--seed={number}", "--case=0")
        if code:
            return said
        phase = ""
    text = on_small_device(text, random_)
    model, legal, program = folder / "model.mlir", folder / "legal.mlir", folder / "program.mlir"
    model.write_text(text)
    code, _, said = run(bin_ / "npu-opt", model, f"--npu-compile={phase} compile-to=legal gather=allow", "-o", legal)
    if code and ("no assignment of layouts" in said or "to fit the scratchpad" in said or
                 "or on tiles that have equal parts of them" in said):
        kinds["refused"] += 1
        return ""
    if code:
        return f"exit {code}\n{said}\n{text}"
    code, costs, said = run(bin_ / "npu-opt", legal, "--npu-print-costs=format=json", "-o", "/dev/null")
    if code:
        return f"exit {code}\n{said}\n{text}"
    code, _, said = run(bin_ / "npu-opt", legal,
                        "--npu-compile=compile-from=legal compile-to=scratchpad gather=allow", "-o", program)
    if code and "scratchpad" in said:
        kinds["refused"] += 1
        return ""
    if code:
        return f"exit {code}\n{said}\n{text}"
    code, schedule, said = run(bin_ / "npu-opt", program, "--npu-print-schedule=format=json", "-o", "/dev/null")
    if code:
        return f"exit {code}\n{said}\n{text}"
    totals = {each["name"]: each["total"] for each in json.loads(costs)["functions"]}
    most = {name: total + total // 50 for name, total in totals.items()}
    wrong, rows = check_schedule.check(schedule, most=most)
    kinds["rows"] += rows
    kinds["above the costs"] += any(each["total"] > totals[each["name"]]
                                    for each in json.loads(schedule)["functions"])
    if wrong:
        return "\n".join(wrong[:5]) + "\n" + text
    for kind, spoiled in Faults(json.loads(schedule), number).spoiled():
        if not check_schedule.check(json.dumps(spoiled))[0]:
            return f"accepted: {kind}\n{text}"
        kinds[kind] += 1
    return ""


if __name__ == "__main__":
    random_cases.run_numbered(__doc__, 40, check)
