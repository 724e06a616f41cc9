// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both functions run in f64, on the same inputs, so that a value that both
// compute is the same number but for what their element types allow.

#include "Against.h"

#include "Finding.h"
#include "npu/Support/Naming.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Transforms/RegionUtils.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

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

namespace {

/// A weight in [-1, 1] that depends on the place alone.
double weightOf(uint64_t place, uint64_t salt) {
  uint64_t x = (place + salt) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9;
  x ^= x >> 29;
  return std::ldexp(static_cast<double>(x >> 11), -52) - 1;
}

double referenceAt(const Known &known, int64_t i) {
  return valueAt(referenceOf(known), i);
}

llvm::SetVector<Value> usedBy(Operation &op) {
  llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), used);
  return used;
}

std::string titleOf(Operation *op) {
  return op->getName().getStringRef().str() + " (" +
         nameOfLocation(op->getLoc()) + ")";
}

std::string titleOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return "argument #" + std::to_string(argument.getArgNumber());
  return titleOf(value.getDefiningOp());
}

} // namespace

Fingerprint fingerprintOf(const Known &known) {
  Fingerprint print;
  print.elements = known.device->spec.elements();
  for (int64_t i = 0; i < print.elements; ++i) {
    double value = referenceAt(known, i);
    auto place = static_cast<uint64_t>(i);
    if (!std::isfinite(value)) {
      uint64_t kind = std::isnan(value) ? 1 : value > 0 ? 2 : 3;
      print.pattern += weightOf(place, kind * 0x2545F491);
      continue;
    }
    value = std::asinh(value);
    print.first += weightOf(place, 1) * value;
    print.second += weightOf(place, 0x51ED270B) * value;
    print.norm += value * value;
  }
  print.norm = std::sqrt(print.norm);
  return print;
}

bool mayEqual(const Fingerprint &a, const Fingerprint &b, double tolerance) {
  double most = tolerance * (a.norm + b.norm);
  return a.elements == b.elements && a.pattern == b.pattern &&
         std::fabs(a.first - b.first) <= most &&
         std::fabs(a.second - b.second) <= most;
}

namespace {

/// The element types of a function's floats.
struct Precision {
  explicit Precision(func::FuncOp function) {
    add(function.getArgumentTypes());
    function.walk([&](Operation *op) { add(op->getResultTypes()); });
  }

  void add(TypeRange added) {
    for (Type type : added)
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type))) {
        types.insert(element);
        int bits = static_cast<int>(element.getFPMantissaWidth());
        least = std::min(least, bits);
        most = std::max(most, bits);
      }
  }

  bool hasTypesOf(const Precision &other) const {
    return types.size() == other.types.size() &&
           llvm::all_of(types,
                        [&](Type type) { return other.types.contains(type); });
  }

  /// The fewest and the most bits of a significand.
  int least = 53, most = 0;
  llvm::SetVector<Type> types;
};

} // namespace

/// By how much values may differ: 2^-30 for sums in another order, and where
/// one function has element types that the other does not have, also what
/// rounding constants to them may make of a few products.
static Closeness closenessOf(const Units &units, const Units &original) {
  Precision ours(units.getFunction()), theirs(original.getFunction());
  Closeness closeness;
  // 16 roundings of f64 where the device rounds once.
  double roundings = 0x1p-49;
  if (!ours.hasTypesOf(theirs)) {
    roundings = std::ldexp(64, -std::min(ours.least, theirs.least));
    closeness.relative = std::max(closeness.relative, roundings);
    closeness.boundsTell = false;
  }
  // Where one function has floats of several types, as if all were rounded to
  // the longest.
  closeness.ours = std::ldexp(roundings, ours.most);
  closeness.theirs = std::ldexp(roundings, theirs.most);
  return closeness;
}

namespace {

/// The search for the operations in which two functions part.
class Search {
public:
  Search(const Fingerprints &values, const Units &original,
         const Fingerprints &originalValues, double tolerance)
      : values(values), original(original.getFunction()), tolerance(tolerance) {
    auto add = [&](Value value) {
      if (const Fingerprint *print = originalValues.of(value))
        originals.insert({value, *print});
    };
    for (const Unit &unit : original.all())
      llvm::for_each(unit.results, add);
    llvm::for_each(this->original.getArguments(), add);
  }

  /// Whether the original has a value like this one; remembers which.
  bool isMatched(Value value) {
    if (isa<BlockArgument>(value))
      return true;
    const Fingerprint *print = values.of(value);
    if (!print)
      return true;
    auto [it, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return it->second;
    bool found = false;
    for (auto &[other, theirs] : originals)
      if (mayEqual(*print, theirs, tolerance)) {
        found = true;
        matched.insert(other);
      }
    return known[value] = found;
  }

  /// The first operations on the way to `value` that have matched operands and
  /// give what the original has nowhere.
  void partings(Value value, llvm::SetVector<Operation *> &found) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      return;
    bool isFirst = true;
    for (Value operand : usedBy(*op)) {
      if (isMatched(operand))
        continue;
      isFirst = false;
      partings(operand, found);
    }
    if (isFirst)
      found.insert(op);
  }

  /// Operations of the original on the way to `value`, down to values that the
  /// function has as well, in program order.
  SmallVector<Operation *> between(Value value) {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> worklist{value};
    while (!worklist.empty()) {
      Value next = worklist.pop_back_val();
      Operation *op = next.getDefiningOp();
      if (!op || (next != value && matched.contains(next)))
        continue;
      if (originals.contains(next) && !ops.insert(op))
        continue;
      for (Value operand : usedBy(*op))
        worklist.push_back(operand);
    }
    SmallVector<Operation *> ordered(ops.begin(), ops.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return ordered;
  }

  /// What the original has of a value that is returned instead of `wanted`, if
  /// anything. Of several, one from which `wanted` follows.
  std::optional<Mistaken> mistake(int64_t number, Value returned,
                                  Value wanted) {
    Value found = counterpart(returned, wanted);
    if (!found || found == wanted)
      return std::nullopt;
    Mistaken mistaken{number, titleOf(found), {}};
    for (Operation *op : between(wanted))
      if (llvm::none_of(op->getResults(),
                        [&](Value result) { return matched.contains(result); }))
        mistaken.missing.push_back(titleOf(op));
    return mistaken;
  }

private:
  /// The value of the original that is the same as this one: `wanted` where it
  /// is, or else one of those that it follows from, or else the first.
  Value counterpart(Value value, Value wanted) {
    // Both functions have the same arguments.
    if (auto argument = dyn_cast<BlockArgument>(value))
      return original.getArgument(argument.getArgNumber());
    const Fingerprint *print = values.of(value);
    if (!print)
      return {};
    SetVector<Operation *> before;
    BackwardSliceOptions options;
    options.omitUsesFromAbove = false;
    (void)getBackwardSlice(wanted, &before, options);
    Value first, onTheWay;
    for (auto &[other, theirs] : originals) {
      if (!mayEqual(*print, theirs, tolerance))
        continue;
      if (other == wanted)
        return wanted;
      if (!first)
        first = other;
      if (!onTheWay && before.contains(other.getDefiningOp()))
        onTheWay = other;
    }
    return onTheWay ? onTheWay : first;
  }

  const Fingerprints &values;
  func::FuncOp original;
  double tolerance;
  llvm::MapVector<Value, Fingerprint> originals;
  llvm::DenseMap<Value, bool> known;
  llvm::DenseSet<Value> matched;
  llvm::DenseSet<Operation *> seen;
};

} // namespace

Comparison64 holdAgainst(const Units &units, const Fingerprints &values,
                         const std::vector<Known> &results,
                         const Units &original,
                         const Fingerprints &originalValues,
                         const std::vector<Known> &originalResults) {
  Comparison64 comparison;
  Closeness closeness = closenessOf(units, original);
  Search search(values, original, originalValues, closeness.relative);
  for (const Unit &unit : units.all())
    for (Value result : unit.results) {
      ++comparison.values;
      comparison.matched += search.isMatched(result);
    }
  Operation *gives = units.getFunction().front().getTerminator();
  Operation *originalGives = original.getFunction().front().getTerminator();
  llvm::SetVector<Operation *> suspects;
  SmallVector<Value> wanted;
  for (auto [i, ours, theirs] : llvm::enumerate(results, originalResults)) {
    auto number = static_cast<int64_t>(i);
    comparison.results.push_back(
        holdResultAgainst(number, ours, theirs, closeness));
    if (!comparison.results.back().isDifferent())
      continue;
    Value returned = gives->getOperand(i), due = originalGives->getOperand(i);
    if (auto mistaken = search.mistake(number, returned, due)) {
      comparison.mistaken.push_back(std::move(*mistaken));
      continue;
    }
    search.partings(returned, suspects);
    wanted.push_back(due);
  }
  for (Operation *op : suspects) {
    Suspect suspect{titleOf(op), {}};
    // What one operation stands for is known where it is the only one that is
    // to blame.
    if (suspects.size() == 1)
      for (Value value : wanted)
        for (Operation *fused : search.between(value))
          suspect.standsFor.push_back(titleOf(fused));
    comparison.suspects.push_back(std::move(suspect));
  }
  return comparison;
}

} // namespace npu
