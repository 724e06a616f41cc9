# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of chains of operations, ours beside the passes of upstream's `shard`
dialect on the same chains: whole processes, parsing and printing included.

    benchmarks/run --only=compile_time
"""

import shutil

from .page import Skipped, Table, TooLong, processor_seconds, spread

MLIR_OPT = "mlir-opt-22"
SECONDS = 60
PLAIN = "tensor<8x16xf32>"
ROWS, COLUMNS = "tensor<8x16xf32, #rows>", "tensor<8x16xf32, #columns>"


def operation(result, operands, output, kinds, kind):
    """linalg.exp of one operand, or linalg.add of two."""
    name = "exp" if len(operands) == 1 else "add"
    return (
        f"  %{result} = linalg.{name} ins({', '.join(f'%{each}' for each in operands)} : {', '.join(kinds)}) "
        f"outs(%{output} : {kind}) -> {kind}"
    )


def ours_resharded(count, weight):
    """Each operation under the other of two distributions than its operand."""
    last = [ROWS, COLUMNS][count % 2]
    lines = [
        "#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>",
        "#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>",
        f"func.func @chain(%v0: {ROWS}{f', %w: {ROWS}' if weight else ''}) -> {last} {{",
    ]
    for i in range(count):
        here, there = (ROWS, COLUMNS) if i % 2 == 0 else (COLUMNS, ROWS)
        operands, kinds = ([f"v{i}", "w"], [here, ROWS]) if weight else ([f"v{i}"], [here])
        lines += [f"  %e{i} = tensor.empty() : {there}", operation(f"v{i + 1}", operands, f"e{i}", kinds, there)]
    return "\n".join(lines + [f"  return %v{count} : {last}", "}"]) + "\n"


def shard(result, value, sharding, used=False):
    users = " annotate_for_users" if used else ""
    return f"  %{result} = shard.shard %{value} to %{sharding}{users} : {PLAIN}"


def theirs_head(weight):
    return [
        "shard.grid @g(shape = 4)",
        f"func.func @chain(%x: {PLAIN}{f', %y: {PLAIN}' if weight else ''}) -> {PLAIN} {{",
        "  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding",
        "  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding",
        shard("v0", "x", "rows"),
    ] + ([shard("w", "y", "rows")] if weight else [])


def theirs_resharded(count, weight):
    lines = theirs_head(weight)
    for i in range(count):
        there = "columns" if i % 2 == 0 else "rows"
        lines.append(shard(f"u{i}", f"v{i}", there, used=True))
        if weight:
            lines.append(shard(f"w{i}", "w", there, used=True))
        operands = [f"u{i}"] + ([f"w{i}"] if weight else [])
        lines += [
            f"  %e{i} = tensor.empty() : {PLAIN}",
            shard(f"s{i}", f"e{i}", there),
            shard(f"o{i}", f"s{i}", there, used=True),
            operation(f"d{i}", operands, f"o{i}", [PLAIN] * len(operands), PLAIN),
            shard(f"v{i + 1}", f"d{i}", there),
        ]
    last = "columns" if count % 2 else "rows"
    return "\n".join(lines + [shard("r", f"v{count}", last, used=True), f"  return %r : {PLAIN}", "}"]) + "\n"


def unplaced(count, weight, head, first, second):
    """Only arguments have a distribution; the rest is to be found."""
    lines = list(head)
    for i in range(count):
        operands = [first if i == 0 else f"v{i}"] + ([second] if weight else [])
        lines += [
            f"  %e{i} = tensor.empty() : {PLAIN}",
            operation(f"v{i + 1}", operands, f"e{i}", [PLAIN] * len(operands), PLAIN),
        ]
    return "\n".join(lines + [f"  return %v{count} : {PLAIN}", "}"]) + "\n"


def ours_unplaced(count, weight):
    layout = "#npu.layout<SEGMENTED, tiles = [4, 1]>"
    more = f", %w: {PLAIN} {{npu.layout = {layout}}}" if weight else ""
    head = [f"func.func @chain(%x: {PLAIN} {{npu.layout = {layout}}}{more}) -> {PLAIN} {{"]
    return unplaced(count, weight, head, "x", "w")


def theirs_unplaced(count, weight):
    # Later than its argument: propagation begins at shards of values that are used.
    head = theirs_head(weight)
    return unplaced(count, weight, head, "v0", "w")


PIPELINES = {
    "shard-partition": "builtin.module(func.func(shard-partition))",
    "sharding-propagation": "builtin.module(func.func(sharding-propagation))",
}


def seconds_of(command, path, text):
    """Processor time, or why there is none."""
    path.write_text(text)
    try:
        return processor_seconds([*command, str(path), "-o", "/dev/null"], SECONDS)
    except TooLong:
        return f"over {SECONDS} s"
    except RuntimeError:
        return "fails"


def measure(command, peer, path, ours, theirs, repetitions):
    mine, other = [], []
    for _ in range(repetitions):
        for times, tool, text in ((mine, command, ours), (other, peer, theirs)):
            if not times or isinstance(times[-1], float):
                times.append(seconds_of(tool, path, text))
    return mine, other


def cell(times, count):
    if isinstance(times[-1], str):
        return times[-1]
    return spread([each / count * 1e6 for each in times], 1)


def tables(options):
    if not shutil.which(MLIR_OPT):
        raise Skipped(f"{MLIR_OPT} is not installed (package mlir-22-tools)")
    opt = options.tool("npu-opt")
    counts = (100, 1000, 10000) if options.quick else (100, 1000, 10000, 100000)
    kinds = [
        ("resharded at each operation", ours_resharded, theirs_resharded, "--npu-legalize-distributions", "shard-partition"),
        ("distributions from the argument", ours_unplaced, theirs_unplaced, "--npu-assign-distributions=tiles=4", "sharding-propagation"),
    ]
    rows, over = [], []
    for name, ours, theirs, flag, peer in kinds:
        for weight in (False, True):
            tired = None
            for count in counts:
                texts = ours(count, weight), theirs(count, weight)
                repetitions = 3 if options.quick else 7 if count < 100000 else 3
                command = [MLIR_OPT, f"--pass-pipeline={PIPELINES[peer]}"] if not tired else ["false"]
                mine, other = measure([opt, flag], command, options.scratch / "chain.mlir", *texts, repetitions)
                if tired:
                    other = [tired]
                both = isinstance(mine[-1], float) and isinstance(other[-1], float)
                ratio = [a / b for a, b in zip(mine, other)] if both else None
                label = f"{name}, {count:,} operations{', one weight' if weight else ''}"
                rows.append([label, spread(ratio) if ratio else "-", cell(mine, count), f"{cell(other, count)} (`{peer}`)"])
                if ratio and sorted(ratio)[len(ratio) // 2] > 1:
                    over.append(label)
                if other[-1] == f"over {SECONDS} s":
                    tired = other[-1]
    notes = [
        "Microseconds of processor time for each operation, user and system, of the whole process: parsing, the "
        "pass and printing. Of 100 operations most is the start of the process.",
        "*One weight*: every operation adds the same second argument.",
        f"Processes are ended after {SECONDS} s of a processor, and longer chains are not tried then.",
    ]
    if over:
        notes.append(f"Over the limit: {'; '.join(over)}.")
    return [
        Table(
            "How long does an operation take to compile?",
            ["chain", "ours / peer", "ours, us", "peer, us"],
            rows,
            "1 of the peer, and no growth with the length of the chain",
            notes,
        )
    ]
