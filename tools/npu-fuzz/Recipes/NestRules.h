// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which a loop nest is legal whose operands are indexed by any
// functions of its loops, and what is known of its results.

#ifndef NPU_FUZZ_RECIPES_NESTRULES_H
#define NPU_FUZZ_RECIPES_NESTRULES_H

#include "npu-fuzz/Recipes/StepKind.h"

namespace npu {

/// The facts of the results of a checked nest; nothing where
///  * a loop has two extents, or none,
///  * an index leaves its tensor, or a dimension that is a loop is not all of
///    it,
///  * an element of an output is written by two points of the loops that do not
///    reduce, or by all points of one that does and has entries,
///  * a sum has other bits in another order, and tiles share it,
///  * a number may become too large (`mayReach`), or is not exact.
std::optional<ValueFacts> inferChecked(const Step &step,
                                       const Operands &operands, bool exact);

/// Whether no output is indexed by the loop.
bool isReduction(const LoopNest &nest, int64_t loop);

/// Whether entries along loops that reduce, which have these extents, may be
/// combined in any order.
bool combinesInAnyOrder(const LoopNest &nest, std::span<const int64_t> extents,
                        bool exact);

/// A checked nest of `rank` loops that reads its inputs and writes its output
/// element by element.
Step elementwise(std::vector<unsigned> operands, std::size_t rank, Expr body);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_NESTRULES_H
