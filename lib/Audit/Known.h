// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value is on both sides while somebody still needs it.

#ifndef NPU_LIB_AUDIT_KNOWN_H
#define NPU_LIB_AUDIT_KNOWN_H

#include "npu/Host/HostTensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/LogicalResult.h"

#include <memory>
#include <optional>

namespace npu {

using SharedTensor = std::shared_ptr<const HostTensor>;

/// A value of the audited function. Without a reference it is given: the same
/// on both sides, without an error.
struct Known {
  /// What the device has, in the value's type.
  SharedTensor device;
  /// What the reference has: floats in f64, integers in their type.
  SharedTensor reference;
  /// A bound of the distance between the two, f64.
  SharedTensor error;

  bool isExact() const { return !reference; }
};

/// The spec with another element type.
TensorSpec withType(const TensorSpec &spec, ElementType type);

/// Floats in f64; integers as they are.
HostTensor toReference(const HostTensor &tensor);

/// A tensor of f64 with one value everywhere.
HostTensor filled64(const TensorSpec &spec, double value);

/// The elements of an f64 tensor.
inline const double *doublesOf(const HostTensor &tensor) {
  return reinterpret_cast<const double *>(tensor.buffer.data());
}
inline double *doublesOf(HostTensor &tensor) {
  return reinterpret_cast<double *>(tensor.buffer.data());
}

/// The elements of a constant; nothing where the attribute has none that can be
/// read.
std::optional<HostTensor> elementsOf(mlir::ElementsAttr attribute);

/// A constant with these elements.
mlir::DenseElementsAttr toAttribute(const HostTensor &tensor,
                                    mlir::RankedTensorType type);

} // namespace npu

#endif // NPU_LIB_AUDIT_KNOWN_H
