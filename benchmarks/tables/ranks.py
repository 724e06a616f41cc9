# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One full-size layer on MPI ranks beside the same in one process: time, memory, and what
the ranks send, beside what a layer sends that is cut by hand.

    benchmarks/run --only=ranks
"""

import os
import re
import shutil
import subprocess
import sys

from .page import REPOSITORY, Skipped, Table, processor_seconds

sys.path.insert(0, str(REPOSITORY / "benchmarks"))
import full_size  # noqa: E402

# Entries of a row that goes from layer to layer.
MODEL, WIDTH = "qwen2-1.5b", 1536
REPEAT = 3
# Two machines of four tiles, with 100 Gbit/s and two microseconds between them.
MACHINES = """{"name": "machines", "like": "npu4000",
 "tiles": {"value": 8, "unit": "tiles"}, "max_tiles": {"value": 8, "unit": "tiles"},
 "machine_tiles": {"value": 4, "unit": "tiles"},
 "machine_link_latency": {"value": 3400, "unit": "cycles"},
 "machine_link_rate": {"value": 7353, "unit": "bytes per 1000 cycles"}}
"""
# Phase, length, device and ranks.
CASES = [
    ("decode", 512, "npu3720", 2),
    ("decode", 512, "npu4000", 4),
    ("prefill", 64, "npu3720", 2),
    ("prefill", 64, "npu4000", 4),
    ("prefill", 256, "machines", 2),
]


def run(options, ranks=None):
    """A run of what was compiled, in one process or on ranks, which compares with the model as it was."""
    # As root, Open MPI wants to be told so.
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [options.tool("npu-run"), options.scratch / "compiled.mlir", f"--repeat={REPEAT}",
               f"--reference={options.scratch / 'layer.mlir'}", "--inputs=normal"]
    if ranks:
        command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command, "--mpi", "--mpi-report"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def measured(process):
    """The text of a run whose results are equal, its processor seconds and its bytes of memory."""
    out = process.stdout.read()
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or "\nequal\n" not in out:
        raise RuntimeError(error.strip()[-300:] or out[-300:])
    return out, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def milliseconds(text):
    return float(re.search(r"^time: ([\d.]+) ms", text, re.MULTILINE).group(1))


def by_hand(text, rows, ranks):
    """Bytes that ranks send of a layer that is cut by heads and by columns of the feed-forward
    part: two sums over all ranks, each a ring, and the results that rank 0 does not have, or as
    much of the caches that it alone has."""
    results = 0
    for shape in re.findall(r"^result #\d+ ([\dx]+)xf16:", text, re.MULTILINE):
        elements = 1
        for extent in shape.split("x"):
            elements *= int(extent)
        results += 2 * elements
    return 2 * 2 * (ranks - 1) * rows * WIDTH * 2 + results * (ranks - 1) // ranks


def row(options, phase, length, device, ranks):
    model = options.scratch / "layer.mlir"
    full_size.generate([f"--model={MODEL}", f"--phase={phase}", f"--length={length}", "--layers=1",
                        "--part=layers", "--weights=arguments"], model)
    target = f"target={device}" if device in full_size.CLOCKS else f"target-file={options.scratch / device}.json"
    compiling = processor_seconds([options.tool("npu-opt"), model, f"--npu-compile={target} compile-to=scratchpad",
                                   "-o", options.scratch / "compiled.mlir"], 600)
    alone, seconds, memory = measured(run(options))
    text, _, _ = measured(run(options, ranks))
    each = [tuple(map(float, found)) for found in re.findall(
        r"^rank \d+: sends (\d+) messages, (\d+) bytes, ([\d.]+) ms in exchanges; "
        r"([\d.]+) s of processor time, (\d+) MB", text, re.MULTILINE)]
    exchanges = int(re.search(r"ms in (\d+) exchanges", text).group(1))
    messages, sent = (int(sum(rank[i] for rank in each)) // REPEAT for i in (0, 1))
    hand = by_hand(alone, length if phase == "prefill" else 1, ranks)
    # The first rank runs the reference as well.
    others = [rank[3] for rank in each[1:]]
    return [
        f"{phase} {length}, {device}, {ranks} ranks",
        f"{sent / hand:.2f}", f"{max(rank[4] for rank in each) * 1e6 / memory:.2f}",
        f"{sent:,}", f"{messages:,}", f"{exchanges // REPEAT:,}",
        f"{milliseconds(text):.0f}", f"{milliseconds(alone):.0f}",
        f"{each[0][3]:.1f}", f"{max(others):.1f}", f"{seconds:.1f}", f"{compiling:.1f}",
        f"{max(rank[4] for rank in each):.0f}", f"{memory / 1e6:.0f}",
    ]


def crossing(options):
    """Bytes from one machine to another in the modelled schedule of what was compiled last."""
    printed = subprocess.run([options.tool("npu-opt"), options.scratch / "compiled.mlir", "--npu-print-schedule",
                              "-o", os.devnull], check=True, capture_output=True, text=True)
    return int(re.search(r"^  machines (\d+) bytes", printed.stdout, re.MULTILINE).group(1))


def tables(options):
    if options.quick:
        raise Skipped("--quick leaves out full-size layers on ranks")
    if not shutil.which("mpirun"):
        raise Skipped("mpirun is not installed (package openmpi-bin)")
    (options.scratch / "machines.json").write_text(MACHINES)
    # The last one is on machines.
    rows = [row(options, *case) for case in CASES]
    return [
        Table(
            "What does a full-size layer cost on ranks?",
            [f"layer of {MODEL}", "bytes / by hand", "memory / one process", "bytes sent", "messages", "exchanges",
             "ms of a run", "in one process", "s of rank 0", "of another rank", "of one process", "of compiling",
             "MB of a rank", "of one process"],
            rows,
            "0 different elements on every row, which is compared with the function as it was",
            [
                "*By hand* is a layer that is cut by heads and by columns of the feed-forward part, as "
                "tensor parallelism does: two sums of all rows over all ranks, as rings, and the results, or caches, "
                "that are not where they are wanted. It adds partial sums, so that its bits are others.",
                f"Seconds are of processors, with {REPEAT} runs of a program that was compiled once: a rank "
                "reads it, makes all inputs and lowers its own part; rank 0 and one process run the reference as "
                "well. Waiting for another rank takes processor time, too. Memory is the most that a rank takes, "
                "with all arguments.",
                f"{max(case[3] for case in CASES)} ranks share {len(os.sched_getaffinity(0))} cores, so that "
                "milliseconds are those of ranks which wait for their turns.",
                "*machines* are two of four tiles like npu4000, 100 Gbit/s apart, and each rank is one of them. The "
                f"modelled schedule (`npu-print-schedule`) has {crossing(options):,} bytes from one to the other.",
            ],
        )
    ]
