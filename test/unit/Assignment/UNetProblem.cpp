// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UNetProblem.h"

#include <algorithm>
#include <array>
#include <string>

namespace npu {
namespace {

/// How a tensor lies on the four tiles, and the part of it that each has.
struct Grid {
  const char *name;
  int64_t parts;
};
constexpr std::array<Grid, 5> kGrids = {
    {{"rows", 4}, {"columns", 4}, {"grid", 4}, {"two rows", 2}, {"all", 1}}};

class UNet {
public:
  UNet(const UNetShape &shape, std::mt19937 &random)
      : shape(shape), random(random) {}

  AssignmentProblem build() {
    int64_t bytes = shape.bytes;
    int x = addValue("%x", -1, bytes);
    std::vector<int> down;
    for (int i = 0; i < shape.skips; ++i) {
      x = addStep("down", {x}, bytes);
      down.push_back(x);
      bytes -= bytes * shape.shrink / 100;
    }
    x = addStep("middle", {x}, bytes);
    while (!down.empty()) {
      int skip = down.back();
      down.pop_back();
      x = addStep("join", {x, skip}, sizes[skip]);
      x = addStep("up", {x}, sizes[skip]);
    }
    problem.operations.push_back(
        {"return", "", {{"as it is written", 0, {}, {{x, ddr()}}}}});
    if (shape.scratchpad > 0)
      addMemory();
    return std::move(problem);
  }

private:
  int ddr() const { return shape.layouts; }
  int64_t bytesOf(int64_t bytes, int layout) const {
    return layout == ddr() ? 0 : bytes / kGrids[layout].parts;
  }

  int64_t jitter() {
    return shape.noise == 0
               ? 0
               : std::uniform_int_distribution<int64_t>(0, shape.noise)(random);
  }

  /// 32 bytes per cycle of DDR, 16 between tiles. Arguments are in DDR.
  int64_t moveCost(int64_t bytes, int from, int to) {
    if (from == to)
      return 0;
    if (from == ddr() || to == ddr())
      return 500 + bytes / 32 + jitter();
    if (kGrids[from].parts == 1)
      return 0;
    return 100 + bytesOf(bytes, to) / 16 + jitter();
  }

  int addValue(std::string name, int madeBy, int64_t bytes) {
    AssignedValue value{std::move(name), madeBy, {}, {}};
    bool isArgument = madeBy < 0;
    auto layoutOf = [&](int layout) {
      return !isArgument ? layout : layout == 0 ? ddr() : layout - 1;
    };
    for (int from = 0; from <= ddr(); ++from) {
      int layout = layoutOf(from);
      value.layouts.emplace_back(layout == ddr() ? "ddr" : kGrids[layout].name);
      value.moves.emplace_back();
      for (int to = 0; to <= ddr(); ++to)
        value.moves.back().push_back(moveCost(bytes, layout, layoutOf(to)));
    }
    sizes.push_back(bytes);
    problem.values.push_back(std::move(value));
    return static_cast<int>(problem.values.size()) - 1;
  }

  /// A step runs as its result lies, and reads its operands so.
  int addStep(const char *name, const std::vector<int> &operands,
              int64_t bytes) {
    int number = static_cast<int>(problem.operations.size());
    AssignedOperation operation{name, "", {}};
    for (int layout = 0; layout < shape.layouts; ++layout) {
      Candidate candidate{kGrids[layout].name,
                          200 + bytesOf(bytes, layout) / 8 + jitter(),
                          {layout},
                          {}};
      for (int operand : operands)
        candidate.operandLayouts.push_back(
            {operand,
             problem.values[operand].madeBy < 0 ? layout + 1 : layout});
      operation.candidates.push_back(std::move(candidate));
    }
    if (shape.spills && operands.size() == 2)
      addSpills(operation, operands[1]);
    problem.operations.push_back(std::move(operation));
    return addValue(std::string("%") + name, number, bytes);
  }

  /// Lets the join load the skip, which is stored when it is made: what is
  /// loaded is a value of its own, which is in DDR from the beginning. What
  /// holds the skip on tiles from its first reader to the join is another one,
  /// which takes nothing unless the join reads it.
  void addSpills(AssignedOperation &join, int skip) {
    int maker = problem.values[skip].madeBy;
    int loaded = addValue("%loaded", -1, sizes[skip]);
    int held = addHeld(skip);
    for (Candidate &candidate : problem.operations[maker].candidates)
      candidate.resultLayouts.push_back(candidate.resultLayouts.front());
    for (size_t w = 0, count = join.candidates.size(); w < count; ++w) {
      Candidate other = join.candidates[w];
      int layout = other.operandLayouts[1].layout;
      join.candidates[w].operandLayouts[1] = {held, shape.layouts + layout};
      other.what += ", loads operand 1 again";
      other.operandLayouts[1] = {skip, ddr()};
      other.operandLayouts.push_back({loaded, layout + 1});
      join.candidates.push_back(std::move(other));
    }
  }

  /// Layouts that tell how the skip was made, and after them those in which it
  /// is held.
  int addHeld(int skip) {
    int count = shape.layouts;
    AssignedValue value{"%held", problem.values[skip].madeBy, {}, {}};
    const auto &moves = problem.values[skip].moves;
    for (int from = 0; from < 2 * count; ++from) {
      value.layouts.emplace_back(kGrids[from % count].name);
      value.moves.emplace_back(2 * count, kImpossible);
      if (from < count)
        std::copy_n(moves[from].begin(), count,
                    value.moves.back().begin() + count);
      value.moves.back()[from] = 0;
    }
    sizes.push_back(sizes[skip]);
    problem.values.push_back(std::move(value));
    int held = static_cast<int>(problem.values.size()) - 1;
    heldFor.emplace_back(skip, held);
    return held;
  }

  /// The bytes of a layout of a value on each tile that has a part.
  int64_t bytesIn(int value, int layout) const {
    const std::string &name = problem.values[value].layouts[layout];
    for (const Grid &grid : kGrids)
      if (name == grid.name)
        return sizes[value] / grid.parts;
    return 0;
  }

  struct Range {
    int first = -1;
    int last = -1;
  };

  /// A layout counts from its maker, or the first operation that may read it,
  /// to the last one that may. What is kept begins when the skip ends.
  void addMemory() {
    std::vector<std::vector<Range>> ranges;
    for (const AssignedValue &value : problem.values)
      ranges.emplace_back(value.layouts.size());
    for (int i = 0; i < static_cast<int>(problem.operations.size()); ++i)
      for (const Candidate &candidate : problem.operations[i].candidates) {
        for (int v = 0, result = 0; v < static_cast<int>(ranges.size()); ++v)
          if (problem.values[v].madeBy == i) {
            Range &range = ranges[v][candidate.resultLayouts[result++]];
            range = {i, i};
          }
        for (ValueLayout operand : candidate.operandLayouts) {
          Range &range = ranges[operand.value][operand.layout];
          range.first = range.first < 0 ? i : range.first;
          range.last = i;
        }
      }
    for (auto [skip, held] : heldFor) {
      int last = -1;
      for (const Range &range : ranges[skip])
        if (&range != &ranges[skip].back())
          last = std::max(last, range.last);
      for (Range &range : ranges[held])
        range.first = last + 1;
      for (int f = 0; f < shape.layouts; ++f)
        ranges[held][f] = {};
    }
    for (int i = 0; i < static_cast<int>(problem.operations.size()); ++i) {
      CapacityRow row{i, 0, shape.scratchpad, 0, {}, {}};
      for (int v = 0; v < static_cast<int>(ranges.size()); ++v)
        for (int f = 0; f < static_cast<int>(ranges[v].size()); ++f) {
          int64_t bytes = bytesIn(v, f);
          if (bytes > 0 && ranges[v][f].first <= i && i <= ranges[v][f].last)
            row.layouts.push_back({{v, f}, bytes});
        }
      problem.memory.push_back(std::move(row));
    }
  }

  const UNetShape &shape;
  std::mt19937 &random;
  AssignmentProblem problem;
  std::vector<int64_t> sizes;
  /// A skip, and what holds it until it is joined.
  std::vector<std::pair<int, int>> heldFor;
};

} // namespace

AssignmentProblem uNetProblem(const UNetShape &shape, std::mt19937 &random) {
  return UNet(shape, random).build();
}

int64_t leastScratchpad(const UNetShape &shape) {
  int64_t bytes = shape.bytes, all = 0, last = 0;
  for (int i = 0; i < shape.skips; ++i) {
    all += bytes / 4;
    last = bytes / 4;
    bytes -= bytes * shape.shrink / 100;
  }
  // In the middle all skips and the result of the middle are there; the join
  // after it makes one more, of the size of the last skip.
  if (!shape.spills)
    return all + bytes / 4 + last;
  return 3 * (shape.bytes / 4);
}

} // namespace npu
