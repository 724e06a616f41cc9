// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that follow from shapes: the shape of a tensor one of whose extents
// is a prompt, and what exporters compute from such shapes.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H

#include "NodeImport.h"

namespace npu {

/// What is known of result 0 of a node, by the rules of Shape, Size, Concat,
/// Gather, Slice, Squeeze, Unsqueeze, Reshape, Cast, Identity, Expand,
/// reductions of a list, the arithmetic on integers, and comparisons with
/// Not, And, Or and Where; nothing for other operators.
///
/// Example: for x of 1x?x16, `Concat(Shape(x)[0:2], [4, 4])` is 1, the extent
/// of the prompt, 4, 4.
std::optional<KnownIntegers> knownResult(NodeImport &node);

/// Whether an integer of a type may be another number than the one that follows
/// from shapes, because that does not fit the type at some length: n in 8 bits,
/// -1 without a sign.
bool mayWrapAround(NodeImport &node, Number number, OnnxElement element);

/// What is known of result 0 of a node that computes floats, by the rules of
/// Cast, Identity, Div and Mul by a constant, Ceil, Floor, and those that
/// change a list's shape alone. Nothing where a float may round to another
/// integer than the fraction that it stands for.
///
/// Example: for n, a prompt's extent, `Ceil(Div(Cast(n), 3.0))` is
/// n ceildiv 3, with the divisor 1.
std::optional<KnownFractions> knownFractions(NodeImport &node);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H
