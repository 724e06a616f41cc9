// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random graph of TOSA as text, and its steps: operations in their generic
// form, with the constants that they need.

#ifndef NPU_FUZZ_TOSA_TOSAGRAPH_H
#define NPU_FUZZ_TOSA_TOSAGRAPH_H

#include "npu-fuzz/Functions/MadeFunction.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Host/HostTensor.h"

#include <algorithm>
#include <span>
#include <string>

namespace npu {

/// A tensor of a graph.
struct TosaTensor {
  ElementType type = ElementType::F32;
  Extents shape;
  std::string name;
  bool isArgument = false;
  bool isUsed = false;
};

/// Tensors are called by their numbers, in the order in which they are made.
class TosaGraph : public RandomPlacements {
public:
  TosaGraph(uint64_t seed, uint64_t number);

  MadeFunction run();

  const TosaTensor &operator[](unsigned value) const { return values[value]; }
  ElementType mainType() const { return type; }
  template <typename Item, std::size_t Count>
  Item oneOf(const Item (&items)[Count]) {
    return items[below(Count)];
  }
  /// One of the tensors for which the predicate holds.
  template <typename Predicate>
  std::optional<unsigned> pick(Predicate likes) {
    std::vector<unsigned> found;
    for (unsigned value = 0; value < values.size(); ++value)
      if (likes(values[value]))
        found.push_back(value);
    if (found.empty())
      return std::nullopt;
    return found[below(static_cast<int64_t>(found.size()))];
  }
  unsigned pick() { return below(static_cast<int64_t>(values.size())); }
  /// One of the tensors that have dimensions.
  std::optional<unsigned> pickRanked() {
    return pick([](const TosaTensor &value) { return !value.shape.empty(); });
  }
  unsigned argument(const Extents &shape, ElementType type);
  /// A tensor of that shape and type: one that exists, or a new argument.
  unsigned valueOf(const Extents &shape, ElementType type);

private:
  friend class TosaStep;

  MadeFunction made;
  ElementType type = ElementType::F32;
  std::vector<TosaTensor> values;
  std::string text;
};

/// A value in the text of a step.
struct TosaValue {
  std::string name, type;
};

/// Example:
///
///     TosaStep step(graph, {a});
///     step.result("reshape", "", {step[0], step.shape({2, 3})}, type, {2, 3});
class TosaStep {
public:
  TosaStep(TosaGraph &graph, std::vector<unsigned> operands);

  /// An operand of the step.
  TosaValue operator[](unsigned number) const;
  /// The name of the value that the step makes.
  std::string name() const {
    return "%v" + std::to_string(graph.values.size());
  }
  /// A constant of that many entries; one entry stands for all.
  TosaValue constant(std::span<const int64_t> shape, std::string_view element,
                     std::span<const int64_t> entries);
  /// A constant tensor<1x...>.
  TosaValue number(std::string_view element, int64_t entry);
  /// A constant of any shape, whose entries are equal.
  TosaValue all(std::span<const int64_t> shape, std::string_view element,
                int64_t entry) {
    return constant(shape, element, std::span(&entry, 1));
  }
  TosaValue shape(std::span<const int64_t> extents);
  /// A value between two numbers, where others are undefined.
  TosaValue between(const TosaValue &value, ElementType type,
                    const Extents &shape, int64_t least, int64_t most);
  /// An operation that makes a value for others of the step.
  TosaValue call(std::string_view op, const std::string &attributes,
                 const std::vector<TosaValue> &operands, std::string type);
  /// The last operation, which makes the step's value and maybe another one of
  /// the same type. Adds the step, if it has entries and not too many.
  void result(std::string_view op, const std::string &attributes,
              const std::vector<TosaValue> &operands, ElementType type,
              const Extents &shape, bool makesTwo = false);
  /// The same with text that makes the value, which is called `name()`.
  void resultOf(const std::string &text, ElementType type,
                const Extents &shape);

private:
  TosaValue fresh(std::string type);

  TosaGraph &graph;
  std::vector<unsigned> operands;
  std::string text;
  unsigned locals = 0;
};

/// "tensor<2x3xi8>"
std::string tosaType(std::span<const int64_t> shape, std::string_view element);

/// "nan_mode = #tosa.nan_mode<IGNORE>"
std::string nanMode(int64_t ignore);

/// "array<i64: 1, 2>"
std::string tosaArray(std::span<const int64_t> numbers,
                      std::string_view element = "i64");

/// "axis = 1 : i32"
std::string axisOf(int64_t axis);

/// The kinds of steps. Each adds a step to the graph, or nothing when no value
/// fits.
using TosaKind = void (*)(TosaGraph &graph);
std::span<const TosaKind> tosaElementwiseKinds();
std::span<const TosaKind> tosaShapeKinds();
std::span<const TosaKind> tosaSumKinds();

} // namespace npu

#endif // NPU_FUZZ_TOSA_TOSAGRAPH_H
