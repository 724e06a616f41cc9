// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates the ways in which tiles can run one operation.

#ifndef NPU_LIB_ANALYSIS_CHOICES_ENUMERATECHOICES_H
#define NPU_LIB_ANALYSIS_CHOICES_ENUMERATECHOICES_H

#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

/// The choices in order of preference at equal bytes; empty where tiles cannot
/// do the operation part by part.
std::vector<ComputeChoice> enumerateChoices(mlir::Operation *op,
                                            const OpAccess &access,
                                            MovementCache &movement);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CHOICES_ENUMERATECHOICES_H
