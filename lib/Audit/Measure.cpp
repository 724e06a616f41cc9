// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.h"

#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace npu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The distance from |value| to the next number of the type.
double ulpAt(ElementType type, double value) {
  if (!isFloat(type))
    return 1;
  int least = 0;
  switch (type) {
  case ElementType::F16:
    least = -14;
    break;
  case ElementType::BF16:
  case ElementType::F32:
    least = -126;
    break;
  default:
    least = -1022;
  }
  // What ilogb and ldexp say, by the bits of a double: every element is asked.
  int biased = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) & 2047;
  int exponent = std::max(biased - 1023, least) - precisionOf(type) + 1;
  return exponent > -1023 ? std::bit_cast<double>(
                                static_cast<uint64_t>(exponent + 1023) << 52)
                          : std::ldexp(1.0, exponent);
}

/// Adds up the errors of elements that are finite on both sides.
class Sum {
public:
  explicit Sum(ElementType type) : type(type) {}

  void add(double expected, double error, double bound) {
    errors.maxBound =
        std::max(errors.maxBound, std::isnan(bound) ? kInfinity : bound);
    ++errors.count;
    if (error == 0)
      return;
    double ulp = error / ulpAt(type, expected);
    errors.maxAbsolute = std::max(errors.maxAbsolute, error);
    errors.meanAbsolute += error;
    errors.maxUlp = std::max(errors.maxUlp, ulp);
    errors.meanUlp += ulp;
    if (expected == 0)
      return;
    double relative = error / std::fabs(expected);
    errors.maxRelative = std::max(errors.maxRelative, relative);
    errors.meanRelative += relative;
  }

  Errors get() const {
    Errors result = errors;
    for (double *mean :
         {&result.meanAbsolute, &result.meanRelative, &result.meanUlp})
      *mean /= static_cast<double>(std::max<int64_t>(errors.count, 1));
    return result;
  }

private:
  ElementType type;
  Errors errors;
};

/// An element on both sides. Integers are compared by their bits, because f64
/// has not all of them: `distance` is modulo 2^bits.
struct Element {
  double got, expected, bound, distance;
  /// The reference's integer is not what was expected of it.
  bool hasWrapped;

  bool isSame() const {
    return distance == 0 || (std::isnan(got) && std::isnan(expected));
  }
  bool isFinite() const {
    return std::isfinite(got) && std::isfinite(expected);
  }
};

/// Whether an integer type has no place for a number, with a sign or without.
bool isOutside(ElementType type, double value) {
  if (type == ElementType::Bool || !std::isfinite(value))
    return false;
  double end = std::ldexp(1.0, static_cast<int>(bitSize(type)));
  return value >= end || value < (isUnsigned(type) ? 0 : -end / 2);
}

/// Whether a number is finite and not what the bits of an integer stand for.
bool hasWrapped(const HostTensor &whole, int64_t i, double value) {
  ElementType type = whole.spec.type;
  if (type == ElementType::Bool || !std::isfinite(value))
    return false;
  double reading = valueAt(whole, i);
  // Sums of integers of 64 bits have rounding errors in f64.
  double slack = bitSize(type) == 64 ? 0x1p20 + std::fabs(value) * 0x1p-30 : 0;
  if (std::fabs(value - reading) <= slack)
    return false;
  // Integers without a sign may be meant either way.
  return isUnsigned(type) ||
         !(std::fabs(value - static_cast<double>(bitsAt(whole, i))) <= slack);
}

/// Without a fault, the device's integer is within the bound of the
/// reference's, modulo 2^bits; whether both have wrapped around is another
/// question.
Fate fateOfInteger(const Element &e, ElementType type) {
  // No integer stands for NaN, or for what its bits cannot hold: then those of
  // the reference say nothing.
  if (!std::isfinite(e.bound) || std::isnan(e.expected))
    return isOutside(type, e.expected) ? Fate::Overflow : Fate::Unbounded;
  // Bounds are computed in f64.
  if (!(e.distance <= e.bound * (1 + 0x1p-30)))
    return Fate::Beyond;
  if (e.hasWrapped)
    return Fate::Overflow;
  return e.distance == 0 ? Fate::Exact : Fate::Within;
}

Fate fateOf(const Element &e, ElementType type) {
  if (!isFloat(type))
    return fateOfInteger(e, type);
  if (e.isSame())
    return Fate::Exact;
  if (!std::isfinite(e.got) && std::isfinite(e.expected))
    return Fate::Overflow;
  if (std::isnan(e.bound) || e.bound == kInfinity)
    return Fate::Unbounded;
  if (!e.isFinite())
    return Fate::Beyond;
  return e.distance <= e.bound ? Fate::Within : Fate::Beyond;
}

/// The probability that a Poisson variable of this mean is at least `count`.
double tail(double mean, int64_t count) {
  // Above that, the normal distribution is as good.
  if (count > 200)
    return 0.5 * std::erfc((static_cast<double>(count) - mean) /
                           std::sqrt(2 * std::max(mean, 1e-300)));
  double term = std::exp(-mean), below = 0;
  for (int64_t k = 0; k < count; ++k) {
    below += term;
    term *= mean / static_cast<double>(k + 1);
  }
  // What is left of 1 is lost to rounding where it is tiny: its first term.
  return std::max(1 - below, term);
}

} // namespace

double distanceOf(ElementType type, uint64_t a, uint64_t b) {
  if (type == ElementType::Bool)
    return a == b ? 0 : 1;
  uint64_t mask = ~uint64_t{0} >> (64 - bitSize(type));
  return static_cast<double>(std::min((a - b) & mask, (b - a) & mask));
}

namespace {

/// The worst element so far.
struct Candidate {
  Fate fate = Fate::Exact;
  int64_t index = 0;
  Element own{}, all{};
  double condition = 1;
  double weight = -1;

  void consider(const Candidate &other) {
    if (other.fate > fate || (other.fate == fate && other.weight > weight))
      *this = other;
  }
};

/// Goes through the elements of one result.
class Measuring {
public:
  Measuring(const HostTensor &device, const Tracked &local,
            const Tracked &accumulated)
      : device(device), local(local), accumulated(accumulated),
        type(device.spec.type), limit(std::exp2(-precisionOf(type) / 2.0)),
        here(type), since(type) {
    result.spec = device.spec;
  }

  void element(int64_t i, std::vector<int64_t> *beyond) {
    double got = valueAt(device, i);
    Element own = elementOf(local, i, got);
    Element all = &local == &accumulated ? own : elementOf(accumulated, i, got);
    Fate fate = fateOf(own, type);
    double condition = conditionAt(local, i);
    // NaN of a difference of finite numbers that should be positive, as under a
    // root, is no overflow.
    bool isNanOfDifference = false;
    if (std::isnan(own.got) && std::isfinite(all.expected) && local.mass &&
        std::isfinite(doublesOf(*local.mass)[i])) {
      condition = std::max(condition, conditionAt(accumulated, i));
      isNanOfDifference = condition >= kCondition;
    }
    if (isNanOfDifference && fate == Fate::Overflow)
      fate = Fate::Unbounded;
    if (own.isFinite())
      here.add(own.expected, own.distance, own.bound);
    if (all.isFinite())
      since.add(all.expected, all.distance, all.bound);
    result.different += !own.isSame();
    result.beyond += fate == Fate::Beyond;
    result.overflowed += fate == Fate::Overflow;
    result.unbounded += fate == Fate::Unbounded;
    result.inherited +=
        own.isSame() && !std::isfinite(own.got) && std::isfinite(all.expected);
    if (beyond && fate == Fate::Beyond)
      beyond->push_back(i);
    Candidate candidate{fate, i, own, all, condition};
    bool isLostHere =
        fate <= Fate::Unbounded &&
        (isNanOfDifference || isLost(own, all, candidate.condition));
    candidate.weight = own.isFinite() ? own.distance : 0;
    worst.consider(candidate);
    if (!isLostHere)
      return;
    ++result.lost;
    // Equal rows lose the same digits: that is one event.
    distinct.emplace(std::isnan(own.expected) ? 0 : own.expected, all.expected);
    least = std::min(least, candidate.condition);
    candidate.fate = Fate::Lost;
    candidate.weight =
        isNanOfDifference ? std::fabs(all.expected) : all.distance;
    worstLost.consider(candidate);
  }

  Measurement finish(int64_t terms, int bits) {
    result.local = here.get();
    result.accumulated = since.get();
    auto elements = static_cast<double>(device.spec.elements());
    if (result.lost > 0) {
      result.leastCondition = least;
      // Numbers of few bits may add up to 0 exactly.
      double rarity = std::min(least, std::ldexp(1.0, bits - 1));
      double mean = std::min(
          elements,
          elements * std::sqrt(static_cast<double>(terms) + 1) / rarity);
      result.chance = tail(mean, static_cast<int64_t>(distinct.size()));
    }
    if (result.lost > 0 && result.chance < kChance &&
        worst.fate <= Fate::Unbounded)
      worst = worstLost;
    result.fate = worst.fate;
    result.worst = worst.index;
    result.expected = worst.own.expected;
    result.bound = worst.own.bound;
    result.expectedSinceInputs = worst.all.expected;
    result.boundSinceInputs = worst.all.bound;
    result.condition = worst.condition;
    if (device.spec.elements() > 0)
      result.got = elementToString(device, result.worst);
    return std::move(result);
  }

private:
  Element elementOf(const Tracked &side, int64_t i, double got) const {
    double expected = doublesOf(side.value)[i];
    Element e{got, expected, doublesOf(side.error)[i], 0, false};
    if (side.whole) {
      e.distance = distanceOf(type, bitsAt(device, i), bitsAt(*side.whole, i));
      e.hasWrapped = hasWrapped(*side.whole, i, expected);
    } else if (got != expected) {
      e.distance = std::fabs(got - expected);
    }
    return e;
  }

  static double conditionAt(const Tracked &side, int64_t i) {
    double value = std::fabs(doublesOf(side.value)[i]);
    double mass = side.mass ? doublesOf(*side.mass)[i] : value;
    double condition = value == mass ? 1 : mass / value;
    return condition >= 1 ? condition : 1;
  }

  /// Whether more than half of the digits that the type has are gone.
  bool isLost(const Element &own, const Element &all, double condition) const {
    if (!isFloat(type) || condition < kCondition || !own.isFinite() ||
        !all.isFinite())
      return false;
    auto lostOf = [&](const Element &e) {
      return e.distance > limit * std::fabs(e.expected);
    };
    return lostOf(own) || lostOf(all);
  }

  const HostTensor &device;
  const Tracked &local, &accumulated;
  ElementType type;
  double limit, least = kInfinity;
  Candidate worst, worstLost;
  std::set<std::pair<double, double>> distinct;
  Sum here, since;
  Measurement result;
};

} // namespace

Measurement measure(const HostTensor &device, const Tracked &local,
                    const Tracked &accumulated, const Summing &sums,
                    std::vector<int64_t> *beyond) {
  Measuring measuring(device, local, accumulated);
  for (int64_t i = 0, end = device.spec.elements(); i < end; ++i)
    measuring.element(i, beyond);
  return measuring.finish(sums.terms, sums.bits);
}

} // namespace npu
