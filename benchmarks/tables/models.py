# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models on the devices as they are: modelled time and bytes, assignments beside
simpler strategies, scratchpads beside MiniMalloc's problems, and bytes of DDR beside
tilings of the field compiler.

    benchmarks/run --only=models
"""

import importlib
import json
import pathlib
import statistics
import sys

from .page import REPOSITORY, Table

sys.path[:0] = [str(REPOSITORY / "benchmarks"), str(REPOSITORY / "scripts")]
import full_size  # noqa: E402
import pack_buffers  # noqa: E402
import tilings  # noqa: E402

compare_assignments = importlib.import_module("compare-assignments")

# The capacity that MiniMalloc's problems are for.
CAPACITY = 1048576


def on_devices(options):
    rows = []
    quick = ("qwen2-7b layer prefill 128", "qwen2-7b layer decode 512")
    for name, arguments in full_size.rows(False):
        if options.quick and name not in quick:
            continue
        model = options.scratch / "model.mlir"
        full_size.generate(arguments, model)
        for device in full_size.CLOCKS:
            row = full_size.compiled(options.tool("npu-opt"), model, device, options.scratch)
            if "error" in row:
                raise RuntimeError(f"{name} on {device}: {row['error']}")
            rows.append(
                [f"{name}, {device}", f"{row['moved'] / row['bound']:.2f}", f"{row['moved']:,}", f"{row['ms']:.2f}"]
                + [row["steps"], f"{row['seconds']:.1f}", f"{row['bytes'] / 1e6:.0f}"]
            )
    return Table(
        "What do full-size models cost on a device?",
        ["model, device", "DDR bytes / bound", "DDR bytes", "modelled ms", "in steps", "compiled in s", "MB"],
        rows,
        "nothing is refused",
        [
            "The bound of DDR's bytes is every argument and result once. Longer prompts are above it where weights or "
            "activations do not stay on tiles and are loaded again for each step.",
            "*In steps*: operations that run as loops over slices in DDR. The time is that of the "
            "[cost model](costs.md), the time and memory of compiling are those of the whole process.",
        ],
    )


def assignments(options):
    """The least cost beside other strategies, on scratchpads of the device's size."""
    cases = [("qwen2-1.5b", "decode", 512), ("qwen2-1.5b", "prefill", 128)]
    if not options.quick:
        cases += [("qwen2-7b", "decode", 512), ("qwen2-7b", "prefill", 512), ("llama-3-8b", "decode", 1024)]
        cases += [("resnet50", None, None), ("mobilenet", None, None)]
    names, rows = compare_assignments.NAMES, []
    strategies = [each for each in compare_assignments.STRATEGIES if each != "least"]
    for model, phase, length in cases[: 1 if options.quick else None]:
        arguments = [f"--model={model}", "--weights=arguments"]
        if phase:
            arguments += [f"--phase={phase}", f"--length={length}", "--layers=1", "--part=layers"]
        written, path = options.scratch / "written.mlir", options.scratch / "model.mlir"
        full_size.generate(arguments, written)
        written.write_text(compare_assignments.described(written.read_text(), "npu4000", 1474560))
        opt = pathlib.Path(options.tool("npu-opt"))
        compare_assignments.run(opt, written, "--npu-fuse-elementwise", "-o", path)

        def cost(strategy):
            try:
                return compare_assignments.assigned(opt.parent, path, strategy, options.scratch)
            except RuntimeError:
                return None

        least = cost("least")
        if least is None:
            raise RuntimeError(f"no assignment of {model} fits")
        gap = 100 * (least["cost"] - least["bound"]) / least["cost"]
        found = [cost(strategy) for strategy in strategies]
        rows.append(
            [f"{model}{f', {phase} {length}' if phase else ''}", f"{least['cost']:,}"]
            + ["proved" if gap == 0 else f"bound {gap:.2f} % below"]
            + [f"{each['cost'] / least['cost']:.3f}" if each else "does not fit" for each in found]
        )
    return Table(
        "What does the least cost save?",
        ["model on npu4000", "cycles", "proof"] + [f"{names[strategy]} / least" for strategy in strategies],
        rows,
        "no strategy below 1",
        [
            "One layer of decoders. All strategies have the same operations to choose from, steps included, and "
            "are priced by the same cost model; *does not fit* means that a strategy finds nothing within "
            "1,474,560 bytes of scratchpad."
        ],
    )


def packing(options):
    rows = []
    for file in sorted((REPOSITORY / "benchmarks" / "packing").glob("*.csv")):
        fits, _, _, seconds = pack_buffers.packed(options.tool("npu-translate"), file, CAPACITY)
        _, peak, least, _ = pack_buffers.packed(options.tool("npu-translate"), file)
        buffers = len(file.read_text().split()) - 1
        rows.append([f"{file.stem}, {buffers} buffers", f"{peak / least:.3f}", "yes" if fits else "no", f"{seconds:.2f} s"])
    notes = [
        "The eleven hard problems of MiniMalloc (google/minimalloc, benchmarks/challenging), which fits all of them.",
        "*Peak / bound* is without a capacity, with the work that a plan inside of a program gets.",
    ]
    return Table(
        "Do hard packings fit?",
        ["problem", "peak / bound", "fits 1,048,576 bytes", "search"],
        rows,
        "all fit, within 60 s together",
        notes,
    )


def field_tilings(options):
    rows, groups = [], {}
    for line in (REPOSITORY / "benchmarks" / "tilings.jsonl").read_text().splitlines():
        row = json.loads(line)
        kind = "chains of operations" if "ops" in row else row["op"]
        kind = kind if kind in ("chains of operations", "convolution", "max pool", "average pool") else "elementwise"
        groups.setdefault((kind, row["device"]), []).append(row)
    above = []
    for (name, device), members in sorted(groups.items()):
        chosen = members[:3] if options.quick else members
        ratios, more_steps = [], 0
        for row in chosen:
            ours = tilings.compared(options.tool("npu-opt"), row, options.scratch)
            if "error" in ours:
                raise RuntimeError(f"{row['id']}: {ours['error']}")
            ratios.append(ours["moved"] / row["ddr_bytes"])
            more_steps += ours["steps"] > row["pieces"]
            if ratios[-1] > 1.005:
                above.append(f"{row['op']} on {device} ({ratios[-1]:.2f})")
        rows.append(
            [f"{name}, {device}", f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"]
            + [f"{sum(ratio <= 1.005 for ratio in ratios)} of {len(chosen)}", f"{more_steps} of {len(chosen)}"]
        )
    notes = [
        "Operations in f16 whose tiling public tests of the field compiler pin, on as many tiles and as large "
        "scratchpads as these tests give, for the fewest bytes (`byte-price=4000`).",
        "More steps: two slots, so that loads run under work, leave half of the room for each slice.",
    ]
    if above:
        notes.append(
            f"More bytes: {'; '.join(above)}. Convolutions and their bias take four pieces of rows and columns, whose "
            "halos are read twice, for less time; a chain whose channels become rows and columns ends at the reshape."
        )
    return Table(
        "How many bytes does DDR move, beside tilings of the field compiler?",
        ["operations, device", "bytes / field compiler's", "no more bytes", "more steps"],
        rows,
        "1 of the field compiler's",
        notes,
    )


def tables(options):
    return [on_devices(options), assignments(options), packing(options), field_tilings(options)]
