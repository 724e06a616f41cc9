// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finding.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Distributions/Placement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {

const char *nameOf(FindingClass kind) {
  switch (kind) {
  case FindingClass::Structural:
    return "STRUCTURAL";
  case FindingClass::Overflow:
    return "OVERFLOW";
  case FindingClass::Cancellation:
    return "CANCELLATION";
  case FindingClass::NotAudited:
    return "NOT_AUDITED";
  case FindingClass::Rounding:
    return "ROUNDING";
  case FindingClass::Exact:
    return "EXACT";
  }
  return "";
}

static FindingClass classOf(const Measurement &m) {
  // What overflows inside of an operation may also make finite numbers wrong,
  // which have no bound then: what is beyond a bound is something else.
  if (m.beyond > 0)
    return FindingClass::Structural;
  if (m.overflowed > 0)
    return FindingClass::Overflow;
  if (m.lost > 0 && m.chance < kChance)
    return FindingClass::Cancellation;
  if (m.unbounded > 0)
    return FindingClass::NotAudited;
  return m.different > 0 ? FindingClass::Rounding : FindingClass::Exact;
}

void classify(Finding &finding, const CompiledUnit &unit) {
  if (!unit.tracked) {
    finding.kind = FindingClass::NotAudited;
    finding.why = unit.whyNot;
    return;
  }
  for (auto [i, result] : llvm::enumerate(finding.results)) {
    FindingClass kind = classOf(result);
    if (i > 0 && kind >= finding.kind)
      continue;
    finding.kind = kind;
    finding.worst = i;
  }
  // What no rule knows runs on both sides as the device runs it, which shows
  // nothing of how it rounds.
  if (!unit.unknown.empty() && finding.kind > FindingClass::NotAudited)
    finding.kind = FindingClass::NotAudited;
  if (finding.kind != FindingClass::NotAudited)
    return;
  if (!unit.unknown.empty())
    finding.why = fmt::format("no rule bounds the rounding errors of {}",
                              fmt::join(unit.unknown, ", "));
  else
    finding.why =
        "a bound on the way is infinite, as where a divisor may be 0, "
        "a number larger than the largest of its type, or a float that no "
        "integer stands for";
}

Summing sumsOf(Operation *op) {
  Summing sums;
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        sums.bits =
            std::min(sums.bits, static_cast<int>(element.getFPMantissaWidth()));
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics())
    return sums;
  for (auto [kind, extent] : llvm::zip(structured.getIteratorTypesArray(),
                                       structured.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction &&
        !ShapedType::isDynamic(extent))
      sums.terms *= std::max<int64_t>(extent, 1);
  return sums;
}

int64_t workOf(Operation *op) {
  int64_t work = 1;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    for (int64_t extent : structured.getStaticLoopRanges())
      work *= std::max<int64_t>(extent, 1);
    return work;
  }
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape())
      work = std::max(work, tensor.getNumElements());
  // A loop does that often.
  constexpr int64_t usual = 16;
  return op->getNumRegions() > 0 ? usual * work : work;
}

void locate(Finding &finding, Type deviceType,
            const std::vector<int64_t> &beyond) {
  const TensorSpec &spec = finding.results[finding.worst].spec;
  size_t rank = spec.shape.size();
  if (beyond.empty() || rank > kMaxRank)
    return;
  auto tensor = dyn_cast<RankedTensorType>(deviceType);
  const Placement *placement = tensor ? getPlacement(tensor) : nullptr;
  std::vector<bool> isWrong(placement ? placement->tiles.size() : 0);
  Box wrong(rank);
  for (int64_t index : beyond) {
    Box at(rank);
    for (auto [dim, place] : llvm::enumerate(coordinatesOf(spec, index))) {
      at[dim] = {place, place + 1};
      wrong[dim] = hull(wrong[dim], at[dim]);
    }
    for (size_t tile = 0; tile < isWrong.size(); ++tile)
      if (!isWrong[tile] && placement->computeOf(tile).contains(at))
        isWrong[tile] = true;
  }
  finding.wrong = wrong;
  for (size_t tile = 0; tile < isWrong.size(); ++tile)
    if (isWrong[tile])
      finding.tiles.emplace_back(tile, placement->computeOf(tile));
}

} // namespace npu
