// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_THIRD_STEPS_H
#define TEST_THIRD_STEPS_H

#include "npu-fuzz/Functions/FuzzExtension.h"

namespace third {

std::span<const npu::StepKind> stepKinds();

/// The bound of what `third.blur` makes.
std::optional<double> magnitudeOf(mlir::Operation *op,
                                  llvm::ArrayRef<double> operands);

} // namespace third

#endif // TEST_THIRD_STEPS_H
