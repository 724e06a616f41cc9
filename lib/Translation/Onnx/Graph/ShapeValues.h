// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that follow from shapes: the shape of a tensor one of whose extents
// is a prompt, and what exporters compute from such shapes.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H

#include "NodeImport.h"

namespace npu {

/// Integers of a tensor of up to one dimension; null stands for one that is
/// known at run time only.
using KnownIntegers = llvm::SmallVector<Number>;

/// What is known of result 0 of a node, by the rules of Shape, Size, Concat,
/// Gather, Slice, Split, Squeeze, Unsqueeze, Reshape, Cast, Identity, Expand,
/// ConstantOfShape, the arithmetic on integers, and comparisons with Where;
/// nothing for other operators.
///
/// Example: for x of 1x?x16, `Concat(Shape(x)[0:2], [4, 4])` is 1, the extent
/// of the prompt, 4, 4.
std::optional<KnownIntegers> knownResult(NodeImport &node);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_SHAPEVALUES_H
