// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between ranks that happen together.

#ifndef NPU_LIB_CONVERSION_RANKS_EXCHANGE_H
#define NPU_LIB_CONVERSION_RANKS_EXCHANGE_H

#include "npu/Placement/Plans/ExchangeRounds.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <string>

namespace npu {

/// A part of a buffer on one rank, and the parts of buffers on other ranks that
/// get its elements. All are views that exist on every rank.
struct ExchangedPart {
  struct Dest {
    int rank = 0;
    mlir::Value part;
  };

  mlir::Location loc;
  int from = 0;
  mlir::Value source;
  llvm::SmallVector<Dest> dests;
  /// How the destinations are transposed (linalg.transpose); nothing where they
  /// are not.
  std::optional<llvm::SmallVector<int64_t>> permutation;
};

/// What one rank has to know to write its side of all exchanges.
struct ExchangeContext {
  int rank = 0;
  /// The communicator, made where the function begins.
  mlir::Value comm;
  /// The tag of the next message: the same on all ranks, because they number
  /// all messages.
  int nextTag = 0;
};

/// Writes the messages of `parts` that `context.rank` sends or receives, and
/// the operations that pack and unpack them.
void emitExchange(mlir::OpBuilder &builder, ExchangeContext &context,
                  llvm::ArrayRef<ExchangedPart> parts);

} // namespace npu

#endif // NPU_LIB_CONVERSION_RANKS_EXCHANGE_H
