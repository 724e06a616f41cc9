// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADVIEWS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADVIEWS_H

#include "PaddedValues.h"

namespace npu {

/// The results of a cast, reshape, slice, pad, concatenation or elementwise
/// operation on its padded operands, written where `builder` stands.
llvm::SmallVector<mlir::Value> padView(mlir::Operation *op,
                                       const PaddingAnalysis &analysis,
                                       PaddedValues &values,
                                       mlir::OpBuilder &builder);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADVIEWS_H
