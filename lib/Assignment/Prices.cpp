// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prices.h"

#include <algorithm>
#include <map>

namespace npu {
namespace {

/// No sum of prices is larger: that of a problem without an assignment could
/// be.
constexpr int64_t kMostSum = int64_t{1} << 60;

/// All costs of a problem that prices are looked for in are less together.
constexpr int64_t kMostCosts = kMuch / 2 / Prices::kScale;

bool areCostsSmall(const AssignmentProblem &problem) {
  int64_t total = 0;
  for (const AssignedOperation &operation : problem.operations)
    for (const Way &way : operation.ways)
      total += way.cost;
  for (const AssignedValue &value : problem.values)
    for (const std::vector<int64_t> &from : value.moves)
      for (int64_t cost : from)
        total += std::max<int64_t>(cost, 0);
  return total < kMostCosts;
}

} // namespace

Prices::Prices(const AssignmentProblem &problem, const Lifetimes &lifetimes,
               const std::vector<MemoryRow> &rows)
    : problem(problem), lifetimes(lifetimes),
      areCostsSmall(npu::areCostsSmall(problem)), results(valuesMade(problem)),
      operations(problem.operations.size()),
      split{{},
            std::vector<Value>(problem.values.size()),
            MemoryRents(problem, rows),
            {}} {
  for (size_t v = 0; v < split.values.size(); ++v) {
    size_t forms = problem.values[v].forms.size();
    split.values[v].revenue.assign(forms, 0);
    split.values[v].offered.assign(forms, 0);
    if (problem.values[v].madeBy < 0)
      split.values[v].made = {0};
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    for (size_t r = 0; r < results[i].size(); ++r) {
      std::vector<int> &made = split.values[results[i][r]].made;
      for (const Way &way : problem.operations[i].ways)
        made.push_back(way.makes[r]);
      std::ranges::sort(made);
      auto rest = std::ranges::unique(made);
      made.erase(rest.begin(), rest.end());
    }
    addReaders(static_cast<int>(i));
  }
  computeCosts();
  for (size_t v = 0; v < split.values.size(); ++v) {
    split.values[v].isWide = problem.values[v].madeBy < 0 &&
                             split.values[v].readers.size() > Sharing::kMost;
    if (areCostsSmall && split.values[v].isWide)
      shareEqually(static_cast<int>(v));
  }
  sumUp();
}

void Prices::addReaders(int i) {
  // The second need of a value in a way is another reader.
  std::map<std::pair<int, int>, int> places;
  auto forEachNeed = [&](const Way &way, auto visit) {
    std::map<int, int> counts;
    for (ValueForm need : way.needs)
      visit(std::pair(need.value, counts[need.value]++), need.form);
  };
  for (const Way &way : problem.operations[i].ways)
    forEachNeed(way, [&](auto key, int) { places.try_emplace(key, 0); });
  int count = 0;
  std::vector<int> nothing;
  for (auto &[key, place] : places) {
    place = count++;
    int number = static_cast<int>(split.readers.size());
    std::vector<int> &ofValue = split.values[key.first].readers;
    operations[i].readers.push_back(number);
    nothing.push_back(static_cast<int>(split.values[key.first].revenue.size()));
    split.readers.push_back({key.first, i, static_cast<int>(ofValue.size()),
                             std::vector<int64_t>(nothing.back() + 1, kMuch)});
    ofValue.push_back(number);
  }
  for (const Way &way : problem.operations[i].ways) {
    std::vector<int> taken = nothing;
    forEachNeed(way, [&](auto key, int form) { taken[places[key]] = form; });
    for (size_t k = 0; k < taken.size(); ++k)
      split.readers[operations[i].readers[k]].offers[taken[k]] = 0;
    operations[i].taken.push_back(std::move(taken));
  }
}

int64_t Prices::scaled(int64_t cost) {
  return std::min(cost, kMuch / kScale) * kScale;
}

bool Prices::isPriced(int value) const {
  return !split.values[value].isWide && !split.values[value].readers.empty();
}

int Prices::readersFrom(int value, int operation) const {
  const std::vector<int> &all = split.values[value].readers;
  auto first = std::ranges::lower_bound(all, operation, {}, [&](int reader) {
    return split.readers[reader].operation;
  });
  return static_cast<int>(all.end() - first);
}

int64_t Prices::reduced(int i, int w) const {
  const Way &way = problem.operations[i].ways[w];
  int64_t cost = scaled(way.cost) + split.rents.of(i, w);
  auto add = [&](int64_t price) {
    cost = std::clamp(cost + price, -kMostSum, kMostSum);
  };
  for (size_t k = 0; k < operations[i].readers.size(); ++k)
    add(-split.readers[operations[i].readers[k]]
             .offers[operations[i].taken[w][k]]);
  for (size_t r = 0; r < results[i].size(); ++r)
    add(split.values[results[i][r]].revenue[way.makes[r]]);
  return cost;
}

std::vector<int64_t> Prices::allReduced(int i) const {
  std::vector<int64_t> costs;
  costs.reserve(operations[i].taken.size());
  for (size_t w = 0; w < operations[i].taken.size(); ++w)
    costs.push_back(reduced(i, static_cast<int>(w)));
  return costs;
}

/// The readers of the value from operation `from` on.
void Prices::setSharing(int value, int from) {
  std::vector<const std::vector<int64_t> *> offers;
  for (int reader : split.values[value].readers)
    if (split.readers[reader].operation >= from)
      offers.push_back(&split.readers[reader].offers);
  sharing.set(offers, static_cast<int>(split.values[value].revenue.size()));
}

/// Costs of forms at the scale of prices.
std::vector<int64_t> Prices::scaledCosts(const std::vector<int64_t> &costs) {
  std::vector<int64_t> all;
  all.reserve(costs.size());
  for (int64_t cost : costs)
    all.push_back(cost == kImpossible ? kMuch : scaled(cost));
  return all;
}

/// Computes what forms cost, with rent, by the form that a value was made in.
void Prices::computeCosts() {
  known.assign(split.values.size(), {});
  moveCosts.resize(split.values.size());
  for (size_t v = 0; v < moveCosts.size(); ++v) {
    const auto &moves = problem.values[v].moves;
    moveCosts[v].resize(moves.size());
    for (int from : split.values[v].made) {
      moveCosts[v][from] = scaledCosts(moves[from]);
      for (int f = 0; f < static_cast<int>(moves.size()); ++f)
        if (f != from)
          moveCosts[v][from][f] += split.rents.of({static_cast<int>(v), f});
    }
  }
}

/// All readers of a wide argument that can take a form pay the same for it.
void Prices::shareEqually(int v) {
  Value &value = split.values[v];
  const std::vector<int64_t> &moves = moveCosts[v][0];
  for (size_t f = 0; f < moves.size(); ++f) {
    int64_t count = std::ranges::count_if(value.readers, [&](int reader) {
      return split.readers[reader].offers[f] != kMuch;
    });
    for (int reader : value.readers)
      if (split.readers[reader].offers[f] != kMuch) {
        split.readers[reader].offers[f] = -(moves[f] / count);
        value.offered[f] -= moves[f] / count;
      }
  }
}

int64_t Prices::wideLeast(int v, int from,
                          const std::vector<int64_t> &formCosts) const {
  const Value &value = split.values[v];
  size_t first = value.readers.size() - readersFrom(v, from);
  int64_t least = 0;
  for (size_t f = 0; f < formCosts.size(); ++f)
    least += std::min<int64_t>(
        formCosts[f] + value.offeredFrom[first * formCosts.size() + f], 0);
  return least;
}

/// Adds the offers of each reader of a wide value and of those behind it.
void Prices::sumOffers(Value &value) const {
  size_t forms = value.revenue.size();
  value.offeredFrom.assign((value.readers.size() + 1) * forms, 0);
  for (size_t k = value.readers.size(); k-- > 0;)
    for (size_t f = 0; f < forms; ++f)
      value.offeredFrom[k * forms + f] =
          value.offeredFrom[(k + 1) * forms + f] +
          std::min<int64_t>(split.readers[value.readers[k]].offers[f], 0);
}

int64_t Prices::leastOf(int value, int from,
                        const std::vector<int64_t> &formCosts) {
  if (split.values[value].isWide)
    return wideLeast(value, from, formCosts);
  setSharing(value, from);
  return sharing.least(formCosts);
}

int64_t Prices::atLeast(int value, int from,
                        const std::vector<int64_t> &formCosts,
                        const std::vector<bool> &exists) {
  std::vector<int64_t> withRents = scaledCosts(formCosts);
  for (size_t f = 0; f < withRents.size(); ++f)
    if (!exists[f])
      withRents[f] += split.rents.of({value, static_cast<int>(f)});
  return leastOf(value, from, withRents);
}

int64_t Prices::valueLeast(int v) {
  int64_t least = kMuch;
  for (int form : split.values[v].made)
    least = std::min(least, leastOf(v, 0, moveCosts[v][form]) +
                                split.rents.of({v, form}) -
                                split.values[v].revenue[form]);
  return least;
}

/// Computes the bounds; false if they are too small to be added.
bool Prices::sumUp() {
  split.leastBehind.assign(operations.size() + 1, 0);
  for (Value &value : split.values)
    if (value.isWide)
      sumOffers(value);
  bool isSound = true;
  auto add = [&](int operation, int64_t least) {
    int64_t sum = split.leastBehind[operation] + least;
    isSound &= sum >= -kMostSum;
    split.leastBehind[operation] = std::clamp(sum, -kMostSum, kMostSum);
  };
  add(static_cast<int>(operations.size()), -split.rents.credit());
  for (size_t v = 0; v < split.values.size(); ++v)
    if (int begin = lifetimes.begin(static_cast<int>(v)); begin >= 0)
      add(begin, valueLeast(static_cast<int>(v)));
  for (size_t i = operations.size(); i-- > 0;) {
    add(static_cast<int>(i), std::ranges::min(allReduced(static_cast<int>(i))));
    add(static_cast<int>(i), split.leastBehind[i + 1]);
  }
  return isSound;
}

void Prices::reset() {
  known.assign(split.values.size(), {});
  for (Reader &reader : split.readers)
    for (int64_t &offer : reader.offers)
      offer = offer == kMuch ? kMuch : 0;
  for (Value &value : split.values) {
    value.revenue.assign(value.revenue.size(), 0);
    value.offered.assign(value.offered.size(), 0);
  }
  sumUp();
}

void Prices::improve(int most, int64_t enough) {
  if (areCostsSmall)
    settle(most, enough);
  ++changed;
}

void Prices::restore(Split saved) {
  split = std::move(saved);
  computeCosts();
  ++changed;
}

void Prices::setRents(const std::vector<int64_t> &rowPrices, int most) {
  split.rents.set(rowPrices);
  computeCosts();
  improve(most);
}

void Prices::settle(int most, int64_t enough) {
  int count = static_cast<int>(operations.size());
  int64_t before = behind(0);
  for (int pass = 0; pass < most; ++pass) {
    for (int i = 0; i < count; ++i)
      visit(i, true);
    for (int i = count - 1; i >= 0; --i)
      visit(i, false);
    if (!sumUp())
      return reset();
    if (bound() >= enough || (pass > 0 && behind(0) <= before))
      return;
    before = behind(0);
  }
}

} // namespace npu
