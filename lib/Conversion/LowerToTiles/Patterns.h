// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns that cut operations; Analysis/Choices/Gather.h says which
// operations they are for.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_PATTERNS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_PATTERNS_H

#include "npu/TileProgram/TileBuilder.h"

#include "mlir/Transforms/DialectConversion.h"

namespace npu {

/// Distributed tensors become one tensor per tile; other tensors with a layout
/// one plain tensor in memory order.
class TileTypeConverter : public mlir::TypeConverter {
public:
  TileTypeConverter();
};

/// Operations that say by PartwiseOpInterface how a tile makes its part.
void populateCutPattern(const TileTypeConverter &converter,
                        mlir::RewritePatternSet &patterns);
/// This dialect's casts and redistributions, empty tensors and constants.
void populateLayoutPatterns(const TileTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// The parts of an operand: its original type and its converted values.
Parts partsOf(mlir::Value original, mlir::ValueRange converted);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_PATTERNS_H
