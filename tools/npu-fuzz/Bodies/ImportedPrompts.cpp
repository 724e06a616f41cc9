// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of ONNX graphs along prompts of any length: computed slices, masks,
// ranges and concatenated caches, as exporters write them.

#include "ImageSteps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace npu {
namespace {

class GraphMaker : public ImageSteps {
public:
  using ImageSteps::ImageSteps;

  MadeFunction run() {
    addInputs();
    for (int64_t steps = between(3, 9); steps > 0; --steps)
      addStep();
    return made();
  }

private:
  // Steps. One that is not legal adds nothing.

  void addStep() {
    const Tensor from = pick();
    using Step = void (GraphMaker::*)(const Tensor &);
    static constexpr Step kSteps[] = {
        &GraphMaker::unary,     &GraphMaker::binary,    &GraphMaker::product,
        &GraphMaker::attention, &GraphMaker::reduce,    &GraphMaker::softmax,
        &GraphMaker::slice,     &GraphMaker::slice,     &GraphMaker::slice,
        &GraphMaker::concat,    &GraphMaker::concat,    &GraphMaker::pad,
        &GraphMaker::cumSum,    &GraphMaker::entry,     &GraphMaker::turn,
        &GraphMaker::merge,     &GraphMaker::expand,    &GraphMaker::masked,
        &GraphMaker::masked,    &GraphMaker::masked,    &GraphMaker::triangle,
        &GraphMaker::window,    &GraphMaker::window,    &GraphMaker::resize,
        &GraphMaker::hide,      &GraphMaker::largest,   &GraphMaker::scatter,
        &GraphMaker::byCount,   &GraphMaker::filled,    &GraphMaker::gather,
        &GraphMaker::positions, &GraphMaker::recurrent, &GraphMaker::blocks,
        &GraphMaker::pad,       &GraphMaker::window,    &GraphMaker::window,
        &GraphMaker::largest,   &GraphMaker::table,     &GraphMaker::flat,
        &GraphMaker::assign};
    (this->*kSteps[below(std::ssize(kSteps))])(from);
  }

  void unary(const Tensor &x) {
    constexpr const char *kOps[] = {"Relu", "Neg",  "Abs", "Tanh", "Sigmoid",
                                    "Erf",  "Sqrt", "Exp", "Floor"};
    add(kOps[below(std::size(kOps))], x.name, x);
  }

  void binary(const Tensor &x) {
    constexpr const char *kOps[] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
    std::string op = kOps[below(std::size(kOps))];
    const Tensor other = values[below(std::ssize(values))];
    auto dims = together(x, other);
    if (other.type != 'f' || !dims || volume(*dims) > kMost)
      add(op, x.name + ", " + real(0.75), x);
    else if (oneIn(2))
      add(op, x.name + ", " + other.name, {"", 'f', *dims});
    else
      add(op, other.name + ", " + x.name, {"", 'f', *dims});
  }

  void product(const Tensor &x) {
    if (x.rank() < 2 || !isFixed(x.dims.back()))
      return;
    Tensor y = x;
    int64_t width = between(2, 4);
    y.dims.back() = fixed(width);
    add("MatMul", x.name + ", " + weights({x.dims.back().front(), width}), y);
  }

  /// Scores of all rows with all rows, at times weights of rows.
  void attention(const Tensor &x) {
    if (x.rank() < 2)
      return;
    std::vector<int64_t> perm;
    for (int64_t dim = 0; dim < x.rank(); ++dim)
      perm.push_back(dim);
    std::swap(perm[x.rank() - 1], perm[x.rank() - 2]);
    Tensor scores = x;
    scores.dims.back() = x.dims[x.rank() - 2];
    if (volume(scores.dims) > kMost)
      return;
    std::string keys = node("Transpose", x.name,
                            fmt::format("perm = [{}]", fmt::join(perm, ", ")));
    add("MatMul", x.name + ", " + keys, scores);
    if (oneIn(2))
      masked(values.back());
    if (oneIn(2)) {
      Tensor last = values.back();
      add("Softmax", last.name, last, "axis = -1");
      add("MatMul", values.back().name + ", " + x.name, x);
    }
  }

  void reduce(const Tensor &x) {
    if (x.rank() == 0)
      return;
    int64_t axis = below(x.rank());
    bool keeps = oneIn(2);
    Tensor y = x;
    if (keeps)
      y.dims[axis] = fixed(1);
    else
      y.dims.erase(y.dims.begin() + axis);
    std::string kept = fmt::format("keepdims = {}", keeps ? 1 : 0);
    constexpr const char *kOps[] = {"ReduceMean", "ReduceMax", "ReduceMin",
                                    "ReduceL2"};
    if (oneIn(3))
      add("ReduceSum", x.name + ", " + ints({axis}), y, kept);
    else
      add(kOps[below(std::size(kOps))], x.name, y,
          fmt::format("axes = [{}], {}", axis, kept));
  }

  void softmax(const Tensor &x) {
    if (x.rank() > 0)
      add("Softmax", x.name, x, fmt::format("axis = {}", below(x.rank())));
  }

  void slice(const Tensor &x) {
    if (x.rank() == 0)
      return;
    int64_t axis = below(x.rank()), k = between(1, 2);
    for (int64_t dim = 0; dim < x.rank() && !oneIn(3); ++dim)
      if (!isFixed(x.dims[dim]))
        axis = dim;
    const Counts &n = x.dims[axis];
    Counts left = n;
    bool mayBeEmpty = false;
    std::string begin, end = ints({INT64_MAX}), step = ints({1});
    switch (below(7)) {
    case 0: // The last entries.
      begin = ints({-k});
      left = each(n, [&](int64_t m, int64_t) { return std::min(m, k); });
      if (left != fixed(k))
        return;
      break;
    case 1: // All but the last.
      begin = ints({0});
      end = ints({-k});
      left = each(n, [&](int64_t m, int64_t) { return m - k; });
      break;
    case 2: // All but the first.
      begin = ints({k});
      left = each(n, [&](int64_t m, int64_t) { return m - k; });
      break;
    case 3: { // Up to a computed position.
      Scalar last = plus(extent(x, axis), -k);
      begin = ints({0});
      end = listed(last);
      left = last.counts;
      break;
    }
    case 4: { // From a computed position on.
      Scalar first = plus(extent(x, axis), -k);
      begin = listed(first);
      left = fixed(k);
      if (least(first.counts) < 0)
        return;
      break;
    }
    case 5: // Every other entry.
      begin = ints({0});
      step = ints({2});
      left = each(n, [&](int64_t m, int64_t) { return (m + 1) / 2; });
      mayBeEmpty = true;
      break;
    default: // From the end.
      mayBeEmpty = true;
      begin = ints({-1});
      end = ints({INT64_MIN});
      step = ints({-1});
      break;
    }
    if (least(left) < (mayBeEmpty ? 0 : 1))
      return;
    Tensor y = x;
    y.dims[axis] = left;
    add("Slice",
        fmt::format("{}, {}, {}, {}, {}", x.name, begin, end, ints({axis}),
                    step),
        y);
  }

  /// Concatenates with a cache, or with another value, on either side.
  void concat(const Tensor &x) {
    if (x.rank() == 0)
      return;
    std::vector<std::pair<Tensor, int64_t>> found;
    for (const Tensor &other : values) {
      if (other.type != 'f' || other.rank() != x.rank())
        continue;
      for (int64_t axis = 0; axis < x.rank(); ++axis) {
        bool fits = true;
        for (int64_t dim = 0; dim < x.rank(); ++dim)
          fits &= dim == axis || other.dims[dim] == x.dims[dim];
        if (fits)
          found.push_back({other, axis});
      }
    }
    const auto &[other, axis] = found[below(std::ssize(found))];
    Tensor y = x;
    y.dims[axis] = each(
        x.dims[axis], [&, &other = other, axis = axis](int64_t m, int64_t at) {
          return m + other.dims[axis][at];
        });
    if (volume(y.dims) > kMost)
      return;
    add("Concat",
        oneIn(2) ? x.name + ", " + other.name : other.name + ", " + x.name, y,
        fmt::format("axis = {}", axis));
  }

  /// A dimension of a value that follows from a prompt; nothing where that is
  /// too long for what is made of it.
  std::optional<Scalar> anyLength() {
    std::vector<std::pair<Tensor, int64_t>> found;
    for (const Tensor &value : values)
      for (int64_t dim = 0; dim < value.rank(); ++dim)
        if (!isFixed(value.dims[dim]) &&
            mostTried(value.dims[dim]) <= kMost / 20)
          found.push_back({value, dim});
    if (found.empty())
      return std::nullopt;
    const auto &[value, dim] = found[below(std::ssize(found))];
    return extent(value, dim);
  }

  /// The rows of a table up to the sum of two lengths, the new ones of these,
  /// or what is left of the table, as decoders read rotary embeddings.
  void table(const Tensor &x) {
    std::optional<Scalar> past = anyLength(), rows = anyLength();
    if (!past || !rows)
      return;
    Scalar both = plus(*past, *rows);
    int64_t height = mostTried(both.counts) + between(1, 3);
    bool isAsWide = x.rank() > 0 && isFixed(x.dims.back());
    int64_t width = isAsWide ? x.dims.back().front() : 2;
    if (height * width > kMost)
      return;
    // Long prompts end beyond the table, which has no more rows for them.
    auto inside = [&](const Counts &counts) {
      return each(counts,
                  [&](int64_t m, int64_t) { return std::min(m, height); });
    };
    auto difference = [&](const Counts &a, const Counts &b) {
      return each(a, [&](int64_t m, int64_t at) { return m - b[at]; });
    };
    std::string begin = ints({0}), end = ints({INT64_MAX});
    Counts read, asked;
    // From the end, 0 is no bound.
    switch (below(least(both.counts) > 0 ? 4 : 3)) {
    case 0:
      end = listed(both);
      asked = both.counts;
      read = inside(asked);
      break;
    case 1:
      begin = listed(*past);
      end = listed(both);
      asked = rows->counts;
      read = difference(inside(both.counts), inside(past->counts));
      break;
    case 2:
      begin = listed(both);
      asked = read = difference(fixed(height), inside(both.counts));
      break;
    default:
      end = node("Neg", listed(both));
      asked = read = difference(fixed(height), inside(both.counts));
      break;
    }
    Tensor y{"", 'f', {read, fixed(width)}};
    add("Slice",
        fmt::format("{}, {}, {}, {}", weights({height, width}), begin, end,
                    ints({0})),
        y);
    // As many rows as are asked for, which a run makes sure of.
    Tensor last = values.back();
    last.dims[0] = asked;
    auto dims = together(x, last);
    if (dims && (x.rank() < 2 || x.dims[x.rank() - 2] == fixed(1)))
      dims->at(dims->size() - 2) = read;
    if (dims && volume(*dims) <= kMost)
      add("Mul", x.name + ", " + last.name, {"", 'f', *dims});
  }

  /// The largest entries of each position of one dimension that follows from a
  /// prompt; nothing where there is none.
  std::optional<Tensor> line(const Tensor &x) {
    for (int64_t dim = 0; dim < x.rank(); ++dim) {
      if (isFixed(x.dims[dim]))
        continue;
      std::vector<int64_t> axes;
      for (int64_t other = 0; other < x.rank(); ++other)
        if (other != dim)
          axes.push_back(other);
      if (axes.empty())
        return x;
      return Tensor{
          node("ReduceMax", x.name,
               fmt::format("axes = [{}], keepdims = 0", fmt::join(axes, ", "))),
          'f',
          {x.dims[dim]}};
    }
    return std::nullopt;
  }

  /// Something of a matrix, which gets its shape back. Two dimensions follow
  /// from prompts, and stay apart in the matrix: padding takes no other.
  void flat(const Tensor &x) {
    std::optional<Tensor> a = line(x), b = line(pick());
    if (!a || !b)
      return;
    int64_t depth = between(1, 3);
    Tensor sums{"", 'f', {a->dims[0], fixed(depth), b->dims[0]}};
    if (volume(sums.dims) > kMost)
      return;
    std::string columns = node("Unsqueeze", a->name + ", " + ints({1, 2}));
    std::string rows = node("Add", b->name + ", " + weights({depth, 1}));
    add("Add", columns + ", " + rows, sums);
    Tensor last = values.back();
    std::string matrix =
        node("Flatten", last.name, fmt::format("axis = {}", between(1, 2)));
    matrix = node(oneIn(2) ? "Tanh" : "Neg", matrix);
    add("Reshape",
        matrix + ", " + (oneIn(2) ? node("Shape", last.name) : shapeOf(last)),
        last);
  }

  /// A small number that is computed of an extent by quotients and remainders:
  /// what is left over, or what it takes to a multiple.
  Scalar leftOver(const Scalar &n) {
    int64_t by = between(2, 3);
    std::string divisor = integer(by);
    auto of = [&](const std::string &op, const std::string &a,
                  const std::string &b) { return node(op, a + ", " + b); };
    auto missing = [&](int64_t m, int64_t) { return (by - m % by) % by; };
    switch (below(5)) {
    case 0:
      return {of("Mod", n.name, divisor),
              each(n.counts, [&](int64_t m, int64_t) { return m % by; })};
    case 1:
      return {of("Mod", node("Neg", n.name), divisor), each(n.counts, missing)};
    case 2: {
      std::string rest = of("Mod", n.name, divisor);
      return {of("Mod", of("Sub", divisor, rest), divisor),
              each(n.counts, missing)};
    }
    case 3: {
      std::string groups = of("Div", plus(n, by - 1).name, divisor);
      return {of("Sub", of("Mul", groups, divisor), n.name),
              each(n.counts, missing)};
    }
    default: {
      // Of a negative number, rounded towards zero.
      std::string less = node("Neg", n.name);
      std::string parts = of("Div", less, divisor);
      std::string rest = of("Sub", less, of("Mul", parts, divisor));
      return {node("Abs", rest),
              each(n.counts, [&](int64_t m, int64_t) { return m % by; })};
    }
    }
  }

  void pad(const Tensor &x) {
    if (x.rank() == 0)
      return;
    int64_t axis = below(x.rank());
    constexpr const char *kModes[] = {"constant", "constant", "edge"};
    // An edge is an entry.
    std::string mode = fmt::format(
        "mode = \"{}\"", kModes[below(least(x.dims[axis]) < 1 ? 2 : 3)]);
    std::vector<std::string> pads;
    Tensor y = x;
    for (int64_t side = 0; side < 2; ++side)
      for (int64_t dim = 0; dim < x.rank(); ++dim) {
        if (dim != axis) {
          pads.push_back(ints({0}));
          continue;
        }
        // What is left of a table is no expression that repeats.
        bool isComputed =
            x.dims[axis].back() > x.dims[axis].front() && oneIn(2);
        Scalar more = isComputed ? leftOver(extent(x, axis)) : Scalar();
        if (!isComputed)
          more.counts = fixed(below(3));
        pads.push_back(isComputed ? listed(more) : ints({more.counts.front()}));
        y.dims[axis] = each(y.dims[axis], [&](int64_t m, int64_t at) {
          return m + more.counts[at];
        });
      }
    if (volume(y.dims) <= kMost)
      add("Pad",
          x.name + ", " +
              node("Concat", fmt::format("{}", fmt::join(pads, ", ")),
                   "axis = 0"),
          y, mode);
  }

  void cumSum(const Tensor &x) {
    if (x.rank() > 0)
      add("CumSum", x.name + ", " + integer(below(x.rank())), x,
          fmt::format("exclusive = {}, reverse = {}", below(2), below(2)));
  }

  /// One entry of a dimension, without that dimension.
  void entry(const Tensor &x) {
    if (x.rank() < 2)
      return;
    int64_t axis = below(x.rank());
    if (least(x.dims[axis]) < 1)
      return;
    Tensor y = x;
    y.dims.erase(y.dims.begin() + axis);
    std::string at =
        oneIn(2)   ? integer(-1)
        : oneIn(2) ? integer(0)
                   : node("Sub", extent(x, axis).name + ", " + integer(1));
    add("Gather", x.name + ", " + at, y, fmt::format("axis = {}", axis));
  }

  void turn(const Tensor &x) {
    std::vector<int64_t> perm;
    for (int64_t dim = 0; dim < x.rank(); ++dim)
      perm.push_back(dim);
    shuffle(perm);
    Tensor y = x;
    for (int64_t dim = 0; dim < x.rank(); ++dim)
      y.dims[dim] = x.dims[perm[dim]];
    if (x.rank() > 1)
      add("Transpose", x.name, y,
          fmt::format("perm = [{}]", fmt::join(perm, ", ")));
  }

  /// Merges two dimensions, or adds one.
  void merge(const Tensor &x) {
    if (x.rank() < 2 || oneIn(3)) {
      if (x.rank() > 3)
        return;
      int64_t at = below(x.rank() + 1);
      Tensor y = x;
      y.dims.insert(y.dims.begin() + at, fixed(1));
      add("Unsqueeze", x.name + ", " + ints({at}), y);
      return;
    }
    int64_t first = below(x.rank() - 1);
    Tensor y = x;
    y.dims[first] = each(x.dims[first], [&](int64_t m, int64_t at) {
      return m * x.dims[first + 1][at];
    });
    // A product of two lengths is no linear expression of them.
    if (!isFixed(x.dims[first]) && !isFixed(x.dims[first + 1]))
      return;
    y.dims.erase(y.dims.begin() + first + 1);
    std::vector<std::string> parts;
    for (int64_t dim = 0; dim < y.rank(); ++dim)
      parts.push_back(dim == first ? ints({-1})
                      : isFixed(y.dims[dim])
                          ? ints({y.dims[dim].front()})
                          : listed(extent(x, dim < first ? dim : dim + 1)));
    add("Reshape",
        x.name + ", " +
            node("Concat", fmt::format("{}", fmt::join(parts, ", ")),
                 "axis = 0"),
        y);
  }

  /// Repeats along a dimension of one entry as often as another has entries.
  void expand(const Tensor &x) {
    for (int64_t dim = 0; dim < x.rank(); ++dim) {
      if (x.dims[dim] != fixed(1))
        continue;
      const Tensor other = values[below(std::ssize(values))];
      if (other.rank() == 0)
        return;
      int64_t from = below(other.rank());
      Tensor y = x;
      y.dims[dim] = other.dims[from];
      if (volume(y.dims) > kMost)
        return;
      std::vector<std::string> parts;
      for (int64_t each = 0; each < x.rank(); ++each)
        parts.push_back(each == dim ? listed(extent(other, from)) : ints({1}));
      add(oneIn(2) ? "Expand" : "Tile",
          x.name + ", " +
              node("Concat", fmt::format("{}", fmt::join(parts, ", ")),
                   "axis = 0"),
          y);
      return;
    }
  }

  std::string range(const Scalar &end) {
    return node("Range", integer(0) + ", " + end.name + ", " + integer(1));
  }

  /// Hides what a comparison of positions says, as causal masks and windows do.
  void masked(const Tensor &x) {
    if (x.rank() < 2)
      return;
    Scalar rows = extent(x, x.rank() - 2), columns = extent(x, x.rank() - 1);
    std::string i = range(rows), j = range(columns);
    if (oneIn(2))
      i = node("Add", i + ", " + node("Sub", columns.name + ", " + rows.name));
    i = node("Unsqueeze", i + ", " + ints({1}));
    j = node("Unsqueeze", j + ", " + ints({0}));
    constexpr const char *kOps[] = {"LessOrEqual", "Less", "GreaterOrEqual",
                                    "Equal"};
    std::string seen = node(kOps[below(4)], j + ", " + i);
    if (oneIn(3))
      seen =
          node("And", seen + ", " +
                          node("Greater",
                               j + ", " + node("Sub", i + ", " + integer(3))));
    if (oneIn(4))
      seen = node("Not", seen);
    std::string lowest = real(oneIn(2) ? -1e4 : 0);
    if (oneIn(2))
      add("Where", seen + ", " + x.name + ", " + lowest, x);
    else
      add("Add",
          x.name + ", " + node("Where", seen + ", " + real(0) + ", " + lowest),
          x);
  }

  void triangle(const Tensor &x) {
    if (x.rank() < 2)
      return;
    Scalar rows = extent(x, x.rank() - 2), columns = extent(x, x.rank() - 1);
    std::string by = oneIn(2) ? integer(between(-1, 1))
                              : node("Sub", columns.name + ", " + rows.name);
    add("Trilu", x.name + ", " + by, x, fmt::format("upper = {}", below(2)));
  }

  /// Hides what the mask among the inputs says.
  void hide(const Tensor &x) {
    for (const Tensor &mask : values) {
      if (mask.name != "mask" || x.rank() == 0 || x.dims.back() != sequence())
        continue;
      Tensor shape = x;
      auto dims = together(x, mask);
      if (!dims || volume(*dims) > kMost)
        return;
      shape.dims = *dims;
      std::string seen = node("Greater", mask.name + ", " + integer(0));
      add("Where", seen + ", " + x.name + ", " + real(-1), shape);
      return;
    }
  }

  void largest(const Tensor &x) {
    if (x.rank() == 0)
      return;
    int64_t axis = below(x.rank());
    // None of no entries is the largest.
    if (least(x.dims[axis]) > 0 && oneIn(2)) {
      Tensor y = x;
      y.type = 'l';
      y.dims[axis] = fixed(1);
      add("ArgMax", x.name, y, fmt::format("axis = {}, keepdims = 1", axis));
      y.type = 'f';
      add("Cast", values.back().name, y, "to = 1");
      return;
    }
    // Two, or half of them.
    if (!isFixed(x.dims[axis]) || x.dims[axis].front() > 1) {
      Tensor y = x;
      std::string count = ints({2});
      y.dims[axis] = fixed(2);
      if (!isFixed(x.dims[axis])) {
        Scalar more = plus(extent(x, axis), 1);
        y.dims[axis] =
            each(more.counts, [](int64_t m, int64_t) { return m / 2; });
        count = node("Div", listed(more) + ", " + ints({2}));
      }
      std::string name = fmt::format("v{}", lines.size());
      lines.push_back(fmt::format("  {}, {}i = TopK <axis = {}> ({}, {})", name,
                                  name, axis, x.name, count));
      y.name = name;
      values.push_back(y);
    }
  }

  /// Assigns to a half of twice the value, at positions that are computed entry
  /// by entry, as exporters write slices that are assigned to.
  void assign(const Tensor &x) {
    if (x.rank() == 0 || 2 * volume(x.dims) > kMost)
      return;
    int64_t axis = below(x.rank());
    bool isAfter = oneIn(2);
    Tensor y = x;
    y.dims[axis] = each(x.dims[axis], [](int64_t m, int64_t) { return 2 * m; });
    std::string positions;
    for (int64_t dim = 0; dim < x.rank(); ++dim) {
      Scalar count = extent(x, dim);
      std::vector<int64_t> shape(x.rank(), 1);
      shape[dim] = -1;
      std::string at = range(count);
      if (dim == axis && isAfter)
        at = node("Range", count.name + ", " + plus(count, count).name + ", " +
                               integer(1));
      at = node("Reshape", at + ", " + ints(shape));
      at = node("Expand", at + ", " + shapeOf(x));
      positions +=
          (dim ? ", " : "") + node("Unsqueeze", at + ", " + ints({-1}));
    }
    if (x.rank() > 1)
      positions = node("Concat", positions, "axis = -1");
    std::string data =
        node("Concat", x.name + ", " + x.name, fmt::format("axis = {}", axis));
    std::string updates = node("Neg", x.name);
    add("ScatterND", data + ", " + positions + ", " + updates, y,
        oneIn(3) ? "reduction = \"add\"" : "");
  }

  void scatter(const Tensor &x) {
    if (x.rank() != 2 || !isFixed(x.dims[1]) || least(x.dims[0]) < 1)
      return;
    std::string at = node("Constant", "", "value = int64[1,1] {0}");
    add("ScatterND",
        x.name + ", " + at + ", " + weights({1, x.dims[1].front()}), x);
  }

  void byCount(const Tensor &x) {
    std::string count =
        oneIn(2)
            ? node("Size", x.name)
            : (x.rank() > 0 ? extent(x, below(x.rank())).name : integer(3));
    add("Div", x.name + ", " + node("Cast", count, "to = 1"), x);
  }

  void filled(const Tensor &x) {
    if (x.rank() == 0)
      return;
    std::string shape = oneIn(2) ? shapeOf(x) : node("Shape", x.name);
    std::string ones = node("ConstantOfShape", shape, "value = float[1] {0.5}");
    add(oneIn(2) ? "Add" : "Mul", x.name + ", " + ones, x);
  }

  /// Rows in the order of computed positions.
  void gather(const Tensor &x) {
    if (x.rank() == 0)
      return;
    int64_t axis = below(x.rank());
    Scalar count = extent(x, axis);
    std::string at = range(count);
    if (oneIn(2))
      at = node("Sub", node("Sub", count.name + ", " + integer(1)) + ", " + at);
    add("Gather", x.name + ", " + at, x, fmt::format("axis = {}", axis));
  }

  /// Adds to every row a number of its position.
  void positions(const Tensor &x) {
    if (x.rank() < 2)
      return;
    int64_t axis = below(x.rank());
    Scalar count = extent(x, axis);
    // As exporters write a range of integers, and one of floats.
    std::string at =
        oneIn(3) ? node("Range", real(0) + ", " +
                                     node("Cast", count.name, "to = 1") + ", " +
                                     real(1))
                 : node("Cast", range(count), "to = 1");
    std::vector<int64_t> axes;
    for (int64_t dim = axis + 1; dim < x.rank(); ++dim)
      axes.push_back(dim - axis);
    if (!axes.empty())
      at = node("Unsqueeze", at + ", " + ints(axes));
    add("Add", x.name + ", " + node(oneIn(2) ? "Sin" : "Neg", at), x);
  }

  void recurrent(const Tensor &x) {
    if (x.rank() != 3 || x.dims[0] != fixed(1) || !isFixed(x.dims[2]))
      return;
    int64_t width = x.dims[2].front();
    bool isGru = oneIn(2);
    int64_t gates = isGru ? 3 : 1;
    std::string turned = node("Transpose", x.name, "perm = [1, 0, 2]");
    std::string y = node(isGru ? "GRU" : "RNN",
                         turned + ", " + weights({1, gates * 2, width}) + ", " +
                             weights({1, gates * 2, 2}),
                         "hidden_size = 2");
    y = node("Squeeze", y + ", " + ints({1}));
    Tensor result = x;
    result.dims[2] = fixed(2);
    add("Transpose", y, result, "perm = [1, 0, 2]");
  }
};

} // namespace

MadeFunction randomImportedPrompts(uint64_t seed, uint64_t number) {
  return GraphMaker(seed, number).run();
}

} // namespace npu
