// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AffineRanges.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {

Range valuesOf(AffineExpr expr, ArrayRef<Range> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue() + 1};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Range lhs = valuesOf(binary.getLHS(), loops);
  Range rhs = valuesOf(binary.getRHS(), loops);
  // Every operator but the sum has a constant on its right side.
  int64_t factor = rhs.begin;
  int64_t first = lhs.begin, last = lhs.end - 1;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {lhs.begin + rhs.begin, lhs.end + rhs.end - 1};
  case AffineExprKind::Mul:
    return {std::min(first * factor, last * factor),
            std::max(first * factor, last * factor) + 1};
  case AffineExprKind::FloorDiv:
    return {llvm::divideFloorSigned(first, factor),
            llvm::divideFloorSigned(last, factor) + 1};
  case AffineExprKind::CeilDiv:
    return {llvm::divideCeilSigned(first, factor),
            llvm::divideCeilSigned(last, factor) + 1};
  default: {
    int64_t period = llvm::divideFloorSigned(first, factor);
    if (period != llvm::divideFloorSigned(last, factor))
      return {0, factor};
    return {first - period * factor, last - period * factor + 1};
  }
  }
}

namespace {

/// The most halves of ranges that are examined for one end of a loop. Where an
/// expression jumps more often, the range stays wider than necessary.
constexpr int maxHalvings = 1024;
/// The most rounds in which loops are narrowed after others were narrowed.
constexpr int maxRounds = 8;

/// The first position of `range` at which `mayHit` may hold, found by halving;
/// `mayHit` does not hold at any position before it.
template <typename MayHit>
std::optional<int64_t> firstHit(Range range, const MayHit &mayHit,
                                int &halvings) {
  if (!mayHit(range))
    return std::nullopt;
  if (range.extent() == 1 || --halvings < 0)
    return range.begin;
  int64_t middle = range.begin + range.extent() / 2;
  auto first = firstHit(Range{range.begin, middle}, mayHit, halvings);
  return first ? first : firstHit(Range{middle, range.end}, mayHit, halvings);
}

/// One more than the last position of `range` at which `mayHit` may hold.
template <typename MayHit>
int64_t endOfHits(Range range, const MayHit &mayHit, int &halvings) {
  if (!mayHit(range))
    return range.begin;
  if (range.extent() == 1 || --halvings < 0)
    return range.end;
  int64_t middle = range.begin + range.extent() / 2;
  int64_t end = endOfHits(Range{middle, range.end}, mayHit, halvings);
  return end != middle
             ? end
             : endOfHits(Range{range.begin, middle}, mayHit, halvings);
}

/// Narrows one loop by one expression, with the ranges of the other loops
/// fixed.
bool narrowLoop(AffineExpr expr, Range values, unsigned loop,
                MutableArrayRef<Range> loops) {
  SmallVector<Range> tried(loops);
  auto mayHit = [&](Range range) {
    tried[loop] = range;
    return !intersect(valuesOf(expr, tried), values).isEmpty();
  };
  int halvings = maxHalvings;
  std::optional<int64_t> first = firstHit(loops[loop], mayHit, halvings);
  if (!first)
    return false;
  halvings = maxHalvings;
  loops[loop] = {*first,
                 endOfHits(Range{*first, loops[loop].end}, mayHit, halvings)};
  return true;
}

} // namespace

bool narrowAround(ArrayRef<AffineExpr> exprs, const Box &values,
                  MutableArrayRef<Range> loops) {
  // A loop that one expression narrows can narrow others through other
  // expressions.
  SmallVector<Range> before;
  for (int round = 0; round < maxRounds; ++round) {
    if (ArrayRef<Range>(before) == ArrayRef<Range>(loops))
      break;
    before.assign(loops.begin(), loops.end());
    for (auto [dim, expr] : llvm::enumerate(exprs)) {
      if (auto plain = dyn_cast<AffineDimExpr>(expr)) {
        Range &range = loops[plain.getPosition()];
        range = intersect(range, values[dim]);
        if (range.isEmpty())
          return false;
        continue;
      }
      if (intersect(valuesOf(expr, loops), values[dim]).isEmpty())
        return false;
      for (unsigned loop = 0; loop < loops.size(); ++loop)
        if (expr.isFunctionOfDim(loop) &&
            !narrowLoop(expr, values[dim], loop, loops))
          return false;
    }
  }
  return true;
}

namespace {

/// A digit of a loop: (loop floordiv divisor) mod extent, or without the mod.
struct Digit {
  unsigned loop;
  int64_t divisor = 1;
  Range values;
  int64_t extent;
  /// Whether the digit is the loop itself, without floordiv and mod.
  bool isLoop = false;
};

std::optional<Digit> asDigit(AffineExpr expr, Range values, int64_t extent) {
  Digit digit{0, 1, values, extent, isa<AffineDimExpr>(expr)};
  if (expr.getKind() == AffineExprKind::Mod) {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (binary.getRHS() != getAffineConstantExpr(extent, expr.getContext()))
      return std::nullopt;
    expr = binary.getLHS();
  }
  while (expr.getKind() == AffineExprKind::FloorDiv) {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      return std::nullopt;
    digit.divisor *= divisor.getValue();
    expr = binary.getLHS();
  }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim)
    return std::nullopt;
  digit.loop = dim.getPosition();
  return digit;
}

/// The range of a loop whose digits, outermost first, have these ranges: it is
/// contiguous if first come digits with a single value, then one digit with a
/// range, then whole digits. Nothing otherwise.
std::optional<Range> contiguousRange(ArrayRef<Digit> digits) {
  int64_t begin = 0, length = 0;
  bool whole = false;
  for (const Digit &digit : digits) {
    if (whole && digit.values.extent() != digit.extent)
      return std::nullopt;
    begin += digit.values.begin * digit.divisor;
    if (!whole)
      length = digit.values.extent() * digit.divisor;
    whole |= digit.values.extent() != 1;
  }
  return Range{begin, begin + length};
}

/// Splits a range of sum(factor * loop) into a range of each loop, where the
/// factors are those of a mixed radix, outermost first.
bool splitIntoDigits(Range values,
                     ArrayRef<std::pair<unsigned, int64_t>> factors,
                     ArrayRef<int64_t> loopExtents,
                     MutableArrayRef<Range> loops) {
  for (auto [loop, factor] : factors) {
    int64_t first = values.begin / factor, last = (values.end - 1) / factor;
    if (first == last) {
      loops[loop] = intersect(loops[loop], {first, first + 1});
      values = {values.begin - first * factor, values.end - first * factor};
      continue;
    }
    if (values.begin % factor != 0 || values.end % factor != 0)
      return false;
    loops[loop] = intersect(loops[loop], {first, last + 1});
    return true; // Inner loops stay whole.
  }
  return true;
}

/// One loop: values lie in range; the tensor's ends reach beyond it.
bool narrowOne(const LinearForm &form, Range values, int64_t extent,
               MutableArrayRef<Range> loops) {
  auto [loop, factor] = *form.factors.begin();
  if (factor <= 0)
    return false;
  Range &range = loops[loop];
  Range within{llvm::divideCeilSigned(values.begin - form.offset, factor),
               llvm::divideFloorSigned(values.end - 1 - form.offset, factor) +
                   1};
  if (values.begin == 0)
    within.begin = range.begin;
  if (values.end == extent)
    within.end = range.end;
  range = intersect(range, within);
  return true;
}

bool narrowLinear(const LinearForm &form, Range values, int64_t extent,
                  ArrayRef<int64_t> loopExtents, MutableArrayRef<Range> loops) {
  if (form.factors.empty()) {
    int64_t nearest = std::clamp<int64_t>(form.offset, 0, extent - 1);
    return values.begin <= nearest && nearest < values.end;
  }
  if (form.factors.size() == 1)
    return narrowOne(form, values, extent, loops);
  SmallVector<std::pair<unsigned, int64_t>> factors(form.factors.begin(),
                                                    form.factors.end());
  llvm::sort(factors, [](auto &a, auto &b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  });
  int64_t radix = 1;
  for (auto [loop, factor] : llvm::reverse(factors)) {
    if (factor != radix)
      return false; // A window: outputs share inputs.
    radix *= loopExtents[loop];
  }
  return form.offset == 0 && radix == extent &&
         splitIntoDigits(values, factors, loopExtents, loops);
}

/// Narrows the loop that all of these digits belong to; a missing digit may
/// have any value.
bool narrowByDigits(MutableArrayRef<Digit> digits, int64_t loopExtent,
                    Range &loop) {
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.divisor > b.divisor;
  });
  const Digit &outermost = digits.front();
  // After the last value of the outermost digit, the digits begin anew.
  if (outermost.divisor * outermost.extent < loopExtent)
    return false;
  // A loop that is read in several dimensions (a diagonal) is not divided into
  // digits.
  for (auto [outer, inner] : llvm::zip(digits, llvm::drop_begin(digits)))
    if (outer.divisor != inner.divisor * inner.extent)
      return false;
  std::optional<Range> range = contiguousRange(digits);
  if (!range)
    return false;
  loop = intersect(loop, *range);
  return true;
}

} // namespace

bool narrowToValues(ArrayRef<AffineExpr> exprs, const Box &values,
                    const Extents &extents, ArrayRef<int64_t> loopExtents,
                    MutableArrayRef<Range> loops) {
  std::map<unsigned, SmallVector<Digit>> digits;
  for (auto [dim, expr] : llvm::enumerate(exprs)) {
    // A tile that holds the whole dimension runs every iteration.
    if (values[dim] == Range{0, extents[dim]})
      continue;
    if (auto digit = asDigit(expr, values[dim], extents[dim])) {
      digits[digit->loop].push_back(*digit);
      continue;
    }
    std::optional<LinearForm> form = asLinearForm(expr);
    if (!form ||
        !narrowLinear(*form, values[dim], extents[dim], loopExtents, loops))
      return false;
  }
  for (auto &[loop, ofLoop] : digits) {
    // A loop that is itself a dimension may reach beyond it, in a pad.
    const Digit &first = ofLoop.front();
    bool narrowed =
        ofLoop.size() == 1 && first.isLoop
            ? narrowOne(LinearForm{{{loop, 1}}, 0}, first.values, first.extent,
                        loops)
            : narrowByDigits(ofLoop, loopExtents[loop], loops[loop]);
    if (!narrowed)
      return false;
  }
  return true;
}

} // namespace npu
