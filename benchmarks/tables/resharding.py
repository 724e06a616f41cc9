# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resharding between all ordered pairs of shardings of a grid of devices, ours beside
upstream's `shard` dialect: right or wrong, and how many bytes.

Both programs are executed here, on simulated devices whose elements are numbers of
their places in the whole tensor, and each element that comes from another device is
counted. Nothing is taken from what a compiler says of itself.

    benchmarks/run --only=resharding
"""

import collections
import concurrent.futures
import heapq
import itertools
import math
import os
import random
import re
import subprocess

from .page import Skipped, Table

MLIR_OPT = "mlir-opt-22"
PIPELINE = "builtin.module(func.func(shard-partition),canonicalize)"


# Shardings. A sharding has for each dimension the axes of the grid that split it, the
# slowest first; axes that split nothing hold copies.


def shardings(axes, rank):
    found = set()
    for dims in itertools.product(range(-1, rank), repeat=axes):
        groups = [[axis for axis in range(axes) if dims[axis] == dim] for dim in range(rank)]
        found.update(itertools.product(*(itertools.permutations(group) for group in groups)))
    return sorted(found)


class Grid:
    def __init__(self, extents):
        self.extents = extents
        self.devices = list(itertools.product(*(range(extent) for extent in extents)))
        self.number = {device: i for i, device in enumerate(self.devices)}

    def size(self, axes):
        return math.prod(self.extents[axis] for axis in axes)

    def place(self, device, axes):
        place = 0
        for axis in axes:
            place = place * self.extents[axis] + device[axis]
        return place

    def groups(self, axes):
        """Devices that differ along these axes only, in the order of their places."""
        groups = collections.defaultdict(list)
        for device in self.devices:
            groups[tuple(x for axis, x in enumerate(device) if axis not in axes)].append(device)
        return [sorted(group, key=lambda device: self.place(device, axes)) for group in groups.values()]

    def boxes(self, sharding, shape):
        """The box of each device, as a range for each dimension."""
        boxes = []
        for device in self.devices:
            box = []
            for axes, extent in zip(sharding, shape):
                width = extent // self.size(axes)
                box.append((self.place(device, axes) * width, (self.place(device, axes) + 1) * width))
            boxes.append(tuple(box))
        return boxes


def overlap(a, b):
    return math.prod(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x, y in zip(a, b))


def volume(box):
    return math.prod(end - begin for begin, end in box)


def missing(before, after):
    """The fewest elements that have to be received: what each device needs and does not
    hold."""
    return sum(volume(new) - overlap(old, new) for old, new in zip(before, after))


# Simulated devices.


class Array:
    """Elements in row-major order; None where nothing was written yet."""

    def __init__(self, shape, elements=None):
        self.shape = tuple(shape)
        self.elements = elements or [None] * math.prod(self.shape)

    def places(self, offsets, sizes):
        if len(offsets) != len(self.shape) or any(
            begin < 0 or begin + size > extent for begin, size, extent in zip(offsets, sizes, self.shape)
        ):
            raise ValueError(f"box at {offsets} of {sizes} is not inside {self.shape}")
        places = [0]
        for begin, size, extent in zip(offsets, sizes, self.shape):
            places = [place * extent + begin + i for place in places for i in range(size)]
        return places

    def read(self, offsets, sizes):
        return [self.elements[place] for place in self.places(offsets, sizes)]

    def written(self, offsets, sizes, elements):
        """A copy of the array with a box replaced."""
        copy = Array(self.shape, list(self.elements))
        for place, element in zip(copy.places(offsets, sizes), elements):
            copy.elements[place] = element
        return copy


def whole(shape):
    return Array(shape, list(range(math.prod(shape))))


def part(shape, box):
    sizes = [end - begin for begin, end in box]
    return Array(sizes, whole(shape).read([begin for begin, _ in box], sizes))


class Simulation:
    """What devices hold, and how many elements they received from others."""

    def __init__(self):
        self.received = 0

    def fetch(self, array, sender, receiver, offsets, sizes):
        elements = array.read(offsets, sizes)
        if sender != receiver:
            self.received += len(elements)
        return elements


# Upstream: one program that all devices run, with collectives of the grid.


def upstream_text(grid, shape, before, after):
    def written(sharding):
        axes = [list(group) for group in sharding]
        while len(axes) > 1 and not axes[-1]:
            axes.pop()
        return str(axes)

    tensor = f"tensor<{'x'.join(map(str, shape))}xf32>"
    return f"""shard.grid @g(shape = {'x'.join(map(str, grid.extents))})
func.func @f(%a: {tensor}) -> {tensor} {{
  %before = shard.sharding @g split_axes = {written(before)} : !shard.sharding
  %after = shard.sharding @g split_axes = {written(after)} : !shard.sharding
  %0 = shard.shard %a to %before : {tensor}
  %1 = shard.shard %0 to %after annotate_for_users : {tensor}
  return %1 : {tensor}
}}
"""


def run_upstream(text, grid, arrays):
    """Executes the collectives of a program; returns what devices hold, and the
    elements that they received."""
    simulation = Simulation()
    for line in text.splitlines():
        found = re.search(r"= shard\.(\w+) %\w+ on @g (?:grid_axes = \[([\d, ]*)\] )?(.*?) : ", line)
        if not found:
            continue
        name, rest = found.group(1), found.group(3)
        axes = [int(axis) for axis in (found.group(2) or "").split(",") if axis]
        numbers = dict((key, int(value)) for key, value in re.findall(r"(\w+) = (\d+)", rest))
        arrays = collective(simulation, name, numbers, grid.groups(axes), arrays)
    return arrays, simulation.received


def collective(simulation, name, numbers, groups, arrays):
    """One step: every device of a group gets a part of every other's array."""
    result = {}
    for group in groups:
        count = len(group)
        for place, device in enumerate(group):
            shape = list(arrays[device].shape)
            if name == "all_slice":
                dim, senders, concat = numbers["slice_axis"], [device], None
            elif name == "all_gather":
                dim, senders, concat = None, group, numbers["gather_axis"]
            elif name == "all_to_all":
                dim, senders, concat = numbers["split_axis"], group, numbers["concat_axis"]
            else:
                raise ValueError(f"unknown collective {name}")
            offsets, sizes = [0] * len(shape), list(shape)
            if dim is not None:
                sizes[dim] //= count
                offsets[dim] = place * sizes[dim]
            total = list(sizes)
            if concat is not None:
                total[concat] *= count
            array = Array(total)
            for i, sender in enumerate(senders):
                target = [0] * len(shape)
                if concat is not None:
                    target[concat] = i * sizes[concat]
                elements = simulation.fetch(arrays[sender], sender, device, offsets, sizes)
                array = array.written(target, sizes, elements)
            result[device] = array
    return result


def try_upstream(grid, shape, before, after):
    process = subprocess.run(
        [MLIR_OPT, "-", f"--pass-pipeline={PIPELINE}"],
        input=upstream_text(grid, shape, before, after),
        capture_output=True,
        text=True,
        env={**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"},
    )
    if process.returncode < 0 or process.returncode > 1:
        return "crashed", None
    if process.returncode:
        return "refused", None
    arrays = {device: part(shape, box) for device, box in zip(grid.devices, grid.boxes(before, shape))}
    arrays, received = run_upstream(process.stdout, grid, arrays)
    right = all(
        arrays[device].shape == expected.shape and arrays[device].elements == expected.elements
        for device, expected in zip(grid.devices, (part(shape, box) for box in grid.boxes(after, shape)))
    )
    return ("correct", received) if right else ("silently wrong", None)


# Ours: one program with the operations of all tiles.


def our_text(grid, shape, pairs):
    """A function for each pair. Boxes are written out, because orders of axes inside of
    one dimension have no shorter form."""

    def layout(sharding):
        boxes = ", ".join(
            "[" + ", ".join(f"{begin}:{end}" for begin, end in box) + "]" for box in grid.boxes(sharding, shape)
        )
        return f"tensor<{'x'.join(map(str, shape))}xf32, #npu.layout<SEGMENTED, compute = [{boxes}]>>"

    return "\n".join(
        f"func.func @pair{i}(%a: {layout(before)}) -> {layout(after)} {{\n"
        f"  %0 = npu.redistribute %a : {layout(before)} to {layout(after)}\n"
        f"  return %0 : {layout(after)}\n}}"
        for i, (before, after) in enumerate(pairs)
    )


def numbers(text):
    return [int(number) for number in text.split(",") if number.strip()]


TYPE = r"tensor<([\dx]+)xf32>"
EMPTY = re.compile(rf"(%\w+) = tensor\.empty\(\)(?: \{{npu\.tile = (\d+)[^}}]*\}})? : {TYPE}")
SLICE = re.compile(
    r"(%\w+) = tensor\.extract_slice (%\w+)\[([^\]]*)\] \[([^\]]*)\] \[[1, ]*\] \{npu\.tile = (\d+)"
)
INSERT = re.compile(
    r"(%\w+) = tensor\.insert_slice (%\w+) into (%\w+)\[([^\]]*)\] \[([^\]]*)\] \[[1, ]*\] \{npu\.tile = (\d+)"
)
TRANSFER = re.compile(
    r"(.*) = npu\.transfer (%\w+)\[([^\]]*)\] from (ddr|tile \d+) to (.*) into (.*) box \[([^\]]*)\]"
)


def run_ours(lines, shape):
    """Executes the lines of one tile program. Returns what each tile defined last, the
    result in DDR, and the elements that tiles received from others."""
    simulation, values, last = Simulation(), {"%arg0": whole(shape)}, {}
    home = {"%arg0": "ddr"}

    def define(name, where, array):
        values[name], home[name] = array, where
        if where != "ddr":
            last[where] = array

    for line in map(str.strip, lines):
        if found := EMPTY.fullmatch(line):
            name, tile, extents = found.groups()
            define(name, f"tile {tile}" if tile else "ddr", Array(int(x) for x in extents.split("x")))
        elif found := SLICE.match(line):
            name, source, offsets, sizes, tile = found.groups()
            check(home[source] == f"tile {tile}", line)
            elements = values[source].read(numbers(offsets), numbers(sizes))
            define(name, f"tile {tile}", Array(numbers(sizes), elements))
        elif found := INSERT.match(line):
            name, source, into, offsets, sizes, tile = found.groups()
            check(home[source] == home[into] == f"tile {tile}", line)
            elements = values[source].elements
            define(name, f"tile {tile}", values[into].written(numbers(offsets), numbers(sizes), elements))
        elif found := TRANSFER.match(line):
            names, source, offsets, sender, receivers, places, box = found.groups()
            check(home[source] == sender, line)
            ranges = [tuple(map(int, each.split(":"))) for each in box.split(",")]
            sizes = [end - begin for begin, end in ranges]
            places = re.findall(r"(%\w+)\[([^\]]*)\]", places)
            for name, receiver, (into, at) in zip(names.split(", "), receivers.split(", "), places, strict=True):
                check(home[into] == receiver, line)
                between = sender if "ddr" not in (sender, receiver) else receiver
                elements = simulation.fetch(values[source], between, receiver, numbers(offsets), sizes)
                define(name, receiver, values[into].written(numbers(at), sizes, elements))
        elif line.startswith("return "):
            return last, values[line.split()[1]], simulation.received
        else:
            raise ValueError(f"unknown line {line}")
    raise ValueError("a function without return")


def check(holds, line):
    """No tile may read another's memory but by a transfer."""
    if not holds:
        raise ValueError(f"a value of another tile in {line}")


def try_ours(options, grid, shape, pairs):
    process = subprocess.run(
        [options.tool("npu-opt"), "-", "--npu-lower-to-tiles"],
        input=our_text(grid, shape, pairs),
        capture_output=True,
        text=True,
    )
    if process.returncode < 0 or process.returncode > 1:
        return [("crashed", None)] * len(pairs)
    if process.returncode:
        return [("refused", None)] * len(pairs)
    return judged(process.stdout, grid, shape, pairs)


def judged(text, grid, shape, pairs):
    """The outcome of each function of a tile program."""
    functions = re.split(r"^  func\.func @pair\d+.*\{\n", text, flags=re.MULTILINE)[1:]
    outcomes = []
    for function, (_, after) in zip(functions, pairs, strict=True):
        last, result, received = run_ours(function.splitlines(), shape)
        expected = [part(shape, box) for box in grid.boxes(after, shape)]
        right = result.elements == whole(shape).elements and all(
            last[f"tile {tile}"].shape == each.shape and last[f"tile {tile}"].elements == each.elements
            for tile, each in enumerate(expected)
        )
        outcomes.append(("correct", received) if right else ("silently wrong", None))
    return outcomes


# The best sequence of collectives, by the shortest path over all shardings.


def moves(grid, shape, sharding, everything):
    """The shardings that one collective makes of this one, with the elements received:
    a slice and a gather of the last axes of a dimension, an all-to-all from one dimension
    to another, and a permutation of whole parts."""
    boxes = grid.boxes(sharding, shape)
    local = volume(boxes[0])
    used = {axis for axes in sharding for axis in axes}
    for dim, axes in enumerate(sharding):
        for axis in set(range(len(grid.extents))) - used:
            yield replaced(sharding, {dim: axes + (axis,)}), 0
        for kept in range(len(axes)):
            count = grid.size(axes[kept:])
            yield replaced(sharding, {dim: axes[:kept]}), len(boxes) * local * (count - 1)
            for other in range(len(sharding)):
                if other != dim:
                    moved = {dim: axes[:kept], other: sharding[other] + axes[kept:]}
                    yield replaced(sharding, moved), len(boxes) * local * (count - 1) // count
    widths = [grid.size(axes) for axes in sharding]
    for other in everything:
        if other != sharding and [grid.size(axes) for axes in other] == widths:
            yield other, sum(local for a, b in zip(boxes, grid.boxes(other, shape)) if a != b)


def replaced(sharding, axes):
    return tuple(axes.get(dim, old) for dim, old in enumerate(sharding))


def best_sequences(grid, shape, start, everything):
    """The fewest elements that a sequence of collectives moves to each sharding."""
    best, queue = {start: 0}, [(0, start)]
    while queue:
        cost, sharding = heapq.heappop(queue)
        if cost > best[sharding]:
            continue
        for other, more in moves(grid, shape, sharding, everything):
            if cost + more < best.get(other, math.inf):
                best[other] = cost + more
                heapq.heappush(queue, (cost + more, other))
    return best


def of_bound(elements, bounds):
    """Received elements in units of the bound: together, and of the worst pair."""
    together = sum(elements) / sum(bounds) if sum(bounds) else 1.0
    worst = max((have / least for have, least in zip(elements, bounds) if least), default=1.0)
    free = sum(have > 0 for have, least in zip(elements, bounds) if not least)
    return f"{together:.3f}, at most {worst:.2f}" + (f", {free} moved where nothing had to" if free else "")


def row_pair(options, extents, shape, sample):
    grid, everything = Grid(extents), shardings(len(extents), len(shape))
    pairs = [(a, b) for a in everything for b in everything if a != b]
    if sample and sample < len(pairs):
        pairs = random.Random(1).sample(pairs, sample)
    bounds = [missing(grid.boxes(a, shape), grid.boxes(b, shape)) for a, b in pairs]
    starts = {a: best_sequences(grid, shape, a, everything) for a in {a for a, _ in pairs}}
    sequences = [starts[a][b] for a, b in pairs]
    ours = try_ours(options, grid, shape, pairs)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        theirs = list(pool.map(lambda pair: try_upstream(grid, shape, *pair), pairs))
    name = f"{'x'.join(map(str, extents))}, rank {len(shape)}: {len(pairs):,} pairs"
    for who, outcomes in (("ours", ours), ("`shard`", theirs)):
        counts = collections.Counter(outcome for outcome, _ in outcomes)
        right = [(received, bound) for (outcome, received), bound in zip(outcomes, bounds) if outcome == "correct"]
        yield [
            f"{name}, {who}",
            *(counts[outcome] for outcome in ("correct", "refused", "crashed", "silently wrong")),
            of_bound(*zip(*right)) if right else "-",
            of_bound(sequences, bounds),
        ]


def tables(options):
    if subprocess.run(["which", MLIR_OPT], capture_output=True).returncode:
        raise Skipped(f"{MLIR_OPT} is not installed (package mlir-22-tools)")
    cases = [
        ((2, 2), (4, 4), None),
        ((2, 2), (4, 4, 4), None),
        ((2, 2, 2), (8, 8, 8), 150 if options.quick else 1500),
    ]
    rows = [row for case in cases for row in row_pair(options, *case)]
    ours = [row for row in rows if row[0].endswith("ours")]
    wrong = sum(sum(row[2:5]) for row in ours)
    notes = [
        "Bytes are those that devices receive from others, in units of the fewest possible: what each device "
        "needs and does not hold. All pairs that came out right together, and the pair with the most.",
        "Both programs are executed by one interpreter on simulated devices, which compares every device's "
        "elements with the sharding that was asked for, and counts what crosses between devices.",
        "The last column is the shortest path over slices, gathers, all-to-alls and permutations of parts, over "
        "all shardings in between, found for each pair: no sequence of these moves fewer bytes.",
        "Extents are divisible, because `shard` refuses others.",
    ]
    if wrong:
        notes.append(f"{wrong} of our pairs did not come out right, which is a fault.")
    return [
        Table(
            "Does resharding come out right, and at how many bytes?",
            ["grid and tensor", "correct", "refused", "crashed", "silently wrong", "bytes / bound", "best collectives / bound"],
            rows,
            "all of ours correct, at 1.000 of the bound",
            notes,
        )
    ]
