// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings a value under another layout in the cheapest way: by a value that
// exists, a cast, rematerializing the value, recomputing a cheap producer from
// operands that are cheaper to move, or a redistribution.

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

  /// The bytes that operations of `materialize` would move in one run of the
  /// function.
  double cost(mlir::Value value, mlir::RankedTensorType type);

  /// The value under `type`, for `user`. New operations stand right after the
  /// value that they are made from, and all users that want the same type share
  /// them.
  mlir::Value materialize(mlir::Value value, mlir::RankedTensorType type,
                          mlir::Operation *user);

  /// A value under `type` whose entries `user` does not read.
  mlir::Value materializeUnread(mlir::Value value, mlir::RankedTensorType type,
                                mlir::Operation *user);

  /// Gives the uses of `result` (of an operation, whose type has become `made`)
  /// the declared type again, by a cast or a redistribution after it. Returns
  /// that operation, or null where there are no uses.
  mlir::Operation *restoreType(mlir::OpResult result,
                               mlir::RankedTensorType made);

  /// Erases operations that are not used any more.
  void eraseDead();

  /// The inserted casts and redistributions that still exist.
  llvm::SmallVector<mlir::Operation *> inserted() const;

private:
  enum class Kind {
    Cast,
    Rematerialize,
    RecomputeProducer,
    Recast,
    Redistribute
  };
  struct Way {
    Kind kind;
    mlir::Value source;
    /// The bytes of one execution, for a remark.
    int64_t bytes;
    double cost;
  };

  Way cheapestWay(mlir::Value value, mlir::RankedTensorType type,
                  int depth = 0);
  std::optional<double> costOfProducer(mlir::Value value,
                                       mlir::RankedTensorType type, int depth);
  mlir::Value rematerialize(mlir::Operation *op, mlir::RankedTensorType type);
  mlir::Value recomputeProducer(mlir::Operation *op,
                                mlir::RankedTensorType type,
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

/// How often operations in `block` run in one run of the function: the product
/// of the iterations of the loops around them.
double roundsOf(mlir::Block *block);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_MATERIALIZER_H
