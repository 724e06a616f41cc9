// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function as plain data: what the fuzzer makes up, what IR is written from,
// and what is taken apart again when a case fails.

#ifndef NPU_FUZZ_RECIPES_RECIPE_H
#define NPU_FUZZ_RECIPES_RECIPE_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/Host/HostTensor.h"

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
  /// No element is larger in magnitude, as far as floats go: exact sums stay
  /// exact below it, and infinities, which could hide a difference, do not
  /// come up.
  double most = 0;
  /// Nobody may read it: only its shape counts.
  bool undefined = false;
  /// No tensor: an element by itself; an i1 decides something.
  bool scalar = false;
  /// What the same operation makes beside this value; null: nothing.
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
  /// How it is written, and the row of a table: see StepBody.h.
  int64_t form = 0, row = 0;
  /// Numbers of values: first those that the body is given, then what its
  /// steps make.
  unsigned a = 0, b = 0;

  bool operator==(const InnerStep &) const = default;
};

/// A region, or a function that is called: a straight line of operations.
struct StepBody {
  std::vector<InnerStep> steps;
  /// Numbers of values, as above.
  std::vector<unsigned> yields;

  bool operator==(const StepBody &) const = default;
};

/// One operation (with the constants and destinations that it needs); makes
/// one value, whose number is the step's. Of an operation that makes two, the
/// other one is a step of its own behind it (`secondKind`).
struct Step {
  const StepKind *kind = nullptr;
  /// Numbers of earlier steps.
  std::vector<unsigned> operands = {};
  /// Dimensions, offsets, strides, the row of a table: see the kind.
  std::vector<int64_t> numbers = {};
  /// The result's, where they do not follow from the operands.
  ElementType type = ElementType::F32;
  Layout layout = {};
  /// Of the other value that the operation makes, or of one on the way to the
  /// result.
  Layout secondLayout = {};
  std::vector<StepBody> bodies = {};
};

struct Recipe {
  /// Inputs are small integers and every operation keeps them exact, so that
  /// sums may be taken in any order. Otherwise what a float sum runs over is
  /// whole on every tile, or the reference has to add up in the same parts.
  bool exact = false;
  /// Inputs are anything: both zeros, infinities, NaN, the ends of the type.
  bool special = false;
  /// Tiles run on threads.
  bool parallelTiles = false;
  /// It returns at two places, as a scalar says where there is one; at the
  /// second one, results of one type have changed places.
  bool returnsTwice = false;
  std::vector<Step> steps;
  /// What the function returns.
  std::vector<unsigned> results;
};

/// The facts of every step's value; nothing where a step is not legal: shapes
/// that do not fit, a layout that the tensor cannot have, sums that would not
/// be exact.
std::optional<std::vector<ValueFacts>> inferFacts(const Recipe &recipe);

/// The recipe as the text of a function `main`. Precondition: it is legal, and
/// the context has the npu dialect loaded.
std::string toText(const Recipe &recipe, mlir::MLIRContext &context);

/// What a recipe is made up for. Not every kind of step can be padded.
enum class RecipeFor { Functions, Prompts };

/// A function that depends on these alone.
Recipe randomRecipe(uint64_t seed, uint64_t number,
                    RecipeFor what = RecipeFor::Functions);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RECIPE_H
