// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes down the ways in which the tiles can run one operation.

#ifndef NPU_LIB_ANALYSIS_CHOICES_ENUMERATECHOICES_H
#define NPU_LIB_ANALYSIS_CHOICES_ENUMERATECHOICES_H

#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

/// In order of preference at equal bytes; empty where no tile can do a part of
/// the operation.
std::vector<ComputeChoice> enumerateChoices(mlir::Operation *op,
                                            const OpAccess &access,
                                            MovementCache &movement);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CHOICES_ENUMERATECHOICES_H
