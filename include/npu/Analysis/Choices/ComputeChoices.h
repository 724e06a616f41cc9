// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which the tiles can run an operation: who runs which iterations,
// and what each way needs of the operands and leaves to be moved of the
// results. docs/design/0005-where-redistributions-sit.md tells why these.

#ifndef NPU_ANALYSIS_CHOICES_COMPUTECHOICES_H
#define NPU_ANALYSIS_CHOICES_COMPUTECHOICES_H

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Choices/TileIterations.h"

#include "llvm/ADT/SetVector.h"

#include <map>
#include <vector>

namespace npu {

/// An operand that must come under another type first.
struct OperandNeed {
  unsigned operand;
  mlir::RankedTensorType type;
  /// Its value does not matter: an empty tensor will do.
  bool unread = false;
};

struct ComputeChoice {
  std::vector<OperandNeed> needs;
  /// The types that the operation itself gives its results.
  std::vector<mlir::RankedTensorType> resultTypes;
  /// What moving results to their declared types takes.
  int64_t resultBytes = 0;
};

/// What has to be brought for `choice` to run `op`: values and types, each pair
/// once however many operands want it. What nobody reads is left out.
llvm::SmallSetVector<std::pair<mlir::Value, mlir::RankedTensorType>, 4>
valuesNeeded(mlir::Operation *op, const ComputeChoice &choice);

/// What `iterations` need of operands that no result is written over: types
/// like `like` where that has the boxes. Operands that hold what is read are
/// left out.
std::vector<OperandNeed> untiedNeeds(mlir::Operation *op,
                                     const OpAccess &access,
                                     const TileIterations &iterations,
                                     mlir::RankedTensorType like);

/// True when a tensor operand or result is distributed.
bool touchesTiles(mlir::Operation *op);

/// Operations that say themselves what moves (distribution_cast, redistribute),
/// and those whose types their own verifiers compare: calls, terminators,
/// operations with regions of control flow, functions.
bool agreesByItself(mlir::Operation *op);

/// Choices per operation, remembered per kind of operation and types.
class ComputeChoices {
public:
  explicit ComputeChoices(MovementCache &movement) : movement(movement) {}

  /// The choices in order of preference at equal bytes; the first is the
  /// declared one without needs when the operation is fine as it is. Empty for
  /// operations that are not understood (OpAccess), that no tile can do a part
  /// of (Overrun) or that touch no tile. The reference is valid until the next
  /// call.
  const std::vector<ComputeChoice> &of(mlir::Operation *op);

  /// What a one-result operation needs to give its result as `type` (every
  /// tile its whole memory box); nothing when it cannot or should not (more
  /// than one result, reductions, not understood).
  const std::optional<ComputeChoice> &recomputedAs(mlir::Operation *op,
                                                   mlir::RankedTensorType type);

  /// What the choices of an operation depend on. Two operations with one key
  /// have the same choices.
  using Key = std::vector<const void *>;
  static Key keyOf(mlir::Operation *op);

private:
  MovementCache &movement;
  std::map<Key, std::vector<ComputeChoice>> choices;
  std::map<Key, std::optional<ComputeChoice>> recomputed;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_COMPUTECHOICES_H
