# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All 24 permutations of rank 4, as permute_casts and as transposes that move
data, over even and uneven splits. `generate` writes the functions; `distributions`
and `transfers` read the two reports and compare them with the model."""

import itertools
import sys

sys.dont_write_bytecode = True  # Nothing is written beside the sources.
import placement_model as model

PERMUTATIONS = list(itertools.permutations(range(4)))
# Tiles split 1 and 2, with dimension 2 the slower one where `major` says so.
SPLITS = {
    "even": ([2, 4, 6, 8], [1, 2, 3, 1], None),
    "uneven": ([2, 5, 7, 3], [1, 2, 3, 1], None),
    "major": ([2, 5, 7, 3], [1, 2, 3, 1], [2, 1]),
    "empty": ([3, 2, 5, 4], [1, 4, 1, 1], None),
}


def compose(first, second):
    return [first[i] for i in second]


def inverse(p):
    return [p.index(i) for i in range(4)]


def seen_through(values, dims):
    return [values[d] for d in dims]


def layout(tiles, major, mode="SEGMENTED", order=None):
    items = [mode, f"tiles = {model.spell(tiles)}"]
    if major:
        items.append(f"major = {model.spell(major)}")
    if order:
        items.append(f"order = {model.spell(order)}")
    return "#npu.layout<" + ", ".join(items) + ">"


class Case:
    """A function of one operation, from `have` to `want` seen through `dims`."""

    def __init__(self, name, text, shape, image, dims, have, want):
        self.name, self.text, self.shape, self.image = name, text, shape, image
        # `have` as the tiles lie, the same under the result's dimensions, `want`.
        self.have, self.seen, self.want = have, model.permuted(have, dims), want
        self.needed = model.permuted(want, inverse(dims))


def targets(tiles, major, dims, image):
    """Layouts for the result: what memory has, and the same tile counts over
    another dimension, which moves data."""
    moved_major = None if major is None else [dims.index(d) for d in major]
    seen = seen_through(tiles, dims)
    # The tile number is what `major` is for: dimension 1 stays the slower one.
    slow_first = moved_major or [dims.index(d) for d, n in enumerate(tiles) if n > 1]
    yield "same", "OVERLAPPED", seen, slow_first if slow_first != sorted(slow_first) else None
    turned = seen[1:] + seen[:1]
    yield "other", "SEGMENTED", turned, None


def cases():
    for split, (shape, tiles, major) in SPLITS.items():
        have = model.place(shape, tiles, major=major)
        for number, p in enumerate(PERMUTATIONS):
            # toLog(perm(toMem(in, order p), identity), identity): dimension o of
            # the result is dimension p[o] of the input.
            casts = [("in", list(p), None, list(p)), ("out", None, list(p), inverse(p))]
            for side, in_order, out_order, dims in casts:
                image = seen_through(shape, dims)
                for relation, mode, want, want_major in targets(tiles, major, dims, image):
                    name = f"cast_{side}_{split}_{relation}_{number}"
                    source = model.tensor(shape, layout(tiles, major, order=in_order))
                    result = model.tensor(image, layout(want, want_major, mode, out_order))
                    text = f"%0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : {source} to {result}"
                    yield Case(name, (source, result, text), shape, image, dims, have,
                               model.place(image, want, major=want_major))
            dims = list(p)
            image = seen_through(shape, dims)
            for relation, _, want, want_major in targets(tiles, major, dims, image):
                name = f"transpose_{split}_{relation}_{number}"
                source = model.tensor(shape, layout(tiles, major))
                result = model.tensor(image, layout(want, want_major))
                text = (f"%e = tensor.empty() : {result}\n  %0 = linalg.transpose ins(%x : {source}) "
                        f"outs(%e : {result}) permutation = {model.spell(p)}")
                yield Case(name, (source, result, text), shape, image, dims, have,
                           model.place(image, want, major=want_major))
    # mem_perm itself: trivial wherever only one dimension is longer than 1.
    shape, tiles = [1, 1, 7, 1], [1, 1, 3, 1]
    for number, p in enumerate(PERMUTATIONS):
        dims = list(p)
        image = seen_through(shape, dims)
        for relation, mode, want, want_major in targets(tiles, None, dims, image):
            source = model.tensor(shape, layout(tiles, None))
            result = model.tensor(image, layout(want, want_major, mode))
            text = f"%0 = npu.permute_cast %x mem_perm = {model.spell(p)} : {source} to {result}"
            yield Case(f"mem_perm_{relation}_{number}", (source, result, text), shape, image, dims,
                       model.place(shape, tiles), model.place(image, want, major=want_major))


def generate():
    for case in cases():
        source, result, text = case.text
        print(f"func.func @{case.name}(%x: {source}) -> {result} {{\n  {text}\n  return %0 : {result}\n}}")


def check_distributions(functions):
    count = 0
    for case in cases():
        values = functions[case.name]["values"]
        assert values[0]["name"] == "%arg0" and values[0]["shape"] == case.shape, values
        assert values[-1]["shape"] == case.image, values
        model.check_placement(values[0], case.have)
        model.check_placement(values[-1], case.want)
        count += 1
    return count


def check_transfers(functions):
    count = 0
    for case in cases():
        rows = [row for row in functions[case.name]["redistributions"] if row["op"] == "npu.redistribute"]
        have, seen = model.memories(case.have), model.memories(case.seen)
        needed, want = model.memories(case.needed), model.memories(case.want)
        total = sum(model.bytes_missing(seen, want))
        assert (total == 0) == (len(rows) == 0), (case.name, total, rows)
        # A transpose may move its operand as well as its result: the boxes are each
        # other's images.
        for row in rows:
            if row["shape"] == case.image:
                model.check_row(row, seen, want)
            else:
                model.check_row(row, have, needed)
        assert len(rows) <= 1 and sum(row["bytes_relaid"] for row in rows) == 0, rows
        count += total > 0
    return count


if sys.argv[1] == "generate":
    generate()
elif sys.argv[1] == "distributions":
    model.done(check_distributions(model.functions(sys.stdin.read())), 4 * 24 * 6 + 48)
else:
    model.done(check_transfers(model.functions(sys.stdin.read())), 4 * 24)
