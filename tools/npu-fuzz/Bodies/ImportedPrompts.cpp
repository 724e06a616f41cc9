// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up ONNX graphs along prompts of any length, and imports them: functions
// in the form that the importer gives networks, with computed slices, masks,
// ranges and concatenated caches.

#include "npu-fuzz/Functions/FunctionMaker.h"
#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

/// An extent, or a number that is computed of extents, at every choice of
/// lengths.
using Counts = std::vector<int64_t>;

/// A scalar of i64.
struct Scalar {
  std::string name;
  Counts counts;
};

/// A tensor: of floats ('f'), i64 ('l') or i1 ('b').
struct Tensor {
  std::string name;
  char type = 'f';
  std::vector<Counts> dims;

  int64_t rank() const { return std::ssize(dims); }
};

class GraphMaker : public RandomNumbers {
public:
  GraphMaker(uint64_t seed, uint64_t number)
      : RandomNumbers(seed ^ 0x696d706f7274, number) {}

  MadeFunction run() {
    hasPast = oneIn(4);
    longest = hasPast ? between(2, 4) : between(3, 7);
    choices = hasPast ? kSpan * kSpan : kSpan;
    addInputs();
    for (int64_t steps = between(3, 9); steps > 0; --steps)
      addStep();
    std::string text = graph();
    MadeFunction made;
    made.prompt.emplace().longest = longest;
    made.prompt->isImported = true;
    made.prompt->isCompiled = oneIn(2);
    if (hasPast)
      made.prompt->names = {"sequence", "past"};
    import(text, made);
    return made;
  }

private:
  // The numbers of extents.

  Counts fixed(int64_t number) const { return Counts(choices, number); }
  Counts sequence() const {
    Counts counts;
    for (int64_t at = 0; at < choices; ++at)
      counts.push_back(1 + at % kSpan);
    return counts;
  }
  Counts past() const {
    Counts counts;
    for (int64_t at = 0; at < choices; ++at)
      counts.push_back(1 + at / kSpan);
    return counts;
  }
  template <typename Of>
  Counts each(const Counts &a, Of of) const {
    Counts counts;
    for (int64_t at = 0; at < choices; ++at)
      counts.push_back(of(a[at], at));
    return counts;
  }
  static int64_t least(const Counts &counts) {
    return *std::ranges::min_element(counts);
  }
  static int64_t most(const Counts &counts) {
    return *std::ranges::max_element(counts);
  }
  static bool isFixed(const Counts &counts) {
    return least(counts) == most(counts);
  }
  /// The number of entries at the longest prompts.
  int64_t volume(const std::vector<Counts> &dims) const {
    int64_t product = 1, at = longest - 1;
    for (const Counts &dim : dims)
      product *= dim[hasPast ? at * kSpan + at : at];
    return product;
  }

  // The text of the graph.

  /// Adds a node of one result.
  std::string node(const std::string &op, const std::string &operands,
                   const std::string &attributes = "") {
    std::string name = fmt::format("v{}", lines.size());
    lines.push_back(fmt::format(
        "  {} = {}{}({})", name, op,
        attributes.empty() ? "" : fmt::format(" <{}>", attributes), operands));
    return name;
  }
  std::string ints(const std::vector<int64_t> &numbers) {
    return node("Constant", "",
                fmt::format("value = int64[{}] {{{}}}", numbers.size(),
                            fmt::join(numbers, ", ")));
  }
  std::string integer(int64_t number) {
    return node("Constant", "", fmt::format("value = int64 {{{}}}", number));
  }
  std::string real(double number) {
    return node("Constant", "",
                fmt::format("value = float {{{:.3f}}}", number));
  }
  std::string weights(const std::vector<int64_t> &shape) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    std::vector<std::string> numbers;
    for (; count > 0; --count)
      numbers.push_back(fmt::format(
          "{:.3f}", static_cast<double>(between(-700, 700)) / 1000));
    return node("Constant", "",
                fmt::format("value = float[{}] {{{}}}", fmt::join(shape, ","),
                            fmt::join(numbers, ", ")));
  }
  /// Adds a value.
  void add(const std::string &op, const std::string &operands, Tensor like,
           const std::string &attributes = "") {
    like.name = node(op, operands, attributes);
    values.push_back(std::move(like));
  }

  void input(const std::string &name, char type,
             const std::vector<std::pair<std::string, Counts>> &dims) {
    std::vector<std::string> shape;
    Tensor tensor{name, type, {}};
    for (const auto &[text, counts] : dims) {
      shape.push_back(text);
      tensor.dims.push_back(counts);
    }
    inputs.push_back(fmt::format("{}[{}] {}", type == 'f' ? "float" : "int64",
                                 fmt::join(shape, ","), name));
    values.push_back(std::move(tensor));
  }

  void addInputs() {
    std::pair<std::string, Counts> one{"1", fixed(1)},
        rows{"sequence", sequence()}, width{"4", fixed(4)},
        heads{"2", fixed(2)};
    if (oneIn(4)) {
      input("ids", 'l', {one, rows});
      Tensor like{"", 'f', {fixed(1), sequence(), fixed(4)}};
      add("Gather", weights({5, 4}) + ", ids", like);
    }
    if (oneIn(3))
      input("mask", 'l', {one, rows});
    if (hasPast)
      input("cache", 'f', {one, {"past", past()}, width});
    else if (oneIn(3))
      input("cache", 'f', {one, {"3", fixed(3)}, width});
    switch (below(3)) {
    case 0:
      input("x", 'f', {one, rows, width});
      break;
    case 1:
      input("x", 'f', {one, heads, rows, width});
      break;
    default:
      input("x", 'f', {rows, width});
      break;
    }
  }

  /// An extent of a tensor, as exporters ask for it, or a number of it.
  Scalar extent(const Tensor &tensor, int64_t dim) {
    std::string shape = node("Shape", tensor.name);
    Scalar result{
        oneIn(3) ? node("Squeeze", node("Slice", shape + ", " + ints({dim}) +
                                                     ", " + ints({dim + 1})))
                 : node("Gather", shape + ", " + integer(dim)),
        tensor.dims[dim]};
    return result;
  }
  Scalar plus(const Scalar &a, int64_t number) {
    if (number == 0)
      return a;
    std::string name = number < 0
                           ? node("Sub", a.name + ", " + integer(-number))
                           : node("Add", a.name + ", " + integer(number));
    return {name,
            each(a.counts, [&](int64_t n, int64_t) { return n + number; })};
  }
  std::string listed(const Scalar &a) {
    return oneIn(2) ? node("Unsqueeze", a.name + ", " + ints({0}))
                    : node("Reshape", a.name + ", " + ints({-1}));
  }
  /// The shape of these extents of a tensor as one list, with one extent of 1
  /// replaced where `other` is given.
  std::string shapeOf(const Tensor &tensor) {
    std::vector<std::string> parts;
    for (int64_t dim = 0; dim < tensor.rank(); ++dim)
      parts.push_back(isFixed(tensor.dims[dim])
                          ? ints({tensor.dims[dim].front()})
                          : listed(extent(tensor, dim)));
    return node("Concat", fmt::format("{}", fmt::join(parts, ", ")),
                "axis = 0");
  }

  // Steps. One that is not legal adds nothing.

  const Tensor &pick() {
    if (!oneIn(3))
      for (size_t at = values.size(); at > 0; --at)
        if (values[at - 1].type == 'f')
          return values[at - 1];
    for (;;)
      if (const Tensor &value = values[below(std::ssize(values))];
          value.type == 'f')
        return value;
  }

  void addStep() {
    const Tensor from = pick();
    using Step = void (GraphMaker::*)(const Tensor &);
    static constexpr Step kSteps[] = {
        &GraphMaker::unary,     &GraphMaker::binary,   &GraphMaker::product,
        &GraphMaker::attention, &GraphMaker::reduce,   &GraphMaker::softmax,
        &GraphMaker::slice,     &GraphMaker::slice,    &GraphMaker::slice,
        &GraphMaker::concat,    &GraphMaker::concat,   &GraphMaker::pad,
        &GraphMaker::cumSum,    &GraphMaker::entry,    &GraphMaker::turn,
        &GraphMaker::merge,     &GraphMaker::expand,   &GraphMaker::masked,
        &GraphMaker::masked,    &GraphMaker::masked,   &GraphMaker::triangle,
        &GraphMaker::window,    &GraphMaker::window,   &GraphMaker::resize,
        &GraphMaker::hide,      &GraphMaker::largest,  &GraphMaker::scatter,
        &GraphMaker::byCount,   &GraphMaker::filled,   &GraphMaker::gather,
        &GraphMaker::positions, &GraphMaker::recurrent};
    (this->*kSteps[below(std::ssize(kSteps))])(from);
  }

  void unary(const Tensor &x) {
    constexpr const char *kOps[] = {"Relu", "Neg",  "Abs", "Tanh", "Sigmoid",
                                    "Erf",  "Sqrt", "Exp", "Floor"};
    add(kOps[below(std::size(kOps))], x.name, x);
  }

  /// The dimensions of two operands together; nothing where they do not agree.
  std::optional<std::vector<Counts>> together(const Tensor &a,
                                              const Tensor &b) const {
    std::vector<Counts> dims;
    for (int64_t at = 0; at < std::max(a.rank(), b.rank()); ++at) {
      Counts one = fixed(1);
      const Counts &m = at < a.rank() ? a.dims[a.rank() - 1 - at] : one,
                   &n = at < b.rank() ? b.dims[b.rank() - 1 - at] : one;
      if (m != n && m != one && n != one)
        return std::nullopt;
      dims.insert(dims.begin(), m == one ? n : m);
    }
    return dims;
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
      break;
    default: // From the end.
      begin = ints({-1});
      end = ints({INT64_MIN});
      step = ints({-1});
      break;
    }
    if (least(left) < 1)
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

  void pad(const Tensor &x) {
    if (x.rank() == 0)
      return;
    int64_t axis = below(x.rank()), before = below(3), after = below(3);
    constexpr const char *kModes[] = {"constant", "constant", "edge"};
    std::vector<int64_t> pads(2 * x.rank(), 0);
    pads[axis] = before;
    pads[x.rank() + axis] = after;
    Tensor y = x;
    y.dims[axis] = each(x.dims[axis],
                        [&](int64_t m, int64_t) { return m + before + after; });
    if (before + after > 0 && volume(y.dims) <= kMost)
      add("Pad", x.name + ", " + ints(pads), y,
          fmt::format("mode = \"{}\"", kModes[below(3)]));
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

  /// A tensor of rows with its channels in front of these, as windows slide
  /// over it; at times that already is one.
  std::optional<Tensor> channelsFirst(Tensor x) {
    if (x.rank() == 2)
      x = {node("Unsqueeze", x.name + ", " + ints({0})),
           'f',
           {fixed(1), x.dims[0], x.dims[1]}};
    if (x.rank() != 3 || x.dims[0] != fixed(1))
      return std::nullopt;
    if (isFixed(x.dims[2]) && !isFixed(x.dims[1]))
      x = {node("Transpose", x.name, "perm = [0, 2, 1]"),
           'f',
           {x.dims[0], x.dims[2], x.dims[1]}};
    return isFixed(x.dims[1]) ? std::optional(x) : std::nullopt;
  }

  /// A convolution or a pooling along the last dimension of three.
  void window(const Tensor &from) {
    std::optional<Tensor> turned = channelsFirst(from);
    if (!turned)
      return;
    const Tensor &x = *turned;
    int64_t channels = x.dims[1].front(), kernel = between(2, 3),
            before = below(2), after = below(2), stride = between(1, 2);
    Tensor y = x;
    y.dims[2] = each(x.dims[2], [&](int64_t m, int64_t) {
      return m + before + after < kernel
                 ? int64_t(0)
                 : (m + before + after - kernel) / stride + 1;
    });
    if (least(y.dims[2]) < 1)
      return;
    std::string attributes =
        fmt::format("kernel_shape = [{}], pads = [{}, {}], strides = [{}]",
                    kernel, before, after, stride);
    switch (below(3)) {
    case 0: {
      int64_t made = between(1, 3);
      y.dims[1] = fixed(made);
      add("Conv", x.name + ", " + weights({made, channels, kernel}), y,
          attributes);
      return;
    }
    case 1:
      add("MaxPool", x.name, y, attributes);
      return;
    default:
      add("AveragePool", x.name, y,
          attributes + fmt::format(", count_include_pad = {}", below(2)));
      return;
    }
  }

  void resize(const Tensor &from) {
    std::optional<Tensor> turned = channelsFirst(from);
    if (!turned)
      return;
    const Tensor &x = *turned;
    Tensor y = x;
    y.dims[2] = each(x.dims[2], [](int64_t m, int64_t) { return 2 * m; });
    if (volume(y.dims) > kMost)
      return;
    std::string scales =
        node("Constant", "", "value = float[3] {1.0, 1.0, 2.0}");
    add("Resize", x.name + ", , " + scales, y,
        "mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
        "nearest_mode = \"floor\"");
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
    if (oneIn(2)) {
      Tensor y = x;
      y.type = 'l';
      y.dims[axis] = fixed(1);
      add("ArgMax", x.name, y, fmt::format("axis = {}, keepdims = 1", axis));
      y.type = 'f';
      add("Cast", values.back().name, y, "to = 1");
      return;
    }
    // The result of the product has the rank of the input.
    if (isFixed(x.dims[axis]) && x.dims[axis].front() > 1) {
      Tensor y = x;
      y.dims[axis] = fixed(2);
      std::string count = ints({2});
      std::string name = fmt::format("v{}", lines.size());
      lines.push_back(fmt::format("  {}, {}i = TopK <axis = {}> ({}, {})", name,
                                  name, axis, x.name, count));
      y.name = name;
      values.push_back(y);
    }
  }

  void scatter(const Tensor &x) {
    if (x.rank() != 2 || !isFixed(x.dims[1]))
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
    std::string at = range(extent(x, axis));
    at = node("Cast", at, "to = 1");
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

  // The whole.

  static constexpr int64_t kMost = 900;
  /// More lengths than are run, so that extents are not taken for equal that
  /// are at the first few alone.
  static constexpr int64_t kSpan = 16;

  std::string graph() {
    std::vector<std::string> results;
    auto give = [&](Tensor value) {
      // Text cannot say that a result is a scalar.
      if (value.rank() == 0)
        value = {
            node("Reshape", value.name + ", " + ints({1})), 'f', {fixed(1)}};
      std::vector<std::string> shape;
      for (const Counts &dim : value.dims)
        shape.push_back(isFixed(dim) ? std::to_string(dim.front()) : "?");
      std::string name = fmt::format("r{}", results.size());
      lines.push_back(fmt::format("  {} = Identity({})", name, value.name));
      results.push_back(
          fmt::format("float[{}] {}", fmt::join(shape, ","), name));
    };
    give(values.back().type == 'f' ? values.back() : pick());
    if (oneIn(3))
      give(pick());
    return fmt::format("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                       "made ({}) => ({}) {{\n{}\n}}\n",
                       fmt::join(inputs, ", "), fmt::join(results, ", "),
                       fmt::join(lines, "\n"));
  }

  /// Gives the function that the graph becomes, with the graph as a comment in
  /// front; or why it does not.
  static void import(const std::string &text, MadeFunction &made) {
    std::string said;
    MLIRContext &context = makingContext();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        said += diagnostic.str() + "\n";
      return success();
    });
    OnnxImportOptions options;
    options.namedPrompts = true;
    OwningOpRef<ModuleOp> module =
        importOnnx(text, "made.onnx.txt", options, &context);
    StringRef left = text;
    while (!left.empty()) {
      auto [line, rest] = left.split('\n');
      made.text += ("// " + line + "\n").str();
      left = rest;
    }
    if (module)
      made.text += textOf(*module);
    else
      made.whyNot = said;
  }

  int64_t longest = 0, choices = 0;
  bool hasPast = false;
  std::vector<std::string> inputs, lines;
  std::vector<Tensor> values;
};

} // namespace

MadeFunction randomImportedPrompts(uint64_t seed, uint64_t number) {
  return GraphMaker(seed, number).run();
}

} // namespace npu
