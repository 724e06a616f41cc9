// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes one TOSA operation in its generic form, with the constants that it
// needs.

#ifndef NPU_FUZZ_STEPS_TOSACALL_H
#define NPU_FUZZ_STEPS_TOSACALL_H

#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Recipes/StepKind.h"

#include <span>
#include <string>
#include <vector>

namespace npu {

/// "tensor<2x3xi8>"
std::string tosaType(std::span<const int64_t> shape, std::string_view element);

/// The operands of an operation, and the operation. Example:
///
///     TosaCall(writer).value("%a", type).shape({2, 3})
///         .write("%r", "reshape", "", "tensor<2x3xf32>");
class TosaCall {
public:
  explicit TosaCall(RecipeWriter &writer) : writer(writer) {}

  TosaCall &value(std::string name, std::string type);
  /// The step's operand of that number.
  TosaCall &operand(unsigned number, const Operands &operands);
  /// A constant of that many entries; one entry stands for all.
  TosaCall &constant(std::span<const int64_t> shape, std::string_view element,
                     std::span<const int64_t> entries);
  /// A constant tensor<1x...>.
  TosaCall &number(std::string_view element, int64_t entry) {
    constexpr int64_t one = 1;
    return constant(std::span(&one, 1), element, std::span(&entry, 1));
  }
  TosaCall &shape(std::span<const int64_t> extents);
  /// Appends the operation. `results` may name several values, one for each of
  /// the comma-separated `types`.
  void write(std::string_view results, std::string_view operation,
             std::string_view attributes, std::string_view types);

private:
  RecipeWriter &writer;
  std::vector<std::string> names, types;
};

/// "nan_mode = #tosa.nan_mode<IGNORE>"
std::string nanMode(int64_t ignore);

/// "array<i64: 1, 2>"
std::string tosaArray(std::span<const int64_t> numbers,
                      std::string_view element = "i64");

/// The product of the extents.
int64_t entriesOf(std::span<const int64_t> shape);

} // namespace npu

#endif // NPU_FUZZ_STEPS_TOSACALL_H
