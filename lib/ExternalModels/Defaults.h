// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Default models for operations of any dialect that have an interface or a
// trait of upstream from which a model follows.

#ifndef NPU_LIB_EXTERNALMODELS_DEFAULTS_H
#define NPU_LIB_EXTERNALMODELS_DEFAULTS_H

#include "mlir/IR/OperationSupport.h"

namespace npu {

/// Gives operations of this name the model of PartwiseOpInterface that follows
/// from LinalgOp, from the elementwise traits, or from IndexingMapOpInterface
/// together with DestinationStyleOpInterface; none if they have none of these.
void attachPartwiseDefault(mlir::RegisteredOperationName name);

/// Gives operations with LinalgOp the model of RematerializableOpInterface by
/// which those that read no tensor can be rematerialized.
void attachRematerializableDefault(mlir::RegisteredOperationName name);

/// Gives operations of this name the structured form that follows from
/// AggregatedOpInterface; nothing if they do not have it.
void attachStructuredFormDefault(mlir::RegisteredOperationName name);

/// Gives operations of this name the model of causality that follows from
/// LinalgOp or from the elementwise traits.
void attachCausalDefault(mlir::RegisteredOperationName name);

/// Gives operations of this name the model of PaddingOpInterface for
/// elementwise operations; none if they are not elementwise.
void attachPaddingDefault(mlir::RegisteredOperationName name);

/// Whether operations of this name compute each entry from the entries of
/// operands at the same position, by upstream's traits.
bool isElementwise(mlir::RegisteredOperationName name);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_DEFAULTS_H
