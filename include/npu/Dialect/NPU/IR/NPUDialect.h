// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The npu dialect, its layout attribute and its operations.

#ifndef NPU_DIALECT_NPU_IR_NPUDIALECT_H
#define NPU_DIALECT_NPU_IR_NPUDIALECT_H

#include "npu/Interfaces/LayoutChangeOpInterface.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Placement/Distributions/Placement.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <memory>

namespace npu {
class LayoutAttr;
class ParsedLayouts;
class PlacementCache;

/// The hash by which LayoutAttr is uniqued.
inline llvm::hash_code hash_value(const Layout &layout) {
  return llvm::hash_code(hashValue(layout));
}
} // namespace npu

#include "npu/Dialect/NPU/IR/NPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "npu/Dialect/NPU/IR/NPUAttributes.h.inc"

#define GET_OP_CLASSES
#include "npu/Dialect/NPU/IR/NPUOps.h.inc"

// Names of the dialect's attributes on operations of other dialects, all of
// which NPUDialect.td declares. A name that one part of the compiler uses is
// declared in that part's header.
namespace npu {

/// Says which entries of a value are padding (TensorPadding.h).
inline constexpr llvm::StringLiteral paddingAttrName =
    NPUDialect::PaddingAttrHelper::getNameStr();

/// Of an operation of linalg: the element types that it stores, accumulates and
/// computes in, a PrecisionAttr.
inline constexpr llvm::StringLiteral precisionAttrName =
    NPUDialect::PrecisionAttrHelper::getNameStr();

/// Stands on an operation that combines partial results in another order than
/// the undivided reduction does, and so may round otherwise: a dictionary of
/// `op` (the reduction's name), `number` (how many reductions the function had
/// before it), `parts`, `terms` (the terms of each element of the result),
/// `loops` (the loops that are cut) and `ranges` (begin and end of each cut
/// loop in each part).
inline constexpr llvm::StringLiteral splitReductionAttrName =
    NPUDialect::SplitReductionAttrHelper::getNameStr();

/// Stands on a function: how many tiles its tile program is for.
inline constexpr llvm::StringLiteral tilesAttrName =
    NPUDialect::TilesAttrHelper::getNameStr();

/// Stands on an operation of a tile program: the tile that does the operation.
/// Operations without the attribute work in DDR.
inline constexpr llvm::StringLiteral tileAttrName =
    NPUDialect::TileAttrHelper::getNameStr();

/// Stands on a module: the device that it is to run on.
inline constexpr llvm::StringLiteral deviceAttrName =
    NPUDialect::DeviceAttrHelper::getNameStr();

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_NPUDIALECT_H
