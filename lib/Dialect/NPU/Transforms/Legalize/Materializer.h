// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a value under another layout by the cheapest way there is: what is
// already there, a cast, making it again, recomputing a cheap producer from
// what is cheaper to move, or a redistribution.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_MATERIALIZER_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_MATERIALIZER_H

#include "DecisionLog.h"
#include "npu/Analysis/Choices/ComputeChoices.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace npu {

class Materializer {
public:
  Materializer(mlir::MLIRContext *context, MovementCache &movement,
               ComputeChoices &choices, DecisionLog &log)
      : builder(context), movement(movement), choices(choices), log(log) {}

  /// Bytes that `materialize` would have moved when the function has run.
  double cost(mlir::Value value, mlir::RankedTensorType type);

  /// The value under `type`, for `user`; new operations stand right after what
  /// they are made from and are shared by all users that want the same.
  mlir::Value materialize(mlir::Value value, mlir::RankedTensorType type,
                          mlir::Operation *user);

  /// A value nobody reads.
  mlir::Value materializeUnread(mlir::Value value, mlir::RankedTensorType type,
                                mlir::Operation *user);

  /// Gives the uses of `result` (an operation's, whose type has become `made`)
  /// the declared type again, by a cast or a redistribution behind it; returns
  /// that, or null where there are no uses.
  mlir::Operation *restoreType(mlir::OpResult result,
                               mlir::RankedTensorType made);

  /// Erases what was made superfluous.
  void eraseDead();

  /// The casts and redistributions that were made and are still there.
  llvm::SmallVector<mlir::Operation *> inserted() const;

private:
  enum class Kind { Cast, Remake, RemakeProducer, Recast, Redistribute };
  struct Way {
    Kind kind;
    mlir::Value source;
    /// Of one redistribution, for a remark.
    int64_t bytes;
    double cost;
  };

  Way cheapestWay(mlir::Value value, mlir::RankedTensorType type,
                  int depth = 0);
  std::optional<double> costOfProducer(mlir::Value value,
                                       mlir::RankedTensorType type, int depth);
  mlir::Value remake(mlir::Operation *op, mlir::RankedTensorType type);
  mlir::Value remakeProducer(mlir::Operation *op, mlir::RankedTensorType type,
                             mlir::Operation *user);
  mlir::Value recast(PermuteCastOp cast, mlir::RankedTensorType type,
                     mlir::Operation *user);
  mlir::Value castOrMove(mlir::Location loc, mlir::Value source,
                         mlir::RankedTensorType type);

  mlir::OpBuilder builder;
  MovementCache &movement;
  ComputeChoices &choices;
  DecisionLog &log;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> made;
  /// Other values with the same data, from which moving may be cheaper.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> copies;
  llvm::SmallSetVector<mlir::Operation *, 8> maybeDead;
  std::vector<mlir::Operation *> insertedOps;
  llvm::SmallPtrSet<mlir::Operation *, 8> erased;
};

/// How often what stands in `block` runs per run of its function: the product
/// of the rounds of the loops around it.
double roundsOf(mlir::Block *block);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_MATERIALIZER_H
