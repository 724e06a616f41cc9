// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/PaddingState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {

PaddedDim PaddedDim::withoutPadding(int64_t extent, MLIRContext *context) {
  AffineExpr all = getAffineConstantExpr(extent, context);
  return {all, all, extent, {}};
}

bool PaddedDim::hasPadding() const {
  auto all = dyn_cast<AffineConstantExpr>(real);
  return !all || all.getValue() != extent;
}

bool PaddedDim::beginsWithPadding() const {
  auto front = dyn_cast<AffineConstantExpr>(hole);
  return front && front.getValue() == 0;
}

PaddingContent besideOtherRows(const PaddingContent &content) {
  return content.kind == PaddingContent::Constant ? content : PaddingContent();
}

static AffineExpr simplifiedByUpstream(AffineExpr expr) {
  unsigned symbols = 1;
  expr.walk([&](AffineExpr each) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(each))
      symbols = std::max(symbols, symbol.getPosition() + 1);
  });
  return simplifyAffineExpr(expr, 0, symbols);
}

/// The expression with divisions in one form: rounded down, of a dividend whose
/// constant is 0 or more and less than the divisor.
static AffineExpr withEqualDivisions(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = withEqualDivisions(binary.getLHS());
  AffineExpr rhs = withEqualDivisions(binary.getRHS());
  AffineExprKind kind = expr.getKind();
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  if (kind == AffineExprKind::Add || kind == AffineExprKind::Mul || !divisor ||
      divisor.getValue() < 1)
    return getAffineBinaryOpExpr(kind, lhs, rhs);
  int64_t by = divisor.getValue();
  if (kind == AffineExprKind::CeilDiv)
    lhs = lhs + (by - 1);
  lhs = simplifiedByUpstream(lhs);
  int64_t number = 0;
  if (auto constant = dyn_cast<AffineConstantExpr>(lhs))
    number = constant.getValue();
  else if (auto sum = dyn_cast<AffineBinaryOpExpr>(lhs);
           sum && lhs.getKind() == AffineExprKind::Add)
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS()))
      number = constant.getValue();
  int64_t whole = llvm::divideFloorSigned(number, by);
  lhs = lhs - whole * by;
  return kind == AffineExprKind::Mod ? lhs % by : lhs.floorDiv(by) + whole;
}

AffineExpr simplified(AffineExpr expr) {
  return simplifiedByUpstream(withEqualDivisions(expr));
}

bool areEqual(AffineExpr a, AffineExpr b) {
  if (a == b || !a || !b)
    return a == b;
  auto difference = dyn_cast<AffineConstantExpr>(simplified(a - b));
  return difference && difference.getValue() == 0;
}

bool isPadded(const PaddingState &state) {
  return llvm::any_of(state, [](const auto &dim) { return dim.has_value(); });
}

void keepConstantExtents(RankedTensorType type, ArrayRef<AffineExpr> extents,
                         PaddingState &state) {
  bool isConstant = llvm::all_of(extents, [](AffineExpr extent) {
    return isa_and_present<AffineConstantExpr>(extent);
  });
  if (!isPadded(state) && !isConstant)
    return;
  for (auto [dim, padded] : llvm::enumerate(state))
    if (auto extent = dyn_cast_or_null<AffineConstantExpr>(extents[dim]);
        extent && !padded && type.isDynamicDim(dim) && extent.getValue() >= 0)
      padded = PaddedDim::withoutPadding(extent.getValue(), type.getContext());
}

Padding unknownPadding(const PaddingState &state) {
  Padding padding;
  if (state.size() > kMaxRank)
    return padding;
  for (auto [number, dim] : llvm::enumerate(state)) {
    if (!dim || dim->content)
      continue;
    auto real = dyn_cast<AffineConstantExpr>(dim->real);
    auto hole = dyn_cast<AffineConstantExpr>(dim->hole);
    if (real && hole && real.getValue() < dim->extent)
      padding.push_back(
          {number,
           {hole.getValue(), hole.getValue() + dim->extent - real.getValue()}});
  }
  return padding;
}

bool sameEntries(const PaddingState &a, const PaddingState &b) {
  auto at = [](const PaddingState &state, size_t dim) {
    return dim < state.size() && state[dim] ? &*state[dim] : nullptr;
  };
  for (size_t dim = 0; dim < std::max(a.size(), b.size()); ++dim) {
    const PaddedDim *x = at(a, dim), *y = at(b, dim);
    if (!x != !y || (x && !x->sameEntries(*y)))
      return false;
  }
  return true;
}

std::string spell(AffineExpr expr) {
  std::string spelled;
  llvm::raw_string_ostream(spelled) << expr;
  // Symbols are the lengths of prompts: L, L1, L2 ...
  for (size_t at = 0; (at = spelled.find('s', at)) != std::string::npos; ++at)
    spelled[at] = 'L';
  for (size_t at = 0; (at = spelled.find("L0", at)) != std::string::npos; ++at)
    spelled.erase(at + 1, 1);
  return spelled;
}

std::string toString(const PaddingContent &content) {
  switch (content.kind) {
  case PaddingContent::Anything:
    return "anything";
  case PaddingContent::NegativeInfinity:
    return "-inf, or NaN beside one";
  case PaddingContent::Zero:
    return "0, or NaN beside one";
  case PaddingContent::Constant:
    break;
  }
  std::string text;
  llvm::raw_string_ostream(text) << content.constant;
  return text;
}

std::string toString(const PaddingState &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  for (auto [number, dim] : llvm::enumerate(state)) {
    if (!dim || !dim->hasPadding())
      continue;
    os << (first ? "" : "; ") << "dim " << number << ": ";
    first = false;
    os << spell(dim->real) << " real of " << dim->extent << ", padding ";
    if (dim->endsInPadding())
      os << "after";
    else if (dim->beginsWithPadding())
      os << "in front";
    else
      os << "at " << spell(dim->hole);
    os << " is " << toString(dim->content);
  }
  return first ? "no padding" : text;
}

} // namespace npu
