# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a window slides: extents and padding of convolutions and pooling."""


def spread(extent, kernel, stride, pad):
    """The result's extent, and the padding in front and after that it reads. What
    is read after may be less than nothing: entries that no window reaches."""
    result = (extent + 2 * pad - kernel) // stride + 1
    return result, pad, (result - 1) * stride + kernel - pad - extent


def spreads(x, kernel, stride, pad):
    """The same for rows and columns of an image."""
    return spread(x.shape[1], kernel, stride, pad), spread(x.shape[2], kernel, stride, pad)
