// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose results have elements of their operands, or of a region, and
// compute none.

#ifndef NPU_EXTERNALMODELS_TENSOR_MOVEDELEMENTS_H
#define NPU_EXTERNALMODELS_TENSOR_MOVEDELEMENTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// Whether every element of the only result is one of an operand, and no region
/// makes any: slices, reshapes, concatenations, tensor.extract, tensor.insert,
/// tensor.from_elements, tensor.splat.
bool onlyMovesElements(mlir::Operation *op);

/// Whether an operand of such an operation, or of a pad, says where elements go
/// or come from, and has none: an offset, an index, a shape.
bool saysWhere(mlir::OpOperand &operand);

/// The value that the region of `op` makes elements of, where other elements
/// are those of operand #0, or there are none: tensor.pad, tensor.generate.
/// Null for other operations.
mlir::Value elementOfRegion(mlir::Operation *op);

/// Whether no element of the result is written yet: tensor.empty.
bool makesUnwritten(mlir::Operation *op);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_MOVEDELEMENTS_H
