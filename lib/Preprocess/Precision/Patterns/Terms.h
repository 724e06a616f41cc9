// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one entry of a tensor is computed from, as an expression that looks
// through the operations of a function: through the bodies of structured
// operations, whichever of them a computation was divided into, and through
// what only moves or casts entries.

#ifndef NPU_LIB_PREPROCESS_PRECISION_PATTERNS_TERMS_H
#define NPU_LIB_PREPROCESS_PRECISION_PATTERNS_TERMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <deque>
#include <optional>

namespace npu {

/// A structured operation at one point of its loops, and the loops that its
/// reduction runs over by itself.
struct Frame {
  mlir::linalg::LinalgOp op;
  /// The value of each loop, in the dimensions of the whole expression.
  llvm::SmallVector<mlir::AffineExpr> loops;
  /// The dimensions that stand for reduction loops.
  llvm::SmallVector<unsigned> reduced;
};

/// One number: an entry of a tensor, or a value of a body at a point.
struct Term {
  /// The tensor, or the scalar.
  mlir::Value value;
  /// Where the scalar is computed; null for an entry of a tensor.
  const Frame *frame = nullptr;
  /// Where the entry is.
  llvm::SmallVector<mlir::AffineExpr, 4> at;

  bool isEntry() const { return !frame; }
};

/// How a number comes about.
struct View {
  enum class Kind {
    /// Not known: of an argument, or of an operation that is not looked into.
    Leaf,
    Constant,
    /// `op` of `operands`.
    Apply,
    /// `begin` plus the sum of `term` over the reduced dimensions of `frame`.
    Sum,
    /// The largest of `begin` and of `term` over the reduced dimensions.
    Largest,
  };
  Kind kind = Kind::Leaf;
  double constant = 0;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<Term, 2> operands;
  const Frame *frame = nullptr;
  Term term, begin;
  /// The number before any arithmetic was looked into: after moves and casts.
  Term stripped;
  /// Structured operations that were entered on the way.
  llvm::SmallVector<mlir::Operation *, 2> entered;
};

/// Which dimensions of one expression stand for which of another.
using Binding = llvm::SmallDenseMap<unsigned, unsigned, 4>;

/// Makes terms and keeps what they point to. Looks at no more than a number of
/// operations, so that a question costs little whatever the function is.
class Terms {
public:
  explicit Terms(mlir::MLIRContext *context) : context(context) {}

  /// The value `scalar` in the body of `op`, at every point of its loops, which
  /// are dimensions 0, 1, ...
  Term inBody(mlir::linalg::LinalgOp op, mlir::Value scalar);

  View view(const Term &term);

  /// How many values a dimension that a reduction runs over has; dynamic, if it
  /// is not known.
  int64_t extentOf(unsigned dim) const { return extents.lookup(dim); }

  /// Whether the terms are equal under an injective renaming of the dimensions
  /// `free` of `two` into `targets` of `one`; extends `binding` by it.
  bool same(const Term &one, const Term &two, llvm::ArrayRef<unsigned> targets,
            llvm::ArrayRef<unsigned> free, Binding &binding,
            unsigned depth = 0);

  bool isExhausted() const { return looks > mostLooks; }

private:
  static constexpr unsigned mostLooks = 4096;

  bool enterEntry(Term &term, View &view, bool &plain);
  bool enterScalar(Term &term, View &view);
  const Frame *frameOf(mlir::linalg::LinalgOp op, mlir::OpResult result,
                       llvm::ArrayRef<mlir::AffineExpr> at);
  std::optional<Term> moved(const Term &entry);
  std::optional<Term> scalarArgument(const Term &term);
  void reduce(const Frame *frame, mlir::OpResult result,
              llvm::ArrayRef<mlir::AffineExpr> at, View &view);

  mlir::MLIRContext *context;
  std::deque<Frame> frames;
  llvm::DenseMap<unsigned, int64_t> extents;
  unsigned nextDim = 0;
  unsigned looks = 0;
};

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_PATTERNS_TERMS_H
