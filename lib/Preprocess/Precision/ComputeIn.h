// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes operations store, accumulate and compute in the types that are asked
// for, by the types of the IR alone.

#ifndef NPU_LIB_PREPROCESS_PRECISION_COMPUTEIN_H
#define NPU_LIB_PREPROCESS_PRECISION_COMPUTEIN_H

#include "PrecisionBody.h"

#include "llvm/ADT/SetVector.h"

namespace npu {

/// Erases those of `ops` whose results nobody reads, and what nobody reads
/// then.
void eraseDead(llvm::SetVector<mlir::Operation *> ops);

/// Rewrites operations of one function, in program order.
///
/// A value that an operation stores in another type than the function had for
/// it is cast back for its users, except for those that are rewritten
/// themselves and compute in a type that holds it: they read it as it lies in
/// memory, also through reshapes, transposes and broadcasts. Example: of
/// `%p = matmul ... f16` with storage f32 and `%s = sub %p, %q` with
/// intermediate f32, the subtraction reads the f32 sums, and another user of %p
/// reads them rounded.
class ComputeIn {
public:
  /// Why `op` cannot be written so; nothing if it can.
  static Result<> check(mlir::Operation *op, const Precision &types);

  /// Lets `cast` be passed over where its source was stored by a rewritten
  /// operation: the rounding belongs to what is computed otherwise now.
  void passOver(mlir::Operation *cast) { passed.insert(cast); }

  /// Makes `op` compute in `types`, which `completed` has completed and `check`
  /// accepts, and writes them down as its attribute. Returns whether anything
  /// but the attribute was changed. `op` may be gone afterwards.
  bool apply(mlir::linalg::LinalgOp op, const Precision &types);

  /// The operation that computes what `op` did before `apply`; itself, if it
  /// was not replaced.
  mlir::Operation *nowOf(mlir::Operation *op) const {
    mlir::Operation *now = replaced.lookup(op);
    return now ? now : op;
  }

  /// Erases what nobody reads any more of what rewriting left over.
  void eraseDead();

private:
  mlir::Value asStored(mlir::Value value);
  mlir::Value moveAgain(mlir::Operation *movement, mlir::Value source);
  mlir::Value read(mlir::Value value, mlir::Type computed);
  mlir::linalg::LinalgOp rebuild(mlir::linalg::LinalgOp op,
                                 const Precision &types);
  void replace(mlir::linalg::LinalgOp op, mlir::Value stored);

  /// Values that rewritten operations store.
  llvm::DenseSet<mlir::Value> stored;
  /// The stored value after a value that was cast back.
  llvm::DenseMap<mlir::Value, mlir::Value> after;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> replaced;
  llvm::DenseMap<mlir::Operation *, mlir::Value> movedAgain;
  llvm::DenseSet<mlir::Operation *> passed;
  llvm::SetVector<mlir::Operation *> maybeDead;
};

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_COMPUTEIN_H
