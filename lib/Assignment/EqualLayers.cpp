// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EqualLayers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace npu {
namespace {

/// Longer layers are not looked for: every length is tried on every operation.
constexpr int kMostPeriod = 2000;

/// Gives equal keys equal numbers.
class Numbering {
public:
  int operator()(std::vector<int64_t> key) {
    return known.try_emplace(std::move(key), static_cast<int>(known.size()))
        .first->second;
  }

private:
  std::map<std::vector<int64_t>, int> known;
};

/// For each operation the number of its class of equal operations.
std::vector<int> kindsOf(const AssignmentProblem &problem) {
  Numbering tables, kinds;
  std::vector<int> tableOf;
  for (const AssignedValue &value : problem.values) {
    std::vector<int64_t> key;
    for (const std::vector<int64_t> &moves : value.moves)
      key.insert(key.end(), moves.begin(), moves.end());
    tableOf.push_back(tables(std::move(key)));
  }
  std::vector<std::vector<int>> made = valuesMade(problem);
  std::vector<int> all;
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    std::vector<int64_t> key{static_cast<int64_t>(made[i].size())};
    for (int v : made[i])
      key.push_back(tableOf[v]);
    // Values are numbered in the order of their first use.
    std::map<int, int> places;
    for (const Candidate &candidate : problem.operations[i].candidates) {
      key.push_back(candidate.cost);
      key.insert(key.end(), candidate.resultLayouts.begin(),
                 candidate.resultLayouts.end());
      key.push_back(static_cast<int64_t>(candidate.operandLayouts.size()));
      for (ValueLayout operand : candidate.operandLayouts) {
        auto [place, isNew] =
            places.try_emplace(operand.value, static_cast<int>(places.size()));
        key.insert(key.end(),
                   {place->second, isNew ? tableOf[operand.value] : 0,
                    operand.layout});
      }
    }
    all.push_back(kinds(std::move(key)));
  }
  return all;
}

} // namespace

std::optional<EqualLayers> findEqualLayers(const AssignmentProblem &problem,
                                           int kept) {
  std::vector<int> kinds = kindsOf(problem);
  int count = static_cast<int>(kinds.size());
  std::optional<EqualLayers> best;
  int mostLeftOut = 0;
  for (int period = 1; period <= std::min(count / (kept + 1), kMostPeriod);
       ++period) {
    int run = 0;
    for (int i = 0; i + period <= count; ++i) {
      if (i + period < count && kinds[i] == kinds[i + period]) {
        ++run;
        continue;
      }
      int leftOut = (run / period + 1 - kept) * period;
      if (leftOut > mostLeftOut) {
        mostLeftOut = leftOut;
        best = EqualLayers{i - run, period, run / period + 1};
      }
      run = 0;
    }
  }
  return best;
}

ShortProblem::ShortProblem(const AssignmentProblem &whole,
                           const EqualLayers &layers)
    : whole(whole), layers(layers), made(valuesMade(whole)),
      readers(countReaders(/*keptOnly=*/false)),
      keptReaders(countReaders(/*keptOnly=*/true)) {
  addValues();
  matchArguments();
  addOperations();
  addMemory();
  shareMoves();
}

bool ShortProblem::isInLayers(int operation) const {
  int after = operation - layers.begin;
  return after >= 0 && after < layers.layers * layers.period;
}

int ShortProblem::layerOf(int operation) const {
  return (operation - layers.begin) / layers.period;
}

/// Which of the layers of the short problem stands for a layer.
int ShortProblem::copyOf(int layer) const {
  return layer == 0 ? 0 : layer == layers.layers - 1 ? kKept - 1 : 1;
}

bool ShortProblem::isKept(int operation) const {
  if (!isInLayers(operation))
    return true;
  int layer = layerOf(operation);
  return layer <= 1 || layer == layers.layers - 1;
}

int ShortProblem::operation(int i) const {
  if (i < layers.begin)
    return i;
  if (!isInLayers(i))
    return i - (layers.layers - kKept) * layers.period;
  return i - (layerOf(i) - copyOf(layerOf(i))) * layers.period;
}

/// What a layer of the short problem makes in the place of `v`, which is made
/// in a layer.
int ShortProblem::valueInCopy(int v, int copy) const {
  int maker = whole.values[v].madeBy;
  int layer = copy == kKept - 1 ? layers.layers - 1 : copy;
  size_t result = std::ranges::find(made[maker], v) - made[maker].begin();
  int standIn = maker + (layer - layerOf(maker)) * layers.period;
  return numbers[made[standIn][result]];
}

int ShortProblem::value(int v) const {
  int maker = whole.values[v].madeBy;
  if (maker < 0 || !isInLayers(maker))
    return alike[v];
  return valueInCopy(v, copyOf(layerOf(maker)));
}

int ShortProblem::valueReadBy(int v, int i) const {
  int maker = whole.values[v].madeBy;
  if (maker < 0 || !isInLayers(maker) || !isInLayers(i))
    return value(v);
  // The distance in layers between maker and reader is preserved.
  int copy = copyOf(layerOf(i)) - (layerOf(i) - layerOf(maker));
  return copy < 0 ? numbers[v] : valueInCopy(v, copy);
}

std::vector<int>
ShortProblem::candidatesOfWhole(const std::vector<int> &candidates) const {
  std::vector<int> all;
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i)
    all.push_back(candidates[operation(i)]);
  return all;
}

/// For each value the number of operations that may need it.
std::vector<int> ShortProblem::countReaders(bool keptOnly) const {
  std::vector<int> counts(whole.values.size(), 0), last(counts.size(), -1);
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i)
    if (!keptOnly || isKept(i))
      for (const Candidate &candidate : whole.operations[i].candidates)
        for (ValueLayout operand : candidate.operandLayouts)
          if (std::exchange(last[operand.value], i) != i)
            ++counts[operand.value];
  return counts;
}

/// The value that a kept operation, or a capacity row of it, refers to in the
/// place of `v`: operations after the layers refer to the results of the last
/// layer.
int ShortProblem::valueKeptFor(int v, int i) const {
  return isInLayers(i) ? valueReadBy(v, i) : numbers[v];
}

/// Arguments that only left out layers read are left out.
void ShortProblem::addValues() {
  for (size_t v = 0; v < whole.values.size(); ++v) {
    const AssignedValue &value = whole.values[v];
    bool stays = value.madeBy < 0 ? keptReaders[v] > 0 || readers[v] == 0
                                  : isKept(value.madeBy);
    numbers.push_back(stays ? static_cast<int>(shorter.values.size()) : -1);
    if (!stays)
      continue;
    shorter.values.push_back(value);
    if (value.madeBy >= 0)
      shorter.values.back().madeBy = operation(value.madeBy);
  }
}

/// An argument of a layer that is left out corresponds to the argument that the
/// kept layer reads at the same place.
void ShortProblem::matchArguments() {
  alike = numbers;
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i) {
    if (isKept(i))
      continue;
    const std::vector<Candidate> &candidates = whole.operations[i].candidates;
    int standIn = i - (layerOf(i) - 1) * layers.period;
    for (size_t w = 0; w < candidates.size(); ++w)
      for (size_t n = 0; n < candidates[w].operandLayouts.size(); ++n)
        if (int v = candidates[w].operandLayouts[n].value;
            whole.values[v].madeBy < 0)
          if (alike[v] < 0)
            alike[v] = numbers[whole.operations[standIn]
                                   .candidates[w]
                                   .operandLayouts[n]
                                   .value];
  }
}

void ShortProblem::addOperations() {
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i) {
    if (!isKept(i))
      continue;
    AssignedOperation &added =
        shorter.operations.emplace_back(whole.operations[i]);
    for (Candidate &candidate : added.candidates) {
      for (ValueLayout &operand : candidate.operandLayouts)
        operand.value = valueKeptFor(operand.value, i);
      std::erase_if(candidate.operandLayouts,
                    [](ValueLayout operand) { return operand.value < 0; });
    }
  }
}

void ShortProblem::addMemory() {
  for (const CapacityRow &row : whole.memory) {
    if (!isKept(row.at))
      continue;
    CapacityRow &added = shorter.memory.emplace_back(row);
    added.at = operation(row.at);
    added.layouts.clear();
    for (LayoutBytes term : row.layouts) {
      term.layout.value = valueKeptFor(term.layout.value, row.at);
      bool isKnown =
          std::ranges::find(added.layouts, term.layout, &LayoutBytes::layout) !=
          added.layouts.end();
      if (term.layout.value >= 0 && !isKnown)
        added.layouts.push_back(term);
    }
  }
}

/// Whether the value is made outside of the layers.
bool ShortProblem::isShared(int v) const {
  int maker = whole.values[v].madeBy;
  return numbers[v] >= 0 && (maker < 0 || !isInLayers(maker));
}

void ShortProblem::shareMoves() {
  for (size_t v = 0; v < whole.values.size(); ++v)
    if (isShared(v) && keptReaders[v] < readers[v])
      for (std::vector<int64_t> &moves : shorter.values[numbers[v]].moves)
        for (int64_t &cost : moves)
          if (cost != kImpossible)
            cost = static_cast<int64_t>(static_cast<__int128>(cost) *
                                        keptReaders[v] / readers[v]);
}

} // namespace npu
