// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation after the other takes all that its values could do without, and
// gives away what it can do without itself: no step lowers the bound.

#include "Prices.h"

#include <algorithm>
#include <numeric>

namespace npu {

void Prices::visit(int i, bool forward) {
  for (int v : results[i])
    collectResult(v);
  for (int number : operations[i].readers) {
    Reader &reader = split.readers[number];
    if (split.values[reader.value].isWide)
      collectWide(reader);
    else
      collectReader(number);
  }
  for (size_t k = 0; k < operations[i].readers.size(); ++k)
    if (split.values[split.readers[operations[i].readers[k]].value].isWide)
      giveBack(i, static_cast<int>(k));
  distribute(i, forward);
}

int Prices::groupOf(const Reader &reader) const {
  int readers = static_cast<int>(split.values[reader.value].readers.size());
  int64_t groups = Sharing::groupsOf(readers);
  return static_cast<int>(((reader.place + 1) * groups - 1) / readers);
}

void Prices::offersChanged(const Reader &reader) {
  if (std::vector<bool> &isKnown = known[reader.value].isKnown;
      !isKnown.empty())
    isKnown[groupOf(reader)] = false;
}

/// Lets `group` be a group of the value's readers.
void Prices::setGroup(int v, int g) {
  const std::vector<int> &all = split.values[v].readers;
  int readers = static_cast<int>(all.size());
  std::vector<const std::vector<int64_t> *> offers;
  for (int k = Sharing::firstOf(g, readers);
       k < Sharing::firstOf(g + 1, readers); ++k)
    offers.push_back(&split.readers[all[k]].offers);
  group.set(offers, static_cast<int>(split.values[v].revenue.size()));
}

/// What groups pay stays known while no offer in them changes, so that a value
/// of many readers is not looked at as a whole for each of them.
const Prices::KnownGroups &Prices::groupsOf(int v) {
  const Value &value = split.values[v];
  KnownGroups &groups = known[v];
  int count = Sharing::groupsOf(static_cast<int>(value.readers.size()));
  if (groups.isKnown.empty()) {
    groups.isKnown.assign(count, false);
    groups.least.assign(value.made.size(), std::vector<int64_t>(count, 0));
  }
  for (int g = 0; g < count; ++g) {
    if (groups.isKnown[g])
      continue;
    setGroup(v, g);
    for (size_t m = 0; m < value.made.size(); ++m)
      groups.least[m][g] =
          group.least(Sharing::partsOf(moveCosts[v][value.made[m]], count));
    groups.isKnown[g] = true;
  }
  return groups;
}

/// The maker pays for each form what its readers then pay at least.
void Prices::collectResult(int v) {
  const KnownGroups &groups = groupsOf(v);
  Value &value = split.values[v];
  for (size_t m = 0; m < value.made.size(); ++m) {
    int form = value.made[m];
    value.revenue[form] = std::clamp(std::accumulate(groups.least[m].begin(),
                                                     groups.least[m].end(),
                                                     split.rents.of({v, form})),
                                     -kMuch, kMuch);
  }
}

/// The reader pays for each form what all others then pay at least.
void Prices::collectReader(int number) {
  Reader &reader = split.readers[number];
  const Value &value = split.values[reader.value];
  const KnownGroups &groups = groupsOf(reader.value);
  int readers = static_cast<int>(value.readers.size()), own = groupOf(reader);
  setGroup(reader.value, own);
  std::vector<int64_t> marginals(reader.offers.size(), kMuch);
  for (size_t m = 0; m < value.made.size(); ++m) {
    int form = value.made[m];
    std::vector<int64_t> parts = Sharing::partsOf(moveCosts[reader.value][form],
                                                  Sharing::groupsOf(readers));
    int64_t others = std::accumulate(groups.least[m].begin(),
                                     groups.least[m].end(), int64_t{0}) -
                     group.least(parts);
    group.lower(reader.place - Sharing::firstOf(own, readers),
                others + split.rents.of({reader.value, form}) -
                    value.revenue[form],
                parts, marginals);
  }
  for (size_t f = 0; f < marginals.size(); ++f)
    if (reader.offers[f] != kMuch)
      reader.offers[f] =
          std::clamp(reader.offers[f] - marginals[f], -kMuch, kMuch - 1);
  offersChanged(reader);
}

/// The reader of an argument pays whatever of a move no other one pays.
void Prices::collectWide(Reader &reader) {
  Value &value = split.values[reader.value];
  const std::vector<int64_t> &moves = moveCosts[reader.value][0];
  for (size_t f = 0; f < moves.size(); ++f) {
    if (reader.offers[f] == kMuch)
      continue;
    value.offered[f] -= reader.offers[f];
    reader.offers[f] = -std::max<int64_t>(moves[f] + value.offered[f], 0);
    value.offered[f] += reader.offers[f];
  }
}

namespace {

/// By form the least of the ways' costs, counted from the least of all; `kMuch`
/// for forms of no way.
template <typename FormOf>
std::vector<int64_t> slackByForm(const std::vector<int64_t> &costs,
                                 size_t forms, FormOf formOf) {
  std::vector<int64_t> slack(forms, kMuch);
  int64_t least = std::ranges::min(costs);
  for (size_t w = 0; w < costs.size(); ++w) {
    int64_t &own = slack[formOf(w)];
    own = std::min(own, costs[w] - least);
  }
  return slack;
}

} // namespace

/// The reader of a wide argument pays no more than it has to.
void Prices::giveBack(int i, int place) {
  Reader &reader = split.readers[operations[i].readers[place]];
  std::vector<int64_t> slack =
      slackByForm(allReduced(i), reader.offers.size(),
                  [&](size_t w) { return operations[i].taken[w][place]; });
  std::vector<int64_t> &offered = split.values[reader.value].offered;
  for (size_t f = 0; f < offered.size(); ++f)
    if (reader.offers[f] < 0) {
      int64_t back = std::min(slack[f], -reader.offers[f]);
      reader.offers[f] += back;
      offered[f] += back;
    }
}

/// The readers and, numbered behind them, the results of the operation whose
/// values others read that come later: or earlier, or make.
std::vector<int> Prices::targets(int i, bool forward) const {
  std::vector<int> found;
  int place = 0;
  for (int number : operations[i].readers) {
    const Reader &reader = split.readers[number];
    const std::vector<int> &all = split.values[reader.value].readers;
    bool goesOn = forward ? split.readers[all.back()].operation > i
                          : problem.values[reader.value].madeBy >= 0 ||
                                split.readers[all.front()].operation < i;
    if (isPriced(reader.value) && goesOn)
      found.push_back(place);
    ++place;
  }
  for (int v : results[i]) {
    if (forward && isPriced(v))
      found.push_back(place);
    ++place;
  }
  return found;
}

void Prices::distribute(int i, bool forward) {
  std::vector<int64_t> costs = allReduced(i);
  std::vector<int> all = targets(i, forward);
  int numReaders = static_cast<int>(operations[i].readers.size());
  int64_t parts = static_cast<int64_t>(all.size());
  for (int target : all) {
    if (target < numReaders)
      offer(i, target, parts, costs);
    else
      payMaker(i, target - numReaders, parts, costs);
    --parts;
  }
}

void Prices::offer(int i, int place, int64_t parts,
                   std::vector<int64_t> &costs) {
  Reader &reader = split.readers[operations[i].readers[place]];
  auto formOf = [&](size_t w) { return operations[i].taken[w][place]; };
  std::vector<int64_t> slack = slackByForm(costs, reader.offers.size(), formOf);
  for (size_t f = 0; f < slack.size(); ++f) {
    if (reader.offers[f] == kMuch)
      continue;
    slack[f] = std::min(slack[f] / parts, kMuch - 1 - reader.offers[f]);
    reader.offers[f] += slack[f];
  }
  offersChanged(reader);
  for (size_t w = 0; w < costs.size(); ++w)
    costs[w] -= slack[formOf(w)];
}

void Prices::payMaker(int i, int result, int64_t parts,
                      std::vector<int64_t> &costs) {
  std::vector<int64_t> &revenue = split.values[results[i][result]].revenue;
  auto formOf = [&](size_t w) {
    return problem.operations[i].ways[w].makes[result];
  };
  std::vector<int64_t> slack = slackByForm(costs, revenue.size(), formOf);
  for (int form : split.values[results[i][result]].made) {
    slack[form] = std::min(slack[form] / parts, kMuch + revenue[form]);
    revenue[form] -= slack[form];
  }
  for (size_t w = 0; w < costs.size(); ++w)
    costs[w] -= slack[formOf(w)];
}

} // namespace npu
