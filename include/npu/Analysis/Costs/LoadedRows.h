// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a tensor in DDR that data name, as an embedding reads its table:
// tiles load these rows, and nothing else of the tensor.

#ifndef NPU_ANALYSIS_COSTS_LOADEDROWS_H
#define NPU_ANALYSIS_COSTS_LOADEDROWS_H

#include "npu/Interfaces/OpAccess.h"
#include "npu/Target/Count.h"
#include "npu/Target/Target.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallBitVector.h"

namespace npu {

/// What an operation does that only copies entries of one tensor in DDR to its
/// result, at positions of which some are data and the last one is a loop: a
/// row is the slice that one choice of data names. Its dimensions are the loops
/// that positions count and no data depend on; the tensor may have gaps between
/// them. Example: a result of 128 by 1536 entries of a table of 151,936 by
/// 1536, of which a loop over 128 names the rows, is 128 rows of 1536 entries,
/// and of 12 such tables at the same positions, 128 rows of 12 by 1536.
class LoadedRows {
public:
  /// Nothing where the operation does anything else, or its rows are single
  /// entries, which a vector engine reads.
  static std::optional<LoadedRows> of(mlir::Operation *op);

  /// The bytes that a tile loads which runs `iteration`.
  int64_t bytesOf(const IterationDomain &iteration) const;
  /// The cycles of a tile's transfers, one for each row.
  int64_t cyclesOf(const IterationDomain &iteration, int64_t tile,
                   const Target &target) const;

private:
  LoadedRows(mlir::Type element, llvm::SmallBitVector inRow)
      : element(element), inRow(std::move(inRow)) {}

  Count bytesOfRow(const IterationDomain &iteration) const;
  Count rowsOf(const IterationDomain &iteration) const;

  mlir::Type element;
  /// The loops along which a row lies. Each iteration of the others has a row
  /// of its own.
  llvm::SmallBitVector inRow;
};

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_LOADEDROWS_H
