# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenVINO's operations that move elements: shapes, slices, gathers, scatters and paddings.
What they move is written out as positions (`Grid` in openvino_pair.py)."""

import math

from onnx_writer import BOOL, INT64
from openvino_elementwise import ALL_FLOATS, ANY, STEPS, boolean_of, step
from openvino_pair import FLOATS, ONNX_ELEMENTS, Grid, indices_of

MOVED = ANY


@step("Transpose", 1, elements=MOVED)
def transpose(t, x):
    order = t.permutation(x.rank)
    operand = t.list(order)
    if t.chance(0.2):
        # No order turns all dimensions round.
        order, operand = list(reversed(range(x.rank))), t.list([])
    grid = Grid.of(x.shape).transpose(order)
    return t.moved(t.layer("Transpose", t.since(1), [x, operand], x.element, grid.shape), x, grid)


@step("Reshape", 1, elements=MOVED)
def reshape(t, x):
    count, shape = math.prod(x.shape), []
    while count > 1 and len(shape) < 4:
        factor = t.random.choice([n for n in range(1, count + 1) if count % n == 0])
        shape.append(factor)
        count //= factor
    shape = shape[:4] + ([count] if count > 1 else []) or [1]
    written, zero = list(shape), t.chance(0.5)
    if t.chance(0.5):
        written[t.random.randrange(len(written))] = -1
    if zero:
        written = [0 if at < x.rank and x.shape[at] == shape[at] and each != -1 and t.chance(0.7)
                   else each for at, each in enumerate(written)]
    ir = t.layer("Reshape", t.since(1), [x, t.list(written)], x.element, shape, special_zero=zero)
    return t.moved(ir, x, Grid.of(x.shape).reshape(shape))


@step("Squeeze", 1, 15, elements=MOVED)
def squeeze(t, x):
    # A value with extents of 1, by a reshape that both have.
    shape = list(x.shape)
    if x.rank < 5 and 1 not in shape:
        at = t.random.randint(0, x.rank)
        shape.insert(at, 1)
        x = t.moved(t.layer("Unsqueeze", 1, [x, t.list([at])], x.element, shape), x,
                    Grid.of(shape))
    ones = [at for at, extent in enumerate(x.shape) if extent == 1]
    if not ones:
        return x
    axes = sorted(t.random.sample(ones, t.random.randint(1, len(ones))))
    written = [at - x.rank if t.chance(0.3) else at for at in axes]
    operands = [x, t.list(written) if len(axes) > 1 or t.chance(0.6) else t.scalar(written[0])]
    if t.chance(0.2):
        operands, axes = [x], ones
    shape = [extent for at, extent in enumerate(x.shape) if at not in axes]
    drawn = {"allow_axis_skip": False} if t.version == 15 and t.chance(0.5) else {}
    ir = t.layer("Squeeze", t.since(1, 15), operands, x.element, shape, **drawn)
    return t.moved(ir, x, Grid.of(shape))


@step("Unsqueeze", 1, elements=MOVED)
def unsqueeze(t, x):
    if x.rank > 4:
        return x
    count = t.random.randint(1, 5 - x.rank) if x.rank < 5 else 1
    axes = sorted(t.random.sample(range(x.rank + count), count))
    shape = list(x.shape)
    for at in axes:
        shape.insert(at, 1)
    written = [at - len(shape) if t.chance(0.3) else at for at in axes]
    operand = t.list(written) if count > 1 or t.chance(0.6) else t.scalar(written[0])
    return t.moved(t.layer("Unsqueeze", t.since(1), [x, operand], x.element, shape), x, Grid.of(shape))


@step("ShapeOf", 1, 3, kind="any", elements=MOVED)
def shape_of(t, x):
    drawn, element = {}, "i64"
    if t.version == 3 and t.chance(0.7):
        element = t.pick("i32", "i64")
        drawn["output_type"] = element
    ir = t.layer("ShapeOf", t.since(1, 3), [x], element, [x.rank], **drawn)
    return t.known(ir, x.shape)


@step("Concat", 1, elements=MOVED)
def concat(t, x):
    written, axis = t.axis(x.rank)
    parts = [x]
    for _ in range(t.random.randint(0, 3)):
        shape = list(x.shape)
        shape[axis] = t.random.randint(1, 4)
        parts.append(x if t.chance(0.15) else t.parameter_or_constant(x.element, shape)
                     if x.element != "boolean" else boolean_of(t, shape))
    t.random.shuffle(parts)
    shape = list(x.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    ir = t.layer("Concat", t.since(1), parts, x.element, shape, axis=written)
    numbers = t.g.node("Concat", *(t.as_number(part) for part in parts), axis=axis)
    if x.element == "boolean":
        numbers = t.g.node("Cast", numbers, to=BOOL)
    return t.both(ir, numbers, all(part.exact for part in parts), max(part.bound for part in parts))


def parts_of(t, x, kind, operands, axis, extents, **attributes):
    """All results of a split; one of them goes on, the others are results of the network."""
    shapes = [x.shape[:axis] + [extent] + x.shape[axis + 1:] for extent in extents]
    ports = t.ir.layer(kind, t.since(1), [each.ir if each is x else each for each in operands],
                       [(x.element, shape) for shape in shapes], attributes)
    begin, values = 0, []
    for port, extent in zip(ports, extents):
        grid = Grid.of(x.shape).take(axis, range(begin, begin + extent))
        values.append(t.moved(port, x, grid))
        begin += extent
    some = [value for value in values if math.prod(value.shape) > 0]
    chosen = t.random.choice(some)
    for value in some:
        if value is not chosen and not t.in_graph:
            t.result(value)
    return chosen


@step("Split", 1, elements=MOVED)
def split(t, x):
    written, axis = t.axis(x.rank)
    count = t.random.choice([n for n in range(1, x.shape[axis] + 1) if x.shape[axis] % n == 0])
    return parts_of(t, x, "Split", [x, t.scalar(written)], axis,
                    [x.shape[axis] // count] * count, num_splits=count)


@step("VariadicSplit", 1, elements=MOVED)
def variadic_split(t, x):
    written, axis = t.axis(x.rank)
    left, extents = x.shape[axis], []
    while left > 0:
        extents.append(t.random.randint(1, left))
        left -= extents[-1]
    lengths = list(extents)
    if t.chance(0.5):
        lengths[t.random.randrange(len(lengths))] = -1
    return parts_of(t, x, "VariadicSplit", [x, t.scalar_or_list(written), t.list(lengths)], axis, extents)


@step("StridedSlice", 1, elements=MOVED)
def strided_slice(t, x):
    """Steps over the list that `begin`, `end` and `strides` are, as the specification does."""
    grid, dim = Grid.of(x.shape), 0
    begin, end, strides, shape = [], [], [], []
    masks = {key: [] for key in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")}
    ellipsis_at = t.random.randint(0, x.rank) if t.chance(0.3) else None
    stop = x.rank if ellipsis_at is not None else t.random.randint(1, x.rank)
    with_strides = t.chance(0.8)

    def add(b, e, s, **set_masks):
        begin.append(b)
        end.append(e)
        strides.append(s)
        for key, mask in masks.items():
            mask.append(set_masks.get(key, 0))

    junk = lambda: t.random.randint(-9, 9)
    while dim < stop or ellipsis_at == dim:
        extent = x.shape[dim] if dim < x.rank else None
        if ellipsis_at == dim:
            ellipsis_at = None
            skipped = t.random.randint(0, x.rank - dim)
            add(junk(), junk(), 1, ellipsis=1)
            shape += x.shape[dim:dim + skipped]
            dim += skipped
            # Every dimension that is left has a step of its own.
            stop = x.rank
            continue
        if t.chance(0.15) and len(shape) < 5:
            add(junk(), junk(), 1, new_axis=1)
            shape.append(1)
            continue
        if t.chance(0.2):
            at = t.random.randrange(extent)
            written = at - extent if t.chance(0.4) else at
            add(written, written + 1 if written != -1 else extent, 1, shrink_axis=1)
            grid = grid.take(dim, [at])
            dim += 1
            continue
        stride = t.pick(1, 1, 2, 3, -1, -2) if with_strides else 1
        masked_begin, masked_end = t.chance(0.3), t.chance(0.3)
        # The positions that Python's slices have, which clamp as the specification says.
        low, high = t.random.randint(-extent, extent - 1), t.random.randint(-extent - 2, extent + 3)
        if stride > 0 and t.chance(0.2):
            low -= 7
        if stride < 0 and t.chance(0.3):
            low = extent + 5
        wanted = slice(None if masked_begin else low, None if masked_end else high, stride)
        positions = list(range(*wanted.indices(extent)))
        if not positions:
            masked_begin = masked_end = True
            positions = list(range(*slice(None, None, stride).indices(extent)))
        add(junk() if masked_begin else low, junk() if masked_end else high, stride,
            begin=int(masked_begin), end=int(masked_end))
        grid = grid.take(dim, positions)
        shape.append(len(positions))
        dim += 1
    shape += x.shape[dim:]
    # What ends in zeros may be shorter; begin and end masks are as long as begin at times.
    for key in ("new_axis", "shrink_axis", "ellipsis"):
        while masks[key] and masks[key][-1] == 0 and t.chance(0.5):
            masks[key].pop()
    attributes = {f"{key}_mask": mask for key, mask in masks.items()
                  if key in ("begin", "end") or any(mask) or mask}
    operands = [x, t.list(begin, "i64"), t.list(end, "i64")]
    if with_strides:
        operands.append(t.list(strides, "i64"))
    ir = t.layer("StridedSlice", t.since(1), operands, x.element, shape, **attributes)
    return t.moved(ir, x, grid.reshape(shape))


@step("Slice", 8, elements=MOVED)
def slice_8(t, x):
    written, axes = t.axes(x.rank)
    order = t.permutation(len(axes))
    written, axes = [written[at] for at in order], [axes[at] for at in order]
    with_axes = t.chance(0.7)
    if not with_axes:
        axes = list(range(len(axes)))
    grid, starts, stops, steps = Grid.of(x.shape), [], [], []
    for axis in axes:
        extent, step_ = x.shape[axis], t.pick(1, 1, 2, -1, -2)
        start, stop = t.random.randint(-extent - 2, extent + 2), t.random.randint(-extent - 2, extent + 2)
        positions = list(range(*slice(start, stop, step_).indices(extent)))
        if not positions:
            start, stop = (0, 2**31 - 1) if step_ > 0 else (-1, -2**31)
            positions = list(range(extent))[::step_]
        starts.append(start)
        stops.append(stop)
        steps.append(step_)
        grid = grid.take(axis, positions)
    operands = [x] + [t.list(each) for each in (starts, stops, steps)]
    if with_axes:
        operands.append(t.list(written))
    return t.moved(t.layer("Slice", t.since(8), operands, x.element, grid.shape), x, grid)


@step("Gather", 1, 7, 8, elements=MOVED)
def gather(t, x):
    axis = t.random.randrange(x.rank)
    batch = 0
    if t.version > 1 and t.chance(0.5):
        batch = t.random.randint(0, axis)
    negative = t.version == 8 and t.chance(0.5)
    own = t.shape(0, 2, 3)
    shape = x.shape[:batch] + own
    extent = x.shape[axis]
    indices = [t.random.randint(-extent if negative else 0, extent - 1) for _ in range(math.prod(shape))]
    where = Grid(shape, indices)
    grid = Grid.of(x.shape)
    to = x.shape[:axis] + own + x.shape[axis + 1:]

    def element(index):
        inner = index[axis:axis + len(own)]
        at = where.at(index[:batch] + inner) % extent
        return grid.at(index[:axis] + (at,) + index[axis + len(own):])
    written = axis - x.rank if t.chance(0.3) else axis
    drawn = {}
    if t.version > 1 and (batch or t.chance(0.7)):
        drawn["batch_dims"] = batch
        if t.chance(0.3) and batch < len(shape):
            drawn["batch_dims"] = batch - len(shape)
    taken = positions(t, shape, indices)
    ir = t.layer("Gather", t.since(1, 7, 8), [x, taken, t.scalar_or_list(written)],
                 x.element, to, **drawn)
    return t.moved(ir, x, Grid.made(to, element))


def positions(t, shape, numbers):
    """Indices as an input or as a constant; the ONNX model reads neither."""
    element = t.pick("i64", "i32")
    if t.in_graph or t.chance(0.6):
        return t.ir.constant(element, shape, numbers)
    return t.input(element, shape, numbers).ir


@step("GatherElements", 6, elements=MOVED)
def gather_elements(t, x):
    written, axis = t.axis(x.rank)
    shape = list(x.shape)
    shape[axis] = t.random.randint(1, 5)
    extent = x.shape[axis]
    low = -extent if t.chance(0.4) else 0
    indices = [t.random.randint(low, extent - 1) for _ in range(math.prod(shape))]
    where, grid = Grid(shape, indices), Grid.of(x.shape)
    made = Grid.made(shape, lambda index: grid.at(
        index[:axis] + (where.at(index) % extent,) + index[axis + 1:]))
    ir = t.layer("GatherElements", t.since(6), [x, positions(t, shape, indices)], x.element, shape,
                 axis=written)
    return t.moved(ir, x, made)


@step("GatherND", 5, 8, elements=MOVED)
def gather_nd(t, x):
    batch = t.random.randint(0, x.rank - 1) if t.chance(0.5) else 0
    length = t.random.randint(1, x.rank - batch)
    own = t.shape(1, 2, 3) if not batch or t.chance(0.6) else []
    shape = x.shape[:batch] + own + [length]
    tuples = {index: [t.random.randrange(x.shape[batch + at]) for at in range(length)]
              for index in indices_of(shape[:-1])}
    rest = x.shape[batch + length:]
    grid = Grid.of(x.shape)
    full = x.shape[:batch] + own + rest
    made = Grid.made(full, lambda index: grid.at(
        index[:batch] + tuple(tuples[index[:batch + len(own)]]) + index[batch + len(own):]))
    to = full
    if t.version == 5 and batch > 1:
        # The first version made one dimension of all that count batches.
        to = [math.prod(x.shape[:batch])] + own + rest
    drawn = {"batch_dims": batch} if batch or t.chance(0.6) else {}
    numbers = [number for index in indices_of(shape[:-1]) for number in tuples[index]]
    ir = t.layer("GatherND", t.since(5, 8), [x, positions(t, shape, numbers)], x.element, to, **drawn)
    return t.moved(ir, x, made.reshape(to))


@step("Pad", 1, 12, elements=("f32", "f32", "f16", "i32", "i64", "u8"))
def pad(t, x):
    mode = t.pick("constant", "constant", "edge", "reflect", "symmetric")
    begin, end, grid = [], [], Grid.of(x.shape)
    for axis, extent in enumerate(x.shape):
        most = {"reflect": extent - 1, "symmetric": extent}.get(mode, 3)
        low, high = t.random.randint(0, min(most, 3)), t.random.randint(0, min(most, 3))
        if t.version == 12 and extent > 2 and t.chance(0.3):
            if t.chance(0.5):
                low = -1
            else:
                high = -1
            if mode in ("reflect", "symmetric"):
                # Of what is cropped, no more is mirrored than is left.
                low, high = min(low, 1), min(high, 1)
        begin.append(low)
        end.append(high)
        grid = grid.take(axis, [padded(at, extent, mode, low, high)
                                for at in range(-low, extent + high)])
    operands, filler = [x, t.list(begin), t.list(end)], 0
    if mode == "constant" and t.chance(0.7):
        filler = t.pick(1.5, -2.0) if x.element in FLOATS else t.pick(3, 7)
        operands.append(t.ir.constant(x.element, [], [filler]))
    ir = t.layer("Pad", t.since(1, 12), operands, x.element, grid.shape, pad_mode=mode)
    return t.moved(ir, x, grid, filler)


def padded(at, extent, mode, low, high):
    """The position that a padded one takes; what is cropped is not mirrored."""
    first, last = max(0, -low), extent - 1 - max(0, -high)
    if first <= at <= last:
        return at
    if mode == "constant":
        return None
    if mode == "edge":
        return min(max(at, first), last)
    # By 1 less than `symmetric`, which repeats the edge.
    shift = 0 if mode == "reflect" else 1
    return 2 * first - at - shift if at < first else 2 * last - at + shift


@step("Tile", 1, elements=MOVED)
def tile(t, x):
    repeats = [t.random.randint(1, 3) for _ in range(t.random.randint(1, min(5, x.rank + 1)))]
    rank = max(len(repeats), x.rank)
    shape = [1] * (rank - x.rank) + x.shape
    grid = Grid.of(x.shape).reshape(shape)
    for axis, count in enumerate([1] * (rank - len(repeats)) + repeats):
        grid = grid.take(axis, list(range(shape[axis])) * count)
    return t.moved(t.layer("Tile", t.since(1), [x, t.list(repeats)], x.element, grid.shape), x, grid)


@step("Broadcast", 1, 3, elements=MOVED)
def broadcast(t, x):
    # Extents that become larger are 1 first.
    grid = Grid.of(x.shape)
    for axis in range(x.rank):
        if t.chance(0.5):
            grid = grid.take(axis, [0])
    if grid.shape != x.shape:
        ones = [1] * x.rank
        stops = [extent for extent in grid.shape]
        x = t.moved(t.layer("Slice", 8, [x, t.list([0] * x.rank), t.list(stops), t.list(ones)],
                            x.element, grid.shape), x, grid)
    mode = t.pick("numpy", "explicit", *(["bidirectional"] if t.version == 3 else []))
    more = [t.random.randint(1, 3) for _ in range(t.random.randint(0, 5 - x.rank))]
    to = [t.random.randint(1, 4) if extent == 1 else extent for extent in x.shape]
    drawn = {"mode": mode} if mode != "numpy" or t.chance(0.6) else {}
    if mode == "explicit":
        rank = x.rank + len(more)
        axes = sorted(t.random.sample(range(rank), x.rank))
        shape = [t.random.randint(1, 3) for _ in range(rank)]
        wide = [1] * rank
        # The first version wants equal extents.
        for at, axis in enumerate(axes):
            shape[axis] = to[at] if t.version == 3 else x.shape[at]
            wide[axis] = x.shape[at]
        made = Grid.of(x.shape).reshape(wide).broadcast(shape)
        operands = [x, t.list(shape), t.list(axes)]
    elif mode == "bidirectional":
        target = [1 if t.chance(0.3) else extent for extent in to]
        target = (more + target) if t.chance(0.7) else target[t.random.randint(0, x.rank - 1):]
        rank = max(len(target), x.rank)
        shape = [max(a, b) for a, b in zip([1] * (rank - len(target)) + target,
                                           [1] * (rank - x.rank) + x.shape)]
        made = Grid.of(x.shape).broadcast(shape)
        operands = [x, t.list(target)]
    else:
        shape = more + to
        made = Grid.of(x.shape).broadcast(shape)
        operands = [x, t.list(shape)]
    return t.moved(t.layer("Broadcast", t.since(1, 3), operands, x.element, shape, **drawn), x, made)


@step("Roll", 7, elements=MOVED)
def roll(t, x):
    written, axes = t.axes(x.rank)
    shifts = [t.random.randint(-7, 7) for _ in axes]
    grid = Grid.of(x.shape)
    for axis, by in zip(axes, shifts):
        extent = x.shape[axis]
        grid = grid.take(axis, [(at - by) % extent for at in range(extent)])
    one = len(axes) == 1 and t.chance(0.5)
    ir = t.layer("Roll", t.since(7), [x, t.scalar(shifts[0]) if one else t.list(shifts),
                                      t.list(written)], x.element, x.shape)
    return t.moved(ir, x, grid)


@step("Reverse", 1, elements=MOVED)
def reverse(t, x):
    written, axes = t.axes(x.rank)
    grid = Grid.of(x.shape)
    for axis in axes:
        grid = grid.take(axis, list(reversed(range(x.shape[axis]))))
    mode = t.pick("index", "mask")
    operand = t.list(axes) if mode == "index" else t.ir.constant(
        "boolean", [x.rank], [at in axes for at in range(x.rank)])
    # Of the first operation set alone.
    return t.moved(t.layer("Reverse", 1, [x, operand], x.element, x.shape, mode=mode), x, grid)


@step("ReverseSequence", 1, kind="rows", elements=MOVED)
def reverse_sequence(t, x):
    batch, sequence = t.random.sample(range(x.rank), 2)
    lengths = [t.random.randint(1, x.shape[sequence]) for _ in range(x.shape[batch])]
    grid = Grid.of(x.shape)

    def element(index):
        at, length = index[sequence], lengths[index[batch]]
        source = list(index)
        source[sequence] = length - 1 - at if at < length else at
        return grid.at(source)
    drawn = {"batch_axis": batch - x.rank if t.chance(0.3) else batch,
             "seq_axis": sequence - x.rank if t.chance(0.3) else sequence}
    ir = t.layer("ReverseSequence", t.since(1), [x, t.list(lengths)], x.element, x.shape, **drawn)
    return t.moved(ir, x, Grid.made(x.shape, element))


@step("ShuffleChannels", 1, elements=MOVED)
def shuffle_channels(t, x):
    written, axis = t.axis(x.rank)
    extent = x.shape[axis]
    group = t.random.choice([n for n in range(1, extent + 1) if extent % n == 0])
    each = extent // group
    grid = Grid.of(x.shape).take(axis, [g * each + c for c in range(each) for g in range(group)])
    drawn = {"axis": written, "group": group}
    ir = t.layer("ShuffleChannels", t.since(1), [x], x.element, x.shape, **drawn)
    return t.moved(ir, x, grid)


def image_input(t, element, shape):
    return t.input(element, shape)


@step("DepthToSpace", 1, kind="own")
def depth_to_space(t):
    block, spatial = t.pick(1, 2, 2, 3), t.shape(1, 3, 3)
    k, mode, element = len(spatial), t.pick("blocks_first", "depth_first"), t.pick("f32", "f16", "u8")
    depth = t.random.randint(1, 2)
    x = t.input(element, [t.random.randint(1, 2), depth * block**k] + spatial)
    n = x.shape[0]
    blocks = [block] * k
    if mode == "blocks_first":
        grid = Grid.of(x.shape).reshape([n] + blocks + [depth] + spatial)
        order = [0, k + 1] + [each for at in range(k) for each in (k + 2 + at, 1 + at)]
    else:
        grid = Grid.of(x.shape).reshape([n, depth] + blocks + spatial)
        order = [0, 1] + [each for at in range(k) for each in (k + 2 + at, 2 + at)]
    grid = grid.transpose(order).reshape([n, depth] + [extent * block for extent in spatial])
    drawn = {"mode": mode, **({"block_size": block} if block > 1 or t.chance(0.5) else {})}
    ir = t.layer("DepthToSpace", t.since(1), [x], element, grid.shape, **drawn)
    return t.moved(ir, x, grid)


@step("SpaceToDepth", 1, kind="own")
def space_to_depth(t):
    block, spatial = t.pick(1, 2, 2, 3), t.shape(1, 3, 3)
    k, mode, element = len(spatial), t.pick("blocks_first", "depth_first"), t.pick("f32", "f16", "u8")
    n, depth = t.random.randint(1, 2), t.random.randint(1, 3)
    x = t.input(element, [n, depth] + [extent * block for extent in spatial])
    grid = Grid.of(x.shape).reshape([n, depth] + [each for extent in spatial for each in (extent, block)])
    blocks, places = [3 + 2 * at for at in range(k)], [2 + 2 * at for at in range(k)]
    order = [0] + blocks + [1] + places if mode == "blocks_first" else [0, 1] + blocks + places
    grid = grid.transpose(order).reshape([n, depth * block**k] + spatial)
    drawn = {"mode": mode, **({"block_size": block} if block > 1 or t.chance(0.5) else {})}
    ir = t.layer("SpaceToDepth", t.since(1), [x], element, grid.shape, **drawn)
    return t.moved(ir, x, grid)


@step("BatchToSpace", 2, kind="own")
def batch_to_space(t):
    dims = t.shape(1, 3, 3)
    blocks = [t.random.randint(1, 2) for _ in dims]
    n, batch = len(dims), t.random.randint(1, 2)
    x = t.input(t.pick("f32", "f16", "i32"), [batch * math.prod(blocks)] + dims)
    grid = Grid.of(x.shape).reshape(blocks + [batch] + dims)
    order = [n] + [each for at in range(n) for each in (n + 1 + at, at)]
    grid = grid.transpose(order).reshape([batch] + [d * b for d, b in zip(dims, blocks)])
    begin, end = [0], [0]
    for axis in range(1, n + 1):
        low = t.random.randint(0, grid.shape[axis] - 1)
        high = t.random.randint(0, grid.shape[axis] - 1 - low)
        begin.append(low)
        end.append(high)
        grid = grid.take(axis, range(low, grid.shape[axis] - high))
    ir = t.layer("BatchToSpace", t.since(2), [x, t.list([1] + blocks), t.list(begin), t.list(end)],
                 x.element, grid.shape)
    return t.moved(ir, x, grid)


@step("SpaceToBatch", 2, kind="own")
def space_to_batch(t):
    blocks = [t.random.randint(1, 2) for _ in range(t.random.randint(1, 3))]
    n, batch = len(blocks), t.random.randint(1, 2)
    begin = [0] + [t.random.randint(0, 2) for _ in blocks]
    end = [0] + [t.random.randint(0, 2) for _ in blocks]
    dims = []
    for at, block in enumerate(blocks):
        extent = t.random.randint(1, 3)
        while (extent + begin[at + 1] + end[at + 1]) % block:
            extent += 1
        dims.append(extent)
    x = t.input(t.pick("f32", "f16", "i32"), [batch] + dims)
    grid = Grid.of(x.shape)
    for axis in range(1, n + 1):
        extent = grid.shape[axis]
        grid = grid.take(axis, [at if 0 <= at < extent else None
                                for at in range(-begin[axis], extent + end[axis])])
    cut = [extent // block for extent, block in zip(grid.shape[1:], blocks)]
    grid = grid.reshape([batch] + [each for d, b in zip(cut, blocks) for each in (d, b)])
    order = [2 + 2 * at for at in range(n)] + [0] + [1 + 2 * at for at in range(n)]
    grid = grid.transpose(order).reshape([batch * math.prod(blocks)] + cut)
    ir = t.layer("SpaceToBatch", t.since(2), [x, t.list([1] + blocks), t.list(begin), t.list(end)],
                 x.element, grid.shape)
    return t.moved(ir, x, grid, 0)


# Scatters. Numbers are known, so that the formula gives the result.

def scatter_operands(t):
    element = t.pick("f32", "f32", "i32", "i64", "f16")
    return element, t.input(element, t.shape(1, 3, 5))


@step("ScatterUpdate", 3, kind="own")
def scatter_update(t):
    element, x = scatter_operands(t)
    written, axis = t.axis(x.rank)
    extent = x.shape[axis]
    where = t.random.sample(range(extent), t.random.randint(1, extent))
    own = [len(where)] if len(where) % 2 or t.chance(0.6) else [2, len(where) // 2]
    if len(where) == 1 and t.chance(0.3):
        own = []
    signed = [at - extent if t.chance(0.2) else at for at in where]
    updates = t.input(element, x.shape[:axis] + own + x.shape[axis + 1:])
    numbers = list(x.numbers)
    flat = Grid(x.shape[:axis] + [len(where)] + x.shape[axis + 1:], updates.numbers)
    for index in indices_of(flat.shape):
        to = index[:axis] + (where[index[axis]],) + index[axis + 1:]
        numbers[Grid.of(x.shape).at(to)] = flat.at(index)
    ir = t.layer("ScatterUpdate", t.since(3),
                 [x, positions(t, own, signed), updates, t.scalar_or_list(written)], element, x.shape)
    return t.known(ir, numbers)


REDUCTIONS = {"none": lambda old, new: new, "sum": lambda old, new: old + new,
              "prod": lambda old, new: old * new, "sub": lambda old, new: old - new,
              "min": min, "max": max}


@step("ScatterElementsUpdate", 3, 12, kind="own")
def scatter_elements_update(t):
    element, x = scatter_operands(t)
    reduction = t.pick("none", "sum", "prod", "min", "max", "mean") if t.version == 12 else "none"
    if reduction == "mean" and element != "f32":
        reduction = "sum"
    use_initial = reduction == "none" or t.chance(0.7)
    written, axis = t.axis(x.rank)
    extent = x.shape[axis]
    shape = [t.random.randint(1, each) for each in x.shape]
    if reduction == "none":
        # Which of two updates of an element is last, is not defined.
        columns = {index: t.random.sample(range(extent), shape[axis]) for index in indices_of(
            shape[:axis] + shape[axis + 1:])}
        pick = lambda index: columns[index[:axis] + index[axis + 1:]][index[axis]]
        where = [pick(index) for index in indices_of(shape)]
    else:
        shape[axis] = t.random.randint(1, 6)
        where = [t.random.randrange(extent) for _ in range(math.prod(shape))]
    signed = [at - extent if t.chance(0.2) else at for at in where]
    updates = t.input(element, shape, bound=1.0)
    grid, terms = Grid.of(x.shape), {}
    for index, at, new in zip(indices_of(shape), where, updates.numbers):
        terms.setdefault(grid.at(index[:axis] + (at,) + index[axis + 1:]), []).append(new)
    numbers = list(x.numbers)
    for at, those in terms.items():
        those = ([numbers[at]] if use_initial or reduction == "none" else []) + those
        if reduction == "mean":
            numbers[at] = sum(those) / len(those)
            continue
        total = those[0]
        for new in those[1:]:
            total = REDUCTIONS[reduction](total, new)
        numbers[at] = total
    drawn = {}
    if t.version == 12:
        drawn = {"reduction": reduction, "use_init_val": use_initial}
        if reduction == "none" and t.chance(0.5):
            drawn = {}
    ir = t.layer("ScatterElementsUpdate", t.since(3, 12),
                 [x, positions(t, shape, signed), updates, t.scalar_or_list(written)], element,
                 x.shape, **drawn)
    return t.known(ir, numbers)


@step("ScatterNDUpdate", 3, 15, kind="own")
def scatter_nd_update(t):
    element, x = scatter_operands(t)
    reduction = t.pick(*REDUCTIONS) if t.version == 15 else "none"
    length = t.random.randint(1, x.rank)
    places = list(indices_of(x.shape[:length]))
    own = [t.random.randint(1, min(4, len(places)))]
    chosen = t.random.sample(places, own[0])
    if reduction != "none":
        chosen = [t.random.choice(places) for _ in chosen]
    if own[0] % 2 == 0 and t.chance(0.3):
        own = [2, own[0] // 2]
    indices = [number for place in chosen for number in place]
    if t.version == 15 and t.chance(0.3):
        indices = [number - x.shape[at % length] if t.chance(0.3) else number
                   for at, number in enumerate(indices)]
    rest = x.shape[length:]
    updates = t.input(element, own + rest, bound=1.0)
    grid, numbers = Grid.of(x.shape), list(x.numbers)
    size = math.prod(rest)
    for at, place in enumerate(chosen):
        for inner, index in enumerate(indices_of(rest)):
            to = grid.at(place + index)
            numbers[to] = REDUCTIONS[reduction](numbers[to], updates.numbers[at * size + inner])
    drawn = {"reduction": reduction} if t.version == 15 and (reduction != "none" or t.chance(0.5)) else {}
    ir = t.layer("ScatterNDUpdate", t.since(3, 15),
                 [x, positions(t, own + [length], indices), updates], element, x.shape, **drawn)
    return t.known(ir, numbers)


@step("OneHot", 1, kind="own")
def one_hot(t):
    shape = t.shape(0, 3, 4)
    depth = t.random.randint(1, 5)
    element = t.pick("i64", "i32")
    indices = [t.random.randint(0, depth + 1) for _ in range(math.prod(shape))]
    x = t.input(element, shape, indices)
    written, axis = t.axis(len(shape) + 1)
    on, off = t.pick((1, 0), (3, -2))
    made = t.pick("f32", "i64", "i32", "f16")
    to = shape[:axis] + [depth] + shape[axis:]
    where = Grid(shape, indices)
    numbers = [on if where.at(index[:axis] + index[axis + 1:]) == index[axis] else off
               for index in indices_of(to)]
    scalar = lambda number, kind: t.ir.constant(kind, [], [number])
    ir = t.layer("OneHot", t.since(1), [x, scalar(depth, element), scalar(on, made),
                                        scalar(off, made)], made, to, axis=written)
    return t.known(ir, numbers)


@step("TopK", 1, 3, 11, kind="own")
def top_k(t):
    shape = t.shape(1, 4, 6)
    written, axis = t.axis(len(shape))
    k = t.random.randint(1, shape[axis])
    count = math.prod(shape)
    element = t.pick("f32", "f32", "i32", "f16")
    # All different, but where what is stable decides.
    stable = t.version == 11 and t.chance(0.4)
    pool = list(range(-count, count)) if not stable else [t.random.randint(-3, 3) for _ in range(count)]
    numbers = t.random.sample(pool, count)
    if element != "i32":
        numbers = [number / 4 for number in numbers]
    x = t.input(element, shape, numbers)
    mode, sort = t.pick("max", "min"), t.pick("value", "value", "index")
    index_element = t.pick("i32", "i64", None)
    drawn = {"axis": written, "mode": mode, "sort": sort}
    if index_element:
        drawn["index_element_type"] = index_element
    if stable or (t.version == 11 and t.chance(0.5)):
        drawn["stable"] = stable
    to = shape[:axis] + [k] + shape[axis + 1:]
    values, where = {}, {}
    source = Grid(shape, numbers)
    for outer in indices_of(shape[:axis] + shape[axis + 1:]):
        full = lambda at: outer[:axis] + (at,) + outer[axis:]
        order = sorted(range(shape[axis]), key=lambda at: (
            -source.at(full(at)) if mode == "max" else source.at(full(at)), at))[:k]
        if sort == "index":
            order.sort()
        for at, taken in enumerate(order):
            values[full(at)], where[full(at)] = source.at(full(taken)), taken
    ports = t.ir.layer("TopK", t.since(1, 3, 11), [x.ir, t.scalar(k)],
                       [(element, to), (index_element or "i32", to)], drawn)
    t.result(t.known(ports[1], [where[index] for index in indices_of(to)]))
    return t.known(ports[0], [values[index] for index in indices_of(to)])


@step("Range", 1, 4, kind="own")
def range_(t):
    element = t.pick("i64", "i32", "f32")
    start, count = t.random.randint(-5, 5), t.random.randint(1, 7)
    by = t.pick(1, 2, -1, -3)
    stop = start + by * count - (0 if t.chance(0.5) else (1 if abs(by) > 1 and by > 0 else 0))
    operands = [t.ir.constant(element, [], [number]) for number in (start, stop, by)]
    made, drawn = element, {}
    if t.version == 4:
        made = t.pick(element, "f32", "i64")
        drawn["output_type"] = made
    ir = t.layer("Range", t.since(1, 4), operands, made, [count], **drawn)
    # A network has an input.
    x = t.input(made, [count])
    whole = t.known(ir, [start + by * at for at in range(count)])
    ir = t.layer("Add", 1, [whole, x], made, [count], auto_broadcast="numpy")
    return t.both(ir, t.g.node("Add", whole.onnx, x.onnx))


@step("Eye", 9, kind="own")
def eye(t):
    rows, columns, diagonal = t.random.randint(1, 4), t.random.randint(1, 4), t.random.randint(-3, 3)
    batch = [t.random.randint(1, 3) for _ in range(t.pick(0, 0, 1, 2))]
    made, shape = t.pick("f32", "i32", "i64"), batch + [rows, columns]
    operands = [t.scalar(rows), t.scalar(columns), t.scalar(diagonal)]
    if batch or t.chance(0.3):
        operands.append(t.list(batch))
    ir = t.layer("Eye", t.since(9), operands, made, shape, output_type=made)
    x = t.input(made, shape)
    whole = t.known(ir, [int(column - row == diagonal) for row in range(rows)
                         for column in range(columns)] * math.prod(batch))
    ir = t.layer("Add", 1, [whole, x], made, shape, auto_broadcast="numpy")
    return t.both(ir, t.g.node("Add", whole.onnx, x.onnx))


@step("SliceScatter", 15, kind="own")
def slice_scatter(t):
    element, x = scatter_operands(t)
    axes = t.random.sample(range(x.rank), t.random.randint(1, x.rank))
    operands, where = [], [range(extent) for extent in x.shape]
    for axis in axes:
        extent = x.shape[axis]
        by = t.pick(1, 2, -1)
        start, stop = t.random.randint(-extent, extent - 1), t.pick(2**31 - 1, extent, -1)
        if by < 0:
            stop = t.pick(-2**31, -extent - 1, 0)
        if not range(*slice(start, stop, by).indices(extent)):
            start, stop, by = 0, extent, 1
        where[axis] = range(*slice(start, stop, by).indices(extent))
        operands.append((start, stop, by))
    shape = [len(each) for each in where]
    updates = t.input(element, shape)
    grid, numbers = Grid.of(x.shape), list(x.numbers)
    for index, new in zip(indices_of(shape), updates.numbers):
        numbers[grid.at([each[at] for each, at in zip(where, index)])] = new
    lists = [t.list(list(each)) for each in zip(*operands)]
    if axes != list(range(len(axes))) or t.chance(0.5):
        lists.append(t.list([t.pick(axis, axis - x.rank) for axis in axes]))
    return t.known(t.layer("SliceScatter", 15, [x, updates, *lists], element, x.shape), numbers)


@step("Result", 1, kind="own")
def results(t):
    """What a network may return: a value twice, an input, a constant; inputs and layers that
    nothing reads; constants that share bytes."""
    shape = t.shape(1, 3, 4)
    count = math.prod(shape)
    x, unread = t.input("f32", shape), t.input("i64", t.shape(1, 2))
    y = t.both(t.layer("Tanh", 1, [x], "f32", shape), t.g.node("Tanh", x.onnx))
    t.layer("Exp", 1, [x], "f32", shape)
    t.layer("Abs", 1, [unread], "i64", unread.shape)
    c = t.constant("f32", shape, t.numbers(count))
    # Another constant with the same bytes, and one with the last of them.
    first = t.ir.layers[c.ir.layer]["attributes"]
    same, last = dict(first), dict(first)
    last.update({"shape": [1], "offset": first["offset"] + first["size"] - 4, "size": 4})
    same = t.ir.layer("Const", 1, (), [("f32", shape)], same)[0]
    last = t.ir.layer("Const", 1, (), [("f32", [1])], last)[0]
    total = t.layer("Add", 1, [same, last], "f32", shape, auto_broadcast="numpy")
    total = t.layer("Add", 1, [total, y], "f32", shape, auto_broadcast="numpy")
    numbers = t.g.constant(1, shape, [number + c.numbers[-1] for number in c.numbers])
    several = [y, y, x, c, t.both(total, t.g.node("Add", numbers, y.onnx))]
    t.random.shuffle(several)
    for value in several:
        t.result(value)
