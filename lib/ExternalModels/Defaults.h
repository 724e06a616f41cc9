// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of whatever dialect that have an interface or a trait
// of upstream which says enough.

#ifndef NPU_LIB_EXTERNALMODELS_DEFAULTS_H
#define NPU_LIB_EXTERNALMODELS_DEFAULTS_H

#include "mlir/IR/OperationSupport.h"

namespace npu {

/// Gives operations of this name the model that follows from LinalgOp, from the
/// elementwise traits, or from IndexingMapOpInterface together with
/// DestinationStyleOpInterface; nothing if they have none of these.
void attachPartwiseDefault(mlir::RegisteredOperationName name);

/// Says of operations with LinalgOp which of them read no tensor.
void attachRemakeableDefault(mlir::RegisteredOperationName name);

/// Gives operations of this name the structured form that follows from
/// AggregatedOpInterface; nothing if they do not have it.
void attachStructuredFormDefault(mlir::RegisteredOperationName name);

/// Gives operations of this name the model of causality that follows from
/// LinalgOp or from the elementwise traits.
void attachCausalDefault(mlir::RegisteredOperationName name);

/// Gives operations of this name what elementwise ones do with padding; nothing
/// if they are none.
void attachPaddingDefault(mlir::RegisteredOperationName name);

/// Operations of this name compute each entry of the same entries of operands,
/// by upstream's traits.
bool isElementwise(mlir::RegisteredOperationName name);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_DEFAULTS_H
