// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FittingWays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace npu {
namespace {

class Fitting {
public:
  explicit Fitting(const AssignmentProblem &problem)
      : problem(problem), made(valuesMade(problem)) {
    for (const AssignedOperation &operation : problem.operations) {
      ways.emplace_back();
      for (size_t w = 0; w < operation.ways.size(); ++w)
        ways.back().push_back(static_cast<int>(w));
    }
    for (const AssignedValue &value : problem.values)
      possible.emplace_back(value.forms.size(), true);
  }

  std::vector<std::vector<int>> run() {
    for (const MemoryRow &row : problem.memory)
      dropWaysOf(row);
    // What goes can take others with it.
    for (bool changed = true; changed;) {
      for (const MemoryRow &row : problem.memory)
        dropForms(row);
      dropUnreachable();
      changed = dropWays();
    }
    return std::move(ways);
  }

private:
  bool isGiven(ValueForm form) const {
    return problem.values[form.value].madeBy < 0 && form.form == 0;
  }

  bool uses(int operation, int w, ValueForm form) const {
    const Way &way = problem.operations[operation].ways[w];
    for (size_t r = 0; r < made[operation].size(); ++r)
      if (ValueForm{made[operation][r], way.makes[r]} == form)
        return true;
    return std::ranges::find(way.needs, form) != way.needs.end();
  }

  /// The bytes that no choice avoids, beside the way.
  int64_t fixedBytes(const MemoryRow &row) const {
    int64_t bytes = row.fixed;
    for (const FormBytes &term : row.forms)
      if (isGiven(term.form))
        bytes += term.bytes;
    return bytes;
  }

  static int64_t wayBytes(const MemoryRow &row, int way) {
    auto term = std::ranges::find(row.ways, way, &WayBytes::way);
    return term == row.ways.end() ? 0 : term->bytes;
  }

  void dropWaysOf(const MemoryRow &row) {
    int64_t fixed = fixedBytes(row);
    std::erase_if(ways[row.at], [&](int way) {
      int64_t bytes = fixed + wayBytes(row, way);
      for (const FormBytes &term : row.forms)
        if (!isGiven(term.form) && uses(row.at, way, term.form))
          bytes += term.bytes;
      return bytes > row.capacity;
    });
  }

  void dropForms(const MemoryRow &row) {
    if (ways[row.at].empty())
      return;
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (int way : ways[row.at])
      smallest = std::min(smallest, wayBytes(row, way));
    int64_t room = row.capacity - fixedBytes(row) - smallest;
    for (const FormBytes &term : row.forms)
      if (!isGiven(term.form) && term.bytes > room)
        possible[term.form.value][term.form.form] = false;
  }

  /// Drops forms that no form that is made moves to.
  void dropUnreachable() {
    for (size_t v = 0; v < possible.size(); ++v) {
      const AssignedValue &value = problem.values[v];
      std::vector<bool> reached(value.forms.size(), false);
      auto reach = [&](int from) {
        if (possible[v][from])
          for (size_t to = 0; to < reached.size(); ++to)
            if (value.moves[from][to] != kImpossible)
              reached[to] = true;
      };
      if (value.madeBy < 0) {
        reach(0);
      } else {
        size_t result =
            std::ranges::find(made[value.madeBy], static_cast<int>(v)) -
            made[value.madeBy].begin();
        std::vector<bool> isMade(value.forms.size(), false);
        for (int way : ways[value.madeBy])
          isMade[problem.operations[value.madeBy].ways[way].makes[result]] =
              true;
        for (size_t form = 0; form < isMade.size(); ++form)
          if (isMade[form])
            reach(static_cast<int>(form));
      }
      for (size_t form = 0; form < reached.size(); ++form)
        if (!reached[form])
          possible[v][form] = false;
    }
  }

  bool dropWays() {
    size_t dropped = 0;
    for (size_t i = 0; i < ways.size(); ++i)
      dropped += std::erase_if(ways[i], [&](int w) {
        const Way &way = problem.operations[i].ways[w];
        for (size_t r = 0; r < made[i].size(); ++r)
          if (!possible[made[i][r]][way.makes[r]])
            return true;
        return std::ranges::any_of(way.needs, [&](ValueForm need) {
          return !possible[need.value][need.form];
        });
      });
    return dropped > 0;
  }

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  std::vector<std::vector<int>> ways;
  std::vector<std::vector<bool>> possible;
};

/// The problem with these ways alone. Precondition: each operation has one.
AssignmentProblem withWays(const AssignmentProblem &problem,
                           const std::vector<std::vector<int>> &ways) {
  AssignmentProblem reduced;
  reduced.values = problem.values;
  for (size_t i = 0; i < ways.size(); ++i) {
    AssignedOperation &operation = reduced.operations.emplace_back();
    for (int way : ways[i])
      operation.ways.push_back(problem.operations[i].ways[way]);
  }
  reduced.memory = problem.memory;
  for (MemoryRow &row : reduced.memory) {
    std::vector<WayBytes> terms;
    for (WayBytes term : row.ways) {
      auto place = std::ranges::find(ways[row.at], term.way);
      if (place != ways[row.at].end())
        terms.push_back(
            {static_cast<int>(place - ways[row.at].begin()), term.bytes});
    }
    row.ways = std::move(terms);
  }
  return reduced;
}

} // namespace

std::vector<std::vector<int>> fittingWays(const AssignmentProblem &problem) {
  return Fitting(problem).run();
}

Result<Assignment, NoAssignment> withFittingWays(
    const AssignmentProblem &problem,
    const std::function<Result<Assignment, NoAssignment>(const AssignmentProblem &)> &solve) {
  std::vector<std::vector<int>> ways = fittingWays(problem);
  bool isWhole = true;
  for (size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].empty())
      return NoAssignment{fmt::format("operation {}: no way of it fits with "
                                      "any choice of ways before it",
                                      i),
                          static_cast<int>(i)};
    isWhole &= ways[i].size() == problem.operations[i].ways.size();
  }
  if (isWhole)
    return solve(problem);
  Result<Assignment, NoAssignment> found = solve(withWays(problem, ways));
  if (found)
    for (size_t i = 0; i < ways.size(); ++i)
      found->ways[i] = ways[i][found->ways[i]];
  return found;
}

} // namespace npu
