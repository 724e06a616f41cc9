// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random function as plain data: the fuzzer makes it up, writes IR from it,
// and takes it apart again when a case fails.

#ifndef NPU_FUZZ_RECIPES_RECIPE_H
#define NPU_FUZZ_RECIPES_RECIPE_H

#include "npu-fuzz/Recipes/Expr.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

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
  /// The extents as functions of a prompt's length; empty where that is known.
  /// The shape then has them at one length.
  std::vector<Extent> extents = {};

  bool growsIn(std::size_t dim) const {
    return dim < extents.size() && extents[dim].kind != Extent::Fixed;
  }
  bool grows() const {
    for (std::size_t dim = 0; dim < extents.size(); ++dim)
      if (growsIn(dim))
        return true;
    return false;
  }
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
/// operation that makes two is a step of its own after it (`secondKind`).
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
  /// In functions whose prompt has a run-time length, the extents of the value.
  std::vector<Extent> extents = {};
  /// Of a step that is a linalg operation.
  std::optional<LoopNest> nest = {};
  /// The entries of a constant.
  std::vector<double> values = {};
  /// Of a step that is written where it is made up: its text, and the types of
  /// the operands that it is for (TosaStep.h).
  std::string text = {};
  std::vector<TensorSpec> takes = {};
  /// An argument that the function has although nothing may read it.
  bool isKept = false;
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

/// What is said of the last prompt dimension of a function that has several.
enum class LastExtent : uint8_t {
  /// It is the prompt's length, as all are.
  Same,
  /// A caller gives it one entry more: the padded function has to assert that
  /// there are as many as elsewhere.
  Longer,
  /// It has a name of its own: padding has to refuse it.
  Named
};

/// A prompt of run-time length, at which a function of regions is padded or run
/// in chunks.
struct PromptTask {
  /// The function has rows, a cache and an offset, and is run in chunks;
  /// otherwise it is padded.
  bool prefill = false;
  /// Rows and caches hold finite numbers, and the function writes no others to
  /// caches.
  bool assumesFinite = true;
  /// Regions get positions by `affine.apply` of the offset.
  bool offsetByAffine = false;
  /// The extent that prompts are padded to, and the longest prompt that is run.
  int64_t longest = 8;
  LastExtent lastExtent = LastExtent::Same;
  /// npu-compile takes the function to legal IR, and not padding alone.
  bool isCompiled = false;
};

/// The offsets that `main` calls a prefill function from, and its cache.
inline constexpr int64_t kPrefillOffsets[] = {0, 3};
inline constexpr int64_t kCachePositions = 12;

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
  /// The function is one of regions, for a prompt of run-time length.
  std::optional<PromptTask> prompt;
  std::vector<Step> steps;
  /// The steps whose values the function returns.
  std::vector<unsigned> results;
};

/// A dimension of an argument, by the argument's step.
struct ArgumentDim {
  unsigned step = 0, dim = 0;
};

/// The dimensions of arguments that are a run-time prompt's length.
std::vector<ArgumentDim> promptDims(const Recipe &recipe);

/// The last of several prompt dimensions; nothing where there is one alone.
std::optional<ArgumentDim> lastOfSeveral(const Recipe &recipe);

/// The facts of every step's value; nothing where a step is not legal: shapes
/// do not fit, a tensor cannot have its layout, or a sum would not be exact.
std::optional<std::vector<ValueFacts>> inferFacts(const Recipe &recipe);

/// The recipe as the text of a function `main`. Precondition: it is legal, and
/// the context has the npu dialect loaded.
///
/// Where the last prompt dimension is to be longer than others, the text has
/// the function `caller`, which gives `main` arguments of `longest` - 1
/// entries, and one more there. For a prefill recipe, the text has the function
/// `prefill`, and `main` calls it from two offsets.
std::string toText(const Recipe &recipe, mlir::MLIRContext &context);

/// The purpose of a recipe. Not every kind of step can be padded; those whose
/// layouts are assigned have few, and more blocks as models have them. Graphs
/// of TOSA have none.
enum class RecipeFor { Functions, Prompts, Assignments, Tosa };

/// A random function that depends on the three arguments alone.
Recipe randomRecipe(uint64_t seed, uint64_t number,
                    RecipeFor what = RecipeFor::Functions);

/// A function of regions to be padded, and one to be run in chunks. Each
/// depends on `seed` and `number` alone.
Recipe randomPromptBodies(uint64_t seed, uint64_t number);
Recipe randomPrefillBodies(uint64_t seed, uint64_t number);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RECIPE_H
