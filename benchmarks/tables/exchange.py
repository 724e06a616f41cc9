# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moving real data between MPI ranks: our plans carried out by our exchanges, beside
MPI_Alltoallw with subarray types, ScaLAPACK's pdgemr2d, and memcpy as the limit.

The plans come from npu-opt; benchmarks/exchange carries them out.

    benchmarks/run --only=exchange
"""

import json
import os
import re
import shutil
import statistics
import subprocess

from .page import REPOSITORY, Skipped, Table, spread

ELEMENT_BYTES = 8
MIB = 2**20


def segmented(*tiles):
    return f"SEGMENTED, tiles = [{', '.join(map(str, tiles))}]"


def cases(ranks):
    """Name, layouts before and after, the tensor's dimensions (of which one is free to
    make it as large as is asked for), and the grids of a block distribution."""
    square = {4: (2, 2), 8: (2, 4)}[ranks]
    halo = f"OVERLAPPED, tiles = [{ranks}, 1, 1], window = [[0, 3, 1, 1, 1]]"
    return [
        ("rows to columns", segmented(ranks, 1), segmented(1, ranks), "square", (ranks, 1, 1, ranks)),
        ("columns to rows", segmented(1, ranks), segmented(ranks, 1), "square", (1, ranks, ranks, 1)),
        ("grid to rows", segmented(*square), segmented(ranks, 1), "square", (*square, ranks, 1)),
        ("rows to columns, uneven", segmented(ranks, 1), segmented(1, ranks), "uneven", None),
        ("rows to every rank", segmented(ranks, 1), f"DUPLICATED, tiles = {ranks}", "square", None),
        ("columns to every rank", segmented(1, ranks), f"DUPLICATED, tiles = {ranks}", "square", None),
        ("halo of one row", segmented(ranks, 1, 1), halo, "planes", None),
        ("heads to rows", segmented(ranks, 1, 1), segmented(1, ranks, 1), "heads", None),
    ]


def shape_of(kind, elements, ranks):
    if kind == "planes":
        return (max(ranks * 2, elements // (64 * 256)), 64, 256)
    if kind == "heads":
        return (16, max(ranks, elements // (16 * 128)), 128)
    side = max(ranks, int(elements**0.5) // ranks * ranks)
    if kind == "uneven":
        return (side - 3, side + 5)
    return (side, side)


def boxes_in(text):
    return [[tuple(map(int, each.split(":"))) for each in box.split(", ")] for box in re.findall(r"\[([\d:, ]+)\]", text)]


def describe(options, name, before, after, shape, blocks, ranks):
    """A case in the form that benchmarks/exchange/Case.h describes, and the bytes that
    ranks hold afterwards."""
    tensor = f"tensor<{'x'.join(map(str, shape))}xf64, #npu.layout<"
    text = (
        f"func.func @main(%a: {tensor}{before}>>) -> {tensor}{after}>> {{\n"
        f"  %0 = npu.redistribute %a : {tensor}{before}>> to {tensor}{after}>>\n"
        f"  return %0 : {tensor}{after}>>\n}}\n"
    )

    def printed(flag):
        process = subprocess.run(
            [options.tool("npu-opt"), "-", flag, "-o", os.devnull], input=text, capture_output=True, text=True
        )
        if process.returncode:
            raise RuntimeError(process.stderr.strip())
        return process.stdout

    held = []
    for value in printed("--npu-print-distributions").split("  %")[1:]:
        held.append([])
        for line in value.splitlines():
            if line.strip().startswith("tile "):
                # The last box is the memory box, or the only one.
                held[-1].append(boxes_in(line)[-1])
    source, target = held[0], held[-1]
    transfers = []
    for line in printed("--npu-print-transfers").splitlines():
        if found := re.match(r"\s+(\d+) -> ([\d, ]+) : (\[.*\]), ", line):
            for receiver in found.group(2).split(","):
                transfers.append((int(found.group(1)), int(receiver), boxes_in(found.group(3))[0]))
    for rank in range(ranks):
        stays = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(source[rank], target[rank])]
        if all(begin < end for begin, end in stays):
            transfers.append((rank, rank, stays))

    def words(box):
        return " ".join(f"{begin} {end}" for begin, end in box)

    lines = [f"case {name.replace(' ', '-')} {ELEMENT_BYTES} {len(shape)} {ranks}"]
    lines += [f"source {words(box)}" for box in source]
    lines += [f"target {words(box)}" for box in target]
    lines += [f"transfer {sender} {receiver} {words(box)}" for sender, receiver, box in transfers]
    if blocks:
        lines.append("blocks " + " ".join(map(str, blocks)))
    lines.append("end")
    return "\n".join(lines) + "\n"


def build(options):
    """The program that carries cases out, and how it is started."""
    for program in ("mpicxx", "mpirun"):
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed (packages openmpi-bin and libopenmpi-dev)")
    program = options.scratch / "exchange"
    sources = [*sorted((REPOSITORY / "benchmarks" / "exchange").glob("*.cpp")),
               # What programs of ranks call.
               *sorted((REPOSITORY / "lib" / "Mpi").glob("*.cpp")),
               REPOSITORY / "lib" / "Placement" / "Plans" / "ExchangeRounds.cpp"]
    process = subprocess.run(
        ["mpicxx", "-std=c++20", "-O3", "-DOMPI_SKIP_MPICXX", "-I", str(REPOSITORY / "include"), *map(str, sources)]
        + ["-o", str(program), "-lscalapack-openmpi", "-lopenblas"],
        capture_output=True,
        text=True,
    )
    if process.returncode:
        if "scalapack" in process.stderr:
            raise Skipped("ScaLAPACK is not installed (package libscalapack-openmpi-dev)")
        raise RuntimeError(process.stderr.strip()[-300:])
    return str(program)


def carry_out(program, path, ranks, repetitions):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    """The results of every case of a file, by method."""
    process = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", str(ranks), program, str(path), str(repetitions)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=900,
    )
    if process.returncode:
        raise RuntimeError(f"mpirun ended with {process.returncode}: {process.stderr.strip()[-300:]}")
    results = {}
    for each in map(json.loads, process.stdout.splitlines()):
        results.setdefault(each["case"], {})[each["method"]] = each
    return results


METHODS = ("ours", "MPI_Alltoallw", "pdgemr2d")


def row(name, size, ranks, results):
    limit = results["memcpy"]["seconds"]
    wrong = [method for method, each in results.items() if each["wrong"] and method != "memcpy"]
    if wrong:
        raise RuntimeError(f"{' and '.join(wrong)} gave wrong elements for {name}")
    medians = {method: statistics.median(each["seconds"]) for method, each in results.items()}
    peers = [medians[method] for method in METHODS[1:] if method in medians]
    cells = [f"{name}, {size} MiB, {ranks} ranks"]
    cells += [f"{medians[method] / min(peers):.2f}" for method in METHODS[:1]]
    for method in METHODS:
        cells.append(
            spread([second / statistics.median(limit) for second in results[method]["seconds"]], 1)
            if method in results
            else "-"
        )
    cells.append(f"{statistics.median(limit) * 1e3:.2f} ms")
    return cells


def tables(options):
    program = build(options)
    rows = []
    for ranks in (4, 8):
        for size in (1, 16) if options.quick else (1, 16, 128, 1024):
            path = options.scratch / "cases"
            # Of the largest tensors, every rank would hold all.
            chosen = [case for case in cases(ranks) if size <= 128 or "every" not in case[0]]
            path.write_text(
                "".join(
                    describe(options, name, before, after, shape_of(kind, size * MIB // ELEMENT_BYTES, ranks), *rest)
                    for name, before, after, kind, *rest in [(*case, ranks) for case in chosen]
                )
            )
            results = carry_out(program, path, ranks, 41 if size == 1 else 15 if size < 1024 else 5)
            rows += [row(case, size, ranks, results[case.replace(" ", "-")]) for case, *_ in chosen]
    slower = [cells[0] for cells in rows if float(cells[1]) > 1]
    notes = [
        "The first column is our time in units of the faster peer's; the others are times in units of "
        "memcpy's, which copies what every rank holds afterwards in one piece, on all ranks at the same time.",
        "*Ours* are the messages that programs of ranks send (`npu/Mpi/Mpi.h`), in the rounds in which "
        "`npu-convert-tiles-to-mpi` has them sent. Peers carry out the same transfers of our plan.",
        f"{max(4, 8)} ranks share {len(os.sched_getaffinity(0))} cores, so that ranks wait for each other's turns.",
        "pdgemr2d has no copies, no halos and no uneven blocks other than its own.",
    ]
    if slower:
        notes.append(
            f"Above the limit in {'; '.join(slower)}. Both sides send the same parts with the same functions of MPI "
            "there, and a few microseconds of each exchange are ours: every message has a deadline, its bytes are "
            "checked, and the exchange has figures. What is more than that is the order in which ranks have their "
            "turns on a core, in favour of either side."
        )
    return [
        Table(
            "How fast is a redistribution between processes?",
            ["redistribution", "ours / faster peer", "ours", "MPI_Alltoallw", "pdgemr2d", "memcpy"],
            rows,
            "1.00 of the faster peer",
            notes,
        )
    ]
