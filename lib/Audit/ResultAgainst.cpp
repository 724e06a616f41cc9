// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number that is infinite has no distance to another one: infinities and NaN
// are compared by what they are. Finite numbers next to very large ones, such
// as those of a mask, are held against numbers of their own magnitude.

#include "ResultAgainst.h"

#include "Finding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npu {
namespace {

const HostTensor &referenceOf(const Known &known) {
  return known.reference ? *known.reference : *known.device;
}

double boundAt(const Known &known, int64_t i) {
  return known.error ? doublesOf(*known.error)[i] : 0;
}

/// The magnitudes of a tensor's finite elements.
class Magnitudes {
public:
  explicit Magnitudes(const HostTensor &tensor) {
    int64_t elements = tensor.spec.elements();
    for (int64_t i = 0; i < elements; ++i)
      if (double value = std::fabs(valueAt(tensor, i)); std::isfinite(value))
        sorted.push_back(value);
    llvm::sort(sorted);
    // Sums of shares do not overflow.
    auto count = static_cast<double>(sorted.size());
    double sum = 0;
    for (double value : sorted)
      shares.push_back(sum += value / count);
  }

  /// The mean of all that are not larger than this.
  double meanUpTo(double most) const {
    auto end = llvm::upper_bound(sorted, most);
    auto count = static_cast<size_t>(end - sorted.begin());
    if (count == 0)
      return 0;
    return shares[count - 1] *
           (static_cast<double>(sorted.size()) / static_cast<double>(count));
  }

  double mean() const { return sorted.empty() ? 0 : meanUpTo(sorted.back()); }

private:
  std::vector<double> sorted, shares;
};

/// What may be between two elements.
struct Room {
  /// Up to which they are the same, and from which on they are different.
  double same = 0, different = 0;
};

/// Holds the elements of one result against the original's.
class Holding {
public:
  Holding(const Known &ours, const Known &theirs, const Closeness &closeness)
      : ours(ours), theirs(theirs), closeness(closeness), a(referenceOf(ours)),
        b(referenceOf(theirs)), magnitudes(b), usual(magnitudes.mean()) {}

  /// Precondition: both elements are finite.
  Room roomAt(int64_t i) const {
    double e = boundAt(ours, i), f = boundAt(theirs, i);
    double magnitude = std::fabs(valueAt(b, i));
    // What no float decides has all of its bits.
    if (areIntegers() && closeness.boundsTell)
      return {0, std::isnan(e + f) ? kInfinity : e + f};
    // Sums that come near 0 by chance have the rounding errors of what they are
    // sums of, which is seldom more than a million times as large.
    double own = closeness.relative * magnitude;
    Room room;
    room.same = own + closeness.relative *
                          magnitudes.meanUpTo(std::ldexp(magnitude, 20));
    room.different = own + closeness.relative * usual;
    if (double share = closeness.ours * e + closeness.theirs * f;
        std::isfinite(share))
      room.same = std::max(room.same, own + share);
    if (closeness.boundsTell && std::isfinite(e + f))
      room.different = std::min(room.different, std::max(own, e + f));
    room.same = std::min(room.same, room.different);
    return room;
  }

  Agreement at(int64_t i, double &distance, double &allowed) const {
    double x = valueAt(a, i), y = valueAt(b, i);
    allowed = 0;
    if (!std::isfinite(x) || !std::isfinite(y)) {
      distance = std::fabs(x - y);
      bool isSame = x == y || (std::isnan(x) && std::isnan(y));
      return isSame ? Agreement::Same : Agreement::Different;
    }
    distance = areIntegers()
                   ? distanceOf(b.spec.type, bitsAt(a, i), bitsAt(b, i))
                   : std::fabs(x - y);
    Room room = roomAt(i);
    allowed = room.different;
    if (distance > room.different)
      return Agreement::Different;
    return distance <= room.same ? Agreement::Same : Agreement::Unknown;
  }

  ResultAgainst hold() {
    ResultAgainst result;
    result.spec = ours.device->spec;
    std::vector<int64_t> beyond;
    Agreement worst = Agreement::Same;
    for (int64_t i = 0, end = result.spec.elements(); i < end; ++i) {
      double distance = 0, allowed = 0;
      Agreement agreement = at(i, distance, allowed);
      bool isFinite =
          std::isfinite(valueAt(a, i)) && std::isfinite(valueAt(b, i));
      if (agreement == Agreement::Same) {
        result.bothNonFinite += !isFinite;
        continue;
      }
      result.unknown += agreement == Agreement::Unknown;
      if (agreement == Agreement::Different) {
        beyond.push_back(i);
        result.nonFinite += !isFinite;
      }
      // Numbers that have a distance say more.
      bool isFarther =
          std::isfinite(distance) &&
          (!std::isfinite(result.distance) || distance > result.distance);
      if (agreement > worst || (agreement == worst && isFarther)) {
        worst = agreement;
        result.worst = i;
        result.expected = valueAt(b, i);
        result.got = valueAt(a, i);
        result.distance = distance;
        result.allowed = allowed;
      }
    }
    result.different = static_cast<int64_t>(beyond.size());
    if (!beyond.empty() && isFloat(a.spec.type) && isFloat(b.spec.type))
      result.hints = hintsFor(beyond);
    return result;
  }

private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  /// Whether both sides have the bits of one type of integers.
  bool areIntegers() const {
    return a.spec.type == b.spec.type && !isFloat(b.spec.type);
  }

  std::vector<std::string> hintsFor(const std::vector<int64_t> &beyond) const {
    HostTensor allowed = filled64(b.spec, 0);
    for (int64_t i = 0, end = b.spec.elements(); i < end; ++i)
      if (std::isfinite(valueAt(b, i)))
        doublesOf(allowed)[i] = roomAt(i).different;
    Tracked expected{toReference(b), std::move(allowed), std::nullopt,
                     std::nullopt};
    return hintsOf(a, expected, beyond);
  }

  const Known &ours, &theirs;
  const Closeness &closeness;
  const HostTensor &a, &b;
  Magnitudes magnitudes;
  double usual;
};

} // namespace

ResultAgainst holdResultAgainst(int64_t number, const Known &ours,
                                const Known &theirs,
                                const Closeness &closeness) {
  ResultAgainst result = Holding(ours, theirs, closeness).hold();
  result.number = number;
  return result;
}

} // namespace npu
