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
      makers[v].resize(problem.values[v].forms.size());
    for (size_t i = 0; i < problem.operations.size(); ++i)
      for (size_t w = 0; w < problem.operations[i].ways.size(); ++w)
        for (size_t r = 0; r < made[i].size(); ++r)
          makers[made[i][r]][problem.operations[i].ways[w].makes[r]].push_back(
              way(i, w));
  }

  std::string write() {
    addWays();
    for (size_t v = 0; v < problem.values.size(); ++v)
      addValue(v);
    for (const MemoryRow &row : problem.memory)
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
  static std::string way(size_t operation, size_t way) {
    return fmt::format("w{}_{}", operation, way);
  }
  static std::string exists(size_t value, size_t form) {
    return fmt::format("x{}_{}", value, form);
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

  /// "\n + w1_0\n + w1_2", the ways that make the value in the form.
  std::string sumOfMakers(size_t value, size_t form, const char *sign) const {
    std::string sum;
    for (const std::string &name : makers[value][form])
      sum += fmt::format("\n  {} {}", sign, name);
    return sum;
  }

  void addWays() {
    for (size_t i = 0; i < problem.operations.size(); ++i) {
      std::string one;
      const auto &ways = problem.operations[i].ways;
      for (size_t w = 0; w < ways.size(); ++w) {
        std::string name = way(i, w);
        binaries.push_back(name);
        one += "\n  + " + name;
        addCost(ways[w].cost, name);
        std::set<ValueForm> needs(ways[w].needs.begin(), ways[w].needs.end());
        for (ValueForm need : needs)
          constrain(" " + exists(need.value, need.form) + " - " + name, ">= 0");
      }
      constrain(one, "= 1");
    }
  }

  /// What is made exists, and what exists in another form was moved there.
  void addValue(size_t v) {
    const AssignedValue &value = problem.values[v];
    bool isGiven = value.madeBy < 0;
    for (size_t form = 0; form < value.forms.size(); ++form)
      binaries.push_back(exists(v, form));
    for (size_t from = 0; from < value.forms.size(); ++from) {
      std::string isMade = sumOfMakers(v, from, "+");
      int64_t given = isGiven && from == 0;
      if (isMade.empty() && !given)
        continue;
      constrain(" " + exists(v, from) + sumOfMakers(v, from, "-"),
                fmt::format(">= {}", given));
      for (size_t to = 0; to < value.forms.size(); ++to)
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

  void addRow(const MemoryRow &row) {
    std::string sum = "\n  0 constant";
    for (WayBytes term : row.ways)
      sum += fmt::format("\n  + {} {}", term.bytes, way(row.at, term.way));
    for (const FormBytes &term : row.forms)
      sum += fmt::format("\n  + {} {}", term.bytes,
                         exists(term.form.value, term.form.form));
    constrain(sum, fmt::format("<= {}", row.capacity - row.fixed));
  }

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  /// For each form of each value the names of the ways that make it.
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
