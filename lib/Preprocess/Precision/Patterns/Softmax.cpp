// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x) / sum of exp(x) where x is not an entry minus the largest of its row.

#include "Candidate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace npu {
namespace {

bool isExponential(const View &view) {
  return view.kind == View::Kind::Apply &&
         isa<math::ExpOp, math::Exp2Op>(view.op);
}

/// Whether the number is an entry minus the largest of the entries along the
/// dimensions `row`.
bool isMinusLargest(PatternSite &at, const Term &term, ArrayRef<unsigned> row) {
  View view = at.terms.view(term);
  if (view.kind != View::Kind::Apply || !isa<arith::SubFOp>(view.op))
    return false;
  View largest = at.terms.view(view.operands[1]);
  if (largest.kind != View::Kind::Largest)
    return false;
  Binding binding;
  return at.terms.same(view.operands[0], largest.term, row,
                       largest.frame->reduced, binding) &&
         llvm::all_of(row, [&](unsigned dim) {
           return llvm::any_of(binding,
                               [&](auto &each) { return each.second == dim; });
         });
}

/// The loops of the operation around `exponential` that are the dimensions
/// `row` of the expression.
Exponential alongRow(const View &exponential, ArrayRef<unsigned> row) {
  Exponential result{exponential.op, {}};
  for (auto [loop, value] :
       llvm::enumerate(exponential.operands[0].frame->loops))
    if (auto dim = dyn_cast<AffineDimExpr>(value))
      if (llvm::is_contained(row, dim.getPosition()))
        result.row.push_back(loop);
  return result;
}

/// The one exponential, or both, where each of them goes along whole rows.
SmallVector<Exponential, 2> exponentialsOf(const View &above,
                                           ArrayRef<unsigned> row,
                                           const View &below,
                                           ArrayRef<unsigned> reduced) {
  Exponential one = alongRow(above, row), two = alongRow(below, reduced);
  if (one.row.size() != row.size() || two.row.size() != reduced.size())
    return {};
  if (one.op == two.op)
    return one.row == two.row ? SmallVector<Exponential, 2>{one}
                              : SmallVector<Exponential, 2>{};
  return {one, two};
}

/// `above` divided by `below`.
std::optional<Found> match(PatternSite &at, const Term &above,
                           const Term &below) {
  View exponential = at.terms.view(above);
  if (!isExponential(exponential))
    return std::nullopt;
  auto sums = productsOf(at.terms, below);
  if (!sums)
    return std::nullopt;
  for (const Product &sum : *sums) {
    if (sum.factors.size() != 1 || sum.reduced.empty() || sum.coefficient <= 0)
      continue;
    View other = at.terms.view(sum.factors[0]);
    Binding binding;
    if (!isExponential(other) ||
        other.op->getName() != exponential.op->getName() ||
        !at.terms.same(exponential.operands[0], other.operands[0], at.loops,
                       sum.reduced, binding) ||
        binding.size() != sum.reduced.size())
      continue;
    SmallVector<unsigned> row;
    for (auto &each : binding)
      row.push_back(each.second);
    if (isMinusLargest(at, exponential.operands[0], row))
      return std::nullopt;
    View number = at.terms.view(exponential.operands[0]);
    Found found{
        PrecisionHazard::Softmax, sum.ops, {number.stripped}, std::nullopt, {}};
    if (sums->size() == 1 && sum.coefficient == 1)
      found.exponentials = exponentialsOf(exponential, row, other, sum.reduced);
    found.ops.insert(exponential.entered.begin(), exponential.entered.end());
    found.ops.insert(other.entered.begin(), other.entered.end());
    return found;
  }
  return std::nullopt;
}

} // namespace

std::optional<Found> findSoftmax(PatternSite &at) {
  View view = at.terms.view(at.term);
  if (view.kind != View::Kind::Apply)
    return std::nullopt;
  if (isa<arith::DivFOp>(view.op))
    return match(at, view.operands[0], view.operands[1]);
  if (!isa<arith::MulFOp>(view.op))
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    View factor = at.terms.view(view.operands[side]);
    if (factor.kind != View::Kind::Apply || !isa<arith::DivFOp>(factor.op))
      continue;
    View one = at.terms.view(factor.operands[0]);
    if (one.kind != View::Kind::Constant || one.constant != 1)
      continue;
    auto found = match(at, view.operands[1 - side], factor.operands[1]);
    if (found)
      found->ops.insert(factor.entered.begin(), factor.entered.end());
    return found;
  }
  return std::nullopt;
}

} // namespace npu
