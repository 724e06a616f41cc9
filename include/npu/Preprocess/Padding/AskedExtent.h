// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_PADDING_ASKEDEXTENT_H
#define NPU_PREPROCESS_PADDING_ASKEDEXTENT_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

namespace npu {

/// The extent that `dim`, a tensor.dim whose dimension is computed, asks for,
/// selected among `extents`, those of all dimensions (at least one). A number
/// that is no dimension's, whose result upstream leaves undefined, gives the
/// first extent, in every program.
///
///     tensor.dim %x, %d : tensor<?x?xf32>    %d == 1 ? extents[1] : extents[0]
mlir::Value askedExtent(mlir::OpBuilder &builder,
                        mlir::ShapedDimOpInterface dim,
                        llvm::ArrayRef<mlir::Value> extents);

} // namespace npu

#endif // NPU_PREPROCESS_PADDING_ASKEDEXTENT_H
