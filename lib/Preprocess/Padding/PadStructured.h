// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_PREPROCESS_PADDING_PADSTRUCTURED_H
#define NPU_LIB_PREPROCESS_PADDING_PADSTRUCTURED_H

#include "PaddedValues.h"

namespace npu {

/// Builds `op` on padded operands at the place of `builder`: reductions along
/// `masked` loops skip padding, integer divisions and reads of tensors in the
/// region are kept from trapping on padding, and positions count real entries.
llvm::SmallVector<mlir::Value> padStructured(mlir::linalg::LinalgOp op,
                                             const llvm::SmallBitVector &masked,
                                             const PaddingAnalysis &analysis,
                                             PaddedValues &values,
                                             mlir::OpBuilder &builder);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PADDING_PADSTRUCTURED_H
