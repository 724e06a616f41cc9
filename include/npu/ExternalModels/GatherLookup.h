// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu.gather as a lookup: a structured operation that reads entries of a whole
// tensor where its body says.

#ifndef NPU_EXTERNALMODELS_GATHERLOOKUP_H
#define NPU_EXTERNALMODELS_GATHERLOOKUP_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/Builders.h"

namespace npu {

/// Builds what a gather gives by a linalg.generic over its result, each entry
/// of which reads the data at its tuple. The coordinates of a tuple are
/// operands, one for each, so that it is seen which entries of the result they
/// name the data of. Extents of the result may be known better or worse than
/// those of the gather.
mlir::Value asLookup(mlir::OpBuilder &builder, GatherOp gather);

} // namespace npu

#endif // NPU_EXTERNALMODELS_GATHERLOOKUP_H
