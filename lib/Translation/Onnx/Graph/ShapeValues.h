// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that are known in part: the shape of a tensor one of whose extents
// is a prompt, and what exporters compute from such shapes.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H

#include "NodeImport.h"

namespace npu {

/// Numbers of a tensor of up to one dimension; ShapedType::kDynamic stands for
/// one that is known at run time only.
using PartlyKnown = llvm::SmallVector<int64_t>;

/// What is known of operand `number`: a constant, or what an earlier node's
/// rule has found. Nothing where it is no short list of integers.
std::optional<PartlyKnown> partlyKnownOperand(const NodeImport &node,
                                              unsigned number);

/// What is known of result 0 of a node, by the rules of Shape, Concat, Gather,
/// Slice, Squeeze, Unsqueeze, Reshape, Cast, Identity and the arithmetic on
/// integers; nothing for other operators.
///
/// Example: for x of 1x?x16, `Concat(Shape(x)[0:2], [4, 4])` is 1, ?, 4, 4.
std::optional<PartlyKnown> partlyKnownResult(const NodeImport &node);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H
