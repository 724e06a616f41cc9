// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors take no data to make; the .td file describes the interface. Ask
// through dataNeedOf.

#ifndef NPU_INTERFACES_REMAKEABLEOPINTERFACE_H
#define NPU_INTERFACES_REMAKEABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace npu {

/// What there is to move of a tensor when another tile wants it.
enum class DataNeed {
  /// Nobody has written it: any tensor will do, of any shape.
  Unwritten,
  /// One value everywhere.
  Uniform,
  /// What positions and scalars say.
  Positions,
  /// A constant with entries of its own: it lies in memory and can be loaded.
  Stored,
  /// It comes from other tensors.
  Computed,
};

} // namespace npu

#include "npu/Interfaces/RemakeableOpInterface.h.inc"

namespace npu {

/// Computed where `value` is no result, or its operation says nothing.
DataNeed dataNeedOf(mlir::Value value);

/// True for operations whose result needs no data: empty, fill, splat, a
/// generic that reads no tensor (iota), constants.
bool needsNoData(mlir::Operation *op);

/// The scalar that every entry of `value` is; null where its operation does not
/// say it.
mlir::Value uniformValueOf(mlir::Value value);

/// Whether nobody has written `value`.
inline bool isUnwritten(mlir::Value value) {
  return dataNeedOf(value) == DataNeed::Unwritten;
}

} // namespace npu

#endif // NPU_INTERFACES_REMAKEABLEOPINTERFACE_H
