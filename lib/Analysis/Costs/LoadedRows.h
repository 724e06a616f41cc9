// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a tensor in DDR that data name, as an embedding reads its table:
// tiles load these rows, and nothing else of the tensor.

#ifndef NPU_LIB_ANALYSIS_COSTS_LOADEDROWS_H
#define NPU_LIB_ANALYSIS_COSTS_LOADEDROWS_H

#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Target/Count.h"
#include "npu/Target/Target.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// What an operation does that only copies entries of one tensor in DDR to its
/// result, at positions of which some are data and the last ones are loops: a
/// row is what these loops read without a gap. Example: a result of 128 by 1536
/// entries of a table of 151,936 by 1536, of which a loop over 128 names the
/// rows, is 128 rows of 1536 entries.
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
  explicit LoadedRows(EntryRead read) : read(read) {}

  Count bytesOfRow(const IterationDomain &iteration) const;
  Count rowsOf(const IterationDomain &iteration) const;
  Count entriesOfRow(const IterationDomain &iteration) const;

  EntryRead read;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_COSTS_LOADEDROWS_H
