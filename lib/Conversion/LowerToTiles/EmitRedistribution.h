// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A redistribution as transfers.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_EMITREDISTRIBUTION_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_EMITREDISTRIBUTION_H

#include "npu/Placement/Plans/RedistributionPlan.h"
#include "npu/TileProgram/TileBuilder.h"

namespace npu {

/// The transfers of a plan, and what tiles copy for themselves. Nobody writes
/// padding that does not come with that.
Parts emitRedistribution(mlir::OpBuilder &builder, mlir::Location loc,
                         const Parts &source, mlir::RankedTensorType target,
                         const RedistributionPlan &plan,
                         std::span<const PaddedRange> padding = {});

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_EMITREDISTRIBUTION_H
