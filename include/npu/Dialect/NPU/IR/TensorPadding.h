// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries of a value are padding, as the attribute `npu.padding` says: on
// an operation, `npu.padding = [[2, 336, 512]]` promises that no real result
// depends on entries 336 to 511 of dimension 2 of the operation's result, so
// that these entries need not be written, moved or kept. An operation with
// several results has one such list for each result; function arguments may
// have one; on a tensor.empty the unit attribute says that the whole tensor is
// padding.

#ifndef NPU_DIALECT_NPU_IR_TENSORPADDING_H
#define NPU_DIALECT_NPU_IR_TENSORPADDING_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Placement/Distributions/Padding.h"

namespace npu {

/// The entries of a value that are known to be padding: what the operation that
/// defines the value says, or (through casts and redistributions, which keep
/// values) an operation before it.
Padding paddingOf(mlir::Value value);

/// The paddings of whole tensors that a function lists (`npu.paddings`); none
/// where it has no such attribute, and nothing where the attribute has another
/// form.
std::optional<llvm::SmallVector<Padding>> paddingsOf(mlir::Operation *function);

/// Whether `op` has `npu.padding`, or an argument of the function that `op` is.
bool hasPaddingAttr(mlir::Operation *op);

/// The padding of one tensor in the form of the attribute.
mlir::ArrayAttr toAttribute(mlir::MLIRContext *context,
                            std::span<const PaddedRange> padding);

/// Gives an operation's result the attribute; removes an attribute that was
/// there before where `padding` is empty.
void setPadding(mlir::OpResult result, std::span<const PaddedRange> padding);

/// Fails with a diagnostic where the attribute on `op` is not of the form above
/// or does not fit the shapes.
mlir::LogicalResult verifyPadding(mlir::Operation *op, mlir::Attribute attr);
mlir::LogicalResult verifyArgumentPadding(mlir::Operation *op, mlir::Type type,
                                          mlir::Attribute attr);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_TENSORPADDING_H
