// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic on affine expressions over boxes of loops: forward (the
// range of an expression's values) and backward (the iterations whose values
// lie in a range).

#ifndef NPU_LIB_INTERFACES_AFFINERANGES_H
#define NPU_LIB_INTERFACES_AFFINERANGES_H

#include "npu/Interfaces/LinearForm.h"
#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

namespace npu {

/// A range that contains the expression's values. It is the smallest one,
/// unless a loop occurs twice or a remainder is taken of anything but a loop.
/// Precondition: no range is empty, and the expression has no symbols.
Range valuesOf(mlir::AffineExpr expr, llvm::ArrayRef<Range> loops);

/// Narrows `loops` to a box that contains all iterations at which the value of
/// every expression lies in the range of the same index. The box may contain
/// other iterations. Returns false where there is no such iteration. Works for
/// every quasi-affine expression. Precondition: no range is empty.
bool narrowAround(llvm::ArrayRef<mlir::AffineExpr> exprs, const Box &values,
                  llvm::MutableArrayRef<Range> loops);

/// Narrows `loops` to exactly the iterations at which the value of every
/// expression lies in the range of the same index. A tile that holds the first
/// or last entry of a dimension also gets iterations that lie before or after
/// the tensor (a pad's border). Returns false where there are no such
/// iterations, where they are no box, and where that is not known.
/// Precondition: `loops` are whole, and no range of `values` is empty.
bool narrowToValues(llvm::ArrayRef<mlir::AffineExpr> exprs, const Box &values,
                    const Extents &extents, llvm::ArrayRef<int64_t> loopExtents,
                    llvm::MutableArrayRef<Range> loops);

} // namespace npu

#endif // NPU_LIB_INTERFACES_AFFINERANGES_H
