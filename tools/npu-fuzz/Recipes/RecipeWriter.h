// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the text of a recipe, step by step.

#ifndef NPU_FUZZ_RECIPES_RECIPEWRITER_H
#define NPU_FUZZ_RECIPES_RECIPEWRITER_H

#include "npu-fuzz/Recipes/Recipe.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace npu {

class RecipeWriter {
public:
  RecipeWriter(const Recipe &recipe, mlir::MLIRContext &context)
      : recipe(recipe), context(context) {}

  std::string text();

  /// Appends a line to the function's body.
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    body += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  /// The names of the current step's value, and of its operands.
  std::string result() const { return nameOf(current); }
  std::string operand(unsigned number) const {
    return nameOf(recipe.steps[current].operands[number]);
  }
  /// Gives the current step's value another name.
  void callResult(std::string name) { names[current] = std::move(name); }
  /// Gives the text that `write` writes, without appending it to the body.
  template <typename Write>
  std::string apart(Write write) {
    std::string rest = std::exchange(body, {});
    bool wasApart = std::exchange(isApart, true);
    write();
    isApart = wasApart;
    return std::exchange(body, std::move(rest));
  }
  /// Adds a function that `main` calls.
  void addFunction(const std::string &text) { functions += text; }
  /// A new name for an intermediate value of the current step.
  std::string fresh() { return fmt::format("%v{}_{}", current, freshNames++); }

  /// "tensor<4x8xf32, #npu.layout<...>>"
  std::string type(const ValueFacts &value) const;

  /// An extent of the value: "4", or the name of an index, which is defined in
  /// front of the current step.
  std::string extent(const ValueFacts &value, std::size_t dim);
  /// The name of the prompt's offset in a cache.
  std::string offset() const {
    return recipe.prompt->offsetByAffine ? "%at" : "%offset";
  }

  /// Write a destination of the value's type and give its name: an empty tensor
  /// (at times another value, to be written over), or one filled with a
  /// number.
  std::string empty(const ValueFacts &value);
  std::string filled(const ValueFacts &value, double number);
  /// Writes a scalar constant and gives its name.
  std::string constant(ElementType type, double number);

private:
  std::string nameOf(unsigned step) const {
    auto found = names.find(step);
    return found != names.end() ? found->second : fmt::format("%v{}", step);
  }
  /// Whether the step's value, which follows from a run-time length, is taken
  /// through a type that says none of its extents.
  bool hasCasts(unsigned number) const;
  std::string dynamicType(unsigned number) const;
  /// Writes a cast of the step's value and gives its name.
  std::string writeCast(unsigned number, const std::string &from,
                        const std::string &to);
  void castToAndFro();
  /// What `npu.layout` asks for as an attribute of an argument or a result, or
  /// nothing.
  std::string pinOf(unsigned number) const;
  void writeLayout(llvm::raw_ostream &stream, Layout layout) const;
  /// The functions in a module that describes the device.
  static std::string onDevice(const AssignTask &task,
                              const std::string &functions);
  /// A value of that type which an operation may write over, for every other
  /// step of a function whose layouts are assigned.
  std::optional<std::string> overwritten(const ValueFacts &value) const;
  std::string argument(unsigned number, bool marksCache) const;
  std::string dimNames(unsigned number) const;
  std::string callWithLongerExtent(const std::string &results) const;
  std::string callFromOffsets(const std::vector<std::string> &types) const;
  void takeLength();
  /// The text of the function's returns.
  std::string returns(std::vector<std::string> results,
                      const std::vector<std::string> &types) const;

  const Recipe &recipe;
  mlir::MLIRContext &context;
  std::vector<ValueFacts> facts;
  /// Whether what is written may be another function.
  bool isApart = false;
  /// What has been written, and the extents that the current step uses.
  std::string body, head, functions;
  std::vector<std::pair<Extent, std::string>> extents;
  std::map<unsigned, std::string> names;
  unsigned current = 0;
  unsigned freshNames = 0;
  unsigned casts = 0;
};

/// "[%n, 2, %m]"
std::string listOf(std::span<const std::string> names);

/// The entries as MLIR writes them: a list for every dimension.
template <typename Entry>
std::string nested(std::span<const int64_t> shape, Entry &&entry) {
  if (shape.empty())
    return entry();
  std::vector<std::string> parts;
  for (int64_t i = 0; i < shape[0]; ++i)
    parts.push_back(nested(shape.subspan(1), entry));
  return listOf(parts);
}

/// "[0, 2, 1]"
std::string listOf(std::span<const int64_t> numbers);

/// "affine_map<(d0, d1) -> (d1)>": `results` of `loops` dimensions.
std::string mapOf(std::size_t loops, std::span<const int64_t> results);

/// "dense<[1, 2]> : vector<2xi64>", for strides and dilations.
std::string vectorOf(std::span<const int64_t> numbers);

/// "[\"parallel\", \"parallel\"]"
std::string parallelLoops(std::size_t count);

/// "3.0", "0x7FC00000" or "3": a literal of that type; of an i1 whether the
/// number is odd.
std::string literal(ElementType type, double number);

/// "3 : i32", but "true": an i1 says its type by itself.
std::string typedLiteral(ElementType type, double number);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RECIPEWRITER_H
