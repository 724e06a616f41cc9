// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// More products than that are no pattern.
constexpr size_t most = 12;

/// Whether an operation is a square of its first operand.
bool isSquare(Terms &terms, const View &view) {
  if (isa<math::PowFOp>(view.op)) {
    View exponent = terms.view(view.operands[1]);
    return exponent.kind == View::Kind::Constant && exponent.constant == 2;
  }
  APInt exponent;
  return isa<math::FPowIOp>(view.op) &&
         matchPattern(view.op->getOperand(1), m_ConstantInt(&exponent)) &&
         exponent == 2;
}

class Collector {
public:
  explicit Collector(Terms &terms) : terms(terms) {}

  bool add(const Term &term, Product so, unsigned depth = 0) {
    View view = terms.view(term);
    if (depth > 32 || terms.isExhausted() || products.size() > most)
      return false;
    switch (view.kind) {
    case View::Kind::Constant:
      enter(so, view);
      so.coefficient *= view.constant;
      return finish(std::move(so));
    case View::Kind::Sum: {
      enter(so, view);
      if (!add(view.begin, so, depth + 1))
        return false;
      so.reduced.append(view.frame->reduced);
      return add(view.term, std::move(so), depth + 1);
    }
    case View::Kind::Apply:
      return addApplied(term, view, std::move(so), depth);
    case View::Kind::Leaf:
    case View::Kind::Largest:
      so.factors.push_back(view.stripped);
      return finish(std::move(so));
    }
    return false;
  }

  SmallVector<Product> products;

private:
  static void enter(Product &product, const View &view) {
    product.ops.insert(view.entered.begin(), view.entered.end());
  }

  bool finish(Product product) {
    if (product.coefficient != 0)
      products.push_back(std::move(product));
    return products.size() <= most;
  }

  bool addApplied(const Term &term, const View &view, Product so,
                  unsigned depth) {
    Product inside = so;
    enter(inside, view);
    if (isa<arith::AddFOp, arith::SubFOp>(view.op)) {
      Product other = inside;
      if (isa<arith::SubFOp>(view.op))
        other.coefficient = -other.coefficient;
      return add(view.operands[0], inside, depth + 1) &&
             add(view.operands[1], other, depth + 1);
    }
    if (isa<arith::NegFOp>(view.op)) {
      inside.coefficient = -inside.coefficient;
      return add(view.operands[0], inside, depth + 1);
    }
    if (isa<arith::MulFOp, arith::DivFOp>(view.op))
      for (unsigned side : {1u, 0u}) {
        View other = terms.view(view.operands[side]);
        bool divides = isa<arith::DivFOp>(view.op);
        if (other.kind != View::Kind::Constant || (divides && side == 0))
          continue;
        enter(inside, other);
        inside.coefficient *= divides ? 1 / other.constant : other.constant;
        return add(view.operands[1 - side], inside, depth + 1);
      }
    multiply(term, so, depth);
    return finish(std::move(so));
  }

  /// Adds the factors of a product to `so`.
  void multiply(const Term &term, Product &so, unsigned depth) {
    View view = terms.view(term);
    if (view.kind == View::Kind::Constant) {
      enter(so, view);
      so.coefficient *= view.constant;
      return;
    }
    bool applied = view.kind == View::Kind::Apply && depth < 32;
    if (applied && isa<arith::MulFOp>(view.op)) {
      enter(so, view);
      multiply(view.operands[0], so, depth + 1);
      return multiply(view.operands[1], so, depth + 1);
    }
    if (applied && isa<arith::NegFOp>(view.op)) {
      enter(so, view);
      so.coefficient = -so.coefficient;
      return multiply(view.operands[0], so, depth + 1);
    }
    if (applied && isa<arith::DivFOp>(view.op)) {
      View by = terms.view(view.operands[1]);
      if (by.kind == View::Kind::Constant) {
        enter(so, view);
        so.coefficient /= by.constant;
        return multiply(view.operands[0], so, depth + 1);
      }
    }
    if (applied && isSquare(terms, view)) {
      enter(so, view);
      multiply(view.operands[0], so, depth + 1);
      return multiply(view.operands[0], so, depth + 1);
    }
    so.factors.push_back(view.stripped);
  }

  Terms &terms;
};

/// Whether both are the same number but for their coefficients.
bool isMultiple(Terms &terms, const Product &one, const Product &two) {
  Binding binding;
  return one.reduced.size() == two.reduced.size() &&
         sameFactors(terms, one.factors, two.factors, one.reduced, two.reduced,
                     binding) &&
         isWhole(terms, binding, one.reduced, two.reduced);
}

/// Makes c + c the product 2 c.
SmallVector<Product> addedUp(Terms &terms, ArrayRef<Product> products) {
  SmallVector<Product> sums;
  for (const Product &each : products) {
    auto known = llvm::find_if(
        sums, [&](const Product &sum) { return isMultiple(terms, sum, each); });
    if (known == sums.end()) {
      sums.push_back(each);
      continue;
    }
    known->coefficient += each.coefficient;
    known->ops.insert(each.ops.begin(), each.ops.end());
  }
  llvm::erase_if(sums, [](const Product &sum) { return sum.coefficient == 0; });
  return sums;
}

} // namespace

std::optional<SmallVector<Product>> productsOf(Terms &terms, const Term &term) {
  Collector collector(terms);
  if (!collector.add(term, {}))
    return std::nullopt;
  return addedUp(terms, collector.products);
}

std::optional<SmallVector<Term>> halvesOf(Terms &terms, const Product &one) {
  SmallVector<Term> left(one.factors), halves;
  if (left.empty() || left.size() % 2 != 0)
    return std::nullopt;
  while (!left.empty()) {
    Term factor = left.pop_back_val();
    auto other = llvm::find_if(left, [&](const Term &each) {
      Binding none;
      return terms.same(factor, each, {}, {}, none);
    });
    if (other == left.end())
      return std::nullopt;
    left.erase(other);
    halves.push_back(factor);
  }
  return halves;
}

bool sameFactors(Terms &terms, ArrayRef<Term> one, ArrayRef<Term> two,
                 ArrayRef<unsigned> targets, ArrayRef<unsigned> free,
                 Binding &binding) {
  if (one.size() != two.size())
    return false;
  if (one.empty())
    return true;
  for (unsigned i = 0; i < two.size(); ++i) {
    Binding trial = binding;
    if (!terms.same(one.front(), two[i], targets, free, trial))
      continue;
    SmallVector<Term> rest(two);
    rest.erase(rest.begin() + i);
    if (sameFactors(terms, one.drop_front(), rest, targets, free, trial)) {
      binding = trial;
      return true;
    }
  }
  return false;
}

bool isWhole(const Terms &terms, const Binding &binding,
             ArrayRef<unsigned> targets, ArrayRef<unsigned> free) {
  return targets.size() == free.size() && llvm::all_of(free, [&](unsigned dim) {
           auto it = binding.find(dim);
           return it != binding.end() &&
                  llvm::is_contained(targets, it->second) &&
                  terms.extentOf(dim) == terms.extentOf(it->second);
         });
}

} // namespace npu
