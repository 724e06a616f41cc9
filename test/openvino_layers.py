# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenVINO's operations that sum: products, convolutions, pools, normalizations,
interpolation and attention; compressed weights; and operations with bodies."""

import math

from onnx_writer import BOOL, FLOAT, INT32, INT64, Graph
from openvino_elementwise import HALF, boolean_of, small, step
from openvino_pair import Grid, Value, broadcast_shape, f16, indices_of
from openvino_writer import Network


# Products.

@step("MatMul", 1)
def matmul(t, x):
    a, b = t.chance(0.4), t.chance(0.4)
    shape = list(x.shape)
    if x.rank == 1:
        a, depth, rows = False, shape[0], []
    else:
        depth, rows = (shape[-2], [shape[-1]]) if a else (shape[-1], [shape[-2]])
    kind = t.pick("matrix", "batched", "broadcast", "vector")
    batch = shape[:-2]
    if kind == "vector" and not t.in_graph:
        other, columns, b = [depth], [], False
    else:
        columns = [t.random.randint(1, 5)]
        other = [columns[0], depth] if b else [depth, columns[0]]
        if kind == "batched":
            other = batch + other
        elif kind == "broadcast":
            other = [1 if t.chance(0.5) else extent for extent in batch] + other
            if x.rank < 5 and x.rank > 1 and not t.in_graph and t.chance(0.3):
                other = [2] + [1] * (x.rank - len(other)) + other
    y = t.parameter_or_constant(x.element, other)
    inner = broadcast_shape(batch, other[:-2]) if x.rank > 1 and len(other) > 1 else (
        batch if len(other) < 2 else other[:-2])
    drawn = {}
    if a or t.chance(0.7):
        drawn["transpose_a"] = a
    if b or t.chance(0.7):
        drawn["transpose_b"] = b
    to = inner + rows + columns
    pair = [x, y]
    ir = t.layer("MatMul", t.since(1), pair, x.element, to, **drawn)
    swap = lambda value, turned: value.onnx if not turned else t.g.node(
        "Transpose", value.onnx, perm=list(range(value.rank - 2)) + [value.rank - 1, value.rank - 2])
    right = swap(y, b)
    if len(other) == 1:
        # ONNX Runtime joins a transposition and the product with a vector to something else.
        right = t.g.node("Unsqueeze", right, t.g.ints(1))
    product = t.g.node("MatMul", swap(x, a), right)
    if len(other) == 1:
        product = t.g.node("Reshape", product, t.g.ints(*to) if to else t.g.constant(INT64, [0], []))
    return t.both(ir, product, False, x.bound * y.bound * depth)


@step("Einsum", 7, kind="own")
def einsum(t):
    equation = t.pick("ij,jk->ik", "bij,bjk->bik", "bhld,bhmd->bhlm", "ij->ji", "ij,ij->ij", "i,j->ij",
                      "bsi,io->bso", "bij->bi")
    extents = {letter: t.random.randint(1, 4) for letter in "ijkbhldmso"}
    left, right = equation.split("->")
    operands = [t.parameter_or_constant("f32", [extents[letter] for letter in part])
                if at else t.input("f32", [extents[letter] for letter in part])
                for at, part in enumerate(left.split(","))]
    ir = t.layer("Einsum", t.since(7), operands, "f32", [extents[letter] for letter in right],
                 equation=equation)
    return t.both(ir, t.g.node("Einsum", *(each.onnx for each in operands), equation=equation))


def quantized(t, rows, depth):
    """Weights in a narrow type, widened as compression writes it: the value of the IR, and
    the numbers that they are."""
    element = t.pick("u4", "i4", "u8", "i8", "u4", "i4")
    low, high = {"u4": (0, 15), "i4": (-8, 7), "u8": (0, 255), "i8": (-128, 127)}[element]
    scale_element = t.pick("f16", "f16", "f32")
    groups = t.random.choice([n for n in (1, 2, 3) if depth % n == 0])
    grouped = groups > 1 or t.chance(0.3)
    block = depth // groups
    shape = [rows, groups, block] if grouped else [rows, depth]
    per = [rows, groups, 1] if grouped else [rows, 1]
    if not grouped and t.chance(0.3):
        per = []
    weights = [t.random.randint(low, high) for _ in range(rows * depth)]
    count = math.prod(per)
    scales = [f16(t.random.randint(1, 40) / 640 / (1 if "4" in element else 8)) for _ in range(count)]
    ir = t.ir.constant(element, shape, weights)
    wide = t.layer("Convert", 1, [ir], scale_element, shape, destination_type=scale_element)
    points = [0] * count
    if element[0] == "u" or t.chance(0.3):
        # Of one element type with the weights, or already in that of the scales.
        points = [t.random.randint(low, high) for _ in range(count)]
        if t.chance(0.2):
            points = [points[0]]
            per_points = [1] * len(per)
        else:
            per_points = per
        point = t.ir.constant(element, per_points, points)
        point = t.layer("Convert", 1, [point], scale_element, per_points, destination_type=scale_element)
        wide = t.layer("Subtract", 1, [wide, point], scale_element, shape, auto_broadcast="numpy")
        points = points * count if len(points) == 1 else points
    scale = t.ir.constant(scale_element, per, scales)
    wide = t.layer("Multiply", 1, [wide, scale], scale_element, shape, auto_broadcast="numpy")
    if grouped:
        wide = t.layer("Reshape", 1, [wide, t.list([rows, depth])], scale_element, [rows, depth],
                       special_zero=False)
    if scale_element != "f32":
        wide = t.layer("Convert", 1, [wide], "f32", [rows, depth], destination_type="f32")
    if grouped:
        which = lambda at: at // block
    elif per:
        which = lambda at: at // depth
    else:
        which = lambda at: 0
    numbers = [(weight - points[which(at)]) * scales[which(at)] for at, weight in enumerate(weights)]
    if scale_element == "f16":
        numbers = [f16(number) for number in numbers]
    return wide, numbers


@step("CompressedMatMul", 1)
def compressed_matmul(t, x):
    rows, depth = t.random.randint(1, 6), x.shape[-1]
    ir, numbers = quantized(t, rows, depth)
    weights = t.g.constant(FLOAT, [rows, depth], numbers)
    to = x.shape[:-1] + [rows]
    ir = t.layer("MatMul", 1, [x, ir], "f32", to, transpose_a=False, transpose_b=True)
    product = t.g.node("MatMul", x.onnx, t.g.node("Transpose", weights, perm=[1, 0]))
    return t.both(ir, product, False, x.bound * 16 * depth)


@step("CompressedGather", 1, kind="own")
def compressed_gather(t):
    """An embedding table in a narrow type."""
    rows, depth = t.random.randint(2, 6), t.pick(4, 5, 6)
    ir, numbers = quantized(t, rows, depth)
    shape = t.shape(1, 2, 4)
    ids = t.input("i64", shape, [t.random.randrange(rows) for _ in range(math.prod(shape))])
    to = shape + [depth]
    ir = t.layer("Gather", 8, [ir, ids, t.scalar(0)], "f32", to, batch_dims=0)
    return t.both(ir, t.g.node("Gather", t.g.constant(FLOAT, [rows, depth], numbers), ids.onnx, axis=0))


@step("NarrowConstant", 1, kind="own")
def narrow_constant(t):
    """Constants of four bits of any count, also odd."""
    element = t.pick("u4", "i4")
    shape = t.shape(1, 4, 5)
    low, high = (0, 15) if element == "u4" else (-8, 7)
    numbers = [t.random.randint(low, high) for _ in range(math.prod(shape))]
    to = t.pick("f32", "f16", "i32", "i8" if element == "i4" else "u8")
    ir = t.layer("Convert", t.since(1), [t.ir.constant(element, shape, numbers)], to, shape,
                 destination_type=to)
    whole = t.known(ir, numbers)
    x = t.input(to, shape, [t.random.randint(0, 5) for _ in numbers])
    ir = t.layer("Maximum", 1, [x, whole], to, shape, auto_broadcast="numpy")
    return t.known(ir, [max(a, b) for a, b in zip(numbers, x.numbers)])


@step("CompressedConstant", 1)
def compressed_constant(t, x):
    """A constant in f16 or bf16 that is widened where it is read."""
    element = t.pick("f16", "bf16")
    shape = [1 if t.chance(0.3) else extent for extent in x.shape]
    # Numbers that both have exactly.
    numbers = t.numbers(math.prod(shape), 1.0)
    ir = t.layer("Convert", 1, [t.ir.constant(element, shape, numbers)], "f32", shape,
                 destination_type="f32")
    ir = t.layer("Multiply", 1, [x, ir], "f32", x.shape, auto_broadcast="numpy")
    return t.both(ir, t.g.node("Mul", x.onnx, t.g.constant(FLOAT, shape, numbers)), False, x.bound)


# Convolutions and pools.

def same_pads(extent, kernel, stride, dilation, upper):
    total = max((math.ceil(extent / stride) - 1) * stride + (kernel - 1) * dilation + 1 - extent, 0)
    return (total // 2, total - total // 2) if upper else (total - total // 2, total // 2)


def windows(t, spatial, most=3, dilated=True, pooled=False):
    """Attributes of a window: kernel, strides, dilations; and paddings, as they are written
    and as they are meant. Paddings of pools are smaller than the kernel."""
    kernel = [t.random.randint(1, min(most, extent)) for extent in spatial]
    strides = [t.random.randint(1, 3) for _ in spatial]
    dilations = [t.pick(1, 1, 2) if dilated and (k - 1) * 2 < extent else 1
                 for k, extent in zip(kernel, spatial)]
    mode = t.pick(None, "explicit", "explicit", "same_upper", "same_lower", "valid")
    if pooled and mode in ("same_upper", "same_lower"):
        dilations = [1] * len(spatial)
    reach = [k - 1 if pooled else (k - 1) * d for k, d in zip(kernel, dilations)]
    begin, end = ([t.random.randint(0, each) for each in reach] for _ in range(2))
    drawn = {"strides": strides, "pads_begin": begin, "pads_end": end}
    if mode:
        drawn["auto_pad"] = mode
    if mode == "valid":
        begin, end = [0] * len(spatial), [0] * len(spatial)
    elif mode in ("same_upper", "same_lower"):
        pairs = [same_pads(*each, mode == "same_upper")
                 for each in zip(spatial, kernel, strides, dilations)]
        begin, end = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return kernel, strides, dilations, begin, end, drawn


def out_extents(spatial, kernel, strides, dilations, begin, end, ceil=False):
    result = []
    for extent, k, s, d, b, e in zip(spatial, kernel, strides, dilations, begin, end):
        room = extent + b + e - (k - 1) * d - 1
        result.append((math.ceil(room / s) if ceil else room // s) + 1)
    return result


def image(t, most=7):
    spatial = t.shape(1, 2, most)
    if t.chance(0.1):
        spatial = [t.random.randint(1, 3) for _ in range(3)]
    return t.input("f32", [t.random.randint(1, 2), t.random.randint(1, 4)] + spatial)


@step("Convolution", 1, kind="image")
def convolution(t, x=None):
    x = image(t) if x is None or (not t.in_graph and t.chance(0.5)) else x
    kernel, strides, dilations, begin, end, drawn = windows(t, x.shape[2:])
    outputs = t.random.randint(1, 4)
    weights = t.constant("f32", [outputs, x.shape[1]] + kernel, t.numbers(
        outputs * x.shape[1] * math.prod(kernel), 1.0))
    to = [x.shape[0], outputs] + out_extents(x.shape[2:], kernel, strides, dilations, begin, end)
    ir = t.layer("Convolution", t.since(1), [x, weights], "f32", to, dilations=dilations, **drawn)
    onnx = t.g.node("Conv", x.onnx, weights.onnx, strides=strides, dilations=dilations,
                    pads=begin + end)
    return t.both(ir, onnx, False, x.bound * x.shape[1] * math.prod(kernel))


@step("GroupConvolution", 1, kind="image")
def group_convolution(t, x=None):
    x = image(t) if x is None or (not t.in_graph and t.chance(0.5)) else x
    channels = x.shape[1]
    group = t.random.choice([n for n in range(1, channels + 1) if channels % n == 0])
    each, inputs = t.random.randint(1, 2), channels // group
    kernel, strides, dilations, begin, end, drawn = windows(t, x.shape[2:])
    shape = [group, each, inputs] + kernel
    numbers = t.numbers(math.prod(shape), 1.0)
    weights = t.ir.constant("f32", shape, numbers)
    onnx = t.g.constant(FLOAT, [group * each, inputs] + kernel, numbers)
    to = [x.shape[0], group * each] + out_extents(x.shape[2:], kernel, strides, dilations, begin, end)
    ir = t.layer("GroupConvolution", t.since(1), [x, weights], "f32", to, dilations=dilations, **drawn)
    return t.both(ir, t.g.node("Conv", x.onnx, onnx, strides=strides, dilations=dilations,
                               pads=begin + end, group=group), False,
                  x.bound * inputs * math.prod(kernel))


def transposed(t, x, name, grouped):
    x = image(t, 4) if x is None or (not t.in_graph and t.chance(0.5)) else x
    channels = x.shape[1]
    group = t.random.choice([n for n in range(1, channels + 1) if channels % n == 0]) if grouped else 1
    inputs, outputs = channels // group, t.random.randint(1, 3)
    spatial = x.shape[2:]
    kernel = [t.random.randint(1, 3) for _ in spatial]
    strides = [t.random.randint(1, 3) for _ in spatial]
    dilations = [t.pick(1, 1, 2) for _ in spatial]
    full = [s * (extent - 1) + (k - 1) * d + 1
            for extent, k, s, d in zip(spatial, kernel, strides, dilations)]
    begin, end = [], []
    for extent, k in zip(full, kernel):
        begin.append(t.random.randint(0, min(k - 1, extent - 1)))
        end.append(t.random.randint(0, min(k - 1, extent - 1 - begin[-1])))
    extra = [t.random.randint(0, max(s, d) - 1) for s, d in zip(strides, dilations)]
    mode = t.pick(None, "explicit", "explicit", "valid", "same_upper", "same_lower")
    drawn = {"strides": strides, "dilations": dilations, "pads_begin": begin, "pads_end": end}
    if mode:
        drawn["auto_pad"] = mode
    if any(extra) or t.chance(0.5):
        drawn["output_padding"] = extra
    operands = [x]
    if mode in ("valid", "same_upper", "same_lower"):
        begin, end = [0] * len(spatial), [0] * len(spatial)
    if mode in ("same_upper", "same_lower") or t.chance(0.2):
        # The extents are said, and paddings follow.
        room = [extent + more for extent, more in zip(full, extra)]
        wanted = [t.random.randint(max(1, extent - 2 * (k - 1)), extent) for extent, k in zip(room, kernel)]
        total = [a - b for a, b in zip(room, wanted)]
        if mode == "same_upper":
            end = [each // 2 for each in total]
            begin = [each - half for each, half in zip(total, end)]
        else:
            begin = [each // 2 for each in total]
            end = [each - half for each, half in zip(total, begin)]
        operands.append(None)
    shape = ([group] if grouped else []) + [inputs, outputs] + kernel
    numbers = t.numbers(math.prod(shape), 1.0)
    weights = t.ir.constant("f32", shape, numbers)
    to = [extent + more - b - e for extent, more, b, e in zip(full, extra, begin, end)]
    operands[1:] = [weights] + ([t.list(to)] if len(operands) > 1 else [])
    onnx = t.g.constant(FLOAT, [channels, outputs] + kernel, numbers)
    ir = t.layer(name, t.since(1), operands, "f32", [x.shape[0], group * outputs] + to, **drawn)
    # Rows and columns that ONNX Runtime would refuse to add are cut from a full result.
    whole = t.g.node("ConvTranspose", x.onnx, onnx, strides=strides, dilations=dilations, group=group,
                     pads=[0] * (2 * len(spatial)))
    rank = len(spatial)
    pads = [0] * (2 * rank + 4)
    for at in range(rank):
        pads[2 + at] = -begin[at]
        pads[4 + rank + at] = extra[at] - end[at]
    return t.both(ir, t.g.node("Pad", whole, t.g.ints(*pads)), False,
                  x.bound * inputs * math.prod(kernel))


@step("ConvolutionBackpropData", 1, kind="image")
def convolution_backprop(t, x=None):
    return transposed(t, x, "ConvolutionBackpropData", False)


@step("GroupConvolutionBackpropData", 1, kind="image")
def group_convolution_backprop(t, x=None):
    return transposed(t, x, "GroupConvolutionBackpropData", True)


def ceil_is_plain(spatial, kernel, strides, dilations, begin, end):
    """Whether rounding up adds no window that begins after the data, where the operation
    sets, and runtimes, do not agree."""
    to = out_extents(spatial, kernel, strides, dilations, begin, end, True)
    return all((n - 1) * s < extent + b for n, s, extent, b in zip(to, strides, spatial, begin))


@step("MaxPool", 1, 8, 14, kind="image")
def max_pool(t, x=None):
    x = image(t) if x is None or (not t.in_graph and t.chance(0.5)) else x
    kernel, strides, dilations, begin, end, drawn = windows(t, x.shape[2:], dilated=t.version > 1,
                                                           pooled=True)
    ceil = drawn.get("auto_pad") in (None, "explicit") and t.chance(0.4) and ceil_is_plain(
        x.shape[2:], kernel, strides, dilations, begin, end)
    if ceil:
        drawn["rounding_type"] = t.pick("ceil", "ceil_torch") if t.version == 14 else "ceil"
    elif t.chance(0.5):
        drawn["rounding_type"] = "floor"
    drawn["kernel"] = kernel
    to = x.shape[:2] + out_extents(x.shape[2:], kernel, strides, dilations, begin, end, ceil)
    attributes = {"strides": strides, "kernel_shape": kernel, "pads": begin + end, "ceil_mode": int(ceil),
                  "dilations": dilations}
    if t.version == 1:
        ir = t.layer("MaxPool", t.since(1, 8, 14), [x], "f32", to, **drawn)
        return t.both(ir, t.g.node("MaxPool", x.onnx, **attributes), x.exact, x.bound)
    if any(d > 1 for d in dilations) or t.chance(0.5):
        drawn["dilations"] = dilations
    index, axis = t.pick("i64", "i32"), t.pick(0, 2)
    drawn.update({"index_element_type": index, "axis": axis})
    ports = t.ir.layer("MaxPool", t.since(1, 8, 14), [x.ir], [("f32", to), (index, to)], drawn)
    if t.in_graph or not x.numbers or t.chance(0.5):
        return t.both(ports[0], t.g.node("MaxPool", x.onnx, **attributes), x.exact, x.bound)
    # Of equal elements, the first is taken: ONNX Runtime's order is that of the rows.
    values, where = t.g.node("MaxPool", x.onnx, results=2, **attributes)
    if axis == 2:
        where = t.g.node("Mod", where, t.g.int(math.prod(x.shape[2:])))
    code = {"i64": INT64, "i32": 6}[index]
    t.result(t.both(ports[1], t.g.node("Cast", where, to=code), True))
    return t.both(ports[0], values, x.exact, x.bound)


@step("AvgPool", 1, 14, kind="image")
def avg_pool(t, x=None):
    x = image(t) if x is None or (not t.in_graph and t.chance(0.5)) else x
    kernel, strides, ones, begin, end, drawn = windows(t, x.shape[2:], dilated=False, pooled=True)
    exclude = t.chance(0.5)
    ceil = exclude and drawn.get("auto_pad") in (None, "explicit") and t.chance(0.4) and ceil_is_plain(
        x.shape[2:], kernel, strides, ones, begin, end)
    if ceil:
        drawn["rounding_type"] = t.pick("ceil", "ceil_torch") if t.version == 14 else "ceil"
    elif t.chance(0.5):
        drawn["rounding_type"] = "floor"
    drawn.update({"kernel": kernel, "exclude__pad": exclude})
    to = x.shape[:2] + out_extents(x.shape[2:], kernel, strides, ones, begin, end, ceil)
    ir = t.layer("AvgPool", t.since(1, 14), [x], "f32", to, **drawn)
    onnx = t.g.node("AveragePool", x.onnx, strides=strides, kernel_shape=kernel, pads=begin + end,
                    ceil_mode=int(ceil), count_include_pad=int(not exclude))
    return t.both(ir, onnx, False, x.bound)


def adaptive(extent, outputs):
    """The windows of adaptive pooling."""
    return [(at * extent // outputs, -(-(at + 1) * extent // outputs)) for at in range(outputs)]


@step("AdaptiveAvgPool", 8, kind="image")
def adaptive_avg_pool(t, x=None):
    x = image(t) if x is None or (not t.in_graph and t.chance(0.5)) else x
    spatial = x.shape[2:]
    outputs = [t.random.randint(1, extent + 1) for extent in spatial]
    to = x.shape[:2] + outputs
    ir = t.layer("AdaptiveAvgPool", t.since(8), [x, t.list(outputs)], "f32", to)
    parts = [adaptive(extent, out) for extent, out in zip(spatial, outputs)]
    weights = Grid.made([math.prod(spatial), math.prod(outputs)], lambda index: 0)
    flat = []
    for place in indices_of(spatial):
        for out in indices_of(outputs):
            spans = [parts[at][each] for at, each in enumerate(out)]
            inside = all(low <= p < high for p, (low, high) in zip(place, spans))
            flat.append(1 / math.prod(high - low for low, high in spans) if inside else 0.0)
    rows = t.g.node("Reshape", x.onnx, t.g.ints(-1, math.prod(spatial)))
    product = t.g.node("MatMul", rows, t.g.constant(FLOAT, weights.shape, flat))
    return t.both(ir, t.g.node("Reshape", product, t.g.ints(*to)), False, x.bound)


@step("AdaptiveMaxPool", 8, kind="image")
def adaptive_max_pool(t, x=None):
    x = image(t) if x is None or (not t.in_graph and t.chance(0.5)) else x
    spatial = x.shape[2:]
    outputs = [t.random.randint(1, extent + 1) for extent in spatial]
    to = x.shape[:2] + outputs
    index = t.pick("i64", "i32")
    ports = t.ir.layer("AdaptiveMaxPool", t.since(8), [x.ir, t.list(outputs)],
                       [("f32", to), (index, to)], {"index_element_type": index})
    parts = [adaptive(extent, out) for extent, out in zip(spatial, outputs)]
    grid = Grid.of(spatial)
    cells = [[grid.at(place) for place in indices_of(spatial) if all(
        parts[at][each][0] <= place[at] < parts[at][each][1] for at, each in enumerate(out))]
        for out in indices_of(outputs)]
    most = max(map(len, cells))
    flat = [each for cell in cells for each in cell + [cell[0]] * (most - len(cell))]
    rows = t.g.node("Reshape", x.onnx, t.g.ints(-1, math.prod(spatial)))
    taken = t.g.node("Gather", rows, t.g.constant(INT64, [len(cells), most], flat), axis=1)
    if not t.in_graph and t.chance(0.5):
        # Positions in a channel: the first of equal entries in the order of the tensor.
        at = t.g.node("ArgMax", taken, axis=2, keepdims=1)
        table = t.g.node("Expand", t.g.constant(INT64, [1, len(cells), most], flat), t.g.node("Shape", taken))
        at = t.g.node("Reshape", t.g.node("GatherElements", table, at, axis=2), t.g.ints(*to))
        return t.both(ports[1], at if index == "i64" else t.g.node("Cast", at, to=INT32))
    largest = t.g.node("ReduceMax", taken, t.g.ints(-1), keepdims=0)
    return t.both(ports[0], t.g.node("Reshape", largest, t.g.ints(*to)), x.exact, x.bound)


# Normalizations.

def channel_constant(t, count, positive=False):
    numbers = [t.random.randint(16, 96) / 64 for _ in range(count)] if positive else t.numbers(count)
    return t.constant("f32", [count], numbers)


@step("BatchNormInference", 5, kind="rows")
def batch_norm(t, x):
    count, epsilon = x.shape[1], t.pick(1e-5, 1e-3, 9.99e-06)
    gamma, beta, mean = (channel_constant(t, count) for _ in range(3))
    variance = channel_constant(t, count, True)
    ir = t.layer("BatchNormInference", t.since(5), [x, gamma, beta, mean, variance], "f32", x.shape,
                 epsilon=epsilon)
    g = t.g
    along = lambda value: g.node("Reshape", value.onnx, g.ints(*([1, -1] + [1] * (x.rank - 2))))
    root = g.node("Sqrt", g.node("Add", along(variance), g.float(epsilon)))
    normal = g.node("Div", g.node("Sub", x.onnx, along(mean)), root)
    return t.both(ir, g.node("Add", g.node("Mul", normal, along(gamma)), along(beta)), False,
                  (x.bound + 2) * 4 + 2)


def normalized(t, x, axes, variance, epsilon, inside):
    g = t.g
    moved = g.node("Sub", x, g.node("ReduceMean", x, g.ints(*axes), keepdims=1))
    if not variance:
        return moved
    mean = g.node("ReduceMean", g.node("Mul", moved, moved), g.ints(*axes), keepdims=1)
    if inside:
        return g.node("Div", moved, g.node("Sqrt", g.node("Add", mean, g.float(epsilon))))
    return g.node("Div", moved, g.node("Add", g.node("Sqrt", mean), g.float(epsilon)))


@step("MVN", 1, 6, kind="rows")
def mvn(t, x):
    variance, epsilon, inside = t.chance(0.8), t.pick(1e-2, 1e-3, 0.1), True
    x = small(t, x)
    if t.version == 1:
        across = t.chance(0.5)
        drawn = {"across_channels": across}
        axes = list(range(1 if across or x.rank == 2 else 2, x.rank))
        if t.chance(0.4) or (not across and x.rank == 2):
            _, axes = t.axes(x.rank)
            drawn = {"reduction_axes": axes}
        ir = t.layer("MVN", t.since(1, 6), [x], "f32", x.shape, eps=epsilon, normalize_variance=variance,
                     **drawn)
    else:
        written, axes = t.axes(x.rank)
        t.random.shuffle(written)
        inside = t.chance(0.6)
        ir = t.layer("MVN", t.since(1, 6), [x, t.list(written)], "f32", x.shape, eps=epsilon,
                     normalize_variance=variance,
                     eps_mode="inside_sqrt" if inside else "outside_sqrt")
    return t.both(ir, normalized(t, x.onnx, axes, variance, epsilon, inside), False, 20)


@step("GroupNormalization", 12, kind="rows")
def group_normalization(t, x):
    x = small(t, x)
    count, epsilon = x.shape[1], t.pick(1e-2, 1e-3)
    groups = t.random.choice([n for n in range(1, count + 1) if count % n == 0])
    scale, bias = channel_constant(t, count), channel_constant(t, count)
    ir = t.layer("GroupNormalization", t.since(12), [x, scale, bias], "f32", x.shape, num_groups=groups,
                 epsilon=epsilon)
    g = t.g
    rows = g.node("Reshape", x.onnx, g.ints(x.shape[0], groups, -1))
    normal = g.node("Reshape", normalized(t, rows, [2], True, epsilon, True), g.ints(*x.shape))
    along = lambda value: g.node("Reshape", value.onnx, g.ints(*([1, -1] + [1] * (x.rank - 2))))
    return t.both(ir, g.node("Add", g.node("Mul", normal, along(scale)), along(bias)), False, 60)


@step("NormalizeL2", 1)
def normalize_l2(t, x):
    x = small(t, x)
    written, axes = t.axes(x.rank)
    mode, epsilon = t.pick("add", "max"), t.pick(1e-2, 0.5, 1.5)
    operand = t.scalar(written[0]) if len(axes) == 1 and t.chance(0.3) else t.list(written)
    ir = t.layer("NormalizeL2", t.since(1), [x, operand], "f32", x.shape, eps=epsilon, eps_mode=mode)
    g = t.g
    total = g.node("ReduceSum", g.node("Mul", x.onnx, x.onnx), g.ints(*axes), keepdims=1)
    safe = g.node("Add" if mode == "add" else "Max", total, g.float(epsilon))
    return t.both(ir, g.node("Div", x.onnx, g.node("Sqrt", safe)), False, 1)


@step("LRN", 1, kind="image")
def lrn(t, x):
    x = small(t, x)
    alpha, beta, bias, size = t.pick(0.5, 0.001), t.pick(0.75, 0.5), t.pick(1.0, 2.0), t.pick(1, 3, 5)
    axes = [1] if t.in_graph else t.pick([1], [1], [2, 3], [3])
    ir = t.layer("LRN", t.since(1), [x, t.list(axes)], "f32", x.shape, alpha=alpha, beta=beta, bias=bias,
                 size=size)
    g = t.g
    total = g.node("Mul", x.onnx, x.onnx)
    for axis in axes:
        # The sum over a region is a product with a matrix of ones and zeros.
        extent = x.shape[axis]
        band = [float(abs(a - b) <= size // 2) for a in range(extent) for b in range(extent)]
        order = [at for at in range(4) if at != axis] + [axis]
        back = [order.index(at) for at in range(4)]
        last = g.node("MatMul", g.node("Transpose", total, perm=order),
                      g.constant(FLOAT, [extent, extent], band))
        total = g.node("Transpose", last, perm=back)
    scaled = g.node("Add", g.node("Mul", total, g.float(alpha / size ** len(axes))), g.float(bias))
    return t.both(ir, g.node("Div", x.onnx, g.node("Pow", scaled, g.float(beta))), False, x.bound)


@step("GRN", 1, kind="image")
def grn(t, x):
    x = small(t, x)
    bias = t.pick(0.5, 1e-2)
    ir = t.layer("GRN", t.since(1), [x], "f32", x.shape, bias=bias)
    g = t.g
    total = g.node("ReduceSum", g.node("Mul", x.onnx, x.onnx), g.ints(1), keepdims=1)
    return t.both(ir, g.node("Div", x.onnx, g.node("Sqrt", g.node("Add", total, g.float(bias)))), False, 1)


@step("RMS", 14)
def rms(t, x):
    """Not of an operation set: what OpenVINO's own passes make of the elementary form."""
    x = small(t, x)
    epsilon = t.pick(1e-5, 1e-2)
    gamma = channel_constant(t, x.shape[-1])
    ir = t.layer("RMS", "ie_internal_opset", [x, gamma], "f32", x.shape, epsilon=epsilon,
                 output_type="f32")
    g = t.g
    mean = g.node("ReduceMean", g.node("Mul", x.onnx, x.onnx), g.ints(-1), keepdims=1)
    root = g.node("Sqrt", g.node("Add", mean, g.float(epsilon)))
    return t.both(ir, g.node("Mul", g.node("Div", x.onnx, root), gamma.onnx), False, 20)


# Interpolation: along every axis the product with a matrix of weights.

def coordinate(mode, at, scale, out, extent):
    if mode == "half_pixel":
        return (at + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (at + 0.5) / scale - 0.5 if out > 1 else 0.0
    if mode == "asymmetric":
        return at / scale
    if mode == "tf_half_pixel_for_nn":
        return (at + 0.5) / scale
    return 0.0 if out == 1 else at * (extent - 1) / (out - 1)


NEAREST = {"round_prefer_floor": lambda x, _: math.ceil(x - 0.5),
           "round_prefer_ceil": lambda x, _: math.floor(x + 0.5),
           "floor": lambda x, _: math.floor(x), "ceil": lambda x, _: math.ceil(x),
           "simple": lambda x, down: math.ceil(x) if down else int(x)}


def weights_of(mode, transformation, nearest, extent, out, scale, a):
    """A row for each position of the result."""
    clip = lambda at: min(max(at, 0), extent - 1)
    rows = []
    for at in range(out):
        x, row = coordinate(transformation, at, scale, out, extent), [0.0] * extent
        if mode == "nearest":
            row[clip(NEAREST[nearest](x, scale < 1))] = 1.0
        elif mode == "cubic":
            low = math.floor(x)
            s = x - low
            parts = (a * (s - 1) ** 2 * s, ((a + 2) * s - (a + 3)) * s * s + 1,
                     (((-a - 2) * s + (2 * a + 3)) * s - a) * s, -a * s * s * (s - 1))
            for by, part in enumerate(parts):
                row[clip(low + by - 1)] += part
        else:
            x = min(max(x, 0.0), extent - 1.0)
            low = math.floor(x)
            row[low] += 1 - (x - low)
            row[clip(low + 1)] += x - low
        rows += row
    return rows


@step("Interpolate", 4, 11, kind="image")
def interpolate(t, x):
    mode = t.pick("nearest", "nearest", "linear_onnx", "linear", "cubic")
    if mode == "nearest" and not t.in_graph:
        # Scales with which coordinates are exact.
        x = t.input("f32", x.shape[:2] + [t.pick(2, 4, 8), t.pick(2, 4, 8)])
    axes = [2, 3]
    if mode != "linear_onnx" and t.chance(0.3):
        axes = [3, 2]
    pads = {}
    if t.chance(0.2):
        pads = {"pads_begin": [0, 0, t.random.randint(0, 1), t.random.randint(0, 1)],
                "pads_end": [0, 0, 0, 0]}
        if mode == "nearest":
            pads = {"pads_begin": [0], "pads_end": [0]}
    elif t.chance(0.5):
        pads = {"pads_begin": [0, 0, 0, 0], "pads_end": [0, 0, 0, 0]}
    begin = (pads.get("pads_begin", [0]) + [0] * 4)[:4]
    extents = [extent + by for extent, by in zip(x.shape, begin)]
    if mode == "nearest":
        transformation = t.pick("half_pixel", "asymmetric", "asymmetric", "align_corners",
                                "pytorch_half_pixel", "tf_half_pixel_for_nn")
    else:
        transformation = t.pick("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    nearest = t.pick(*NEAREST)
    by_size = t.chance(0.5)
    sizes, scales = [], []
    for axis in axes:
        extent = extents[axis]
        if by_size or t.in_graph:
            out = t.random.randint(1, 9)
            if mode == "nearest" and t.in_graph:
                out = extent * t.pick(1, 2, 4)
            if transformation == "align_corners" and mode == "nearest":
                out = extent
            sizes.append(out)
            scales.append(out / extent)
        else:
            scale = t.pick(0.5, 2.0, 1.5, 1.0, 4.0)
            if transformation == "align_corners" and mode == "nearest":
                scale = 1.0
            if math.floor(extent * scale) < 1:
                scale = 1.0
            scales.append(scale)
            sizes.append(math.floor(extent * scale))
    drawn = {"mode": mode, "shape_calculation_mode": "sizes" if by_size else "scales",
             "coordinate_transformation_mode": transformation, "nearest_mode": nearest, **pads}
    if t.chance(0.5):
        drawn["antialias"] = False
    a = -0.75
    if mode == "cubic" and t.chance(0.5):
        a = drawn["cube_coeff"] = -0.5
    elif t.chance(0.3):
        drawn["cube_coeff"] = -0.75
    to = list(extents)
    for axis, size in zip(axes, sizes):
        to[axis] = size
    factors = t.ir.constant("f32", [len(axes)], scales)
    if t.version == 4:
        operands = [x, t.list(sizes), factors, t.list(axes)]
    else:
        operands = [x, t.list(sizes) if by_size else factors, t.list(axes)]
    ir = t.layer("Interpolate", t.since(4, 11), operands, "f32", to, **drawn)
    g, y = t.g, x.onnx
    if any(begin):
        y = g.node("Pad", y, g.ints(*begin, 0, 0, 0, 0))
    for axis, size, scale in zip(axes, sizes, scales):
        rows = weights_of(mode, transformation, nearest, extents[axis], size, scale, a)
        matrix = g.constant(FLOAT, [size, extents[axis]], rows)
        y = g.node("Einsum", y, matrix, equation="nchw,oh->ncow" if axis == 2 else "nchw,ow->ncho")
    return t.both(ir, y, False, x.bound * 2)


# Attention.

@step("ScaledDotProductAttention", 13, kind="own")
def attention(t):
    batch = t.shape(1, 2, 3)
    rows, keys, width, value_width = (t.random.randint(1, 5) for _ in range(4))
    q = t.input("f32", batch + [rows, width])
    k, v = t.input("f32", batch + [keys, width]), t.input("f32", batch + [keys, value_width])
    causal = t.chance(0.3)
    kind = t.pick("none", "float", "boolean", "zero", "scale")
    g, operands, bias, scale = t.g, [q, k, v], None, 1 / math.sqrt(width)
    shape = [1 if t.chance(0.4) else extent for extent in batch] + [rows, keys]
    if t.chance(0.2):
        shape[-2] = 1
    if kind in ("float", "scale"):
        mask = t.input("f32", shape)
        operands.append(mask)
        bias = mask.onnx
    elif kind == "boolean":
        numbers = [t.random.randint(0, 1) for _ in range(math.prod(shape))]
        # No row hides all.
        for at in range(0, len(numbers), keys):
            numbers[at] = 1
        mask = t.input("boolean", shape, numbers)
        operands.append(mask)
        bias = g.node("Where", mask.onnx, g.float(0.0), g.float(-math.inf))
    elif kind == "zero":
        operands.append(t.float_scalar("f32", 0.0))
    if kind == "scale":
        scale = t.pick(0.5, 0.25)
        operands.append(t.ir.constant("f32", *t.pick(([], [scale]), ([1], [scale]))))
    if causal:
        numbers = [-math.inf if column > row else 0.0 for row in range(rows) for column in range(keys)]
        bias = g.constant(FLOAT, [rows, keys], numbers)
    to = batch + [rows, value_width]
    ir = t.layer("ScaledDotProductAttention", t.since(13), operands, "f32", to, causal=causal)
    rank = len(batch)
    turned = g.node("Transpose", k.onnx, perm=list(range(rank)) + [rank + 1, rank])
    scores = g.node("Mul", g.node("MatMul", q.onnx, turned), g.float(scale))
    if bias:
        scores = g.node("Add", scores, bias)
    onnx = g.node("MatMul", g.node("Softmax", scores, axis=-1), v.onnx)
    if causal and kind in ("float", "boolean", "scale"):
        # The mask is an input that the ONNX model does not read.
        pass
    return t.both(ir, onnx)


def rope_of_neighbours(t, batch, heads, length):
    """Neighbours are pairs, and one table has sines and cosines."""
    g, width = t.g, t.pick(4, 6, 8)
    dims = t.pick(width, 4)
    half = dims // 2
    x = t.input("f32", [batch, length, heads, width])
    table = t.parameter_or_constant("f32", [t.pick(1, batch), length, dims])
    drawn = {"slice_start": 0, "slice_stop": 0, "input_trans0213": False, "is_interleaved": True,
             "rotary_ndims": dims, "is_chatglm": False, "support_2d_rope": False, "is_qwen": False,
             "head_cnt": 0, "head_size": 0, "gather_position_arg_id": 0}
    swaps = t.chance(0.7)
    if not swaps or t.chance(0.5):
        drawn["output_trans0213"] = swaps
    to = [batch, heads, length, width] if swaps else x.shape
    ir = t.layer("RoPE", "ie_internal_opset", [x, table, table], "f32", to, **drawn)
    # A pair as a row times a matrix of two by two.
    wide = g.node("Unsqueeze", table.onnx, g.ints(2))
    sine, cosine = (g.node("Slice", wide, g.ints(low), g.ints(low + half), g.ints(3)) for low in (0, half))
    pairs = g.node("Reshape", g.node("Slice", x.onnx, g.ints(0), g.ints(dims), g.ints(3)),
                   g.ints(batch, length, heads, half, 2))
    first, second = (g.node("Gather", pairs, g.int(at), axis=4) for at in (0, 1))
    turned = [g.node("Sub", g.node("Mul", first, cosine), g.node("Mul", second, sine)),
              g.node("Add", g.node("Mul", first, sine), g.node("Mul", second, cosine))]
    parts = [g.node("Unsqueeze", each, g.ints(4)) for each in turned]
    y = g.node("Reshape", g.node("Concat", *parts, axis=4), g.ints(batch, length, heads, dims))
    if dims < width:
        y = g.node("Concat", y, g.node("Slice", x.onnx, g.ints(dims), g.ints(width), g.ints(3)), axis=3)
    return t.both(ir, g.node("Transpose", y, perm=[0, 2, 1, 3]) if swaps else y)


@step("RoPE", 14, kind="own")
def rope(t):
    """Not of an operation set: what OpenVINO's own passes make of the elementary form."""
    batch, heads, length = (t.random.randint(1, 3) for _ in range(3))
    if t.chance(0.3):
        return rope_of_neighbours(t, batch, heads, length)
    width, start = t.pick(4, 6, 8), t.pick(0, 0, 3)
    dims = t.pick(width, width, 4)
    turned = t.chance(0.5)
    front = [batch, length, heads] if turned else [batch, heads, length]
    # A part of the last dimension may be what is turned.
    sliced = t.chance(0.2)
    x = t.input("f32", front + [width + start if sliced else width])
    g, half = t.g, dims // 2
    tables = [t.parameter_or_constant("f32", [1, 1, length, dims]) for _ in range(2)]
    drawn = {"slice_start": start if sliced else 0, "slice_stop": start + width if sliced else 0,
             "input_trans0213": turned, "output_trans0213": False, "is_interleaved": False,
             "rotary_ndims": dims, "is_chatglm": False, "support_2d_rope": False, "is_qwen": False,
             "head_cnt": 0, "head_size": 0, "gather_position_arg_id": 0}
    to = [batch, heads, length, width]
    ir = t.layer("RoPE", "ie_internal_opset", [x, *tables], "f32", to, **drawn)
    y = x.onnx
    if sliced:
        y = g.node("Slice", y, g.ints(start), g.ints(start + width), g.ints(3))
    if turned:
        y = g.node("Transpose", y, perm=[0, 2, 1, 3])
    part = lambda low, high: g.node("Slice", y, g.ints(low), g.ints(high), g.ints(3))
    cosine, sine = tables[0].onnx, tables[1].onnx
    rotated = g.node("Concat", g.node("Neg", part(half, dims)), part(0, half), axis=-1)
    first = g.node("Add", g.node("Mul", part(0, dims), cosine), g.node("Mul", rotated, sine))
    whole = first if dims == width else g.node("Concat", first, part(dims, width), axis=-1)
    return t.both(ir, whole)


# Operations with bodies.

def body_text(network, tag):
    return f"<{tag}>\n{network.text()}</{tag}>"


@step("If", 8, kind="own")
def if_(t):
    shape = t.shape(1, 3)
    x, y = t.input("f32", shape), t.input("f32", shape)
    condition = t.input("boolean", [], [t.random.randint(0, 1)])
    texts, branches = [], []
    # Results are counted with the operands in front in files, and alone in the specification.
    port = t.pick(0, 3, 3)
    for tag, kind, operator in (("then", "Add", "Add"), ("else", "Multiply", "Mul")):
        body = Network(parent=t.ir)
        both = [body.parameter("f32", shape, f"{tag}_{name}") for name in ("a", "b")]
        made = body.layer(kind, 1, both, [("f32", shape)], {"auto_broadcast": "numpy"})[0]
        body.result(made, f"{tag}_r")
        last = len(body.layers) - 1
        texts.append((tag, body_text(body, f"{tag}_body"),
                      f'<{tag}_port_map><input external_port_id="1" internal_layer_id="0" />'
                      f'<input external_port_id="2" internal_layer_id="1" />'
                      f'<output external_port_id="{port}" internal_layer_id="{last}" /></{tag}_port_map>'))
        branch = Graph(tag, prefix=f"{tag}{len(t.g.nodes)}_")
        branch.output(branch.node(operator, x.onnx, y.onnx), FLOAT, shape)
        branches.append(branch)
    inner = "\n".join([maps for _, _, maps in texts] + [text for _, text, _ in texts])
    ir = t.ir.layer("If", t.since(8), [condition.ir, x.ir, y.ir], [("f32", shape)], {}, inner=inner)[0]
    return t.both(ir, t.g.node("If", condition.onnx, then_branch=branches[0], else_branch=branches[1]))


def shares(names, values):
    """The attributes of an entry of a port map that slices or joins along an axis."""
    return " ".join(f'{name}="{value}"' for name, value in zip(names, values))


SLICED = ("axis", "start", "end", "stride", "part_size")


@step("Loop", 5, kind="own")
def loop(t):
    """A state, an operand that is sliced, one that is the same in every iteration, the number
    of the iteration, a condition, and results of all iterations that are joined."""
    count, width, axis = t.random.randint(1, 4), t.random.randint(1, 3), t.pick(0, 1)
    backwards = t.chance(0.4)
    # Either the trip count ends the loop, or the condition does: then nothing is joined.
    limit = t.random.randint(1, count) if t.chance(0.3) else None
    state = t.input("f32", [1, width])
    rows = t.input("f32", [count, width] if axis == 0 else [1, count])
    constant = t.input("f32", [1, width])
    body = Network(parent=t.ir)
    binary = lambda kind, a, b: body.layer(kind, 1, [a, b], [("f32", [1, width])],
                                           {"auto_broadcast": "numpy"})[0]
    row, past, same = (body.parameter("f32", shape, name) for name, shape in (
        ("row", [1, width] if axis == 0 else [1, 1]), ("past", [1, width]), ("same", [1, width])))
    number = body.parameter("i64", [], "number")
    real = body.layer("Convert", 1, [number], [("f32", [])], {"destination_type": "f32"})[0]
    next_ = binary("Add", binary("Multiply", binary("Add", past, row), same), real)
    next_ = body.layer("Tanh", 1, [next_], [("f32", [1, width])])[0]
    if limit is None:
        go = body.constant("boolean", [], [True])
    else:
        last = body.constant("i64", [], [limit - 1])
        go = body.layer("Less", 1, [number, last], [("boolean", [])], {"auto_broadcast": "numpy"})[0]
    body.result(next_, "next")
    next_id = len(body.layers) - 1
    body.result(go, "go")
    go_id = len(body.layers) - 1
    # Ports: trip count, condition, state, rows, constant; results: the last state, all states.
    walk = (-1, 0, -1) if backwards else (0, -1, 1)
    joined = "" if limit else (f'<output external_port_id="6" internal_layer_id="{next_id}" '
                               f'{shares(SLICED, (0, 0, -1, 1, 1))} />')
    inner = (f'<port_map><input external_port_id="3" internal_layer_id="0" '
             f'{shares(SLICED, (axis, *walk, 1))} />'
             '<input external_port_id="2" internal_layer_id="1" />'
             '<input external_port_id="4" internal_layer_id="2" />'
             '<input external_port_id="-1" internal_layer_id="3" purpose="current_iteration" />'
             f'<output external_port_id="5" internal_layer_id="{next_id}" />{joined}'
             f'<output external_port_id="-1" internal_layer_id="{go_id}" '
             'purpose="execution_condition" /></port_map>'
             f'<back_edges><edge from-layer="{next_id}" to-layer="1" /></back_edges>'
             + body_text(body, "body"))
    results = [("f32", [1, width])] + ([] if limit else [("f32", [count, width])])
    ports = t.ir.layer("Loop", t.since(5), [t.scalar(count, "i64"), t.ir.constant("boolean", [], [True]),
                                            state.ir, rows.ir, constant.ir], results, {}, inner=inner)
    g, all_states, at = t.g, [], state.onnx
    for step_ in range(limit or count):
        place = count - 1 - step_ if backwards else step_
        part = g.node("Slice", rows.onnx, g.ints(place), g.ints(place + 1), g.ints(axis))
        moved = g.node("Mul", g.node("Add", at, part), constant.onnx)
        at = g.node("Tanh", g.node("Add", moved, g.float(float(step_))))
        all_states.append(at)
    if not limit:
        t.result(t.both(ports[1], g.node("Concat", *all_states, axis=0)))
    return t.both(ports[0], at)


# State.

@step("ReadValue", 3, 6, kind="own")
def read_value(t):
    """A variable, which is an argument after the inputs, and a result after the results."""
    shape = t.shape(1, 3)
    x, count = t.input("f32", shape), math.prod(shape)
    start = t.ir.constant("f32", shape, [0.0] * count)
    attributes = {"variable_id": "state"}
    # What is not said, the value says that the variable begins with.
    if t.version == 6 and t.chance(0.7):
        said = t.pick((shape, "f32"), (shape, "f32"), ("...", "dynamic"))
        attributes.update({"variable_type": said[1], "variable_shape": said[0]})
    ir = t.layer("ReadValue", t.since(3, 6), [start], "f32", shape, **attributes)
    numbers = t.numbers(count)
    t.inputs.append(("state", "<f4", "<f4", shape, numbers))
    past = Value(ir, t.g.input("state", FLOAT, shape), numbers, True, 2.0)
    total = t.both(t.layer("Add", 1, [x, past], "f32", shape, auto_broadcast="numpy"),
                   t.g.node("Add", x.onnx, past.onnx))
    t.result(t.both(t.layer("Tanh", 1, [total], "f32", shape), t.g.node("Tanh", total.onnx)))
    t.ir.layer("Assign", t.since(3, 6), [total.ir], [("f32", shape)], attributes)
    t.g.named("Identity", [total.onnx], ["next"])
    t.g.output("next", FLOAT, shape)
    t.outputs += 1


# Recurrent layers.

def gates(numbers, hidden, width, order):
    """Rows of weights in another order of the gates."""
    size = hidden * width
    return [number for gate in order for number in numbers[gate * size:(gate + 1) * size]]


def recurrent(t, kind, sequence):
    is_lstm = kind == "LSTM"
    batch, length, width, hidden = (t.random.randint(1, 3) for _ in range(4))
    length = length + 1 if sequence else 1
    direction = t.pick("forward", "reverse", "bidirectional") if sequence else "forward"
    ways = 2 if direction == "bidirectional" else 1
    count = 4 if is_lstm else 3
    before_reset = not is_lstm and t.chance(0.5)
    states = 2 if is_lstm else 1
    state_shape = [batch, ways, hidden] if sequence else [batch, hidden]
    x = t.input("f32", [batch, length, width] if sequence else [batch, width])
    past = [t.input("f32", state_shape) for _ in range(states)]
    rows = count + 1 if before_reset else count
    w = [t.numbers(count * hidden * width, 1.0) for _ in range(ways)]
    r = [t.numbers(count * hidden * hidden, 1.0) for _ in range(ways)]
    b = [t.numbers(rows * hidden, 1.0) for _ in range(ways)]
    front = [ways] if sequence else []
    flat = lambda parts: [number for part in parts for number in part]
    constants = [t.ir.constant("f32", front + [count * hidden, width], flat(w)),
                 t.ir.constant("f32", front + [count * hidden, hidden], flat(r)),
                 t.ir.constant("f32", front + [rows * hidden], flat(b))]
    lengths = [length] * batch
    operands = [x.ir] + [each.ir for each in past]
    if sequence:
        if t.chance(0.4):
            lengths = [t.random.randint(1, length) for _ in range(batch)]
        operands.append(t.list(lengths))
    drawn = {"hidden_size": hidden}
    if sequence:
        drawn["direction"] = direction
    if t.chance(0.5):
        drawn["activations"] = ["sigmoid", "tanh", "tanh"][:3 if is_lstm else 2]
        drawn["activations_alpha"] = drawn["activations_beta"] = []
    if t.chance(0.5):
        drawn["clip"] = 0.0
    if not is_lstm and (before_reset or t.chance(0.5)):
        drawn["linear_before_reset"] = before_reset
    results = [("f32", [batch, ways, length, hidden])] if sequence else []
    results += [("f32", state_shape)] * states
    name = kind + ("Sequence" if sequence else "Cell")
    ports = t.ir.layer(name, t.since(t.version), operands + constants, results, drawn)

    g = t.g
    # OpenVINO's order of gates is fico and zrh, that of ONNX iofc and zrh.
    order = [1, 3, 0, 2] if is_lstm else [0, 1, 2]
    biases = []
    for each in b:
        if before_reset:
            zeros = [0.0] * (2 * hidden)
            biases += each[:3 * hidden] + zeros + each[3 * hidden:]
        else:
            biases += gates(each, hidden, 1, order) + [0.0] * (count * hidden)
    w, r = [gates(each, hidden, width, order) for each in w], [gates(each, hidden, hidden, order) for each in r]
    steps = x.onnx if sequence else g.node("Unsqueeze", x.onnx, g.ints(1))
    wide = [each.onnx if sequence else g.node("Unsqueeze", each.onnx, g.ints(1)) for each in past]
    made = g.node(
        "LSTM" if is_lstm else "GRU", g.node("Transpose", steps, perm=[1, 0, 2]),
        g.constant(FLOAT, [ways, count * hidden, width], flat(w)),
        g.constant(FLOAT, [ways, count * hidden, hidden], flat(r)),
        g.constant(FLOAT, [ways, 2 * count * hidden], biases),
        g.constant(6, [batch], lengths), *(g.node("Transpose", each, perm=[1, 0, 2]) for each in wide),
        results=1 + states, hidden_size=hidden, direction=direction,
        **({} if is_lstm else {"linear_before_reset": int(before_reset)}))
    last = [g.node("Transpose", each, perm=[1, 0, 2]) for each in made[1:]]
    if not sequence:
        last = [g.node("Reshape", each, g.ints(*state_shape)) for each in last]
        if is_lstm:
            t.result(t.both(ports[1], last[1]))
        return t.both(ports[0], last[0])
    for port, each in zip(ports[1:], last):
        t.result(t.both(port, each))
    return t.both(ports[0], g.node("Transpose", made[0], perm=[2, 1, 0, 3]))


@step("LSTMCell", 4, kind="own")
def lstm_cell(t):
    return recurrent(t, "LSTM", False)


@step("LSTMSequence", 5, kind="own")
def lstm_sequence(t):
    return recurrent(t, "LSTM", True)


@step("GRUCell", 3, kind="own")
def gru_cell(t):
    return recurrent(t, "GRU", False)


@step("GRUSequence", 5, kind="own")
def gru_sequence(t):
    return recurrent(t, "GRU", True)
