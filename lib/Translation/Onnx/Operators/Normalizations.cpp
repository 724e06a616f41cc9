// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations and softmaxes.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addNormalizations(OperatorTable &table) {}

} // namespace npu
