// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of elementwise operations, for steps and for the bodies of steps.

#ifndef NPU_FUZZ_FUNCTIONS_ELEMENTWISEROWS_H
#define NPU_FUZZ_FUNCTIONS_ELEMENTWISEROWS_H

#include "npu/Host/HostTensor.h"

#include "mlir/IR/Builders.h"

#include <span>
#include <string_view>

namespace npu {

/// Builds a named operation of linalg.
using BuildNamed = mlir::Value (*)(mlir::OpBuilder &builder,
                                   mlir::ValueRange inputs, mlir::Value init,
                                   llvm::ArrayRef<mlir::NamedAttribute>);

template <typename Op>
mlir::Value buildNamed(mlir::OpBuilder &builder, mlir::ValueRange inputs,
                       mlir::Value init,
                       llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  return Op::create(builder, builder.getUnknownLoc(),
                    mlir::TypeRange{init.getType()}, inputs,
                    mlir::ValueRange{init}, attributes)
      ->getResult(0);
}

/// One operation on one value, or on two values of one type.
struct ElementwiseRow {
  const char *op;
  /// The linalg operation, if there is one.
  BuildNamed named;
  /// Whether the operation gives integers for integers.
  bool isExact;
  /// A bound of the result's magnitude from the bounds of the operands.
  double (*most)(double, double);

  /// Whether there is a named operation for the type; some are not defined for
  /// i1.
  bool hasNamed(ElementType type) const {
    return named && type != ElementType::Bool;
  }
};

std::span<const ElementwiseRow> rowsFor(ElementType type, bool binary);

/// The row of an operation, or null.
const ElementwiseRow *rowNamed(std::string_view op);

/// Whether the operation is a minimum or a maximum of any kind.
bool isExtremum(std::string_view op);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_ELEMENTWISEROWS_H
