// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of a block come before an exchange, and which may run while
// its messages are under way.

#ifndef NPU_LIB_CONVERSION_RANKS_EXCHANGESCHEDULE_H
#define NPU_LIB_CONVERSION_RANKS_EXCHANGESCHEDULE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include <vector>

namespace npu {

/// A part of a block: an exchange with what it needs, then what may run while
/// its messages are under way.
struct ExchangePhase {
  /// The messages, each right after the last operation that has to come before
  /// it, and the operations that messages need.
  llvm::SmallVector<mlir::Operation *> before;
  llvm::SmallVector<mlir::Operation *> beside;
};

/// Puts the operations of a block in the order of the phases that it returns.
/// Those for which `isMessage` holds are in the earliest exchange that their
/// accesses allow; buffers are freed a phase later than they could be, so that
/// no rank waits for a message in order to free what was sent.
///
/// Example: of `exp on tile 0; store tile 0 to DDR; exp on tile 1; copy tile 1
/// -> tile 0; exp on tile 2`, both `store` and `copy` are messages of the
/// first exchange if the copy writes another buffer, `store` before the second
/// `exp`; the last `exp` runs beside it.
std::vector<ExchangePhase>
orderByExchanges(mlir::Block &block,
                 llvm::function_ref<bool(mlir::Operation *)> isMessage);

} // namespace npu

#endif // NPU_LIB_CONVERSION_RANKS_EXCHANGESCHEDULE_H
