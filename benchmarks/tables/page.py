# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tables of docs/benchmarks.md are made of: rows, spreads, the machine."""

import dataclasses
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class Skipped(Exception):
    """Why a table cannot be made here: something that it compares with is missing."""


@dataclasses.dataclass
class Options:
    """`quick`: fewer cases and repetitions; `build`: where our programs are built;
    `scratch`: a folder for files that are thrown away."""

    quick: bool
    build: pathlib.Path
    scratch: pathlib.Path

    def tool(self, name):
        path = self.build / "bin" / name
        if not path.exists():
            raise Skipped(f"{name} is not built")
        return str(path)


@dataclasses.dataclass
class Table:
    """One question with the rows that answer it. `limit` says what is good enough, and
    `notes` explain each row that is not, and what a reader should know."""

    question: str
    columns: list
    rows: list
    limit: str = ""
    notes: list = dataclasses.field(default_factory=list)

    def text(self):
        lines = [f"### {self.question}", ""]
        if self.limit:
            lines += [f"Limit: {self.limit}.", ""]
        lines += ["| " + " | ".join(self.columns) + " |"]
        lines += ["|" + "|".join(["---"] + ["--:"] * (len(self.columns) - 1)) + "|"]
        lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in self.rows]
        if self.notes:
            lines += [""] + [f"* {note}" for note in self.notes]
        return "\n".join(lines) + "\n"


def spread(values, digits=2, unit=""):
    """The median with the least and the largest of some measurements."""
    numbers = [f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values))]
    return f"{numbers[0]}{unit} ({numbers[1]} to {numbers[2]})"


class TooLong(Exception):
    """A process took more processor time than it may."""


def processor_seconds(command, limit):
    """User and system time of a process, whose output is thrown away. Raises where it
    fails, or takes more than `limit` seconds of a processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(
        command,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    if process.returncode < 0 and used >= limit - 1:
        raise TooLong
    if process.returncode != 0:
        raise RuntimeError(f"{os.path.basename(command[0])} failed: {process.stderr.strip()[-300:]}")
    return used


def version(command):
    """The first version number that a program prints, or None where there is no such
    program."""
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\d+\.\d+(?:\.\d+)?", text)
    return found.group(0) if found else None


def machine():
    """Processor, cores and memory. No name of the machine, and no path."""
    info = pathlib.Path("/proc/cpuinfo").read_text()

    def field(name):
        found = re.search(rf"^{name}\s*: (.*)$", info, re.MULTILINE)
        return found.group(1).strip() if found else "unknown"

    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1))
    vectors = "AVX-512" if "avx512f" in info else "AVX2" if "avx2" in info else "neither AVX2 nor AVX-512"
    return (
        f"{field('model name')}, {len(os.sched_getaffinity(0))} cores, {vectors}, "
        f"{memory / 2**20:.0f} GiB of memory, Linux {platform.release().split('-')[0]}"
    )
