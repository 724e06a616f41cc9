// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EqualLayers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace npu {
namespace {

/// Longer layers are not looked for: every length is tried on every operation.
constexpr int kMostPeriod = 2000;

/// Numbers what is equal alike.
class Numbering {
public:
  int operator()(std::vector<int64_t> key) {
    return known.try_emplace(std::move(key), static_cast<int>(known.size()))
        .first->second;
  }

private:
  std::map<std::vector<int64_t>, int> known;
};

/// For each operation a number that equal ones have in common.
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
    // Values count by the order in which they are read first.
    std::map<int, int> places;
    for (const Way &way : problem.operations[i].ways) {
      key.push_back(way.cost);
      key.insert(key.end(), way.makes.begin(), way.makes.end());
      key.push_back(static_cast<int64_t>(way.needs.size()));
      for (ValueForm need : way.needs) {
        auto [place, isNew] =
            places.try_emplace(need.value, static_cast<int>(places.size()));
        key.insert(key.end(),
                   {place->second, isNew ? tableOf[need.value] : 0, need.form});
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
  int behind = operation - layers.begin;
  return behind >= 0 && behind < layers.layers * layers.period;
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
  // What is made so many layers before the reader is so here, too.
  int copy = copyOf(layerOf(i)) - (layerOf(i) - layerOf(maker));
  return copy < 0 ? numbers[v] : valueInCopy(v, copy);
}

std::vector<int> ShortProblem::waysOfWhole(const std::vector<int> &ways) const {
  std::vector<int> all;
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i)
    all.push_back(ways[operation(i)]);
  return all;
}

/// For each value the number of operations that may need it.
std::vector<int> ShortProblem::countReaders(bool keptOnly) const {
  std::vector<int> counts(whole.values.size(), 0), last(counts.size(), -1);
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i)
    if (!keptOnly || isKept(i))
      for (const Way &way : whole.operations[i].ways)
        for (ValueForm need : way.needs)
          if (std::exchange(last[need.value], i) != i)
            ++counts[need.value];
  return counts;
}

/// What an operation that stays, or a row of it, counts in the place of `v`:
/// operations behind the layers keep what the kept layers make.
int ShortProblem::valueKeptFor(int v, int i) const {
  return isInLayers(i) ? valueReadBy(v, i) : numbers[v];
}

/// Arguments that only layers between read go with them.
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

/// An argument that went with its layer is like the one that the layer that
/// stands for it reads in its place.
void ShortProblem::matchArguments() {
  alike = numbers;
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i) {
    if (isKept(i))
      continue;
    const std::vector<Way> &ways = whole.operations[i].ways;
    int standIn = i - (layerOf(i) - 1) * layers.period;
    for (size_t w = 0; w < ways.size(); ++w)
      for (size_t n = 0; n < ways[w].needs.size(); ++n)
        if (int v = ways[w].needs[n].value; whole.values[v].madeBy < 0)
          if (alike[v] < 0)
            alike[v] =
                numbers[whole.operations[standIn].ways[w].needs[n].value];
  }
}

void ShortProblem::addOperations() {
  for (int i = 0; i < static_cast<int>(whole.operations.size()); ++i) {
    if (!isKept(i))
      continue;
    AssignedOperation &added =
        shorter.operations.emplace_back(whole.operations[i]);
    for (Way &way : added.ways) {
      for (ValueForm &need : way.needs)
        need.value = valueKeptFor(need.value, i);
      std::erase_if(way.needs, [](ValueForm need) { return need.value < 0; });
    }
  }
}

void ShortProblem::addMemory() {
  for (const MemoryRow &row : whole.memory) {
    if (!isKept(row.at))
      continue;
    MemoryRow &added = shorter.memory.emplace_back(row);
    added.at = operation(row.at);
    added.forms.clear();
    for (FormBytes term : row.forms) {
      term.form.value = valueKeptFor(term.form.value, row.at);
      bool isKnown = std::ranges::find(added.forms, term.form,
                                       &FormBytes::form) != added.forms.end();
      if (term.form.value >= 0 && !isKnown)
        added.forms.push_back(term);
    }
  }
}

/// Whether the value is none of a layer.
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
