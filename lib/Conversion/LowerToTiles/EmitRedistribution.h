// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a redistribution to transfers.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_EMITREDISTRIBUTION_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_EMITREDISTRIBUTION_H

#include "npu/Placement/Plans/RedistributionPlan.h"
#include "npu/TileProgram/TileBuilder.h"

namespace npu {

/// Builds the transfers of a plan, and the copies inside of tiles. Padding that
/// is not copied with them stays unwritten.
Parts emitRedistribution(mlir::OpBuilder &builder, mlir::Location loc,
                         const Parts &source, mlir::RankedTensorType target,
                         const RedistributionPlan &plan,
                         std::span<const PaddedRange> padding = {});

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_EMITREDISTRIBUTION_H
