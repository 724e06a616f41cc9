// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number in a body that may be where the parts of a pattern meet, and the
// patterns that are looked for there.

#ifndef NPU_LIB_PREPROCESS_PRECISION_PATTERNS_CANDIDATE_H
#define NPU_LIB_PREPROCESS_PRECISION_PATTERNS_CANDIDATE_H

#include "PrecisionPatterns.h"
#include "Products.h"

namespace npu {

struct PatternSite {
  Terms &terms;
  mlir::linalg::LinalgOp op;
  /// `scalar` of the body of `op`, and the dimensions of the loops there.
  Term term;
  llvm::SmallVector<unsigned> loops;
};

/// What a matcher finds: the operations of the parts in no order, the factors
/// they are computed from, and what is needed for another form.
struct Found {
  PrecisionHazard hazard;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SmallVector<Term> factors;
  std::optional<DirectForm> direct;
  llvm::SmallVector<Exponential, 2> exponentials;
};

std::optional<Found> findDistances(PatternSite &at,
                                   llvm::ArrayRef<Product> products);
std::optional<Found> findVariance(PatternSite &at,
                                  llvm::ArrayRef<Product> products);
/// The candidate is a quotient or a product.
std::optional<Found> findSoftmax(PatternSite &at);

/// The entry `term` as a tensor that is read at the loops of the candidate and
/// after them at `reduced`; nothing where it is no entry.
std::optional<ReadAt> readAt(const PatternSite &at, const Term &term,
                             llvm::ArrayRef<unsigned> reduced);

/// Whether two coefficients are the same but for the rounding of constants.
bool isNear(double one, double two, double relative);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_PATTERNS_CANDIDATE_H
