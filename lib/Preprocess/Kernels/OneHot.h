// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters as reductions that compare each position with all that
// it may be.

#ifndef NPU_LIB_PREPROCESS_KERNELS_ONEHOT_H
#define NPU_LIB_PREPROCESS_KERNELS_ONEHOT_H

#include "Repairs.h"

namespace npu {

/// Builds in front of an npu.gather or npu.scatter the reduction that stands
/// for its result: a product with one-hot rows, in which a choice stands for
/// the multiplication, so that no bit of an entry changes (0 times infinity is
/// NaN). The number of comparisons that each entry of the result takes is the
/// second one returned. Null where positions may be outside of what they are
/// in, where shapes are dynamic, or where the comparisons are many.
///
/// Example: `npu.gather %data at %rows` with 3 rows of a tensor<8x16xf16>
/// becomes a reduction with loops (3, 16, 8) whose body chooses the entry of
/// %data where the number of the last loop is the row, and what there is
/// elsewhere.
std::pair<mlir::Value, int64_t> chooseByComparing(mlir::OpBuilder &builder,
                                                  mlir::Operation *op,
                                                  const PositionBounds &bounds);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_KERNELS_ONEHOT_H
