// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which tiles can run an operation: which tile runs which
// iterations, what each way needs of the operands, and what it leaves to be
// moved of the results. docs/design/0005-where-redistributions-sit.md tells why
// these ways are considered.

#ifndef NPU_ANALYSIS_CHOICES_COMPUTECHOICES_H
#define NPU_ANALYSIS_CHOICES_COMPUTECHOICES_H

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Choices/TileIterations.h"

#include "llvm/ADT/SetVector.h"

#include <map>
#include <vector>

namespace npu {

/// An operand that must be brought under another type before the operation.
struct OperandNeed {
  unsigned operand;
  mlir::RankedTensorType type;
  /// The operand's entries are not read: an empty tensor will do.
  bool unread = false;
};

struct ComputeChoice {
  std::vector<OperandNeed> needs;
  /// The types that the operation itself gives its results.
  std::vector<mlir::RankedTensorType> resultTypes;
  /// The bytes that moving the results to their declared types takes.
  int64_t resultBytes = 0;
  /// And its price (MovementCache::price).
  double resultPrice = 0;
};

/// The operands that have to be brought under another type for `choice` to run
/// `op`: pairs of value and type, each pair once however many operands want it.
/// Operands that are not read are left out.
llvm::SmallSetVector<std::pair<mlir::Value, mlir::RankedTensorType>, 4>
valuesNeeded(mlir::Operation *op, const ComputeChoice &choice);

/// What `iterations` need of operands that no result is written over. Each need
/// has the layout of `like` where that has the boxes. Operands whose tiles hold
/// what is read already are left out.
std::vector<OperandNeed> untiedNeeds(mlir::Operation *op,
                                     const OpAccess &access,
                                     const TileIterations &iterations,
                                     mlir::RankedTensorType like);

/// Whether all tensors of `op` need one layout: operations of arith and math on
/// tensors do.
bool wantsOneLayout(mlir::Operation *op);

/// True when a tensor operand or result is distributed.
bool touchesTiles(mlir::Operation *op);

/// Operations that state themselves what moves (distribution_cast,
/// redistribute), and operations whose types their own verifiers compare:
/// calls, terminators, operations with regions of control flow, functions.
bool agreesByItself(mlir::Operation *op);

/// Choices per operation, remembered per kind of operation and types.
class ComputeChoices {
public:
  explicit ComputeChoices(MovementCache &movement) : movement(movement) {}

  /// The choices in order of preference at equal prices. The first is the
  /// declared one without needs when tiles can run the operation as it stands.
  /// Empty for operations that are not understood (OpAccess), of which tiles
  /// cannot do parts (Overrun), or that have no distributed tensor. References
  /// to choices are valid as long as this object.
  const std::vector<ComputeChoice> &of(mlir::Operation *op);

  /// What an operation with one result needs to compute the result under
  /// `type`, every tile its whole memory box; nothing when the operation cannot
  /// or should not be run so (more than one result, reductions, not
  /// understood).
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
