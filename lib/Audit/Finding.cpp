// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Distributions/Placement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace npu {

const char *nameOf(FindingClass kind) {
  static constexpr const char *names[] = {"STRUCTURAL",   "OVERFLOW",
                                          "CANCELLATION", "NOT_AUDITED",
                                          "ROUNDING",     "EXACT"};
  return names[static_cast<size_t>(kind)];
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

namespace {

/// A tensor's errors, and how far two of them may differ without being
/// different.
class Pattern {
public:
  Pattern(const HostTensor &device, const Tracked &local,
          const std::vector<int64_t> &beyond)
      : shape(device.spec.shape), expected(doublesOf(local.value)),
        bounds(doublesOf(local.error)), beyond(beyond) {
    got.reserve(static_cast<size_t>(device.spec.elements()));
    for (int64_t i = 0, end = device.spec.elements(); i < end; ++i)
      got.push_back(valueAt(device, i));
    strides.assign(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
    for (int64_t index : beyond)
      largest = std::max(largest, std::fabs(error(index)));
  }

  std::vector<std::string> hints() const {
    std::vector<std::string> result;
    if (std::string hint = scale(); !hint.empty())
      result.push_back(hint);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      for (std::string hint : {shifted(dim), slices(dim)})
        if (!hint.empty())
          result.push_back(hint);
    if (std::string hint = broadcast(); !hint.empty())
      result.push_back(hint);
    return result;
  }

private:
  int64_t size() const { return static_cast<int64_t>(got.size()); }
  double error(int64_t i) const {
    return got[static_cast<size_t>(i)] - expected[i];
  }
  double at(int64_t i) const { return got[static_cast<size_t>(i)]; }
  int64_t coordinate(int64_t i, size_t dim) const {
    return i / strides[dim] % shape[dim];
  }

  /// got = k * expected in every element, of at least three that tell.
  std::string scale() const {
    int64_t top = *std::max_element(
        beyond.begin(), beyond.end(), [&](int64_t a, int64_t b) {
          return std::fabs(expected[a]) < std::fabs(expected[b]);
        });
    double factor = at(top) / expected[top];
    if (!std::isfinite(factor) || size() < 3)
      return "";
    // The reference's bound is of a result of its own size.
    double slack = 2 * std::max(1.0, std::fabs(factor));
    for (int64_t i = 0; i < size(); ++i)
      if (!(std::fabs(at(i) - factor * expected[i]) <=
            slack * bounds[i] +
                std::fabs(at(i)) * bounds[top] / std::fabs(expected[top]) * 2))
        return "";
    if (factor == 0)
      return "every element is 0: nothing was written, or a factor is 0";
    return fmt::format(
        "every element is {:.6g} times what is expected: a wrong "
        "scale",
        factor);
  }

  /// got[i] = expected[i + 1] or expected[i - 1] along a dimension.
  std::string shifted(size_t dim) const {
    if (shape[dim] < 3)
      return "";
    for (int64_t step : {int64_t{1}, int64_t{-1}}) {
      int64_t same = 0, asked = 0;
      for (int64_t i : beyond) {
        int64_t place = coordinate(i, dim) + step;
        if (place < 0 || place >= shape[dim])
          continue;
        int64_t neighbour = i + step * strides[dim];
        ++asked;
        same += std::fabs(at(i) - expected[neighbour]) <= 2 * bounds[neighbour];
      }
      if (asked >= 3 && same * 10 >= asked * 9)
        return fmt::format("elements are those that are expected {} "
                           "along dimension {}: an off-by-one window or slice",
                           step > 0 ? "one further" : "one before", dim);
    }
    return "";
  }

  /// All elements at some places of a dimension are wrong, and no other.
  std::string slices(size_t dim) const {
    std::vector<int64_t> wrong(static_cast<size_t>(shape[dim]));
    int64_t zeros = 0;
    for (int64_t i : beyond) {
      ++wrong[static_cast<size_t>(coordinate(i, dim))];
      zeros += at(i) == 0;
    }
    int64_t each = size() / shape[dim], whole = 0, first = -1;
    for (size_t place = 0; place < wrong.size(); ++place) {
      if (wrong[place] == 0)
        continue;
      if (wrong[place] * 10 < each * 9 || each < 2)
        return "";
      first = first < 0 ? static_cast<int64_t>(place) : first;
      ++whole;
    }
    if (whole * 2 > shape[dim])
      return "";
    return fmt::format(
        "what is at {} of dimension {}{} is wrong as a whole and "
        "nothing else{}: a dropped row or slice",
        first, dim,
        whole > 1 ? fmt::format(" and at {} other places", whole - 1) : "",
        zeros == static_cast<int64_t>(beyond.size()) ? ", and is 0" : "");
  }

  /// The error does not change along a dimension, or is a sum of what changes
  /// along one and of what changes along others: what was added lies along
  /// another dimension than it should.
  std::string broadcast() const {
    double slack = 0;
    for (int64_t i = 0; i < size(); ++i)
      if (std::isfinite(bounds[i]))
        slack = std::max(slack, bounds[i]);
    slack = 4 * slack + 1e-12 * largest;
    if (slack * 16 > largest)
      return "";
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] > 1 && isConstantAlong(dim, slack))
        return fmt::format("the error is the same all along dimension {}: a "
                           "wrong broadcast or a wrong summand",
                           dim);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] > 1 && size() > shape[dim] && isSeparable(dim, slack))
        return fmt::format("the error is a summand along dimension {} less "
                           "another along others: a wrong broadcast",
                           dim);
    return "";
  }

  bool isConstantAlong(size_t dim, double slack) const {
    for (int64_t i = 0; i < size(); ++i) {
      int64_t start = i - coordinate(i, dim) * strides[dim];
      if (!(std::fabs(error(i) - error(start)) <= slack))
        return false;
    }
    return true;
  }

  bool isSeparable(size_t dim, double slack) const {
    for (int64_t i = 0; i < size(); ++i) {
      int64_t place = coordinate(i, dim) * strides[dim];
      double mixed = error(i) - error(i - place) - error(place) + error(0);
      if (!(std::fabs(mixed) <= 2 * slack))
        return false;
    }
    return true;
  }

  const std::vector<int64_t> &shape;
  std::vector<int64_t> strides;
  std::vector<double> got;
  const double *expected, *bounds;
  const std::vector<int64_t> &beyond;
  double largest = 0;
};

} // namespace

std::vector<std::string> hintsOf(const HostTensor &device, const Tracked &local,
                                 const std::vector<int64_t> &beyond) {
  if (beyond.empty() || device.spec.shape.empty())
    return {};
  return Pattern(device, local, beyond).hints();
}

} // namespace npu
