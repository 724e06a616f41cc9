// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function as plain data: what the fuzzer makes up, what IR is written from,
// and what is taken apart again when a case fails.

#ifndef NPU_FUZZ_RECIPE_H
#define NPU_FUZZ_RECIPE_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/HostTensor.h"

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
  /// Entries that one more token of a prompt adds to each dimension; empty
  /// where the prompt's length is known.
  Extents growth = {};

  bool growsIn(std::size_t dim) const {
    return dim < growth.size() && growth[dim] != 0;
  }
  bool grows() const { return growth != Extents(growth.size()); }
};

struct StepKind;

/// One operation (with the constants and destinations that it needs); makes
/// one value, whose number is the step's.
struct Step {
  const StepKind *kind = nullptr;
  /// Numbers of earlier steps.
  std::vector<unsigned> operands = {};
  /// Dimensions, offsets, strides, the row of a table: see the kind.
  std::vector<int64_t> numbers = {};
  /// The result's, where they do not follow from the operands.
  ElementType type = ElementType::F32;
  Layout layout = {};
};

struct Recipe {
  /// Inputs are small integers and every operation keeps them exact, so that
  /// sums may be taken in any order. Otherwise nothing that a float sum runs
  /// over is split over tiles.
  bool exact = false;
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

/// A function that depends on both numbers alone.
Recipe randomRecipe(uint64_t seed, uint64_t number);

} // namespace npu

#endif // NPU_FUZZ_RECIPE_H
