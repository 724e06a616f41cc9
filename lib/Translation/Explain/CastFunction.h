// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds functions with a logged cast: as it fails, and repaired.

#ifndef NPU_LIB_TRANSLATION_EXPLAIN_CASTFUNCTION_H
#define NPU_LIB_TRANSLATION_EXPLAIN_CASTFUNCTION_H

#include "../Log/LoggedCast.h"

#include "mlir/IR/Builders.h"

namespace npu {

/// Appends a function that casts its argument from the `in` to the `out`
/// layout: the field compiler's error.
void buildFailingFunction(mlir::OpBuilder &builder, const LoggedCast &cast,
                          mlir::Location loc);

/// Appends the repaired function: the argument is cast to the expected layout,
/// and from there relabelled, narrowed or redistributed to `out`.
void buildRepairedFunction(mlir::OpBuilder &builder, const LoggedCast &cast,
                           mlir::Location loc);

/// Loads the dialects that both functions need.
void loadCastDialects(mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_EXPLAIN_CASTFUNCTION_H
