// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps by their names and rows, for blocks and softmaxes that are made of
// certain ones.

#ifndef NPU_FUZZ_STEPS_NAMEDSTEPS_H
#define NPU_FUZZ_STEPS_NAMEDSTEPS_H

#include "npu-fuzz/Recipes/RecipeBuilder.h"

namespace npu {

/// How an operation of ElementwiseRows.h is written: as a linalg.generic, as an
/// operation on tensors of one layout, or by the name that linalg has for it.
enum class Written : int64_t { Generic, OnTensors, Named };

/// The operation of that row on one value or two. The second value has the
/// dimensions `loops` of the first one, or all.
Step elementwiseStep(const RecipeBuilder &builder,
                     std::vector<unsigned> operands, int64_t row,
                     int64_t written,
                     std::optional<std::vector<int64_t>> loops = {});

/// A step that computes the expression of its inputs for every entry, in a
/// linalg.generic or as one operation on tensors of one layout.
Step entryByEntry(const RecipeBuilder &builder, std::vector<unsigned> operands,
                  bool onTensors, Expr body);

/// The reduction of that row of a table over these dimensions.
Step reduceStep(const RecipeBuilder &builder, unsigned value, int64_t row,
                std::span<const int64_t> dims);
inline constexpr int64_t kMaximumRow = 2;

/// A padding by -2, to whose numbers low and high padding of each dimension are
/// to be added.
Step plainPad(unsigned value);

/// The first number of a contraction's step (ContractionSteps.cpp) that is this
/// operation. Precondition: there is one.
int64_t contractionNamed(std::string_view op);

} // namespace npu

#endif // NPU_FUZZ_STEPS_NAMEDSTEPS_H
