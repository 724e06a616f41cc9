# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Placements and bytes, counted as simply as possible: an oracle of the compiler's
for tests to compare with. It shares no code with it and is written from the
definitions in docs/concepts.md."""

import itertools
import json
import sys


def split(extent, count, rule="balanced", align=1):
    """The ranges of `extent` over `count` tiles."""
    granules = -(-extent // align)
    if rule == "balanced":
        sizes = [(granules // count + (t < granules % count)) * align for t in range(count)]
    else:
        sizes = [-(-(-(-extent // count)) // align) * align] * count
    ranges, begin = [], 0
    for size in sizes:
        end = min(begin + size, extent)
        ranges.append(range(begin, end))
        begin = end
    return ranges


def window_ranges(extent, count, window, rule="balanced"):
    """What a reader's outputs, split over the tiles, read of `extent`."""
    kernel, stride, low, high = window
    outputs = max((extent + low + high - kernel) // stride + 1, 0)
    reads = []
    for part in split(outputs, count, rule):
        begin = part.start * stride - low
        end = (part.stop - 1) * stride - low + kernel
        reads.append(range(max(begin, 0), min(end, extent)) if part else range(0))
    return reads


def hull(a, b):
    if not a or not b:
        return a or b
    return range(min(a.start, b.start), max(a.stop, b.stop))


def place(shape, tiles, rule="balanced", major=None, window=None, everywhere=False):
    """A (compute, memory) pair of boxes per tile; a box is a range per dimension.
    `window` is (dim, kernel, stride, pad_lo, pad_hi)."""
    order = major or [d for d, n in enumerate(tiles) if n > 1]
    compute = [split(extent, n, rule) for extent, n in zip(shape, tiles)]
    memory = [list(ranges) for ranges in compute]
    if window:
        dim = window[0]
        reads = window_ranges(shape[dim], tiles[dim], window[1:], rule)
        memory[dim] = [hull(c, r) for c, r in zip(compute[dim], reads)]
    whole = tuple(range(extent) for extent in shape)
    boxes = []
    for parts in itertools.product(*(range(tiles[d]) for d in order)):
        part = dict(zip(order, parts))
        box = lambda ranges: tuple(r[part.get(d, 0)] for d, r in enumerate(ranges))
        boxes.append((box(compute), whole if everywhere else box(memory)))
    return boxes


def volume(box):
    product = 1
    for part in box:
        product *= len(part)
    return product


def missing(source, target):
    """Elements that the tile must hold and does not, by counting per dimension
    the indices that both boxes have."""
    common = 1
    for have, want in zip(source, target):
        common *= len(set(have) & set(want))
    return volume(target) - common


def bytes_missing(source, target, element_bytes=2):
    """Per tile, from memory boxes before and after."""
    return [missing(s, t) * element_bytes for s, t in zip(source, target)]


def memories(placement):
    return [memory for _, memory in placement]


def permuted(placement, dims):
    """Dimension o of the result is dimension dims[o] of the operand."""
    return [tuple(tuple(box[d] for d in dims) for box in tile) for tile in placement]


def box_of(entry):
    return tuple(range(o, o + s) for o, s in zip(entry["offset"], entry["size"]))


def same_box(a, b):
    return volume(a) == volume(b) == 0 or tuple(a) == tuple(b)


def check_placement(value, placement):
    """`value` is an entry of npu-print-distributions."""
    assert len(value["tiles"]) == len(placement), value
    for tile, (entry, (compute, memory)) in enumerate(zip(value["tiles"], placement)):
        assert entry["tile"] == tile, value
        assert same_box(box_of(entry["compute"]), compute), (value, tile, compute)
        assert same_box(box_of(entry["memory"]), memory), (value, tile, memory)


def check_row(row, source, target, element_bytes=2):
    """`row` is an entry of npu-print-transfers, from and to these memory boxes."""
    wanted = bytes_missing(source, target, element_bytes)
    for figure, count in (("bytes_received", sum(wanted)), ("max_tile_received", max(wanted))):
        assert row[figure] == row[figure + "_bound"] == count, (row["location"], figure, row[figure], count)
    assert row["bytes_injected"] == row["bytes_injected_bound"], row["location"]
    assert row["max_tile_sent"] >= row["max_tile_sent_bound"], row["location"]
    # Every transfer carries what its sender has and its receivers lack, and no
    # receiver gets anything twice.
    received = [0] * len(target)
    for transfer in row["transfers"]:
        box = box_of(transfer)
        assert transfer["bytes"] == volume(box) * element_bytes, transfer
        assert missing(source[transfer["from"]], box) == 0, transfer
        for tile in transfer["to"]:
            assert missing(target[tile], box) == 0, transfer
            assert missing(source[tile], box) == volume(box), transfer
            received[tile] += transfer["bytes"]
    assert received == wanted, (row["location"], received, wanted)


def functions(text):
    return {f["name"]: f for f in json.loads(text)["functions"]}


def spell(numbers):
    return "[" + ", ".join(map(str, numbers)) + "]"


def tensor(shape, layout="", element="f16"):
    return "tensor<" + "x".join(map(str, [*shape, element])) + (", " + layout if layout else "") + ">"


def done(count, least):
    """Says how much was checked; a test that checks nothing must not pass."""
    if count < least:
        sys.exit(f"only {count} of at least {least} cases were checked")
    print(f"checked {count} cases")
