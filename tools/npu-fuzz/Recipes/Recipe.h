// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random function as plain data: the fuzzer makes it up, writes IR from it,
// and takes it apart again when a case fails.

#ifndef NPU_FUZZ_RECIPES_RECIPE_H
#define NPU_FUZZ_RECIPES_RECIPE_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Host/HostTensor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What is known of a value of a recipe.
struct ValueFacts {
  ElementType type = ElementType::F32;
  Extents shape;
  Layout layout;
  /// No element of a float tensor is larger in magnitude. Exact sums stay exact
  /// below this bound, and infinities, which could hide a difference, do not
  /// occur.
  double most = 0;
  /// The value has no defined entries and must not be read: only its shape
  /// counts.
  bool undefined = false;
  /// The value is a scalar and no tensor; an i1 is a condition.
  bool scalar = false;
  /// The second result of the operation that makes this value; null: it has one
  /// result.
  std::shared_ptr<const ValueFacts> second = nullptr;
  /// Entries that one more token of a prompt adds to each dimension; empty
  /// where the prompt's length is known.
  Extents growth = {};

  bool growsIn(std::size_t dim) const {
    return dim < growth.size() && growth[dim] != 0;
  }
  bool grows() const { return growth != Extents(growth.size()); }
};

struct StepKind;

/// An operation inside of a step: elementwise, of values that all have the
/// type, the shape and the layout of the step's own.
struct InnerStep {
  /// How the operation is written, and its row in a table: see StepBody.h.
  int64_t form = 0, row = 0;
  /// Numbers of the values that it uses: first come the body's arguments, then
  /// what its steps make.
  unsigned a = 0, b = 0;

  bool operator==(const InnerStep &) const = default;
};

/// A region, or a function that is called: a straight line of operations.
struct StepBody {
  std::vector<InnerStep> steps;
  /// Numbers of the values that the body yields, counted like those of
  /// InnerStep.
  std::vector<unsigned> yields;

  bool operator==(const StepBody &) const = default;
};

/// One operation (with the constants and destinations that it needs). It makes
/// one value, which has the number of the step. The second value of an
/// operation that makes two is a step of its own behind it (`secondKind`).
struct Step {
  const StepKind *kind = nullptr;
  /// Numbers of earlier steps.
  std::vector<unsigned> operands = {};
  /// Dimensions, offsets, strides, the row of a table: the kind says what they
  /// mean.
  std::vector<int64_t> numbers = {};
  /// The type and the layout of the result, where they do not follow from the
  /// operands.
  ElementType type = ElementType::F32;
  Layout layout = {};
  /// The layout of the second value that the operation makes, or of an
  /// intermediate value.
  Layout secondLayout = {};
  std::vector<StepBody> bodies = {};
  /// What `npu.layout` asks for where the value, which has no layout of its
  /// own, is an argument or a result of `main`.
  Layout pin = {};
};

/// For what device, and how, layouts are assigned to a function that has few.
struct AssignTask {
  /// npu3720, npu4000, or "described": any other device.
  std::string device;
  /// The device has, and uses, so many tiles; 0: what it has by itself.
  int64_t tiles = 0;
  /// The bytes of each scratchpad; 0: what the device has by itself.
  int64_t scratchpadBytes = 0;
  /// Further figures by their names in a description. Others are the device's.
  std::vector<std::pair<std::string, int64_t>> figures;
  std::string strategy = "least";
  /// Of the strategy least.
  int64_t states = 20000;
  /// Tiles may reduce parts of the terms.
  bool splitReductions = false;
};

struct Recipe {
  /// Inputs are small integers and every operation keeps them exact, so that
  /// sums may be taken in any order. In other recipes, tiles hold the
  /// dimensions that a float sum runs over whole, or the reference adds up in
  /// the same parts.
  bool exact = false;
  /// Inputs have special values among them: both zeros, infinities, NaN, the
  /// ends of the type.
  bool special = false;
  /// Tiles run on threads.
  bool parallelTiles = false;
  /// The function returns at two places, selected by a scalar where there is
  /// one; at the second place, results of one type are exchanged.
  bool returnsTwice = false;
  /// The function is a graph of TOSA, which npu-compile lowers before layouts
  /// are assigned.
  bool tosa = false;
  /// Layouts are assigned; nothing: the function has those that it needs.
  std::optional<AssignTask> assign;
  std::vector<Step> steps;
  /// The steps whose values the function returns.
  std::vector<unsigned> results;
};

/// The facts of every step's value; nothing where a step is not legal: shapes
/// do not fit, a tensor cannot have its layout, or a sum would not be exact.
std::optional<std::vector<ValueFacts>> inferFacts(const Recipe &recipe);

/// The recipe as the text of a function `main`. Precondition: it is legal, and
/// the context has the npu dialect loaded.
std::string toText(const Recipe &recipe, mlir::MLIRContext &context);

/// The purpose of a recipe. Not every kind of step can be padded; those whose
/// layouts are assigned have few, and more blocks as models have them. Graphs
/// of TOSA have none.
enum class RecipeFor { Functions, Prompts, Assignments, Tosa };

/// A random function that depends on the three arguments alone.
Recipe randomRecipe(uint64_t seed, uint64_t number,
                    RecipeFor what = RecipeFor::Functions);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RECIPE_H
