// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile program from one tile's side: what the tile does in order, what it
// exchanges with whom, and how many bytes it holds.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_TILEVIEW_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_TILEVIEW_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

struct TileStep {
  enum class Kind { Computes, Enters, Sends, Receives, Loads, Stores };

  Kind kind = Kind::Computes;
  mlir::Operation *op = nullptr;
  /// In how many loops and branches the step is.
  unsigned depth = 0;
  /// The tiles that a transfer is with.
  std::vector<int64_t> peers;
  /// What a transfer moves.
  int64_t bytes = 0;
  /// What the tile holds during the step.
  int64_t held = 0;
};

/// The word for a kind of step: "sends".
llvm::StringRef nameOf(TileStep::Kind kind);

struct TileView {
  int64_t operations = 0;
  int64_t heldMost = 0;
  int64_t sent = 0, received = 0, loaded = 0, stored = 0;
  std::vector<TileStep> steps;
};

/// The view of every tile of a function in a tile program; empty where the
/// function has no tiles. An error where the program is on buffers.
mlir::FailureOr<std::vector<TileView>>
viewsOfTiles(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_TILEVIEW_H
