// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations whose results take no data to make; the .td file
// describes it. Ask through dataNeedOf.

#ifndef NPU_INTERFACES_REMATERIALIZABLEOPINTERFACE_H
#define NPU_INTERFACES_REMATERIALIZABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace npu {

/// What has to be moved of a tensor when another tile wants it.
enum class DataNeed {
  /// Nothing: nobody has written the tensor, and any tensor will do, of any
  /// shape.
  Unwritten,
  /// Nothing: the tensor has one value everywhere.
  Uniform,
  /// Nothing: entries are computed from their positions and from scalars.
  Positions,
  /// The entries of a constant, which lies in memory and can be loaded.
  Stored,
  /// All entries: they are computed from other tensors.
  Computed,
};

} // namespace npu

#include "npu/Interfaces/RematerializableOpInterface.h.inc"

namespace npu {

/// The need of `value`; Computed where it is no operation's result, or where
/// its operation has no model.
DataNeed dataNeedOf(mlir::Value value);

/// Whether the result of `op` needs no data: empty, fill, splat, a generic that
/// reads no tensor (iota), constants.
bool needsNoData(mlir::Operation *op);

/// The scalar that every entry of `value` is equal to; null where its operation
/// does not say so.
mlir::Value uniformValueOf(mlir::Value value);

/// Whether `value` is made wherever it is wanted, at no cost: nobody has
/// written it, or it has one value everywhere.
inline bool isMadeAnywhere(mlir::Value value) {
  DataNeed need = dataNeedOf(value);
  return need == DataNeed::Unwritten || need == DataNeed::Uniform;
}

/// Whether nobody has written `value`.
inline bool isUnwritten(mlir::Value value) {
  return dataNeedOf(value) == DataNeed::Unwritten;
}

} // namespace npu

#endif // NPU_INTERFACES_REMATERIALIZABLEOPINTERFACE_H
