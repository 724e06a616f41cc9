// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries of a value are padding, as `npu.padding` says it: on an
// operation, `npu.padding = [[2, 336, 512]]` promises that no real result
// depends on entries 336 to 511 of dimension 2 of its result, so that nobody
// has to write, move or keep them. An operation with several results has one
// such list for each of them; function arguments may have one; on a
// tensor.empty the bare word says that all of it is padding.

#ifndef NPU_DIALECT_NPU_IR_TENSORPADDING_H
#define NPU_DIALECT_NPU_IR_TENSORPADDING_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Placement/Distributions/Padding.h"

namespace npu {

/// What is known to be padding in a value: what its operation says, or (through
/// casts and redistributions, which keep values) an operation before it.
Padding paddingOf(mlir::Value value);

/// False where nothing in `root` says so of anything.
bool mentionsPadding(mlir::Operation *root);

/// The attribute's form for one tensor.
mlir::ArrayAttr toAttribute(mlir::MLIRContext *context,
                            std::span<const PaddedRange> padding);

/// Says of an operation's result that it has that padding; removes what was
/// said before where there is none.
void setPadding(mlir::OpResult result, std::span<const PaddedRange> padding);

/// A diagnostic where the attribute on `op` is not of the form above or does
/// not fit the shapes.
mlir::LogicalResult verifyPadding(mlir::Operation *op, mlir::Attribute attr);
mlir::LogicalResult verifyArgumentPadding(mlir::Operation *op, mlir::Type type,
                                          mlir::Attribute attr);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_TENSORPADDING_H
