// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the boxes that tiles read to a layout under which they hold them.

#ifndef NPU_ANALYSIS_CHOICES_HOLDINGLAYOUT_H
#define NPU_ANALYSIS_CHOICES_HOLDINGLAYOUT_H

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

namespace npu {

/// `type` under another distribution: its order and its storage kind stay.
mlir::RankedTensorType withDistribution(mlir::RankedTensorType type,
                                        Distribution distribution);

/// `type` (its shape, order and storage kind) under the layout whose memory
/// boxes are `needs`, in the shortest form: the distribution of `like` when
/// that has those boxes, else what `describe` gives with the windows that are
/// slid over the tensor. Where the needs do not cover the tensor (a stride that
/// skips rows, a slice), boxes grow to cover it by the way that moves the
/// fewest bytes from `type`.
mlir::RankedTensorType typeHolding(mlir::RankedTensorType type,
                                   std::vector<Box> needs,
                                   mlir::RankedTensorType like,
                                   llvm::ArrayRef<Window> windows = {});

/// `type` under the layout whose compute and memory boxes are both `boxes`;
/// null where the boxes do not cover the tensor, or where no layout has them (a
/// scalar on some tiles and not on tiles before them).
mlir::RankedTensorType typeProducing(mlir::RankedTensorType type,
                                     std::vector<Box> boxes,
                                     mlir::RankedTensorType like);

/// The type whose memory boxes are its compute boxes, with the mode of `type`
/// where possible.
mlir::RankedTensorType computeOnlyType(mlir::RankedTensorType type);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_HOLDINGLAYOUT_H
