// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for all functions of a module, of which is known that their programs
// fit the scratchpads.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_FITSCRATCHPADS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_FITSCRATCHPADS_H

#include "AssignFunction.h"
#include "AssignOptions.h"

#include <deque>

namespace npu {

/// Solves the problems of these functions of `module`, those that others call
/// first. The answers are in the order of `functions`.
///
/// Rows of memory count a form for as long as some reader may need it, so that
/// they can count more than is in use, and know nothing of what lowering adds.
/// So where memory may be short, an answer is lowered to planned buffers in a
/// copy of the module, and counts where these fit. Where the answer within the
/// device's scratchpads does not fit or there is none, the answers for all
/// larger and smaller scratchpads are tried in turn, the cheapest first. They
/// do not depend on the device, so that a larger scratchpad never refuses what
/// a smaller one accepts, and what fits as buffers is accepted. Last of all
/// come the answers that load what is in DDR from the beginning once for each
/// of several readers (ProblemOptions::loadsAgain).
///
/// Errors: at the operation that is too large by itself, with its bytes; or
/// that no answer fits, with the least bytes that one of them takes.
mlir::FailureOr<std::deque<SolvedFunction>>
assignFunctions(mlir::ModuleOp module,
                llvm::ArrayRef<mlir::FunctionOpInterface> functions,
                const AssignSettings &settings);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_FITSCRATCHPADS_H
