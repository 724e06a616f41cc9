// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of positions that exporters compute of extents: a slice that is
// assigned to, `y[:, a:b] = x`, is written as ScatterND with the position of
// every entry, made by Range, Reshape, Expand and Concat.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_AFFINEENTRIES_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_AFFINEENTRIES_H

#include "NodeImport.h"

namespace npu {

/// Integers of a tensor of which the one at i is base + the sum of steps[d] *
/// i[d] over all dimensions d. Dimensions of one entry have the step 0.
///
/// Example: Expand(Reshape(Range(n, 2 * n, 1), [-1, 1]), [n, 4]) has the base n
/// and the steps 1 and 0.
struct AffineEntries {
  Number base;
  llvm::SmallVector<int64_t> steps;
};

/// The dimensions that may have several entries: those of one entry, which
/// exporters add and remove to make ranks agree, are left out.
llvm::SmallVector<std::size_t>
dimensionsOfSeveral(llvm::ArrayRef<Number> extents);

/// The numbers in each place of the last dimension of an operand, over all
/// other dimensions: as many as the last dimension has entries. Nothing where
/// one of them is not known to be affine.
std::optional<llvm::SmallVector<AffineEntries>> affineTuples(NodeImport &node,
                                                             unsigned operand);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_AFFINEENTRIES_H
