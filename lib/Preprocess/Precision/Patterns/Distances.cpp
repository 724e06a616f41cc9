// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// a |x|^2 - 2 sqrt(ab) xy + b |y|^2 = |sqrt(a) x - sqrt(b) y|^2: two squares
// and a product of the same factors over the same dimensions. A scale that is
// folded into x, into y or into the product is a coefficient.

#include "Candidate.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// The dimensions of `x` that are left when those of the product are put in.
Term inDimensionsOf(const Term &term, const Binding &binding,
                    MLIRContext *context) {
  Term renamed = term;
  for (AffineExpr &index : renamed.at)
    for (auto [from, to] : binding)
      index = index.replace(getAffineDimExpr(from, context),
                            getAffineDimExpr(to, context));
  return renamed;
}

struct Matcher {
  PatternSite &at;
  const Product &one, &two, &mixed;
  SmallVector<Term> firstHalf, secondHalf;

  bool coefficientsFit() const {
    double squared = one.coefficient * two.coefficient;
    double sign = one.coefficient < 0 ? -1 : 1;
    return squared > 0 &&
           isNear(mixed.coefficient, -2 * sign * std::sqrt(squared), 1e-3);
  }

  /// Whether the factors of the product are those of both squares: every way to
  /// take the first square's out of them is tried.
  bool factorsFit(Binding &first, Binding &second) const {
    size_t count = mixed.factors.size();
    if (count > 6 || firstHalf.size() + secondHalf.size() != count)
      return false;
    for (unsigned mask = 0; mask < (1u << count); ++mask) {
      SmallVector<Term> ours, others;
      for (size_t i = 0; i < count; ++i)
        (mask >> i & 1 ? ours : others).push_back(mixed.factors[i]);
      Binding tryFirst, trySecond;
      if (sameFactors(at.terms, ours, firstHalf, mixed.reduced, one.reduced,
                      tryFirst) &&
          sameFactors(at.terms, others, secondHalf, mixed.reduced, two.reduced,
                      trySecond) &&
          isWhole(at.terms, tryFirst, mixed.reduced, one.reduced) &&
          isWhole(at.terms, trySecond, mixed.reduced, two.reduced)) {
        first = tryFirst;
        second = trySecond;
        return true;
      }
    }
    return false;
  }

  std::optional<DirectForm> directForm(const Binding &first,
                                       const Binding &second) const {
    // A factor that is only near 2 has the same hazard, but is no square.
    if (firstHalf.size() != 1 || secondHalf.size() != 1 ||
        !isNear(one.coefficient, two.coefficient, 1e-12) ||
        !isNear(mixed.coefficient, -2 * one.coefficient, 1e-12))
      return std::nullopt;
    MLIRContext *context = at.op.getContext();
    auto x =
        readAt(at, inDimensionsOf(firstHalf[0], first, context), mixed.reduced);
    auto y = readAt(at, inDimensionsOf(secondHalf[0], second, context),
                    mixed.reduced);
    if (!x || !y)
      return std::nullopt;
    DirectForm form{*x, *y, {}, one.coefficient};
    for (unsigned dim : mixed.reduced)
      form.extents.push_back(at.terms.extentOf(dim));
    return form;
  }
};

} // namespace

std::optional<Found> findDistances(PatternSite &at,
                                   ArrayRef<Product> products) {
  if (products.size() < 3)
    return std::nullopt;
  // Three terms under the sum of the operation itself are as good.
  bool sumsItself = at.op.getNumReductionLoops() > 0;
  for (const Product &mixed : products)
    for (unsigned i = 0; i < products.size(); ++i)
      for (unsigned j = i + 1; j < products.size(); ++j) {
        const Product &one = products[i], &two = products[j];
        if (&mixed == &one || &mixed == &two ||
            (mixed.reduced.empty() && !sumsItself) || mixed.factors.size() < 2)
          continue;
        auto first = halvesOf(at.terms, one), second = halvesOf(at.terms, two);
        if (!first || !second)
          continue;
        Matcher matcher{at, one, two, mixed, *first, *second};
        Binding ofFirst, ofSecond;
        if (!matcher.coefficientsFit() ||
            !matcher.factorsFit(ofFirst, ofSecond))
          continue;
        Found found{
            PrecisionHazard::Distances, {}, mixed.factors, std::nullopt, {}};
        // What else the sum adds up would be lost.
        if (products.size() == 3)
          found.direct = matcher.directForm(ofFirst, ofSecond);
        for (const Product *each : {&one, &two, &mixed})
          found.ops.insert(each->ops.begin(), each->ops.end());
        return found;
      }
  return std::nullopt;
}

} // namespace npu
