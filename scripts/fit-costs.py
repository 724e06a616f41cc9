#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the figures of a device's costs to measured or modelled rows.

    scripts/fit-costs.py ROWS.jsonl [--device=NAME] [--folds=5]

A row of ROWS.jsonl is one workload with its cycles: `kind` (dpu, dma_hw or
shave), `device`, and what the workload is; docs/devices.md has the fields. For
every device and kind, prints the fitted figures by the names that a target
description has (docs/devices.md), and the median and the 90th percentile of the
relative errors: `fit` on the rows that the figures were fitted to, `kept back`
on rows that were not, each row being judged by figures fitted to the folds
that it is not in. The formulas are those of lib/Target/Costs.cpp.
"""

import argparse
import json
import math
import sys
import zlib

GRANULE = 16
# Channels of one workload of a depthwise convolution or a pooling.
WINDOW_CHANNELS = 64
# A relative error that hardly any row should have.
FAR = 0.28
# With fewer rows, each is kept back by itself.
SMALL = 25
# Pixels by channels of what the matrix engine computes at a time.
GRIDS = ((256, 64), (128, 128), (64, 256))
PEAK = {"i8": 2048, "f16": 1024}
INPUT_GRANULE = {"i8": 32, "f16": 16}
BYTES = {"i8": 1, "f16": 2}

# Rates of vector work.
VECTOR_RATES = ("vector_move", "vector_simple", "vector_special", "vector_sigmoid",
                "vector_divide", "vector_reduce")
# What a kernel does for each element: elements that it loads and stores, and operations of
# each kind. Only kernels that somebody has vectorised: scalar ones say little of an engine.
SINGLE_KERNELS = {
    "abs": {"move": 2, "simple": 1},
    "relu": {"move": 2, "simple": 1},
    "mul": {"move": 3, "simple": 1},
    "exp": {"move": 2, "special": 1},
    "log": {"move": 2, "special": 1},
    "sqrt": {"move": 2, "special": 1},
    "sigmoid": {"move": 2, "sigmoid": 1},
    "tanh": {"move": 2, "sigmoid": 1},
    # The rows of division itself are of a scalar loop.
    "swish": {"move": 2, "divide": 1},
    # A mean and a variance of each row, then a difference, a square, a product and a sum
    # for each element, which is loaded once for the row and once for itself.
    "MVN_2Ax": {"move": 3, "simple": 4, "reduce": 2},
    "MVN_3Ax": {"move": 3, "simple": 4, "reduce": 2},
}
# Several operations for each element, counted as the definition of the function has them.
CHAIN_KERNELS = {
    "clamp": {"move": 2, "simple": 2},
    "hsigmoid": {"move": 2, "simple": 4},
    "hardsigmoid": {"move": 2, "simple": 4},
    "hswish": {"move": 2, "simple": 5},
    "prelu": {"move": 2, "simple": 3},
    "cosh": {"move": 2, "simple": 3, "special": 2},
    "sinh": {"move": 2, "simple": 3, "special": 2},
    "elu": {"move": 2, "simple": 4, "special": 1},
    "selu": {"move": 2, "simple": 5, "special": 1},
    "mish": {"move": 2, "simple": 2, "special": 2, "sigmoid": 1},
    # With a hyperbolic tangent.
    "gelu": {"move": 2, "simple": 8, "sigmoid": 1},
}
# Devices whose chains are fitted. On others they are only judged: those of npu3720
# contradict each other (four simple operations take 0.1 cycles in elu, 1.7 in hsigmoid).
FITTED_CHAINS = ("npu4000",)
# Kernels of an emulated engine that take what their loads and stores take, 3 elements each.
# Without chains, nothing else tells these from a simple operation.
EMULATED_MOVES = ("vpuem.add", "vpuem.mul")
# Fewer elements say little of a rate.
MANY_ELEMENTS = 50_000
DIRECTIONS = {
    "DDR2CMX": "ddr_to_tile",
    "CMX2DDR": "tile_to_ddr",
    "CMX2CMX": "tile_to_tile",
    "DDR2DDR": "ddr_to_ddr",
}


def up(value, granule):
    return -(-value // granule)


def padded(value, granule):
    return up(value, granule) * granule


def contraction_terms(row):
    """Cycles at the peak, bytes that the engine reads, bytes that it writes."""
    rows, dtype = row["OW"] * row["OH"], row["dtype"]
    window, size = row["k"] ** 2, BYTES[dtype]
    depth = padded(row["IC"], INPUT_GRANULE[dtype]) * window
    macs = padded(rows, GRANULE) * padded(row["OC"], GRANULE) * depth
    read = min(
        up(rows, pixels) * padded(row["OC"], GRANULE) * depth
        + up(row["OC"], channels) * padded(rows, GRANULE) * depth
        for pixels, channels in GRIDS
    )
    return macs / PEAK[dtype], read * size, rows * row["OC"] * size


def contraction(terms, figures):
    overhead, read, write = figures
    return overhead + max(terms[0], terms[1] / read) + terms[2] / write


def window_terms(row):
    """Workloads, padded channels, pixels of the result, taps, pixels read."""
    channels = padded(row["OC"], INPUT_GRANULE[row["dtype"]])
    return (up(channels, WINDOW_CHANNELS), channels, row["OW"] * row["OH"], row["k"] ** 2,
            row["W"] * row["H"])


def windowed(terms, figures):
    workloads, channels, pixels, taps, pixels_read = terms
    overhead, tap_rate, input_rate, least = figures
    cycles = max(pixels, least) * taps / tap_rate + pixels_read / input_rate
    return overhead * workloads + channels * cycles


def elementwise_terms(row):
    return row["OW"] * row["OH"], padded(row["OC"], GRANULE)


def elementwise(terms, figures):
    overhead, rate, least = figures
    return overhead + max(terms[0], least) * terms[1] / rate


def linear(terms, figures):
    return figures[0] + terms / figures[1]


def minimum(function, start, steps=400):
    """Nelder and Mead's search, on the logarithms of the figures."""
    count = len(start)
    points = [list(start)]
    for i in range(count):
        points.append([x + (0.5 if i == j else 0) for j, x in enumerate(start)])
    simplex = sorted((function(p), p) for p in points)
    for _ in range(steps):
        worst = simplex[-1]
        centre = [sum(p[i] for _, p in simplex[:-1]) / count for i in range(count)]

        def along(factor):
            point = [c + factor * (w - c) for c, w in zip(centre, worst[1])]
            return function(point), point

        tried = along(-1)
        if tried[0] < simplex[0][0]:
            tried = min(tried, along(-2))
        elif tried[0] >= simplex[-2][0]:
            tried = min(tried, along(0.5))
        if tried[0] < worst[0]:
            simplex[-1] = tried
        else:
            best = simplex[0][1]
            shrunk = [[(a + b) / 2 for a, b in zip(p, best)] for _, p in simplex[1:]]
            simplex = [simplex[0]] + [(function(p), p) for p in shrunk]
        simplex.sort()
        if simplex[-1][0] - simplex[0][0] < 1e-9:
            break
    return simplex[0]


def relative(errors_of_rows):
    """The sum of relative errors.

    A sum alone gives up a tenth of the rows for nearly exact others; what lies
    beyond FAR counts three times, so that few do.
    """
    return sum(abs(e) + 2 * max(0, abs(e) - FAR) for e in errors_of_rows)


def logarithmic(errors_of_rows):
    """The sum of the logarithms of how many times too much or too little.

    Relative errors of what is too little end at 1, so that their sum prefers
    figures that are too small for rows that scatter.
    """
    return sum(abs(math.log1p(e)) for e in errors_of_rows)


def fit(form, rows, starts, total=relative):
    """Figures with the least total of errors. Rows are (terms, cycles)."""

    def error(logs):
        if any(abs(x) > 40 for x in logs):
            return math.inf
        figures = [math.exp(x) for x in logs]
        return total([form(t, figures) / c - 1 for t, c in rows])

    found = []
    for start in starts:
        logs = [math.log(x) for x in start]
        value, logs = minimum(error, logs)
        found.append(minimum(error, logs))  # a fresh simplex: not stuck in a flat one
    return [math.exp(x) for x in min(found)[1]]


def errors(form, rows, figures):
    return [abs(form(t, figures) - c) / c for t, c in rows]


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def judged(values):
    """One number for how bad errors are: the median and the 90th percentile."""
    return percentile(values, 0.5) + percentile(values, 0.9)


def summary(values):
    return f"{100 * percentile(values, 0.5):5.1f} % {100 * percentile(values, 0.9):5.1f} %"


def kept_back(form, rows, starts, folds, total):
    """The error of each row by figures fitted to the folds that it is not in."""
    kept = [0.0] * len(rows)
    for fold in range(folds):
        known = [r for i, r in enumerate(rows) if i % folds != fold]
        kept[fold::folds] = errors(form, rows[fold::folds], fit(form, known, starts, total))
    return kept


def report(device, what, form, rows, starts, names, folds, totals=(relative,)):
    """Prints figures and errors of one kind; returns the figures and, for each row in
    order, its error kept back.

    Of several totals of errors, a later one is taken where the median and the 90th
    percentile that it gives on rows kept back are, together, a tenth less.
    """
    if len(rows) < 2 * folds:
        print(f"{device} {what}: {len(rows)} rows, too few")
        return None, []
    rows = [(t, c) for _, t, c in sorted(rows)]
    if len(rows) < SMALL:
        folds = len(rows)  # leave one out: each of the few counts
    kept = total = None
    for tried in totals:
        errors_of_it = kept_back(form, rows, starts, folds, tried)
        if kept is None or judged(errors_of_it) < 0.9 * judged(kept):
            kept, total = errors_of_it, tried
    figures = fit(form, rows, starts, total)
    print(
        f"{device} {what}: {len(rows)} rows, median and p90:"
        f" fit {summary(errors(form, rows, figures))}, kept back {summary(kept)}"
    )
    for (name, unit), value in zip(names, figures):
        scaled = value * 1000 if unit.endswith("1000 cycles") else value
        print(f"    {name} = {round(scaled)}  {unit}")
    return figures, kept


def key(row):
    """An order of rows that has nothing to do with their sizes: folds are even."""
    return zlib.crc32(json.dumps(row, sort_keys=True).encode())


ENGINE = {
    "CONVOLUTION": ("contraction", contraction, contraction_terms, ((300, 64, 32), (100, 200, 8)),
                    (("overhead", "cycles"), ("read", "bytes per 1000 cycles"),
                     ("write", "bytes per 1000 cycles"))),
    "DW_CONVOLUTION": ("depthwise", windowed, window_terms, ((300, 200, 100, 16), (100, 100, 1e4, 49)),
                       (("overhead", "cycles"), ("taps", "taps per 1000 cycles"),
                        ("inputs", "inputs per 1000 cycles"), ("least_pixels", "pixels"))),
    "MAXPOOL": ("pooling", windowed, window_terms, ((300, 200, 100, 16), (100, 100, 1e4, 49)),
                (("overhead", "cycles"), ("taps", "taps per 1000 cycles"),
                 ("inputs", "inputs per 1000 cycles"), ("least_pixels", "pixels"))),
    "ELTWISE": ("elementwise", elementwise, elementwise_terms, ((300, 32, 16), (300, 16, 4)),
                (("overhead", "cycles"), ("rate", "elements per 1000 cycles"),
                 ("least_pixels", "pixels"))),
}


def fit_engine(device, rows, folds):
    for op, (name, form, terms, starts, figures) in ENGINE.items():
        kept = []
        for dtype in ("f16", "i8"):
            chosen = [r for r in rows if r["kind"] == "dpu" and r["op"] == op
                      and r["dtype"] == dtype]
            data = []
            for row in chosen:
                # Below the physical bound lies an artefact of the model's network.
                floor = row["macs"] / PEAK[dtype] if op == "CONVOLUTION" else 0
                data.append((key(row), terms(row), max(row["cycles"], floor)))
            names = [(f"{name}_{n}_{dtype}", unit) for n, unit in figures]
            kept += report(device, f"{name} {dtype}", form, data, starts, names, folds)[1]
        if kept:
            print(f"  {device} {name}, both types, kept back: {summary(kept)}")


def fit_transfers(device, rows, folds):
    kept = []
    for direction, name in DIRECTIONS.items():
        chosen = [r for r in rows if r["kind"] == "dma_hw" and r["dir"] == direction]
        data = [(key(r), r["bytes"], r["cycles"]) for r in chosen]
        names = ((f"{name}_latency", "cycles"), (f"{name}_rate", "bytes per 1000 cycles"))
        kept += report(device, name, linear, data, ((500, 20),), names, folds,
                       (relative, logarithmic))[1]
    if kept:
        print(f"  {device} transfers, kept back: {summary(kept)}")


def vector(terms, figures):
    """A kernel loads and stores while it computes."""
    moved, steps, elements = terms
    work = sum(count / figures[2 + kind] for kind, count in steps)
    return figures[0] + elements * max(moved / figures[1], work)


def vector_rows(device, rows, kernels):
    """Rows of kernels in an order for folds: an order, what the kernel does, cycles."""
    data = []
    for row in rows:
        if row["kind"] != "shave" or row["op"] not in kernels:
            continue
        work = kernels[row["op"]]
        steps = tuple((kind, work[name.removeprefix("vector_")])
                      for kind, name in enumerate(VECTOR_RATES[1:])
                      if name.removeprefix("vector_") in work)
        data.append((key(row), (work["move"], steps, row["elements"]), row["cycles"]))
    return data


def emulated_moves(rows):
    """Elements that an emulated engine loads and stores in a cycle; None without such rows."""
    rates = [3 * r["elements"] / r["cycles"] for r in rows if r["kind"] == "shave"
             and r["op"] in EMULATED_MOVES and r["elements"] >= MANY_ELEMENTS]
    return percentile(rates, 0.5) if rates else None


def fit_vector(device, rows, folds):
    """One overhead for all kernels, a rate of loads and stores, and one of each kind of work."""
    has_chains = device in FITTED_CHAINS
    data = vector_rows(device, rows, SINGLE_KERNELS | (CHAIN_KERNELS if has_chains else {}))
    moves = emulated_moves(rows)
    if moves:
        print(f"{device} loads and stores of emulated kernels: {round(1000 * moves)}"
              f" elements per 1000 cycles{'' if has_chains else ', taken as vector_move_rate'}")
    names = [("vector_overhead", "cycles")]
    names += [(f"{name}_rate", "elements per 1000 cycles") for name in VECTOR_RATES]
    # Where the search begins: the rates of the largest rows, which hide the overhead.
    start = [3000, max((m * e / c for _, (m, _, e), c in data), default=1)]
    for kind in range(len(VECTOR_RATES) - 1):
        start.append(max((e / c for _, (_, s, e), c in data if s[-1][0] == kind), default=1))
    form = vector
    if moves and not has_chains:
        def form(terms, figures):
            return vector(terms, (figures[0], moves, *figures[1:]))
        del names[1], start[1]
    figures, kept = report(device, "vector engine", form, data, (start,), names, folds)
    for what, kernels in (("single operations", SINGLE_KERNELS), ("chains", CHAIN_KERNELS)):
        group = vector_rows(device, rows, kernels)
        if not figures or not group:
            continue
        orders = {order for order, _, _ in group}
        of_group = [e for (order, _, _), e in zip(sorted(data), kept) if order in orders]
        print(f"  {device} vector engine, {what}: {len(group)} rows, median and p90:"
              f" fit {summary(errors(form, [row[1:] for row in group], figures))}"
              + (f", kept back {summary(of_group)}" if of_group else ", not fitted to these"))


# What a row of a kind needs beside its kind and its device.
FIELDS = {
    "dpu": {"op": str, "dtype": str, "W": int, "H": int, "OC": int, "IC": int,
            "OW": int, "OH": int, "k": int, "macs": int, "cycles": int},
    "dma_hw": {"dir": str, "bytes": int, "cycles": int},
    "shave": {"op": str, "elements": int, "cycles": int},
}


def checked(row, where):
    """The row, or the end with a message where one of its fields is no figure."""
    fields = {"device": str, **FIELDS[row["kind"]]}
    for name, kind in fields.items():
        value = row.get(name)
        if type(value) is not kind or (kind is int and value < 1):
            wanted = "a number of at least 1" if kind is int else "a string"
            sys.exit(f"{where}: expected {wanted} as '{name}', got {json.dumps(value)}")
    if row["kind"] == "dpu" and row["dtype"] not in PEAK:
        sys.exit(f"{where}: expected 'dtype' {' or '.join(PEAK)}, got {json.dumps(row['dtype'])}")
    return row


def read(path):
    """The rows of the kinds that there are figures for, and how many others."""
    rows, others = [], 0
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: expected a readable text file: {error}")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            sys.exit(f"{where}: expected a JSON object, got: {error}")
        if not isinstance(row, dict) or not isinstance(row.get("kind"), str):
            sys.exit(f"{where}: expected an object with a 'kind', got {line.strip()[:60]}")
        if row["kind"] in FIELDS:
            rows.append(checked(row, where))
        else:
            others += 1
    return rows, others


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", help="workloads with their cycles, one JSON object a line")
    parser.add_argument("--device", help="this device only")
    parser.add_argument("--folds", type=int, default=5, help="parts to keep back in turn")
    arguments = parser.parse_args()
    if arguments.folds < 2:
        parser.error(f"expected at least 2 folds, got {arguments.folds}")
    rows, others = read(arguments.rows)
    devices = sorted({r["device"] for r in rows})
    if not devices or arguments.device not in (None, *devices):
        sys.exit(f"{arguments.rows}: expected rows of {arguments.device or 'a device'},"
                 f" got rows of {', '.join(devices) or 'none'}")
    if others:
        print(f"not fitted: {others} rows of kinds other than {', '.join(FIELDS)}")
    for device in devices:
        if arguments.device in (None, device):
            mine = [r for r in rows if r["device"] == device]
            fit_engine(device, mine, arguments.folds)
            fit_transfers(device, mine, arguments.folds)
            fit_vector(device, mine, arguments.folds)


if __name__ == "__main__":
    main()
