// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Duals.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace npu {
namespace {

/// Reduced costs are clamped to this; those of a problem without an assignment
/// could grow without limit.
constexpr int64_t kMostSum = int64_t{1} << 60;

/// An upper limit of the sum of all costs of a problem whose duals are
/// computed.
constexpr int64_t kMostCosts = kInfinity / 2 / Duals::kScale;

bool areCostsSmall(const AssignmentProblem &problem) {
  int64_t total = 0;
  for (const AssignedOperation &operation : problem.operations)
    for (const Candidate &candidate : operation.candidates)
      total += candidate.cost;
  for (const AssignedValue &value : problem.values)
    for (const std::vector<int64_t> &from : value.moves)
      for (int64_t cost : from)
        total += std::max<int64_t>(cost, 0);
  return total < kMostCosts;
}

/// For each layout how much the least cost of a candidate that has it exceeds
/// the least cost of all (its slack, a min-marginal up to a constant);
/// kInfinity for layouts that no candidate has.
template <typename LayoutOf>
std::vector<int64_t> slackByLayout(const std::vector<int64_t> &costs,
                                   size_t layouts, LayoutOf layoutOf) {
  std::vector<int64_t> slack(layouts, kInfinity);
  int64_t least = std::ranges::min(costs);
  for (size_t w = 0; w < costs.size(); ++w) {
    int64_t &own = slack[layoutOf(w)];
    own = std::min(own, costs[w] - least);
  }
  return slack;
}

} // namespace

Duals::Duals(const AssignmentProblem &problem, const Lifetimes &lifetimes,
             const std::vector<CapacityRow> &rows)
    : problem(problem), lifetimes(lifetimes),
      areCostsSmall(npu::areCostsSmall(problem)), results(valuesMade(problem)),
      operations(problem.operations.size()),
      split{{},
            std::vector<Value>(problem.values.size()),
            CapacityMultipliers(problem, rows),
            {}} {
  for (size_t v = 0; v < split.values.size(); ++v) {
    size_t layouts = problem.values[v].layouts.size();
    split.values[v].resultDuals.assign(layouts, 0);
    split.values[v].dualSum.assign(layouts, 0);
    if (problem.values[v].madeBy < 0)
      split.values[v].made = {0};
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    for (size_t r = 0; r < results[i].size(); ++r) {
      std::vector<int> &made = split.values[results[i][r]].made;
      for (const Candidate &candidate : problem.operations[i].candidates)
        made.push_back(candidate.resultLayouts[r]);
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

void Duals::addReaders(int i) {
  // A second operand with the same value is another reader.
  std::map<std::pair<int, int>, int> places;
  auto forEachOperand = [&](const Candidate &candidate, auto visit) {
    std::map<int, int> counts;
    for (ValueLayout operand : candidate.operandLayouts)
      visit(std::pair(operand.value, counts[operand.value]++), operand.layout);
  };
  for (const Candidate &candidate : problem.operations[i].candidates)
    forEachOperand(candidate,
                   [&](auto key, int) { places.try_emplace(key, 0); });
  int count = 0;
  std::vector<int> nothing;
  for (auto &[key, place] : places) {
    place = count++;
    int number = static_cast<int>(split.readers.size());
    std::vector<int> &ofValue = split.values[key.first].readers;
    operations[i].readers.push_back(number);
    nothing.push_back(
        static_cast<int>(split.values[key.first].resultDuals.size()));
    split.readers.push_back(
        {key.first, i, static_cast<int>(ofValue.size()),
         std::vector<int64_t>(nothing.back() + 1, kInfinity)});
    ofValue.push_back(number);
  }
  for (const Candidate &candidate : problem.operations[i].candidates) {
    std::vector<int> taken = nothing;
    forEachOperand(candidate,
                   [&](auto key, int layout) { taken[places[key]] = layout; });
    for (size_t k = 0; k < taken.size(); ++k)
      split.readers[operations[i].readers[k]].duals[taken[k]] = 0;
    operations[i].taken.push_back(std::move(taken));
  }
}

int64_t Duals::scaled(int64_t cost) {
  return std::min(cost, kInfinity / kScale) * kScale;
}

bool Duals::hasDuals(int value) const {
  return !split.values[value].isWide && !split.values[value].readers.empty();
}

int Duals::readersFrom(int value, int operation) const {
  const std::vector<int> &all = split.values[value].readers;
  auto first = std::ranges::lower_bound(all, operation, {}, [&](int reader) {
    return split.readers[reader].operation;
  });
  return static_cast<int>(all.end() - first);
}

int64_t Duals::reduced(int i, int w) const {
  const Candidate &candidate = problem.operations[i].candidates[w];
  int64_t cost = scaled(candidate.cost) + split.multipliers.of(i, w);
  auto add = [&](int64_t dual) {
    cost = std::clamp(cost + dual, -kMostSum, kMostSum);
  };
  for (size_t k = 0; k < operations[i].readers.size(); ++k)
    add(-split.readers[operations[i].readers[k]]
             .duals[operations[i].taken[w][k]]);
  for (size_t r = 0; r < results[i].size(); ++r)
    add(split.values[results[i][r]].resultDuals[candidate.resultLayouts[r]]);
  return cost;
}

std::vector<int64_t> Duals::allReduced(int i) const {
  std::vector<int64_t> costs;
  costs.reserve(operations[i].taken.size());
  for (size_t w = 0; w < operations[i].taken.size(); ++w)
    costs.push_back(reduced(i, static_cast<int>(w)));
  return costs;
}

/// Makes `sharing` the factor of the value's readers from operation `from` on.
void Duals::setSharing(int value, int from) {
  std::vector<const std::vector<int64_t> *> duals;
  for (int reader : split.values[value].readers)
    if (split.readers[reader].operation >= from)
      duals.push_back(&split.readers[reader].duals);
  sharing.set(duals, static_cast<int>(split.values[value].resultDuals.size()));
}

/// Costs of layouts in the scale of duals.
std::vector<int64_t> Duals::scaledCosts(const std::vector<int64_t> &costs) {
  std::vector<int64_t> all;
  all.reserve(costs.size());
  for (int64_t cost : costs)
    all.push_back(cost == kImpossible ? kInfinity : scaled(cost));
  return all;
}

/// Computes, by the layout that a value was made in, the costs of moves to all
/// layouts, including the capacity that those take.
void Duals::computeCosts() {
  known.assign(split.values.size(), {});
  moveCosts.resize(split.values.size());
  for (size_t v = 0; v < moveCosts.size(); ++v) {
    const auto &moves = problem.values[v].moves;
    moveCosts[v].resize(moves.size());
    for (int from : split.values[v].made) {
      moveCosts[v][from] = scaledCosts(moves[from]);
      for (int f = 0; f < static_cast<int>(moves.size()); ++f)
        if (f != from)
          moveCosts[v][from][f] +=
              split.multipliers.of({static_cast<int>(v), f});
    }
  }
}

/// Divides the cost of each move of a wide argument equally among the readers
/// that can take the layout.
void Duals::shareEqually(int v) {
  Value &value = split.values[v];
  const std::vector<int64_t> &moves = moveCosts[v][0];
  for (size_t f = 0; f < moves.size(); ++f) {
    int64_t count = std::ranges::count_if(value.readers, [&](int reader) {
      return split.readers[reader].duals[f] != kInfinity;
    });
    for (int reader : value.readers)
      if (split.readers[reader].duals[f] != kInfinity) {
        split.readers[reader].duals[f] = -(moves[f] / count);
        value.dualSum[f] -= moves[f] / count;
      }
  }
}

int64_t Duals::wideLeast(int v, int from,
                         const std::vector<int64_t> &layoutCosts) const {
  const Value &value = split.values[v];
  size_t first = value.readers.size() - readersFrom(v, from);
  int64_t least = 0;
  for (size_t f = 0; f < layoutCosts.size(); ++f)
    least += std::min<int64_t>(
        layoutCosts[f] + value.dualSumFrom[first * layoutCosts.size() + f], 0);
  return least;
}

/// Sums the duals of each reader of a wide value and those after it.
void Duals::sumDualsFrom(Value &value) const {
  size_t layouts = value.resultDuals.size();
  value.dualSumFrom.assign((value.readers.size() + 1) * layouts, 0);
  for (size_t k = value.readers.size(); k-- > 0;)
    for (size_t f = 0; f < layouts; ++f)
      value.dualSumFrom[k * layouts + f] =
          value.dualSumFrom[(k + 1) * layouts + f] +
          std::min<int64_t>(split.readers[value.readers[k]].duals[f], 0);
}

int64_t Duals::leastOf(int value, int from,
                       const std::vector<int64_t> &layoutCosts) {
  if (split.values[value].isWide)
    return wideLeast(value, from, layoutCosts);
  setSharing(value, from);
  return sharing.least(layoutCosts);
}

int64_t Duals::boundFrom(int value, int from,
                         const std::vector<int64_t> &layoutCosts,
                         const std::vector<bool> &exists) {
  std::vector<int64_t> withCapacity = scaledCosts(layoutCosts);
  for (size_t f = 0; f < withCapacity.size(); ++f)
    if (!exists[f])
      withCapacity[f] += split.multipliers.of({value, static_cast<int>(f)});
  return leastOf(value, from, withCapacity);
}

int64_t Duals::valueLeast(int v) {
  const Value &value = split.values[v];
  const KnownGroups *groups = value.isWide ? nullptr : &groupsOf(v);
  int64_t least = kInfinity;
  for (size_t m = 0; m < value.made.size(); ++m) {
    int layout = value.made[m];
    int64_t ofReaders =
        groups ? std::accumulate(groups->least[m].begin(),
                                 groups->least[m].end(), int64_t{0})
               : wideLeast(v, 0, moveCosts[v][layout]);
    least = std::min(least, ofReaders + split.multipliers.of({v, layout}) -
                                value.resultDuals[layout]);
  }
  return least;
}

/// Computes the bounds from each operation on; false if one is too small to be
/// represented.
bool Duals::sumUp() {
  split.bounds.assign(operations.size() + 1, 0);
  for (Value &value : split.values)
    if (value.isWide)
      sumDualsFrom(value);
  bool isSound = true;
  auto add = [&](int operation, int64_t least) {
    int64_t sum = split.bounds[operation] + least;
    isSound &= sum >= -kMostSum;
    split.bounds[operation] = std::clamp(sum, -kMostSum, kMostSum);
  };
  add(static_cast<int>(operations.size()), -split.multipliers.credit());
  for (size_t v = 0; v < split.values.size(); ++v)
    if (int begin = lifetimes.begin(static_cast<int>(v)); begin >= 0)
      add(begin, valueLeast(static_cast<int>(v)));
  for (size_t i = operations.size(); i-- > 0;) {
    add(static_cast<int>(i), std::ranges::min(allReduced(static_cast<int>(i))));
    add(static_cast<int>(i), split.bounds[i + 1]);
  }
  return isSound;
}

void Duals::reset() {
  known.assign(split.values.size(), {});
  for (Reader &reader : split.readers)
    for (int64_t &dual : reader.duals)
      dual = dual == kInfinity ? kInfinity : 0;
  for (Value &value : split.values) {
    value.resultDuals.assign(value.resultDuals.size(), 0);
    value.dualSum.assign(value.dualSum.size(), 0);
  }
  sumUp();
}

void Duals::improve(int most, int64_t enough) {
  if (areCostsSmall)
    ascend(most, enough);
  ++changed;
}

void Duals::restore(Split saved) {
  split = std::move(saved);
  computeCosts();
  ++changed;
}

void Duals::setMultipliers(const std::vector<int64_t> &rowMultipliers,
                           int most) {
  split.multipliers.set(rowMultipliers);
  computeCosts();
  improve(most);
}

void Duals::ascend(int most, int64_t enough) {
  int count = static_cast<int>(operations.size());
  int64_t before = after(0);
  for (int pass = 0; pass < most; ++pass) {
    for (int i = 0; i < count; ++i)
      visit(i, true);
    // From the duals of equal layers, a sweep forward is often enough.
    if (enough != kUnknown && sumUp() && bound() >= enough)
      return;
    for (int i = count - 1; i >= 0; --i)
      visit(i, false);
    if (!sumUp())
      return reset();
    if (bound() >= enough || (pass > 0 && after(0) <= before))
      return;
    before = after(0);
  }
}

// Block coordinate ascent: one operation after the other.

void Duals::visit(int i, bool forward) {
  for (int v : results[i])
    collectResultMessages(v);
  for (int number : operations[i].readers) {
    Reader &reader = split.readers[number];
    if (split.values[reader.value].isWide)
      collectWideMessages(reader);
    else
      collectOperandMessages(number);
  }
  for (size_t k = 0; k < operations[i].readers.size(); ++k)
    if (split.values[split.readers[operations[i].readers[k]].value].isWide)
      giveBack(i, static_cast<int>(k));
  distribute(i, forward);
}

int Duals::groupOf(const Reader &reader) const {
  int readers = static_cast<int>(split.values[reader.value].readers.size());
  int64_t groups = Sharing::groupsOf(readers);
  return static_cast<int>(((reader.place + 1) * groups - 1) / readers);
}

void Duals::dualsChanged(const Reader &reader) {
  if (std::vector<bool> &isKnown = known[reader.value].isKnown;
      !isKnown.empty())
    isKnown[groupOf(reader)] = false;
}

/// Makes `group` the factor of one group of the value's readers.
void Duals::setGroup(int v, int g) {
  const std::vector<int> &all = split.values[v].readers;
  int readers = static_cast<int>(all.size());
  std::vector<const std::vector<int64_t> *> duals;
  for (int k = Sharing::firstOf(g, readers);
       k < Sharing::firstOf(g + 1, readers); ++k)
    duals.push_back(&split.readers[all[k]].duals);
  group.set(duals, static_cast<int>(split.values[v].resultDuals.size()));
}

/// The minima of a value's groups. They are cached until a dual in the group
/// changes, so that a visit does not minimize over all readers of a value that
/// many read.
const Duals::KnownGroups &Duals::groupsOf(int v) {
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
      groups.least[m][g] = group.least(
          Sharing::partsOf(moveCosts[v][value.made[m]], count, parts));
    groups.isKnown[g] = true;
  }
  return groups;
}

/// Message from a value to the operation that makes it: for each layout the
/// minimum over the value's readers.
void Duals::collectResultMessages(int v) {
  const KnownGroups &groups = groupsOf(v);
  Value &value = split.values[v];
  for (size_t m = 0; m < value.made.size(); ++m) {
    int layout = value.made[m];
    value.resultDuals[layout] = std::clamp(
        std::accumulate(groups.least[m].begin(), groups.least[m].end(),
                        split.multipliers.of({v, layout})),
        -kInfinity, kInfinity);
  }
}

/// Message from a value to one of its readers: for each layout the min-marginal
/// over the layout that the value was made in and over all other readers.
void Duals::collectOperandMessages(int number) {
  Reader &reader = split.readers[number];
  const Value &value = split.values[reader.value];
  const KnownGroups &groups = groupsOf(reader.value);
  int readers = static_cast<int>(value.readers.size()), own = groupOf(reader);
  setGroup(reader.value, own);
  marginals.assign(reader.duals.size(), kInfinity);
  for (size_t m = 0; m < value.made.size(); ++m) {
    int layout = value.made[m];
    std::span<const int64_t> ofEach = Sharing::partsOf(
        moveCosts[reader.value][layout], Sharing::groupsOf(readers), parts);
    if (group.readers > 1)
      group.least(ofEach);
    int64_t others = std::accumulate(groups.least[m].begin(),
                                     groups.least[m].end(), int64_t{0}) -
                     groups.least[m][own];
    group.lower(reader.place - Sharing::firstOf(own, readers),
                others + split.multipliers.of({reader.value, layout}) -
                    value.resultDuals[layout],
                ofEach, marginals);
  }
  for (size_t f = 0; f < marginals.size(); ++f)
    if (reader.duals[f] != kInfinity)
      reader.duals[f] =
          std::clamp(reader.duals[f] - marginals[f], -kInfinity, kInfinity - 1);
  dualsChanged(reader);
}

/// Message from a wide argument to one of its readers: what a layout costs
/// beyond the duals of all other readers.
void Duals::collectWideMessages(Reader &reader) {
  Value &value = split.values[reader.value];
  const std::vector<int64_t> &moves = moveCosts[reader.value][0];
  for (size_t f = 0; f < moves.size(); ++f) {
    if (reader.duals[f] == kInfinity)
      continue;
    value.dualSum[f] -= reader.duals[f];
    reader.duals[f] = -std::max<int64_t>(moves[f] + value.dualSum[f], 0);
    value.dualSum[f] += reader.duals[f];
  }
}

/// Returns to a wide argument the slack that the operation does not need,
/// before the rest is distributed.
void Duals::giveBack(int i, int place) {
  Reader &reader = split.readers[operations[i].readers[place]];
  std::vector<int64_t> slack =
      slackByLayout(allReduced(i), reader.duals.size(),
                    [&](size_t w) { return operations[i].taken[w][place]; });
  std::vector<int64_t> &dualSum = split.values[reader.value].dualSum;
  for (size_t f = 0; f < dualSum.size(); ++f)
    if (reader.duals[f] < 0) {
      int64_t back = std::min(slack[f], -reader.duals[f]);
      reader.duals[f] += back;
      dualSum[f] += back;
    }
}

/// The values that a sweep distributes slack to: operands, by their place, and
/// results, numbered after them. They are those that a later operation of the
/// sweep shares.
std::vector<int> Duals::targets(int i, bool forward) const {
  std::vector<int> found;
  int place = 0;
  for (int number : operations[i].readers) {
    const Reader &reader = split.readers[number];
    const std::vector<int> &all = split.values[reader.value].readers;
    bool goesOn = forward ? split.readers[all.back()].operation > i
                          : problem.values[reader.value].madeBy >= 0 ||
                                split.readers[all.front()].operation < i;
    if (hasDuals(reader.value) && goesOn)
      found.push_back(place);
    ++place;
  }
  for (int v : results[i]) {
    if (forward && hasDuals(v))
      found.push_back(place);
    ++place;
  }
  return found;
}

void Duals::distribute(int i, bool forward) {
  std::vector<int64_t> costs = allReduced(i);
  std::vector<int> all = targets(i, forward);
  int numReaders = static_cast<int>(operations[i].readers.size());
  int64_t parts = static_cast<int64_t>(all.size());
  for (int target : all) {
    if (target < numReaders)
      distributeToOperand(i, target, parts, costs);
    else
      distributeToResult(i, target - numReaders, parts, costs);
    --parts;
  }
}

void Duals::distributeToOperand(int i, int place, int64_t parts,
                                std::vector<int64_t> &costs) {
  Reader &reader = split.readers[operations[i].readers[place]];
  auto layoutOf = [&](size_t w) { return operations[i].taken[w][place]; };
  std::vector<int64_t> slack =
      slackByLayout(costs, reader.duals.size(), layoutOf);
  for (size_t f = 0; f < slack.size(); ++f) {
    if (reader.duals[f] == kInfinity)
      continue;
    slack[f] = std::min(slack[f] / parts, kInfinity - 1 - reader.duals[f]);
    reader.duals[f] += slack[f];
  }
  dualsChanged(reader);
  for (size_t w = 0; w < costs.size(); ++w)
    costs[w] -= slack[layoutOf(w)];
}

void Duals::distributeToResult(int i, int result, int64_t parts,
                               std::vector<int64_t> &costs) {
  std::vector<int64_t> &resultDuals =
      split.values[results[i][result]].resultDuals;
  auto layoutOf = [&](size_t w) {
    return problem.operations[i].candidates[w].resultLayouts[result];
  };
  std::vector<int64_t> slack =
      slackByLayout(costs, resultDuals.size(), layoutOf);
  for (int layout : split.values[results[i][result]].made) {
    slack[layout] =
        std::min(slack[layout] / parts, kInfinity + resultDuals[layout]);
    resultDuals[layout] -= slack[layout];
  }
  for (size_t w = 0; w < costs.size(); ++w)
    costs[w] -= slack[layoutOf(w)];
}

// The duals of a problem with fewer of the same layers.

/// The reader in `others` that corresponds to the operation's reader at
/// `place`; null where there is none.
const Duals::Reader *Duals::readerLike(const Reader &reader, int place,
                                       const Duals &others,
                                       const ShortProblem &shorter) const {
  int value = shorter.valueReadBy(reader.value, reader.operation);
  if (value < 0)
    return nullptr;
  // An operation can read one value several times.
  auto reads = [](const Duals &duals, int number, int which) {
    return duals.split.readers[number].value == which;
  };
  const std::vector<int> &own = operations[reader.operation].readers;
  auto before =
      std::count_if(own.begin(), own.begin() + place, [&](int number) {
        return reads(*this, number, reader.value);
      });
  for (int number :
       others.operations[shorter.operation(reader.operation)].readers)
    if (reads(others, number, value) && before-- == 0)
      return &others.split.readers[number];
  return nullptr;
}

void Duals::adoptOperandDuals(const Duals &others,
                              const ShortProblem &shorter) {
  for (Operation &operation : operations)
    for (size_t place = 0; place < operation.readers.size(); ++place) {
      Reader &reader = split.readers[operation.readers[place]];
      const Reader *like =
          readerLike(reader, static_cast<int>(place), others, shorter);
      for (size_t f = 0; f < reader.duals.size(); ++f) {
        if (reader.duals[f] == kInfinity)
          continue;
        bool isKnown =
            like && f < like->duals.size() && like->duals[f] != kInfinity;
        reader.duals[f] = isKnown ? like->duals[f] : 0;
      }
    }
}

void Duals::adoptResultDuals(const Duals &others, const ShortProblem &shorter) {
  for (size_t v = 0; v < split.values.size(); ++v) {
    std::vector<int64_t> &resultDuals = split.values[v].resultDuals;
    int like = shorter.value(static_cast<int>(v));
    // The value of another layer may have readers that this one does not have.
    bool isRead = !split.values[v].readers.empty();
    if (isRead && like >= 0 &&
        others.split.values[like].resultDuals.size() == resultDuals.size())
      resultDuals = others.split.values[like].resultDuals;
    else
      std::ranges::fill(resultDuals, 0);
  }
}

void Duals::sumDuals(Value &value) const {
  std::ranges::fill(value.dualSum, 0);
  for (int number : value.readers)
    for (size_t f = 0; f < value.dualSum.size(); ++f)
      if (int64_t dual = split.readers[number].duals[f]; dual != kInfinity)
        value.dualSum[f] += dual;
}

/// Sweeps over the operations that the short problem has too. They get what is
/// left where duals do not correspond: of arguments that layers share, and of
/// costs that were rounded down.
void Duals::ascendSeams(const ShortProblem &shorter) {
  int count = static_cast<int>(operations.size());
  for (int i = 0; i < count; ++i)
    if (shorter.isKept(i))
      visit(i, true);
  for (int i = count - 1; i >= 0; --i)
    if (shorter.isKept(i))
      visit(i, false);
}

void Duals::adopt(const Duals &others, const ShortProblem &shorter) {
  if (!areCostsSmall)
    return;
  adoptOperandDuals(others, shorter);
  adoptResultDuals(others, shorter);
  known.assign(split.values.size(), {});
  for (Value &value : split.values)
    if (value.isWide)
      sumDuals(value);
  ascendSeams(shorter);
  if (!sumUp())
    reset();
  ++changed;
}

} // namespace npu
