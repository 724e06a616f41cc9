# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast npu-run runs: operations and networks beside OpenBLAS and ONNX Runtime on one
thread, and tile programs beside the functions that they were made of.

    benchmarks/run --only=running
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

from .page import Table, spread

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kernels  # noqa: E402
import tile_programs  # noqa: E402


def beside_libraries(options):
    settings = argparse.Namespace(bin=options.build / "bin", repeat=5, rounds=3)
    bench = kernels.Bench(settings, options.scratch)
    bench.matmuls()
    bench.operators(count=6 if options.quick else None)
    bench.networks(names=("cls",) if options.quick else None)
    rows, over = [], []
    for name, ours, peer, limit, bits in bench.rows:
        what, beside = name.rsplit(", ", 1)
        ratios = [a / b for a, b in zip(ours, peer)]
        rows.append([f"{what} ({beside})", spread(ratios), limit or "-", spread(ours, 2, " ms"), spread(peer, 2, " ms"), bits or "-"])
        if limit and statistics.median(ratios) > limit:
            over.append(what)
    notes = [
        "One thread each. *Artefact* is the program of all tiles of npu4000, compiled beforehand; *IR* is the "
        "function without tiles.",
        "Bits are compared with a loop in C that adds up in the order of the IR; OpenBLAS and ONNX Runtime add up "
        "in orders of their own.",
    ]
    if bench.missing:
        notes.append(f"Left out, because it is not installed: {', '.join(bench.missing)}.")
    if over:
        notes.append(f"Over the limit: {'; '.join(over)}.")
    return Table("How fast is a run beside libraries?", ["what", "ours / peer", "limit", "ours", "peer", "bits"], rows, "", notes)


def of_tiles(options):
    rows, over = [], []
    for name, text in tile_programs.BLOCKS.items():
        original, legal = options.scratch / "original.mlir", options.scratch / "legal.mlir"
        original.write_text(text or tile_programs.attention())
        subprocess.run([options.tool("npu-opt"), original, "--npu-legalize-distributions", "-o", legal], check=True)
        rounds = [
            tile_programs.ratio(options.build / "bin", original, legal, 5 if options.quick else 15, "sequential")
            for _ in range(3)
        ]
        ratios = [ratio for _, _, ratio in rounds]
        rows.append([name, spread(ratios), spread([reference for _, reference, _ in rounds], 2, " ms")])
        if statistics.median(ratios) > 1.15:
            over.append(name)
    notes = ["Tiles run one after the other, on one thread. A tile program also copies what tiles exchange."]
    if over:
        notes.append(
            f"Over the limit: {'; '.join(over)}. Where a block moves about as much as it computes, as an addition "
            "does, the copies show."
        )
    return Table(
        "How fast is a tile program beside its function?",
        ["block on four tiles", "tiles / function", "function"],
        rows,
        "1.15 where a block computes more than it moves",
        notes,
    )


def tables(options):
    return [beside_libraries(options), of_tiles(options)]
