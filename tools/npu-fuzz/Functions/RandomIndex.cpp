// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/RandomIndex.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace npu {

int64_t valueAt(AffineExpr index, std::span<const int64_t> point) {
  if (auto number = dyn_cast<AffineConstantExpr>(index))
    return number.getValue();
  if (auto loop = dyn_cast<AffineDimExpr>(index))
    return point[loop.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(index);
  int64_t a = valueAt(both.getLHS(), point), b = valueAt(both.getRHS(), point);
  switch (both.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return llvm::mod(a, b);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  default:
    return llvm::divideCeilSigned(a, b);
  }
}

Range valuesOf(AffineExpr index, std::span<const int64_t> loopExtents) {
  std::vector<int64_t> used;
  for (unsigned loop = 0; loop < loopExtents.size(); ++loop)
    if (index.isFunctionOfDim(loop))
      used.push_back(loop);
  std::vector<int64_t> point(loopExtents.size());
  Range values{valueAt(index, point), 0};
  values.end = values.begin + 1;
  for (;;) {
    std::size_t next = 0;
    while (next < used.size() && ++point[used[next]] == loopExtents[used[next]])
      point[used[next++]] = 0;
    if (next == used.size())
      return values;
    int64_t value = valueAt(index, point);
    values.begin = std::min(values.begin, value);
    values.end = std::max(values.end, value + 1);
  }
}

AffineExpr randomIndex(RandomNumbers &random,
                       std::span<const int64_t> loopExtents,
                       MLIRContext *context) {
  auto loops = static_cast<int64_t>(loopExtents.size());
  int64_t form = random.below(kIndexForms), first = random.below(loops),
          second = random.below(loops);
  AffineExpr i = getAffineDimExpr(first, context),
             j = getAffineDimExpr(second, context);
  int64_t f = random.between(2, 4), o = random.below(3);
  int64_t last = loopExtents[first] - 1;
  // Use factors that are no powers of two, like those of grouped heads.
  int64_t groups = random.oneIn(3) ? random.between(3, 9) : f;
  bool isOdd = random.oneIn(3);
  if (form >= 10 && first == second)
    return i;
  switch (form) {
  case 0:
    return i;
  case 1:
    return getAffineConstantExpr(o, context);
  case 2:
    return i + (o + 1);
  case 3:
    return last + (isOdd ? o : 0) - i;
  case 4:
    return i * f + o;
  case 5:
    return (i + o).floorDiv(groups);
  case 6:
    return (i + o).ceilDiv(f);
  case 7:
    return (i + o) % f;
  case 8:
    return i.floorDiv(f) * f + o;
  case 9:
    return (o - i) % f;
  case 10:
    return isOdd ? i * f + j + o : i * loopExtents[second] + j;
  case 11:
    return (i * f + j).floorDiv(2);
  default:
    return i + j % f;
  }
}

std::optional<AffineExpr> randomIndexWithin(RandomNumbers &random,
                                            std::span<const int64_t> loops,
                                            int64_t extent,
                                            MLIRContext *context) {
  for (int tries = 0; tries < 8; ++tries) {
    AffineExpr index = randomIndex(random, loops, context);
    Range values = valuesOf(index, loops);
    if (values.begin >= 0 && values.end <= extent &&
        (!isa<AffineDimExpr>(index) || values.end == extent))
      return index;
  }
  return std::nullopt;
}

} // namespace npu
