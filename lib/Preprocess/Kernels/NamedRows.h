// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the table of a gather lies: as a whole on tiles, or in DDR, from which
// tiles load the rows that its positions name.

#ifndef NPU_LIB_PREPROCESS_KERNELS_NAMEDROWS_H
#define NPU_LIB_PREPROCESS_KERNELS_NAMEDROWS_H

#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Target/Target.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Decides it for the gathers of a module, on one device.
class NamedRows {
public:
  NamedRows(const KernelTable &table, const Target &device)
      : table(table), device(device) {}

  /// The most bytes of a table in DDR that every tile may hold instead.
  int64_t mostHeld() const { return device.scratchpadBytes / 4; }

  /// Builds the lookup that loads the rows of `gather`, in front of it; null,
  /// and nothing is built, where tiles hold its table, or have to.
  mlir::Value load(mlir::IRRewriter &rewriter, GatherOp gather) const;

  /// Whether tiles load the rows that `lookup` names rather than hold the table
  /// of `gather`, which gives the same: where they cannot hold it beside their
  /// parts of the result, or where that takes fewer cycles. A table that tiles
  /// have made stays on them as long as they can hold it.
  bool areBetter(mlir::linalg::GenericOp lookup, GatherOp gather) const;

  /// Why the rows of a gather cannot be loaded, where tiles cannot hold its
  /// table either; nothing of any other.
  std::optional<std::string> whyNeither(GatherOp gather) const;

private:
  const KernelTable &table;
  const Target &device;
};

} // namespace npu

#endif // NPU_LIB_PREPROCESS_KERNELS_NAMEDROWS_H
