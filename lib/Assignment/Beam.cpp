// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Baselines.h"

#include "FittingCandidates.h"
#include "Prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace npu {
namespace {

/// Belady's rule: while a capacity row is exceeded, evicts the layout whose
/// next use is furthest (Baselines.h). `newest` is the operation that was added
/// last.
class Eviction {
public:
  Eviction(const ProblemIndex &index, Prefix &prefix, int newest)
      : index(index), prefix(prefix), newest(newest) {}

  /// Evicts until no row of an operation up to the newest one is exceeded;
  /// false where that fails.
  bool run();

private:
  /// An operation that is chosen again.
  struct Change {
    int operation = 0;
    int before = 0;
    int after = 0;
  };

  bool uses(int operation, int candidate, ValueLayout layout) const;
  std::vector<ValueLayout> evictable(const CapacityRow &row) const;
  bool giveUp(ValueLayout layout);
  bool chooseAgain(const std::vector<int> &operations);

  const ProblemIndex &index;
  Prefix &prefix;
  int newest;
  std::vector<ValueLayout> given;
};

bool Eviction::run() {
  for (;;) {
    int row = prefix.firstExceeded();
    if (row < 0 || index.rows[row].at > newest)
      return true;
    std::vector<ValueLayout> layouts = evictable(index.rows[row]);
    // Terminates, because each layout is evicted at most once.
    if (std::ranges::none_of(
            layouts, [&](ValueLayout layout) { return giveUp(layout); }))
      return false;
  }
}

bool Eviction::uses(int operation, int candidate, ValueLayout layout) const {
  const Candidate &chosen =
      index.problem.operations[operation].candidates[candidate];
  const std::vector<int> &made = index.made[operation];
  for (size_t r = 0; r < made.size(); ++r)
    if (ValueLayout{made[r], chosen.resultLayouts[r]} == layout)
      return true;
  return std::ranges::find(chosen.operandLayouts, layout) !=
         chosen.operandLayouts.end();
}

/// The layouts that take bytes of the row, the furthest next use first.
std::vector<ValueLayout> Eviction::evictable(const CapacityRow &row) const {
  std::vector<std::tuple<int, int64_t, ValueLayout>> ranked;
  for (const LayoutBytes &term : row.layouts) {
    auto [value, layout] = term.layout;
    bool isArgument = index.problem.values[value].madeBy < 0 && layout == 0;
    if (term.bytes > 0 && prefix.exists(term.layout) && !isArgument &&
        !uses(newest, prefix.candidate(newest), term.layout))
      ranked.emplace_back(-index.nextUse(term.layout, newest), -term.bytes,
                          term.layout);
  }
  std::ranges::sort(ranked);
  std::vector<ValueLayout> layouts;
  layouts.reserve(ranked.size());
  for (const auto &[use, bytes, layout] : ranked)
    layouts.push_back(layout);
  return layouts;
}

/// Chooses again for all operations that made or read the layout; changes
/// nothing where that fails.
bool Eviction::giveUp(ValueLayout layout) {
  std::vector<int> operations;
  if (int maker = index.problem.values[layout.value].madeBy; maker >= 0)
    operations.push_back(maker);
  const std::vector<int> &users = index.users(layout);
  operations.insert(operations.end(), users.begin(),
                    std::ranges::upper_bound(users, newest));
  std::erase_if(operations, [&](int operation) {
    return !uses(operation, prefix.candidate(operation), layout);
  });
  given.push_back(layout);
  if (chooseAgain(operations))
    return true;
  given.pop_back();
  return false;
}

bool Eviction::chooseAgain(const std::vector<int> &operations) {
  std::vector<Change> changes;
  for (int operation : operations) {
    changes.push_back({operation, prefix.candidate(operation), -1});
    prefix.takeBack(operation);
  }
  for (Change &change : changes) {
    std::vector<int> candidates = prefix.candidatesByCost(change.operation);
    auto candidate = std::ranges::find_if(candidates, [&](int other) {
      return std::ranges::none_of(given, [&](ValueLayout layout) {
        return uses(change.operation, other, layout);
      });
    });
    if (candidate == candidates.end())
      break;
    change.after = *candidate;
    prefix.choose(change.operation, change.after);
  }
  if (changes.empty() || changes.back().after >= 0)
    return true;
  for (const Change &change : changes) {
    if (prefix.candidate(change.operation) >= 0)
      prefix.takeBack(change.operation);
    prefix.choose(change.operation, change.before);
  }
  return false;
}

/// A partial assignment extended by a candidate.
struct Extension {
  int64_t cost = 0;
  int partial = 0;
  int candidate = 0;
};

class Beam {
public:
  Beam(const AssignmentProblem &problem, size_t width)
      : problem(problem), width(std::max<size_t>(width, 1)), index(problem) {
    partials.emplace_back(index);
  }

  Result<Assignment, NoAssignment> run() {
    for (size_t i = 0; i < problem.operations.size(); ++i) {
      step(static_cast<int>(i));
      if (partials.empty())
        return NoAssignment{
            fmt::format("operation {}: no candidate of it fits in any of {} "
                        "partial assignments",
                        i, width),
            static_cast<int>(i)};
    }
    return completeAssignment(problem, partials.front().allCandidates());
  }

private:
  void step(int i) {
    std::vector<Extension> extensions;
    for (size_t p = 0; p < partials.size(); ++p)
      addExtensions(static_cast<int>(p), i, extensions);
    // Ties are broken by order, so that results do not depend on the machine.
    std::ranges::sort(extensions, {}, [](const Extension &extension) {
      return std::tie(extension.cost, extension.partial, extension.candidate);
    });
    std::vector<Prefix> next;
    for (const Extension &extension : extensions) {
      if (next.size() == width)
        break;
      Prefix partial = partials[extension.partial];
      partial.choose(i, extension.candidate);
      if (!Eviction(index, partial, i).run())
        continue;
      // Evictions can lead to the same partial assignment twice.
      bool isKnown = std::ranges::any_of(next, [&](const Prefix &other) {
        return other.cost() == partial.cost() &&
               other.allCandidates() == partial.allCandidates();
      });
      if (!isKnown)
        next.push_back(std::move(partial));
    }
    std::ranges::sort(next, {}, [](const Prefix &partial) {
      return std::pair(partial.cost(), partial.allCandidates());
    });
    partials = std::move(next);
  }

  void addExtensions(int number, int i, std::vector<Extension> &extensions) {
    for (size_t w = 0; w < problem.operations[i].candidates.size(); ++w)
      if (auto cost = partials[number].costWith(i, static_cast<int>(w)))
        extensions.push_back({*cost, number, static_cast<int>(w)});
  }

  const AssignmentProblem &problem;
  size_t width;
  ProblemIndex index;
  std::vector<Prefix> partials;
};

} // namespace

Result<Assignment, NoAssignment> assignByBeam(const AssignmentProblem &problem,
                                              size_t width) {
  return withFittingCandidates(problem, [&](const AssignmentProblem &fitting) {
    return Beam(fitting, width).run();
  });
}

} // namespace npu
