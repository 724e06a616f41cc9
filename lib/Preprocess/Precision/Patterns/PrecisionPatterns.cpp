// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrecisionPatterns.h"
#include "Candidate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace npu {

llvm::StringRef describe(PrecisionHazard hazard) {
  switch (hazard) {
  case PrecisionHazard::Distances:
    return "squared distances as |x|^2 - 2xy + |y|^2";
  case PrecisionHazard::Variance:
    return "a variance as E[x^2] - E[x]^2";
  case PrecisionHazard::Softmax:
    return "a softmax without its maximum";
  }
  llvm_unreachable("every hazard has a description");
}

llvm::StringRef riskOf(PrecisionHazard hazard) {
  switch (hazard) {
  case PrecisionHazard::Distances:
    return "the squares overflow where the distance does not, and what "
           "rounding "
           "leaves of it is small where x is near y";
  case PrecisionHazard::Variance:
    return "the squares overflow where the variance does not, and what "
           "rounding "
           "leaves of it is small where the mean is large";
  case PrecisionHazard::Softmax:
    return "an exponential of 11.1 or their sum overflows in f16, of 88.8 in "
           "bf16 and f32";
  }
  llvm_unreachable("every hazard has a risk");
}

bool isNear(double one, double two, double relative) {
  return std::abs(one - two) <= relative * std::abs(two);
}

std::optional<ReadAt> readAt(const PatternSite &at, const Term &term,
                             ArrayRef<unsigned> reduced) {
  if (!term.isEntry())
    return std::nullopt;
  MLIRContext *context = term.value.getContext();
  llvm::DenseMap<AffineExpr, AffineExpr> names;
  SmallVector<unsigned> order(at.loops);
  order.append(reduced.begin(), reduced.end());
  for (auto [place, dim] : llvm::enumerate(order))
    names[getAffineDimExpr(dim, context)] = getAffineDimExpr(place, context);
  SmallVector<AffineExpr> indices;
  for (AffineExpr index : term.at)
    indices.push_back(index.replace(names));
  AffineMap map = AffineMap::get(order.size(), 0, indices, context);
  // Nothing but these dimensions may be left in it.
  for (AffineExpr index : indices) {
    bool foreign = false;
    index.walk([&](AffineExpr each) {
      auto dim = dyn_cast<AffineDimExpr>(each);
      foreign |= dim && dim.getPosition() >= order.size();
    });
    if (foreign)
      return std::nullopt;
  }
  return ReadAt{term.value, map};
}

namespace {

/// Whether `op` belongs to what stands before it: entry by entry a maximum with
/// a constant, the addition of one, a root.
bool follows(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      op->getNumResults() != 1)
    return false;
  return llvm::all_of(
      op.getBlock()->without_terminator(), [&](Operation &each) {
        if (each.hasTrait<OpTrait::ConstantLike>() ||
            isa<math::SqrtOp, math::RsqrtOp, arith::ExtFOp, arith::TruncFOp>(
                each))
          return true;
        if (!isa<arith::MaximumFOp, arith::MaxNumFOp, arith::AddFOp>(each))
          return false;
        Terms terms(op.getContext());
        return llvm::any_of(each.getOperands(), [&](Value operand) {
          return terms.view(terms.inBody(op, operand)).kind ==
                 View::Kind::Constant;
        });
      });
}

/// The operation that alone uses the result of `op`, if it belongs to it.
Operation *follower(Operation *op) {
  if (op->getNumResults() != 1 || !op->hasOneUse())
    return nullptr;
  auto user = dyn_cast<linalg::LinalgOp>(*op->getUsers().begin());
  return user && follows(user) ? user.getOperation() : nullptr;
}

bool computes(Operation *op) {
  return llvm::any_of(
      cast<linalg::LinalgOp>(op).getBlock()->without_terminator(),
      [](Operation &each) {
        return !isa<arith::ExtFOp, arith::TruncFOp>(each) &&
               !each.hasTrait<OpTrait::ConstantLike>();
      });
}

/// The narrowest float of what the pattern is computed from.
Type narrowestOf(ArrayRef<Term> factors, Type otherwise) {
  Type narrowest = otherwise;
  for (const Term &factor : factors) {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(factor.value));
    if (type &&
        type.getIntOrFloatBitWidth() < narrowest.getIntOrFloatBitWidth())
      narrowest = type;
  }
  return narrowest;
}

class Finder {
public:
  explicit Finder(func::FuncOp function) : function(function) {}

  std::vector<PrecisionPattern> run() {
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) {
      order[op] = ops.size();
      ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
          !claimed.contains(op))
        lookInto(op);
    return std::move(patterns);
  }

private:
  void lookInto(linalg::LinalgOp op) {
    for (Operation &each : llvm::reverse(op.getBlock()->without_terminator())) {
      bool sum = isa<arith::AddFOp, arith::SubFOp>(each);
      bool quotient = isa<arith::DivFOp, arith::MulFOp>(each);
      if (!sum && !quotient)
        continue;
      Terms terms(op.getContext());
      PatternSite at{terms, op, terms.inBody(op, each.getResult(0)), {}};
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        at.loops.push_back(loop);
      std::optional<Found> found;
      if (quotient && op.getNumReductionLoops() == 0) {
        found = findSoftmax(at);
      } else if (sum) {
        auto products = productsOf(terms, at.term);
        if (products)
          found = findDistances(at, *products);
        if (products && !found)
          found = findVariance(at, *products);
      }
      if (found && claim(op, each.getResult(0), *found))
        return;
    }
  }

  bool claim(linalg::LinalgOp op, Value scalar, const Found &found) {
    SmallVector<Operation *> ops(found.ops.begin(), found.ops.end());
    if (llvm::any_of(ops, [&](Operation *each) {
          return claimed.contains(each) || !order.contains(each);
        }))
      return false;
    if (!llvm::is_contained(ops, op.getOperation()))
      ops.push_back(op);
    llvm::sort(ops, [&](Operation *one, Operation *two) {
      return order.lookup(one) < order.lookup(two);
    });
    for (Operation *next = follower(op); next; next = follower(next))
      ops.push_back(next);
    claimed.insert(ops.begin(), ops.end());
    Type result = getElementTypeOrSelf(op->getResult(0).getType());
    Operation *last = op;
    for (Operation *each : ops)
      if (computes(each))
        last = each;
    patterns.push_back({found.hazard, op, scalar, ops, last,
                        narrowestOf(found.factors, result), found.direct,
                        found.exponentials});
    return true;
  }

  func::FuncOp function;
  llvm::DenseMap<Operation *, unsigned> order;
  llvm::DenseSet<Operation *> claimed;
  std::vector<PrecisionPattern> patterns;
};

} // namespace

std::vector<PrecisionPattern> findPrecisionPatterns(func::FuncOp function) {
  return Finder(function).run();
}

} // namespace npu
