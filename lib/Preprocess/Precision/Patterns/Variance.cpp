// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// a * sum of x^2 - b * (sum of x)^2 with b n = a, where n is the number of
// terms: n = 1 / a for the variance, and a = 1 / (n - 1) for the unbiased one.

#include "Candidate.h"

using namespace mlir;

namespace npu {
namespace {

/// The number of terms of a sum; nothing where it is not known.
std::optional<double> termsOf(const Terms &terms, ArrayRef<unsigned> reduced) {
  double count = 1;
  for (unsigned dim : reduced) {
    if (ShapedType::isDynamic(terms.extentOf(dim)))
      return std::nullopt;
    count *= static_cast<double>(terms.extentOf(dim));
  }
  return count;
}

std::optional<Found> match(PatternSite &at, const Product &squares,
                           const Product &squared) {
  auto root = halvesOf(at.terms, squared);
  auto each = halvesOf(at.terms, squares);
  if (!root || root->size() != 1 || !each || !squared.reduced.empty() ||
      squares.reduced.empty())
    return std::nullopt;
  auto sums = productsOf(at.terms, root->front());
  if (!sums || sums->size() != 1)
    return std::nullopt;
  const Product &sum = sums->front();
  Binding binding;
  if (!sameFactors(at.terms, *each, sum.factors, squares.reduced, sum.reduced,
                   binding) ||
      !isWhole(at.terms, binding, squares.reduced, sum.reduced))
    return std::nullopt;
  std::optional<double> count = termsOf(at.terms, sum.reduced);
  // Reciprocals of counts are rounded, in f16 to three digits.
  if (!count ||
      !isNear(-squared.coefficient * sum.coefficient * sum.coefficient * *count,
              squares.coefficient, 0.02))
    return std::nullopt;
  Found found{PrecisionHazard::Variance, {}, sum.factors, std::nullopt, {}};
  for (const Product *part : {&squares, &squared, &sum})
    found.ops.insert(part->ops.begin(), part->ops.end());
  return found;
}

} // namespace

std::optional<Found> findVariance(PatternSite &at, ArrayRef<Product> products) {
  for (const Product &squares : products)
    for (const Product &squared : products)
      if (&squares != &squared && !squares.reduced.empty())
        if (auto found = match(at, squares, squared))
          return found;
  return std::nullopt;
}

} // namespace npu
