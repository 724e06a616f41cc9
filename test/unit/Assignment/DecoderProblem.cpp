// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DecoderProblem.h"

#include <algorithm>
#include <string>

namespace npu {
namespace {

/// The layouts of a matrix: how rows and columns are divided, and which of them
/// lie beside each other in memory.
struct Grid {
  const char *name;
  int rows, columns;
  /// All tiles have the same.
  bool isDuplicated;
  bool isTransposed;
};

constexpr Grid kGrids[] = {
    {"rows", 4, 1, false, false},
    {"columns", 1, 4, false, false},
    {"all", 1, 1, true, false},
    {"grid", 2, 2, false, false},
    {"two rows", 2, 1, false, false},
    {"two columns", 1, 2, false, false},
    {"one", 1, 1, false, false},
    {"rows, columns first", 4, 1, false, true},
    {"columns, columns first", 1, 4, false, true},
    {"all, columns first", 1, 1, true, true},
    {"grid, columns first", 2, 2, false, true},
};
constexpr int kRows = 0, kColumns = 1, kAll = 2, kGrid = 3, kTwoRows = 4,
              kTwoColumns = 5, kOne = 6, kTransposed = 7, kLast = 10, kDdr = 11;

/// Layouts of which one contains the other move nothing.
bool contains(const Grid &from, const Grid &to) {
  if (from.isTransposed != to.isTransposed)
    return false;
  if (from.isDuplicated)
    return true;
  return from.rows == to.rows && from.columns == to.columns && !to.isDuplicated;
}

class Decoder {
public:
  Decoder(const DecoderShape &shape, std::mt19937 &random)
      : shape(shape), random(random) {}

  AssignmentProblem build() {
    // Layers without differences get the same sequence of random numbers.
    unsigned seed = random();
    int64_t tokens = shape.tokens;
    int mask = argument("%mask", tokens, tokens);
    int cosine = argument("%cos", tokens, shape.hidden);
    int sine = argument("%sin", tokens, shape.hidden);
    int x = argument("%x", tokens, shape.hidden);
    for (int i = 0; i < shape.layers; ++i) {
      if (!shape.layersDiffer)
        noise.seed(seed);
      x = layer(x, mask, cosine, sine);
    }
    begin("return");
    candidate("as it is written", 0, {}, {{x, kDdr}});
    if (shape.scratchpad > 0)
      addMemory();
    return std::move(problem);
  }

private:
  int64_t jitter() {
    return shape.noise == 0
               ? 0
               : std::uniform_int_distribution<int64_t>(0, shape.noise)(noise);
  }

  /// 32 bytes per cycle of DDR, 16 of each port between tiles, elements of 2.
  int64_t moveCost(int64_t elements, int from, int to) {
    if (from == to)
      return 0;
    if (from == kDdr || to == kDdr)
      return 500 + elements * 2 / 32 + jitter();
    const Grid &a = kGrids[from], &b = kGrids[to];
    if (contains(a, b))
      return 0;
    int64_t received = elements * 2 / (int64_t{b.rows} * b.columns);
    int64_t slower = a.isTransposed != b.isTransposed ? 2 : 1;
    return 100 + received / 16 * slower + jitter();
  }

  int value(std::string name, int madeBy, int64_t rows, int64_t columns) {
    AssignedValue added{std::move(name), madeBy, {}, {}};
    for (const Grid &grid : kGrids)
      added.layouts.push_back(grid.name);
    added.layouts.push_back("ddr");
    if (madeBy < 0) // Arguments exist in layout 0.
      std::swap(added.layouts.front(), added.layouts.back());
    auto layoutOf = [&](int layout) {
      return madeBy >= 0      ? layout
             : layout == 0    ? kDdr
             : layout == kDdr ? 0
                              : layout;
    };
    for (int from = 0; from <= kDdr; ++from) {
      added.moves.emplace_back();
      for (int to = 0; to <= kDdr; ++to)
        added.moves.back().push_back(
            moveCost(rows * columns, layoutOf(from), layoutOf(to)));
    }
    elements.push_back(rows * columns);
    problem.values.push_back(std::move(added));
    return static_cast<int>(problem.values.size()) - 1;
  }

  int argument(const char *name, int64_t rows, int64_t columns) {
    return value(name, -1, rows, columns);
  }

  void begin(const char *name) { problem.operations.push_back({name, "", {}}); }

  /// Adds a candidate of the operation that was begun last.
  void candidate(const char *what, int64_t cost, std::vector<int> makes,
                 std::vector<ValueLayout> operandLayouts) {
    for (ValueLayout &operand : operandLayouts)
      if (problem.values[operand.value].madeBy < 0)
        operand.layout = operand.layout == kDdr ? 0
                         : operand.layout == 0  ? kDdr
                                                : operand.layout;
    problem.operations.back().candidates.push_back(
        {what, cost + jitter(), std::move(makes), std::move(operandLayouts)});
  }

  int last() const { return static_cast<int>(problem.operations.size()) - 1; }

  /// Everything in one layout, whatever layout that is.
  int elementwise(const char *name, std::vector<int> operands, int64_t rows,
                  int64_t columns) {
    begin(name);
    for (int layout = 0; layout <= kLast; ++layout) {
      const Grid &grid = kGrids[layout];
      // Tiles without rows or columns have nothing to do.
      if (grid.rows > rows || grid.columns > columns)
        continue;
      std::vector<ValueLayout> operandLayouts;
      for (int operand : operands)
        operandLayouts.push_back({operand, layout});
      candidate(grid.name,
                60 + rows * columns / (int64_t{grid.rows} * grid.columns) / 16,
                {layout}, std::move(operandLayouts));
    }
    inDdr(rows * columns * 4 / 16, operands);
    return value(name, last(), rows, columns);
  }

  /// Everything stays where it is and is computed from there, slowly.
  void inDdr(int64_t cycles, const std::vector<int> &operands) {
    std::vector<ValueLayout> operandLayouts;
    for (int operand : operands)
      operandLayouts.push_back({operand, kDdr});
    candidate("in DDR", 2000 + cycles, {kDdr}, std::move(operandLayouts));
  }

  /// Sums of rows: columns that are divided are combined.
  int reduction(const char *name, int operand, int64_t rows, int64_t columns) {
    begin(name);
    for (int layout : {kRows, kAll, kTwoRows, kOne, kTransposed, kLast - 1}) {
      const Grid &grid = kGrids[layout];
      candidate(grid.name, 60 + rows * columns / grid.rows / 16, {layout},
                {{operand, layout}});
    }
    candidate("columns", 400 + rows * columns / 4 / 16 + rows / 4, {kAll},
              {{operand, kColumns}});
    inDdr(rows * columns * 2 / 16, {operand});
    return value(name, last(), rows, 1);
  }

  /// rows x inner times inner x columns, 2048 products each cycle.
  int product(const char *name, int left, int right, int64_t rows,
              int64_t inner, int64_t columns) {
    begin(name);
    int64_t whole = rows * inner * columns / 2048;
    candidate("split d0 over 4", 200 + whole / 4, {kRows},
              {{left, kRows}, {right, kAll}});
    candidate("split d1 over 4", 200 + whole / 4, {kColumns},
              {{left, kAll}, {right, kColumns}});
    candidate("2 x 2 grid of d0 and d1", 200 + whole / 4, {kGrid},
              {{left, kTwoRows}, {right, kTwoColumns}});
    candidate("split d0 over 2", 200 + whole / 2, {kTwoRows},
              {{left, kTwoRows}, {right, kAll}});
    candidate("split d1 over 2", 200 + whole / 2, {kTwoColumns},
              {{left, kAll}, {right, kTwoColumns}});
    candidate("split d2 over 4", 200 + whole / 4 + rows * columns / 32, {kAll},
              {{left, kColumns}, {right, kRows}});
    candidate("duplicated", 200 + whole, {kAll}, {{left, kAll}, {right, kAll}});
    candidate("one tile", 200 + whole, {kOne}, {{left, kOne}, {right, kOne}});
    candidate("split d0 over 4, columns first", 260 + whole / 4, {kTransposed},
              {{left, kRows}, {right, kAll}});
    candidate("split d1 over 4, columns first", 260 + whole / 4,
              {kTransposed + 1}, {{left, kAll}, {right, kColumns}});
    inDdr(whole + (rows + columns) * inner / 16, {left, right});
    return value(name, last(), rows, columns);
  }

  /// The other order is read of the same memory.
  int transpose(const char *name, int operand, int64_t rows, int64_t columns) {
    begin(name);
    for (auto [from, to] : {std::pair(kRows, 8),
                            {kColumns, 7},
                            {kAll, 9},
                            {7, kColumns},
                            {8, kRows},
                            {9, kAll}})
      candidate(kGrids[to].name, 0, {to}, {{operand, from}});
    inDdr(0, {operand});
    return value(name, last(), rows, columns);
  }

  int norm(int x) {
    int64_t t = shape.tokens, h = shape.hidden;
    int squared = elementwise("square", {x}, t, h);
    int sum = reduction("sum", squared, t, h);
    int mean = elementwise("mean", {sum}, t, 1);
    int root = elementwise("rsqrt", {mean}, t, 1);
    int scaled = broadcast("scale", x, root, t, h);
    int weight = argument("%norm", 1, h);
    return broadcast("weight", scaled, weight, t, h);
  }

  /// An elementwise operation, of which one operand is small.
  int broadcast(const char *name, int large, int small, int64_t rows,
                int64_t columns) {
    return elementwise(name, {large, small}, rows, columns);
  }

  int linear(const char *name, int x, int64_t inner, int64_t columns) {
    int weight = argument("%weight", inner, columns);
    return product(name, x, weight, shape.tokens, inner, columns);
  }

  int rotate(int x, int cosine, int sine, int64_t columns) {
    int64_t t = shape.tokens;
    int straight = elementwise("cos", {x, cosine}, t, columns);
    int turned = elementwise("rotate", {x}, t, columns);
    int crossed = elementwise("sin", {turned, sine}, t, columns);
    return elementwise("rope", {straight, crossed}, t, columns);
  }

  int biased(const char *name, int x, int64_t columns) {
    int product = linear(name, x, shape.hidden, columns);
    int bias = argument("%bias", 1, columns);
    return broadcast("bias", product, bias, shape.tokens, columns);
  }

  int attention(int x, int mask, int cosine, int sine) {
    int64_t t = shape.tokens, h = shape.hidden;
    int64_t kv = h / shape.heads * shape.keyHeads;
    int q = rotate(biased("q", x, h), cosine, sine, h);
    int k = rotate(biased("k", x, kv), cosine, sine, kv);
    int v = biased("v", x, kv);
    int keys = transpose("transpose", k, kv, t);
    int64_t wide = t * shape.heads;
    int scores = product("scores", q, keys, t, h, wide);
    int scaled = elementwise("scale", {scores}, t, wide);
    int masked = elementwise("mask", {scaled, mask}, t, wide);
    int most = reduction("max", masked, t, wide);
    int lowered = elementwise("subtract", {masked, most}, t, wide);
    int powers = elementwise("exp", {lowered}, t, wide);
    int sums = reduction("sums", powers, t, wide);
    int soft = elementwise("divide", {powers, sums}, t, wide);
    int mixed = product("mix", soft, v, t, t, h);
    return linear("o", mixed, h, h);
  }

  int layer(int x, int mask, int cosine, int sine) {
    int64_t t = shape.tokens, h = shape.hidden, f = shape.inner;
    int attended = attention(norm(x), mask, cosine, sine);
    int middle = elementwise("add", {x, attended}, t, h);
    int normed = norm(middle);
    int gate = linear("gate", normed, h, f);
    int up = linear("up", normed, h, f);
    int sigmoid = elementwise("sigmoid", {gate}, t, f);
    int silu = elementwise("silu", {gate, sigmoid}, t, f);
    int both = elementwise("times", {silu, up}, t, f);
    return elementwise("add", {middle, linear("down", both, f, h)}, t, h);
  }

  int64_t bytesOf(int value, int layout) const {
    bool isArgument = problem.values[value].madeBy < 0;
    int grid = isArgument && layout == 0      ? kDdr
               : isArgument && layout == kDdr ? 0
                                              : layout;
    if (grid == kDdr)
      return 0;
    return elements[value] * 2 /
           (int64_t{kGrids[grid].rows} * kGrids[grid].columns);
  }

  /// Each layout takes memory from where it is made, or first needed of an
  /// argument, until no candidate operandLayouts it any more.
  void addMemory() {
    size_t count = problem.values.size();
    std::vector<int> first(count, -1);
    std::vector<std::vector<int>> last(count, std::vector<int>(kDdr + 1, -1));
    for (size_t v = 0; v < count; ++v)
      first[v] = problem.values[v].madeBy;
    for (size_t i = 0; i < problem.operations.size(); ++i)
      for (const Candidate &candidate : problem.operations[i].candidates)
        for (ValueLayout operand : candidate.operandLayouts) {
          if (first[operand.value] < 0)
            first[operand.value] = static_cast<int>(i);
          last[operand.value][operand.layout] = static_cast<int>(i);
        }
    for (int i = 0; i < static_cast<int>(problem.operations.size()); ++i) {
      CapacityRow row{i, 0, shape.scratchpad, 0, {}, {}};
      for (size_t v = 0; v < count; ++v)
        for (int layout = 0; layout <= kDdr; ++layout)
          if (first[v] <= i && last[v][layout] >= i)
            if (int64_t bytes = bytesOf(static_cast<int>(v), layout))
              row.layouts.push_back({{static_cast<int>(v), layout}, bytes});
      problem.memory.push_back(std::move(row));
    }
  }

  DecoderShape shape;
  std::mt19937 &random;
  std::mt19937 noise;
  AssignmentProblem problem;
  /// Of each value.
  std::vector<int64_t> elements;
};

} // namespace

AssignmentProblem decoderProblem(const DecoderShape &shape,
                                 std::mt19937 &random) {
  return Decoder(shape, random).build();
}

} // namespace npu
