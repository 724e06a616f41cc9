// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile's vector engine does of an operation: its body, once for each
// iteration.

#ifndef NPU_LIB_ANALYSIS_COSTS_VECTORWORK_H
#define NPU_LIB_ANALYSIS_COSTS_VECTORWORK_H

#include "npu/Interfaces/OpAccess.h"
#include "npu/Target/Costs.h"

namespace npu {

/// The operations of the body of `op`, by kind: what it says itself
/// (WorkOpInterface), those of its region, or the operation itself where it
/// works on each element of its operands. No operations where it only copies.
VectorBody vectorBodyOf(mlir::Operation *op);

/// The operand whose entries are the elements of work; nothing where they are
/// iterations.
std::optional<unsigned> elementOperandOf(mlir::Operation *op);

/// The widest element that `op` reads or writes.
int64_t widestElementOf(mlir::Operation *op);

/// How many times a tile that runs `iteration` runs the body.
int64_t elementsOf(mlir::Operation *op, const OpAccess &access,
                   const IterationDomain &iteration);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_COSTS_VECTORWORK_H
