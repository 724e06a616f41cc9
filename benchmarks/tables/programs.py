# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of the compiler by themselves: what the programs of this folder measure.

    benchmarks/run --only=programs
"""

import json
import re
import subprocess

from .page import Skipped, Table, spread

# Each program with its question, what its counters are, and their limits.
PROGRAMS = {
    "PlanBenchmark": (
        "How long does a redistribution plan of six tiles take?",
        "20 us",
        "*x_pairs* is in units of intersecting each box of the source with each of the target, *x_memcpy* in units of "
        "copying the plan's bytes once.",
    ),
    "LegalizeBenchmark": (
        "How long does legalization take?",
        "4 us for each operation, which *of_4us_limit* is in units of",
        "No two pairs of shape and layout are alike in the chains that are *all distinct*.",
    ),
    "LowerBenchmark": (
        "How long does lowering to tile programs take?",
        "no growth with the number of layers",
        "Decoders on four tiles; *us_per_layer* is for one layer of 39 operations, *x_parse* in units of parsing it.",
    ),
    "PadBenchmark": (
        "How long does padding take?",
        "twice what parsing takes, at 28 layers",
        "Decoders with a run-time length of at most 512; *x_parse* is in units of parsing.",
    ),
    "TransferBenchmark": (
        "How fast is a transfer in one process?",
        "0.8 of memcpy, for 64 KiB or more in runs of 1 KiB or more",
        "*of_memcpy* is the bandwidth in units of memcpy's on as many bytes. A run costs some 10 ns beside its bytes, "
        "which shows up to 256 KiB; at 16 MiB, twice as many bytes are spanned as memcpy touches.",
    ),
}


# What --quick leaves out.
LONG = {"LegalizeBenchmark": "100000", "LowerBenchmark": "(28|56)", "PadBenchmark": "56", "TransferBenchmark": "KiB:(4096|16384)"}


def counters(program, times, without):
    """The counters of each case, in `times` runs of the program."""
    known = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations"}
    known |= {"family_index", "per_family_instance_index", "real_time", "cpu_time", "time_unit"}
    cases = {}
    for _ in range(times):
        command = [program, "--benchmark_format=json", "--benchmark_min_time=0.01"]
        command += [f"--benchmark_filter=-{without}"] if without else []
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise RuntimeError(process.stderr.strip()[-300:])
        for case in json.loads(process.stdout)["benchmarks"]:
            measured = cases.setdefault(case["name"], {})
            for name, value in case.items():
                if name not in known and isinstance(value, (int, float)):
                    measured.setdefault(name, []).append(value)
    return cases


def digits(values):
    largest = max(map(abs, values))
    return 0 if largest >= 100 or all(value == int(value) for value in values) else 1 if largest >= 10 else 2


def build(options):
    """Builds the programs, which takes a minute the first time."""
    process = subprocess.run(
        ["cmake", "--build", str(options.build), "--target", "npu-benchmarks"], capture_output=True, text=True
    )
    if re.search("unknown target|No rule to make target", process.stdout + process.stderr):
        raise Skipped("Google Benchmark was not found when the project was configured (package libbenchmark-dev)")
    if process.returncode:
        raise RuntimeError((process.stdout + process.stderr).strip()[-300:])


def tables(options):
    build(options)
    made = []
    for name, (question, limit, note) in PROGRAMS.items():
        cases = counters(options.tool(name), 1 if options.quick else 3, options.quick and LONG.get(name))
        columns = list(dict.fromkeys(counter for case in cases.values() for counter in case))
        # Ratios first.
        columns.sort(key=lambda counter: not counter.startswith(("x_", "of_")))
        rows = [
            [re.sub(r"/iterations:\d+|/manual_time", "", case)]
            + [spread(values[column], digits(values[column])) if len(values.get(column, ())) > 1
               else f"{values[column][0]:,.{digits(values[column])}f}" if column in values else "-"
               for column in columns]
            for case, values in cases.items()
        ]
        made.append(Table(question, ["case", *columns], rows, limit, [note]))
    return made
