// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number as a sum of products: which multiples of which factors it adds up,
// over which dimensions.

#ifndef NPU_LIB_PREPROCESS_PRECISION_PATTERNS_PRODUCTS_H
#define NPU_LIB_PREPROCESS_PRECISION_PATTERNS_PRODUCTS_H

#include "Terms.h"

#include "llvm/ADT/SetVector.h"

namespace npu {

/// `coefficient` times the sum over the dimensions `reduced` of the product of
/// `factors`.
struct Product {
  double coefficient = 1;
  llvm::SmallVector<Term> factors;
  llvm::SmallVector<unsigned> reduced;
  /// The structured operations that compute it, of the outermost first.
  llvm::SetVector<mlir::Operation *> ops;
};

/// The products that add up to `term`, without those that are 0; nothing where
/// there are too many. Constant factors are coefficients, also those of
/// quotients; sums of sums are sums; squares are written as two factors.
/// Example: `x*x - 2*x*y + y*y` is 1 {x, x}, -2 {x, y}, 1 {y, y}.
std::optional<llvm::SmallVector<Product>> productsOf(Terms &terms,
                                                     const Term &term);

/// Whether `one` has twice the factors `halves`: those of a square. Returns one
/// of each two.
std::optional<llvm::SmallVector<Term>> halvesOf(Terms &terms,
                                                const Product &one);

/// Whether two lists of factors are the same in some order, the dimensions
/// `free` of `two` standing for those among `targets`.
bool sameFactors(Terms &terms, llvm::ArrayRef<Term> one,
                 llvm::ArrayRef<Term> two, llvm::ArrayRef<unsigned> targets,
                 llvm::ArrayRef<unsigned> free, Binding &binding);

/// Whether each of `free` stands for one of `targets`, all of them do, and they
/// have the same extents.
bool isWhole(const Terms &terms, const Binding &binding,
             llvm::ArrayRef<unsigned> targets, llvm::ArrayRef<unsigned> free);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_PATTERNS_PRODUCTS_H
