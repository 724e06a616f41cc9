// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns that cut operations into tiles' parts.
// Analysis/Choices/HostFallback.h says which operations are cut.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_PATTERNS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_PATTERNS_H

#include "npu/Placement/Plans/RedistributionPlan.h"
#include "npu/TileProgram/TileBuilder.h"

#include "mlir/Transforms/DialectConversion.h"

namespace npu {

/// Converts a distributed tensor type to one tensor type per tile, and any
/// other tensor type with a layout to one plain type in memory order.
class TileTypeConverter : public mlir::TypeConverter {
public:
  TileTypeConverter();
};

/// Adds the pattern for operations whose PartwiseOpInterface says how a tile
/// makes its part.
void populateCutPattern(const TileTypeConverter &converter,
                        mlir::RewritePatternSet &patterns);
/// Adds the patterns for this dialect's casts and redistributions, empty
/// tensors and constants. Plans are made for tiles of these machines.
void populateLayoutPatterns(const TileTypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            Machines machines);

/// The parts of an operand, from its original value (for the type) and its
/// converted values.
Parts partsOf(mlir::Value original, mlir::ValueRange converted);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_PATTERNS_H
