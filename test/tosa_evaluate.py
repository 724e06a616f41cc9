# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What operations of TOSA compute, by the words of its specification and nothing else: no
compiler is asked. Sums are Python's: integers are exact, floats are doubles."""

import math

from tosa_types import Tensor, is_float, least, made, most, rounded, width, wrap


def nan_of(*values):
    return any(isinstance(v, float) and math.isnan(v) for v in values)


def clip(value, low, high):
    return min(max(value, low), high)


def fitting(value, kind):
    """An integer that the type has, or the nearest one."""
    return clip(value, least(kind), most(kind))


def broadcast(compute, kind, *tensors):
    """Element by element; an extent of 1 is repeated."""
    shape = [max(t.shape[d] for t in tensors) for d in range(len(tensors[0].shape))]

    def element(*index):
        return compute(*(t.at(*(0 if extent == 1 else i for i, extent in zip(index, t.shape))) for t in tensors))

    return made(kind, shape, element)


def scale(value, multiplier, shift, double_round=False):
    """RESCALE's product: multiplied, rounded, shifted."""
    add = 1 << (shift - 1)
    if double_round and shift > 31:
        add += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + add) >> shift


def shift_right(value, by, with_rounding):
    return (value >> by) + ((value >> (by - 1)) & 1 if with_rounding and by > 0 else 0)


def extreme(a, b, nan_mode, choose):
    """max or min of two numbers."""
    if nan_of(a, b):
        if nan_mode == "PROPAGATE" or nan_of(a) and nan_of(b):
            return math.nan
        return b if nan_of(a) else a
    return choose(a, b)


def clamp(value, low, high, nan_mode):
    if nan_of(value):
        return math.nan if nan_mode == "PROPAGATE" else low
    return clip(value, low, high)


def cast(value, to, source):
    if to == "i1":
        return int(value != 0)
    if is_float(source) and not is_float(to):
        if nan_of(value):
            return 0
        return int(clip(value if math.isinf(value) else round(value), least(to), most(to)))
    return rounded(value, to)


def leading_zeros(value, kind):
    return width(kind) - (value & ((1 << width(kind)) - 1)).bit_length()


def lookup(value, table, kind):
    """TABLE: 256 entries for i8; for i16, 513 with seven bits between two of them."""
    if kind == "i8":
        return table[value + 128]
    place = value + 32768
    base, after, fraction = table[place >> 7], table[(place >> 7) + 1], place & 127
    return (base << 7) + (after - base) * fraction


def reduce(tensor, axis, combine, kind=None):
    shape = [1 if d == axis else extent for d, extent in enumerate(tensor.shape)]

    def element(*index):
        values = [tensor.at(*(k if d == axis else i for d, i in enumerate(index))) for k in range(tensor.shape[axis])]
        return combine(values)

    return made(kind or tensor.kind, shape, element)


def fold(values, step):
    total = values[0]
    for value in values[1:]:
        total = step(total, value)
    return total


def argmax(values, nan_mode):
    best = None
    for i, value in enumerate(values):
        if nan_of(value):
            if nan_mode == "PROPAGATE":
                return i
        elif best is None or value > values[best]:
            best = i
    return best or 0


def matmul(a, b, a_zero, b_zero, kind):
    return made(kind, (a.shape[0], a.shape[1], b.shape[2]),
                lambda n, h, w: sum((a.at(n, h, c) - a_zero) * (b.at(n, c, w) - b_zero) for c in range(a.shape[2])))


def bias_at(bias, channel):
    return bias.data[channel if bias.shape[0] > 1 else 0]


def convolution(x, weight, bias, zero, weight_zero, pad, stride, dilation, kind, depthwise=False):
    """CONV2D, CONV3D and DEPTHWISE_CONV2D: batch first, channels last."""
    dims = len(x.shape) - 2
    kernel = weight.shape[:2] if depthwise else weight.shape[1 : 1 + dims]
    out = [(x.shape[1 + d] - 1 + pad[2 * d] + pad[2 * d + 1] - (kernel[d] - 1) * dilation[d]) // stride[d] + 1
           for d in range(dims)]
    channels = weight.shape[2] * weight.shape[3] if depthwise else weight.shape[0]

    def element(n, *index):
        place, channel = index[:dims], index[dims]
        total = bias_at(bias, channel)
        for tap in made("i64", kernel, lambda *k: k).data:
            at = [place[d] * stride[d] + tap[d] * dilation[d] - pad[2 * d] for d in range(dims)]
            if any(not 0 <= at[d] < x.shape[1 + d] for d in range(dims)):
                continue
            if depthwise:
                c, m = divmod(channel, weight.shape[3])
                total += (x.at(n, *at, c) - zero) * (weight.at(*tap, c, m) - weight_zero)
            else:
                for c in range(x.shape[-1]):
                    total += (x.at(n, *at, c) - zero) * (weight.at(channel, *tap, c) - weight_zero)
        return total

    return made(kind, (x.shape[0], *out, channels), element)


def transposed_convolution(x, weight, bias, zero, weight_zero, out_pad, stride, kind):
    """TRANSPOSE_CONV2D: every input adds its products to a window of the result."""
    n, height, width_, channels = x.shape
    outputs, rows, columns, _ = weight.shape
    shape = (n, (height - 1) * stride[0] + out_pad[0] + out_pad[1] + rows,
             (width_ - 1) * stride[1] + out_pad[2] + out_pad[3] + columns, outputs)
    result = {index: bias_at(bias, index[3]) for index in made("i64", shape, lambda *i: i).data}
    for b, y, c, o, ky, kx in made("i64", (n, height, width_, outputs, rows, columns), lambda *i: i).data:
        at = (b, y * stride[0] + out_pad[0] + ky, c * stride[1] + out_pad[2] + kx, o)
        if at in result:
            result[at] += sum((x.at(b, y, c, i) - zero) * (weight.at(o, ky, kx, i) - weight_zero)
                              for i in range(channels))
    return made(kind, shape, lambda *index: result[index])


def windows(x, kernel, stride, pad, combine, kind):
    out = [(x.shape[1 + d] + pad[2 * d] + pad[2 * d + 1] - kernel[d]) // stride[d] + 1 for d in range(2)]

    def element(n, y, c, channel):
        rows = [y * stride[0] + k - pad[0] for k in range(kernel[0])]
        columns = [c * stride[1] + k - pad[2] for k in range(kernel[1])]
        return combine([x.at(n, i, j, channel) for i in rows if 0 <= i < x.shape[1]
                        for j in columns if 0 <= j < x.shape[2]])

    return made(kind, (x.shape[0], *out, x.shape[3]), element)


def average(values, zero, out_zero, kind):
    if is_float(kind):
        return math.fsum(values) / len(values)
    bits = (len(values) - 1).bit_length()
    multiplier = (((1 << 30) + 1) << bits) // len(values)
    return fitting(scale(sum(v - zero for v in values), multiplier, 30 + bits) + out_zero, kind)


def resize(x, scales, offset, border, mode, kind):
    y_n, y_d, x_n, x_d = scales
    height = ((x.shape[1] - 1) * y_n - offset[0] + border[0]) // y_d + 1
    columns = ((x.shape[2] - 1) * x_n - offset[1] + border[1]) // x_d + 1

    def sides(place, step, unit, start, extent):
        at = place * step + start
        low = at // unit
        return clip(low, 0, extent - 1), clip(low + 1, 0, extent - 1), at - low * unit

    def element(n, y, c, channel):
        y0, y1, dy = sides(y, y_d, y_n, offset[0], x.shape[1])
        x0, x1, dx = sides(c, x_d, x_n, offset[1], x.shape[2])
        if mode == "NEAREST_NEIGHBOR":
            return x.at(n, y1 if 2 * dy >= y_n else y0, x1 if 2 * dx >= x_n else x0, channel)
        total = (x.at(n, y0, x0, channel) * (y_n - dy) * (x_n - dx) + x.at(n, y0, x1, channel) * (y_n - dy) * dx +
                 x.at(n, y1, x0, channel) * dy * (x_n - dx) + x.at(n, y1, x1, channel) * dy * dx)
        return total / (y_n * x_n) if is_float(kind) else total

    return made(kind, (x.shape[0], height, columns, x.shape[3]), element)


def fourier(real, imaginary, inverse, columns):
    """Both parts of the transform, the first `columns` of the last dimension."""
    n, height, width_ = real.shape
    sign = -1.0 if inverse else 1.0

    def part(b, oy, ox, is_real):
        total = 0.0
        for y in range(height):
            for x in range(width_):
                angle = sign * 2 * math.pi * (y * oy / height + x * ox / width_)
                re, im = real.at(b, y, x), imaginary.at(b, y, x) if imaginary else 0.0
                total += re * math.cos(angle) + im * math.sin(angle) if is_real else \
                    im * math.cos(angle) - re * math.sin(angle)
        return total

    shape = (n, height, columns)
    return [made("f32", shape, lambda b, y, x, real=is_real: part(b, y, x, real)) for is_real in (True, False)]


def concat(tensors, axis):
    shape = list(tensors[0].shape)
    shape[axis] = sum(t.shape[axis] for t in tensors)

    def element(*index):
        place = list(index)
        for tensor in tensors:
            if place[axis] < tensor.shape[axis]:
                return tensor.at(*place)
            place[axis] -= tensor.shape[axis]
        raise IndexError

    return made(tensors[0].kind, shape, element)


def pad(x, padding, value):
    shape = [extent + padding[2 * d] + padding[2 * d + 1] for d, extent in enumerate(x.shape)]

    def element(*index):
        at = [i - padding[2 * d] for d, i in enumerate(index)]
        return x.at(*at) if all(0 <= i < extent for i, extent in zip(at, x.shape)) else value

    return made(x.kind, shape, element)


def scatter(values, places, updates):
    result = dict(zip(made("i64", values.shape, lambda *i: i).data, values.data))
    for n, w, c in made("i64", updates.shape, lambda *i: i).data:
        result[n, places.at(n, w), c] = updates.at(n, w, c)
    return made(values.kind, values.shape, lambda *index: result[index])


def rescale(value, multiplier, shift, zero, out_zero, double_round, kind, unsigned_in, unsigned_out, source):
    if unsigned_in:
        value, zero = value & ((1 << width(source)) - 1), zero & ((1 << width(source)) - 1)
    if unsigned_out:
        out_zero &= (1 << width(kind)) - 1
    result = scale(value - zero, multiplier, shift, double_round) + out_zero
    if unsigned_out:
        return wrap(clip(result, 0, (1 << width(kind)) - 1), kind)
    return fitting(result, kind)


def reshaped(x, shape):
    return Tensor(x.kind, tuple(shape), list(x.data))
