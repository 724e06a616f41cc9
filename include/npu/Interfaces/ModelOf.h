// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to ask an operation for an interface whose model its dialect may have
// promised without anybody registering it. For such an operation, upstream's
// casts end the process in builds with assertions, and give null in others; the
// functions below give null in both, and users get a warning.

#ifndef NPU_INTERFACES_MODELOF_H
#define NPU_INTERFACES_MODELOF_H

#include "mlir/IR/Operation.h"

namespace npu {

/// `op` as `Interface`, or null where no model of it is registered.
template <typename Interface>
Interface modelOf(mlir::Operation *op) {
  std::optional<mlir::RegisteredOperationName> info =
      op->getName().getRegisteredInfo();
  if (!info || !info->hasInterface<Interface>())
    return {};
  return mlir::cast<Interface>(op);
}

/// Whether the dialect of `op` has promised a model of `Interface` for it that
/// nobody has registered.
template <typename Interface>
bool isPromised(mlir::Operation *op) {
  std::optional<mlir::RegisteredOperationName> info =
      op->getName().getRegisteredInfo();
  return info && !info->hasInterface<Interface>() &&
         mlir::dialect_extension_detail::hasPromisedInterface(
             info->getDialect(), info->getTypeID(),
             Interface::getInterfaceID());
}

} // namespace npu

#endif // NPU_INTERFACES_MODELOF_H
