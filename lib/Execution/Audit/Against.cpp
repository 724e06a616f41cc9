// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both functions run in f64, on the same inputs, so that a value that both
// compute is the same number but for what their element types allow.

#include "Against.h"

#include "../Compare/NonFinite.h"
#include "npu/Support/Naming.h"

#include "mlir/Transforms/RegionUtils.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// A weight in [-1, 1] that depends on the place alone.
double weightOf(uint64_t place, uint64_t salt) {
  uint64_t x = (place + salt) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9;
  x ^= x >> 29;
  return std::ldexp(static_cast<double>(x >> 11), -52) - 1;
}

const HostTensor &referenceOf(const Known &known) {
  return known.reference ? *known.reference : *known.device;
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

} // namespace

Fingerprint fingerprintOf(const Known &known) {
  Fingerprint print;
  print.elements = known.device->spec.elements();
  for (int64_t i = 0; i < print.elements; ++i) {
    double value = referenceAt(known, i);
    if (!std::isfinite(value)) {
      ++print.nonFinite;
      continue;
    }
    auto place = static_cast<uint64_t>(i);
    print.first += weightOf(place, 1) * value;
    print.second += weightOf(place, 0x51ED270B) * value;
    print.norm += value * value;
  }
  print.norm = std::sqrt(print.norm);
  return print;
}

bool mayEqual(const Fingerprint &a, const Fingerprint &b, double tolerance) {
  double most = tolerance * (a.norm + b.norm);
  return a.elements == b.elements && a.nonFinite == b.nonFinite &&
         std::fabs(a.first - b.first) <= most &&
         std::fabs(a.second - b.second) <= most;
}

/// The fewest bits of a float's significand in a function, and the names of all
/// its float types.
static std::pair<int, llvm::SetVector<Type>>
precisionIn(func::FuncOp function) {
  int least = 53;
  llvm::SetVector<Type> types;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type))) {
        types.insert(element);
        least = std::min<int>(least, element.getFPMantissaWidth());
      }
  });
  return {least, types};
}

/// By how much values may differ, relative to the norm: 2^-30 for sums in
/// another order, and where one function has element types that the other does
/// not have, also what rounding constants to them may make of a few products.
static double toleranceOf(const Units &units, const Units &original) {
  auto [bits, types] = precisionIn(units.getFunction());
  auto [originalBits, originalTypes] = precisionIn(original.getFunction());
  bool isSame = types.size() == originalTypes.size() &&
                llvm::all_of(types, [&](Type type) {
                  return originalTypes.contains(type);
                });
  double tolerance = 0x1p-30;
  if (!isSame)
    tolerance =
        std::max(tolerance, std::ldexp(64, -std::min(bits, originalBits)));
  return tolerance;
}

namespace {

/// The search for the operations in which two functions part.
class Search {
public:
  Search(const Fingerprints &values, const Units &original,
         const Fingerprints &originalValues, double tolerance)
      : values(values), tolerance(tolerance) {
    for (const Unit &unit : original.all())
      for (Value result : unit.results)
        if (const Fingerprint *print = originalValues.of(result))
          originals.emplace_back(result, *print);
    for (BlockArgument argument : original.getFunction().getArguments())
      if (const Fingerprint *print = originalValues.of(argument))
        originals.emplace_back(argument, *print);
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
  /// function has as well.
  std::vector<std::string> between(Value value) {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> worklist{value};
    while (!worklist.empty()) {
      Value next = worklist.pop_back_val();
      Operation *op = next.getDefiningOp();
      bool counts = op && llvm::any_of(originals, [&](auto &entry) {
                      return entry.first == next;
                    });
      if (!op || (next != value && matched.contains(next)))
        continue;
      if (counts && !ops.insert(op))
        continue;
      for (Value operand : usedBy(*op))
        worklist.push_back(operand);
    }
    std::vector<std::string> names;
    SmallVector<Operation *> ordered(ops.begin(), ops.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : ordered)
      names.push_back(titleOf(op));
    return names;
  }

private:
  const Fingerprints &values;
  double tolerance;
  std::vector<std::pair<Value, Fingerprint>> originals;
  llvm::DenseMap<Value, bool> known;
  llvm::DenseSet<Value> matched;
  llvm::DenseSet<Operation *> seen;
};

} // namespace

/// Whether a result is that of the original, element by element; otherwise the
/// largest distance is noted.
static bool isEqual(const Known &ours, const Known &theirs, double tolerance,
                    Comparison64 &comparison) {
  int64_t elements = ours.device->spec.elements();
  double squares = 0;
  for (int64_t i = 0; i < elements; ++i)
    if (double value = referenceAt(theirs, i); std::isfinite(value))
      squares += value * value;
  double usual =
      std::sqrt(squares / static_cast<double>(std::max<int64_t>(elements, 1)));
  std::vector<int64_t> beyond;
  HostTensor allowed = filled64(ours.device->spec, 0);
  for (int64_t i = 0; i < elements; ++i) {
    double a = referenceAt(ours, i), b = referenceAt(theirs, i);
    doublesOf(allowed)[i] = tolerance * (std::fabs(b) + usual);
    double distance = std::fabs(a - b);
    if (a == b || (std::isnan(a) && std::isnan(b)) ||
        distance <= doublesOf(allowed)[i])
      continue;
    beyond.push_back(i);
    if (distance > comparison.distance || std::isnan(distance)) {
      comparison.distance = distance;
      comparison.bound = doublesOf(allowed)[i];
    }
  }
  if (!beyond.empty() && comparison.different.empty() && ours.reference &&
      isFloat(ours.reference->spec.type)) {
    Tracked expected{
        toReference(theirs.reference ? *theirs.reference : *theirs.device),
        std::move(allowed), std::nullopt, std::nullopt};
    comparison.hints = hintsOf(*ours.reference, expected, beyond);
  }
  return beyond.empty();
}

Comparison64 holdAgainst(const Units &units, const Fingerprints &values,
                         const std::vector<Known> &results,
                         const Units &original,
                         const Fingerprints &originalValues,
                         const std::vector<Known> &originalResults) {
  Comparison64 comparison;
  double tolerance = toleranceOf(units, original);
  Search search(values, original, originalValues, tolerance);
  for (const Unit &unit : units.all())
    for (Value result : unit.results) {
      ++comparison.values;
      comparison.matched += search.isMatched(result);
    }
  Operation *gives = units.getFunction().front().getTerminator();
  Operation *originalGives = original.getFunction().front().getTerminator();
  llvm::SetVector<Operation *> suspects;
  SmallVector<Value> wanted;
  for (auto [number, ours, theirs] :
       llvm::enumerate(results, originalResults)) {
    if (isEqual(ours, theirs, tolerance, comparison)) {
      if (countNonFinite(referenceOf(ours), &referenceOf(theirs), false)
              .isMost())
        comparison.notComparable.push_back(static_cast<int64_t>(number));
      continue;
    }
    comparison.different.push_back(static_cast<int64_t>(number));
    search.partings(gives->getOperand(number), suspects);
    wanted.push_back(originalGives->getOperand(number));
  }
  for (Operation *op : suspects) {
    Suspect suspect{titleOf(op), {}};
    // What one operation stands for is known where it is the only one that is
    // to blame.
    if (suspects.size() == 1)
      for (Value value : wanted)
        llvm::append_range(suspect.standsFor, search.between(value));
    comparison.suspects.push_back(std::move(suspect));
  }
  return comparison;
}

} // namespace npu
