// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both functions run in f64, on the same inputs, so that a value that both
// compute is the same number but for what their element types allow.

#include "Against.h"

#include "npu/Support/Naming.h"

#include "mlir/Transforms/RegionUtils.h"

#include <cmath>
#include <limits>

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

double referenceAt(const Known &known, int64_t i) {
  return valueAt(known.reference ? *known.reference : *known.device, i);
}

double errorAt(const Known &known, int64_t i) {
  return known.error ? doublesOf(*known.error)[i] : 0;
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
  const HostTensor &tensor = known.reference ? *known.reference : *known.device;
  print.elements = tensor.spec.elements();
  for (int64_t i = 0; i < print.elements; ++i) {
    double value = valueAt(tensor, i), error = errorAt(known, i);
    if (!std::isfinite(value)) {
      ++print.nonFinite;
      continue;
    }
    auto place = static_cast<uint64_t>(i);
    double a = weightOf(place, 1), b = weightOf(place, 0x51ED270B);
    print.first += a * value;
    print.second += b * value;
    // Errors of many elements do not all have the same sign: the bound is that
    // of independent ones, six deviations wide, and never above the sum.
    double square =
        (error + std::fabs(value) * 1e-12) * (error + std::fabs(value) * 1e-12);
    print.firstBound += a * a * square;
    print.secondBound += b * b * square;
  }
  constexpr double wide = 6;
  print.firstBound = wide * std::sqrt(print.firstBound);
  print.secondBound = wide * std::sqrt(print.secondBound);
  return print;
}

bool mayEqual(const Fingerprint &a, const Fingerprint &b) {
  return a.elements == b.elements && a.nonFinite == b.nonFinite &&
         std::fabs(a.first - b.first) <= a.firstBound + b.firstBound &&
         std::fabs(a.second - b.second) <= a.secondBound + b.secondBound;
}

namespace {

/// The search for the operations in which two functions part.
class Search {
public:
  Search(const Fingerprints &values, const Units &original,
         const Fingerprints &originalValues)
      : values(values) {
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
      if (mayEqual(*print, theirs)) {
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
  std::vector<std::pair<Value, Fingerprint>> originals;
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
  Search search(values, original, originalValues);
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
    double worst = -1;
    for (int64_t i = 0, end = ours.device->spec.elements(); i < end; ++i) {
      double a = referenceAt(ours, i), b = referenceAt(theirs, i);
      if (a == b || (std::isnan(a) && std::isnan(b)))
        continue;
      double bound = errorAt(ours, i) + errorAt(theirs, i) +
                     1e-12 * (std::fabs(a) + std::fabs(b));
      double beyond = std::fabs(a - b) - bound;
      if (std::isnan(beyond))
        beyond = std::isnan(bound) || std::isinf(bound)
                     ? -1
                     : std::numeric_limits<double>::infinity();
      if (beyond <= worst || beyond <= 0)
        continue;
      worst = beyond;
      if (std::fabs(a - b) < comparison.distance)
        continue;
      comparison.distance = std::fabs(a - b);
      comparison.bound = bound;
    }
    if (worst < 0)
      continue;
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
