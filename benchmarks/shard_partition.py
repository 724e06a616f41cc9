#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Legalization beside upstream's shard-partition, whole processes.

    benchmarks/shard_partition.py [NPU_OPT [MLIR_OPT [OPERATIONS]]]

Both tools read one chain of linalg.exp, each operation of it under the other of
two distributions than its input (rows, columns) over four tiles, and write it
with the data movement that this takes. Compared is processor time, user and
system, of the whole process: parsing, the pass and printing. Processes run in
turn, one pair after the other.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PAIRS = 7


def ours(operations):
    rows, columns = "tensor<8x16xf32, #rows>", "tensor<8x16xf32, #columns>"
    lines = [
        "#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>",
        "#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>",
        f"func.func @chain(%v0: {rows}) -> {[rows, columns][operations % 2]} {{",
    ]
    for i in range(operations):
        here, there = (rows, columns) if i % 2 == 0 else (columns, rows)
        lines += [
            f"  %e{i} = tensor.empty() : {there}",
            f"  %v{i + 1} = linalg.exp ins(%v{i} : {here}) "
            f"outs(%e{i} : {there}) -> {there}",
        ]
    lines += [f"  return %v{operations} : {[rows, columns][operations % 2]}", "}"]
    return "\n".join(lines) + "\n"


def theirs(operations):
    plain = "tensor<8x16xf32>"

    def shard(result, value, sharding, used=False):
        users = " annotate_for_users" if used else ""
        return f"  %{result} = shard.shard %{value} to %{sharding}{users} : {plain}"

    lines = [
        "shard.grid @g(shape = 4)",
        f"func.func @chain(%x: {plain}) -> {plain} {{",
        "  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding",
        "  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding",
        shard("v0", "x", "rows"),
    ]
    for i in range(operations):
        there = "columns" if i % 2 == 0 else "rows"
        lines += [
            shard(f"u{i}", f"v{i}", there, used=True),
            f"  %e{i} = tensor.empty() : {plain}",
            shard(f"s{i}", f"e{i}", there),
            shard(f"o{i}", f"s{i}", there, used=True),
            f"  %d{i} = linalg.exp ins(%u{i} : {plain}) outs(%o{i} : {plain}) "
            f"-> {plain}",
            shard(f"v{i + 1}", f"d{i}", there),
        ]
    last = "columns" if operations % 2 else "rows"
    lines += [
        shard("r", f"v{operations}", last, used=True),
        f"  return %r : {plain}",
        "}",
    ]
    return "\n".join(lines) + "\n"


def processor_seconds(command):
    """User and system time of one process, which has to succeed."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main():
    npu_opt = sys.argv[1] if len(sys.argv) > 1 else "build/bin/npu-opt"
    mlir_opt = sys.argv[2] if len(sys.argv) > 2 else "mlir-opt-22"
    operations = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "ours.mlir").write_text(ours(operations))
        (place / "theirs.mlir").write_text(theirs(operations))
        commands = [
            [npu_opt, str(place / "ours.mlir"), "--npu-legalize-distributions",
             "-o", str(place / "ours.out")],
            [mlir_opt, str(place / "theirs.mlir"),
             "--pass-pipeline=builtin.module(func.func(shard-partition))",
             "-o", str(place / "theirs.out")],
        ]
        times = [[processor_seconds(c) for c in commands] for _ in range(PAIRS)]
        moved = (place / "ours.out").read_text().count("npu.redistribute")
    ratios = sorted(a / b for a, b in times)
    print(f"{operations} operations, {moved} redistributions: "
          f"{min(a for a, _ in times):.3f} s, shard-partition "
          f"{min(b for _, b in times):.3f} s; "
          f"{statistics.median(ratios):.2f} (median of {PAIRS} pairs, "
          f"{ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
