// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computations that are right in the reals and lose their result in short
// floats, wherever their parts stand in a function.

#ifndef NPU_LIB_PREPROCESS_PRECISION_PATTERNS_PRECISIONPATTERNS_H
#define NPU_LIB_PREPROCESS_PRECISION_PATTERNS_PRECISIONPATTERNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <vector>

namespace npu {

enum class PrecisionHazard {
  /// |x|^2 - 2xy + |y|^2, of which only a small part is left where x is near y,
  /// and whose parts overflow where their sum does not.
  Distances,
  /// E[x^2] - E[x]^2, of which only a small part is left where the mean is
  /// large.
  Variance,
  /// exp(x) / sum of exp(x), whose parts overflow where x is not small.
  Softmax,
};

/// A tensor's entries at the loops of an operation and, after them, at loops
/// of a sum.
struct ReadAt {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// What is needed to compute distances directly.
struct DirectForm {
  /// The two that are apart.
  ReadAt first, second;
  /// The extents of the loops of the sum.
  llvm::SmallVector<int64_t> extents;
  /// What the squared distance is multiplied by.
  double coefficient = 1;
};

/// An exponential of a softmax, in the body of its operation.
struct Exponential {
  mlir::Operation *op;
  /// The loops of that operation along which the softmax adds up.
  llvm::SmallVector<unsigned> row;
};

/// One computation of such a kind.
struct PrecisionPattern {
  PrecisionHazard hazard;
  /// The operation in whose body the parts meet, and the number there.
  mlir::linalg::LinalgOp root;
  mlir::Value scalar;
  /// Everything that computes a part of it and what follows in the same breath
  /// (a maximum with 0, a root), in program order; casts between them, too.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The last of `ops` that computes: what it stores is the result.
  mlir::Operation *last = nullptr;
  /// The narrowest element type of what it is computed from.
  mlir::Type storage;
  /// Of distances; nothing where x and y are no entries of tensors.
  std::optional<DirectForm> direct;
  /// Of a softmax; none where its sum is not that of the exponentials alone.
  llvm::SmallVector<Exponential, 2> exponentials;
};

/// "squared distances as |x|^2 - 2xy + |y|^2", ...
llvm::StringRef describe(PrecisionHazard hazard);

/// What can go wrong in short floats, as a sentence without its end.
llvm::StringRef riskOf(PrecisionHazard hazard);

/// The patterns of a function, in program order of where their parts meet.
/// Looks through bodies, casts, broadcasts, transposes, and reshapes by
/// dimensions of extent 1; each operation is in at most one pattern.
///
/// Example: of `%n = reduce x*x`, `%m = reduce y*y`, `%p = matmul x, y^T` and a
/// generic with `n_i - 2 * p_ij + m_j` in its body, the generic is the root,
/// and all four are `ops`. With 3 instead of 2 there is no pattern.
std::vector<PrecisionPattern>
findPrecisionPatterns(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_PATTERNS_PRECISIONPATTERNS_H
