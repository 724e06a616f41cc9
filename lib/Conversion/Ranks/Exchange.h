// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between ranks that begin together.

#ifndef NPU_LIB_CONVERSION_RANKS_EXCHANGE_H
#define NPU_LIB_CONVERSION_RANKS_EXCHANGE_H

#include "../Threads/BufferAccess.h"
#include "npu/Placement/Plans/ExchangeRounds.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <vector>

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
  /// The operation in front of which the message may begin; null where that is
  /// where the exchange is.
  mlir::Operation *place = nullptr;
};

/// What one rank has to know to write its side of all exchanges.
struct ExchangeContext {
  int rank = 0;
  /// The communicator, made where the function begins.
  mlir::Value comm;
  /// The number of messages so far, from which tags are made: the same on all
  /// ranks, because they number all messages.
  int64_t messageCount = 0;
  /// The number of exchanges so far.
  int64_t exchangeCount = 0;
};

/// Messages that this rank has begun, and what it does once they have happened.
struct BegunMessages {
  /// A part of the bytes that are received, and where it goes.
  struct Unpacked {
    mlir::Location loc;
    int64_t offset = 0;
    mlir::Value dest;
    /// The shape of the part as it is received.
    llvm::SmallVector<int64_t> shape;
    std::optional<llvm::SmallVector<int64_t>> permutation;
  };

  BegunMessages(mlir::Location loc, int64_t firstMessage)
      : loc(loc), firstMessage(firstMessage) {}

  mlir::Location loc;
  /// The number of the first message of the exchange.
  int64_t firstMessage;
  bool isReceived = false;
  llvm::SmallVector<mlir::Value> requests;
  /// What is read and written until the messages have happened.
  BufferAccesses accesses;
  /// The bytes that are sent or received, if they are not sent from where they
  /// are, or received where they will be.
  mlir::Value packed;
  llvm::SmallVector<Unpacked> unpacked;
};

/// What `rank` reads and writes for the messages of `parts`.
BufferAccesses accessesOf(llvm::ArrayRef<ExchangedPart> parts, int rank);

/// Begins the messages of `parts` that `context.rank` sends or receives, each
/// at the place of the last of its parts. A rank that sends on what it receives
/// waits for that where `builder` is, which is after all places. Parts are in
/// the order of their places.
std::vector<BegunMessages> beginExchange(mlir::OpBuilder &builder,
                                         ExchangeContext &context,
                                         llvm::ArrayRef<ExchangedPart> parts);

/// Waits for messages, brings what is received to where it will be, and frees
/// what they were packed in.
void finishMessages(mlir::OpBuilder &builder, const BegunMessages &messages);

} // namespace npu

#endif // NPU_LIB_CONVERSION_RANKS_EXCHANGE_H
