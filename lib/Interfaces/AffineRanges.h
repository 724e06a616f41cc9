// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic on affine expressions over boxes of loops, forward (what
// an expression's values span) and backward (which iterations stay within a
// range of values).

#ifndef NPU_LIB_INTERFACES_AFFINERANGES_H
#define NPU_LIB_INTERFACES_AFFINERANGES_H

#include "npu/Interfaces/LinearForm.h"
#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

namespace npu {

/// A range around the expression's values: the smallest one, unless a loop
/// stands in it twice or a remainder is taken of anything but a loop.
/// Precondition: no range is empty, and the expression has no symbols.
Range valuesOf(mlir::AffineExpr expr, llvm::ArrayRef<Range> loops);

/// Narrows `loops` to a box around the iterations whose value of every
/// expression lies in the range of the same index. None of these is lost;
/// others may stay. False where there is none. For any quasi-affine
/// expressions. Precondition: no range is empty.
bool narrowAround(llvm::ArrayRef<mlir::AffineExpr> exprs, const Box &values,
                  llvm::MutableArrayRef<Range> loops);

/// Narrows `loops` to the iterations whose value of every expression lies in
/// the range of the same index. A tile that holds the first or last entry of a
/// dimension also takes iterations that lie before or after the tensor (a pad's
/// border). False where there is none, where they are no box, and where that
/// is not known. Precondition: `loops` are whole, and no range of `values` is
/// empty.
bool narrowToValues(llvm::ArrayRef<mlir::AffineExpr> exprs, const Box &values,
                    const Extents &extents, llvm::ArrayRef<int64_t> loopExtents,
                    llvm::MutableArrayRef<Range> loops);

} // namespace npu

#endif // NPU_LIB_INTERFACES_AFFINERANGES_H
