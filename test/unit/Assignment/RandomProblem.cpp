// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomProblem.h"

#include <algorithm>
#include <string>

namespace npu {
namespace {

class Builder {
public:
  explicit Builder(std::mt19937 &random) : random(random) {}

  AssignmentProblem build(int mostOperations) {
    int arguments = upTo(2);
    for (int i = 0; i <= arguments; ++i)
      addValue(-1);
    int operations = 1 + upTo(mostOperations - 1);
    for (int i = 0; i < operations; ++i)
      addOperation(i);
    if (upTo(1) == 0)
      for (int i = 0; i < operations; ++i)
        for (int tile = 0; tile <= upTo(1); ++tile)
          addRow(i, tile);
    return std::move(problem);
  }

private:
  /// From 0 to `most`.
  int upTo(int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  }

  int64_t move() {
    int kind = upTo(9);
    return kind == 0 ? kImpossible : kind <= 2 ? 0 : 1 + upTo(19);
  }

  void addValue(int madeBy) {
    AssignedValue value;
    value.name = "%" + std::to_string(problem.values.size());
    value.madeBy = madeBy;
    int layouts = 1 + upTo(3);
    for (int from = 0; from < layouts; ++from) {
      value.layouts.push_back("layout " + std::to_string(from));
      value.moves.emplace_back();
      for (int to = 0; to < layouts; ++to)
        value.moves.back().push_back(from == to ? 0 : move());
    }
    problem.values.push_back(std::move(value));
  }

  int someLayout(int value) {
    return upTo(static_cast<int>(problem.values[value].layouts.size()) - 1);
  }

  void addOperation(int number) {
    int before = static_cast<int>(problem.values.size());
    // Recent values and older ones.
    std::vector<int> reads;
    for (int i = 0, count = upTo(3); i < count; ++i)
      reads.push_back(upTo(1) ? before - 1 : upTo(before - 1));
    int results = std::min(2, upTo(7) / 2);
    for (int i = 0; i < results; ++i)
      addValue(number);
    AssignedOperation operation;
    operation.name = "operation " + std::to_string(number);
    for (int w = 0, candidates = 1 + upTo(2); w < candidates; ++w) {
      Candidate candidate{"candidate " + std::to_string(w), upTo(20), {}, {}};
      for (int i = 0; i < results; ++i)
        candidate.resultLayouts.push_back(someLayout(before + i));
      for (int value : reads)
        candidate.operandLayouts.push_back({value, someLayout(value)});
      operation.candidates.push_back(std::move(candidate));
    }
    problem.operations.push_back(std::move(operation));
  }

  void addRow(int at, int tile) {
    CapacityRow row{at, tile, 8 + upTo(25), upTo(3), {}, {}};
    for (size_t w = 0; w < problem.operations[at].candidates.size(); ++w)
      if (upTo(1))
        row.candidates.push_back({static_cast<int>(w), upTo(6)});
    for (int v = 0; v < static_cast<int>(problem.values.size()); ++v)
      if (problem.values[v].madeBy <= at && upTo(2) == 0)
        for (int f = 0; f < static_cast<int>(problem.values[v].layouts.size());
             ++f)
          if (upTo(1))
            row.layouts.push_back({{v, f}, upTo(9)});
    problem.memory.push_back(std::move(row));
  }

  std::mt19937 &random;
  AssignmentProblem problem;
};

/// The same block again and again.
class Repeater {
public:
  Repeater(AssignmentProblem block, std::mt19937 &random)
      : block(std::move(block)) {
    for (size_t v = 0; v < this->block.values.size(); ++v)
      isShared.push_back(std::uniform_int_distribution<int>(0, 1)(random));
    if (this->block.values.back().madeBy >= 0)
      readOutputFirst();
  }

  AssignmentProblem repeat(int blocks) {
    for (int i = 0; i < blocks; ++i)
      add(i == 0);
    return std::move(repeated);
  }

private:
  /// Gives the first argument the layouts of the last value, which the next
  /// block reads in its place.
  void readOutputFirst() {
    AssignedValue &input = block.values.front();
    input.layouts = block.values.back().layouts;
    input.moves = block.values.back().moves;
    int layouts = static_cast<int>(input.layouts.size());
    for (AssignedOperation &operation : block.operations)
      for (Candidate &candidate : operation.candidates)
        for (ValueLayout &operand : candidate.operandLayouts)
          if (operand.value == 0)
            operand.layout %= layouts;
    for (CapacityRow &row : block.memory)
      std::erase_if(row.layouts, [&](const LayoutBytes &term) {
        return term.layout.value == 0 && term.layout.layout >= layouts;
      });
    isChained = true;
  }

  void add(bool isFirst) {
    int before = static_cast<int>(repeated.operations.size());
    int last = numbers.empty() ? 0 : numbers.back();
    std::vector<int> old = std::move(numbers);
    numbers.clear();
    for (size_t v = 0; v < block.values.size(); ++v) {
      AssignedValue value = block.values[v];
      bool isArgument = value.madeBy < 0;
      if (!isFirst && isChained && v == 0) {
        numbers.push_back(last);
      } else if (!isFirst && isArgument && isShared[v]) {
        numbers.push_back(old[v]);
      } else {
        if (!isArgument)
          value.madeBy += before;
        numbers.push_back(static_cast<int>(repeated.values.size()));
        repeated.values.push_back(std::move(value));
      }
    }
    for (AssignedOperation operation : block.operations) {
      for (Candidate &candidate : operation.candidates)
        for (ValueLayout &operand : candidate.operandLayouts)
          operand.value = numbers[operand.value];
      repeated.operations.push_back(std::move(operation));
    }
    for (CapacityRow row : block.memory) {
      row.at += before;
      for (LayoutBytes &term : row.layouts)
        term.layout.value = numbers[term.layout.value];
      repeated.memory.push_back(std::move(row));
    }
  }

  AssignmentProblem block, repeated;
  std::vector<bool> isShared;
  bool isChained = false;
  /// Of the values of the block that was added last.
  std::vector<int> numbers;
};

} // namespace

AssignmentProblem randomProblem(std::mt19937 &random, int mostOperations) {
  return Builder(random).build(mostOperations);
}

AssignmentProblem repeatedProblem(std::mt19937 &random, int mostOperations,
                                  int blocks) {
  return Repeater(Builder(random).build(mostOperations), random).repeat(blocks);
}

void crowdMemory(AssignmentProblem &problem, std::mt19937 &random) {
  auto upTo = [&](int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  };
  std::vector<int> lastRead(problem.values.size(), -1);
  for (size_t i = 0; i < problem.operations.size(); ++i)
    for (const Candidate &candidate : problem.operations[i].candidates)
      for (ValueLayout operand : candidate.operandLayouts)
        lastRead[operand.value] = static_cast<int>(i);
  problem.memory.clear();
  std::vector<std::vector<int64_t>> bytes;
  for (const AssignedValue &value : problem.values) {
    bytes.emplace_back();
    for (size_t f = 0; f < value.layouts.size(); ++f)
      bytes.back().push_back(upTo(9));
  }
  int room = 4 + upTo(30);
  for (int i = 0; i < static_cast<int>(problem.operations.size()); ++i) {
    CapacityRow row{i, 0, room + upTo(4), 0, {}, {}};
    for (int v = 0; v < static_cast<int>(problem.values.size()); ++v)
      if (problem.values[v].madeBy <= i && lastRead[v] >= i)
        for (int f = 0; f < static_cast<int>(bytes[v].size()); ++f)
          row.layouts.push_back({{v, f}, bytes[v][f]});
    problem.memory.push_back(std::move(row));
  }
}

void readAfter(AssignmentProblem &problem, std::mt19937 &random) {
  auto upTo = [&](size_t most) {
    return std::uniform_int_distribution<size_t>(0, most)(random);
  };
  std::vector<int> reads;
  for (size_t i = 0, last = upTo(2); i <= last; ++i)
    reads.push_back(static_cast<int>(upTo(problem.values.size() - 1)));
  AssignedOperation &added = problem.operations.emplace_back();
  added.name = "reads after";
  for (size_t w = 0, last = upTo(1); w <= last; ++w) {
    Candidate &candidate = added.candidates.emplace_back();
    candidate.cost = static_cast<int64_t>(upTo(20));
    for (int value : reads)
      candidate.operandLayouts.push_back(
          {value,
           static_cast<int>(upTo(problem.values[value].layouts.size() - 1))});
  }
}

} // namespace npu
