// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinearProgram.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

namespace npu {
namespace {

class Writer {
public:
  explicit Writer(const AssignmentProblem &problem)
      : problem(problem), made(valuesMade(problem)),
        makers(problem.values.size()) {
    for (size_t v = 0; v < problem.values.size(); ++v)
      makers[v].resize(problem.values[v].layouts.size());
    for (size_t i = 0; i < problem.operations.size(); ++i)
      for (size_t w = 0; w < problem.operations[i].candidates.size(); ++w)
        for (size_t r = 0; r < made[i].size(); ++r)
          makers[made[i][r]]
                [problem.operations[i].candidates[w].resultLayouts[r]]
                    .push_back(candidate(i, w));
  }

  std::string write() {
    addCandidates();
    for (size_t v = 0; v < problem.values.size(); ++v)
      addValue(v);
    for (const CapacityRow &row : problem.memory)
      addRow(row);
    // A program without costs still needs an objective.
    std::string text =
        fmt::format("Minimize\n obj:{} + 0 constant\nSubject To\n{}Bounds\n"
                    " 1 <= constant <= 1\nBinaries\n",
                    costs, constraints);
    for (const std::string &name : binaries)
      text += " " + name + "\n";
    return text + "End\n";
  }

private:
  static std::string candidate(size_t operation, size_t candidate) {
    return fmt::format("w{}_{}", operation, candidate);
  }
  static std::string exists(size_t value, size_t layout) {
    return fmt::format("x{}_{}", value, layout);
  }

  void addCost(int64_t cost, const std::string &name) {
    // Lines of an LP file are short.
    if (cost > 0)
      fmt::format_to(std::back_inserter(costs), "\n  + {} {}", cost, name);
  }

  void constrain(const std::string &left, const std::string &right) {
    fmt::format_to(std::back_inserter(constraints), " c{}:{} {}\n", number++,
                   left, right);
  }

  /// "\n + w1_0\n + w1_2", the candidates that make the value in the layout.
  std::string sumOfMakers(size_t value, size_t layout, const char *sign) const {
    std::string sum;
    for (const std::string &name : makers[value][layout])
      sum += fmt::format("\n  {} {}", sign, name);
    return sum;
  }

  void addCandidates() {
    for (size_t i = 0; i < problem.operations.size(); ++i) {
      std::string one;
      const auto &candidates = problem.operations[i].candidates;
      for (size_t w = 0; w < candidates.size(); ++w) {
        std::string name = candidate(i, w);
        binaries.push_back(name);
        one += "\n  + " + name;
        addCost(candidates[w].cost, name);
        std::set<ValueLayout> needs(candidates[w].operandLayouts.begin(),
                                    candidates[w].operandLayouts.end());
        for (ValueLayout operand : needs)
          constrain(" " + exists(operand.value, operand.layout) + " - " + name,
                    ">= 0");
      }
      constrain(one, "= 1");
    }
  }

  /// What is made exists, and what exists in another layout was moved there.
  void addValue(size_t v) {
    const AssignedValue &value = problem.values[v];
    bool isGiven = value.madeBy < 0;
    for (size_t layout = 0; layout < value.layouts.size(); ++layout)
      binaries.push_back(exists(v, layout));
    for (size_t from = 0; from < value.layouts.size(); ++from) {
      std::string isMade = sumOfMakers(v, from, "+");
      int64_t given = isGiven && from == 0;
      if (isMade.empty() && !given)
        continue;
      constrain(" " + exists(v, from) + sumOfMakers(v, from, "-"),
                fmt::format(">= {}", given));
      for (size_t to = 0; to < value.layouts.size(); ++to)
        addMove(v, from, to, isMade, given);
    }
  }

  void addMove(size_t v, size_t from, size_t to, const std::string &isMade,
               int64_t given) {
    int64_t cost = problem.values[v].moves[from][to];
    std::string both = " " + exists(v, to) + isMade;
    if (cost == kImpossible)
      return constrain(both, fmt::format("<= {}", 1 - given));
    if (cost == 0)
      return;
    std::string moved = fmt::format("z{}_{}_{}", v, from, to);
    addCost(cost, moved);
    constrain(both + " - " + moved, fmt::format("<= {}", 1 - given));
  }

  void addRow(const CapacityRow &row) {
    std::string sum = "\n  0 constant";
    for (CandidateBytes term : row.candidates)
      sum += fmt::format("\n  + {} {}", term.bytes,
                         candidate(row.at, term.candidate));
    for (const LayoutBytes &term : row.layouts)
      sum += fmt::format("\n  + {} {}", term.bytes,
                         exists(term.layout.value, term.layout.layout));
    constrain(sum, fmt::format("<= {}", row.capacity - row.fixed));
  }

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  /// For each layout of each value the names of the candidates that make it.
  std::vector<std::vector<std::vector<std::string>>> makers;
  std::string costs, constraints;
  std::vector<std::string> binaries;
  int64_t number = 0;
};

} // namespace

std::string linearProgram(const AssignmentProblem &problem) {
  return Writer(problem).write();
}

} // namespace npu
