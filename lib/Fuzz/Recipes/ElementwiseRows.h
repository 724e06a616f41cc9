// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations element by element, for steps and for the bodies of steps.

#ifndef NPU_LIB_FUZZ_RECIPES_ELEMENTWISEROWS_H
#define NPU_LIB_FUZZ_RECIPES_ELEMENTWISEROWS_H

#include "npu/Execution/Host/HostTensor.h"

#include <span>

namespace npu {

/// How a step of a table's row is written.
enum class Form { Generic, Scalar, Named };

/// One operation; of one value, or of two of one type.
struct ElementwiseRow {
  const char *op;
  /// The linalg operation, if there is one.
  const char *named;
  /// Integers stay integers.
  bool isExact;
  /// How large the result can be where operands can be that large.
  double (*most)(double, double);

  /// Some of linalg's named operations are not for i1.
  bool hasNamed(ElementType type) const {
    return named && type != ElementType::Bool;
  }
};

std::span<const ElementwiseRow> rowsFor(ElementType type, bool binary);

} // namespace npu

#endif // NPU_LIB_FUZZ_RECIPES_ELEMENTWISEROWS_H
