// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step that is written where it is made up: operations of TOSA in their
// generic form, with the constants that they need.

#ifndef NPU_FUZZ_STEPS_TOSASTEP_H
#define NPU_FUZZ_STEPS_TOSASTEP_H

#include "npu-fuzz/Recipes/RecipeBuilder.h"

#include <string>
#include <vector>

namespace npu {

/// A value in the text of a step.
struct TosaValue {
  std::string name, type;
};

/// Example:
///
///     TosaStep step(builder, {a});
///     step.result("reshape", "", {step[0], step.shape({2, 3})}, type, {2, 3});
class TosaStep {
public:
  TosaStep(RecipeBuilder &builder, std::vector<unsigned> operands);

  /// An operand of the step.
  TosaValue operator[](unsigned number) const;
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
  /// The same with text that makes the value, which is called %R.
  void resultOf(const std::string &text, ElementType type,
                const Extents &shape);

private:
  TosaValue fresh(std::string type);

  RecipeBuilder &builder;
  Step step;
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

} // namespace npu

#endif // NPU_FUZZ_STEPS_TOSASTEP_H
